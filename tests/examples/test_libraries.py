"""The programs in `examples/libraries`, each for seconds."""

from types import SimpleNamespace

import pytest

pytest.importorskip("tyro", reason="takes the extra `train`")
pytest.importorskip("torch", reason="takes the extra `train`")

import numpy as np
import torch

from catan_pz.rewards import PointsGained
from catan_pz.rules import Rules
from catan_pz.training.options import parse
from tests.examples.programs import load

RLLIB = ("--num-games=4", "--train-batch-size=128", "--minibatch-size=32")

PROGRAMS = {
    "agilerl_ppo": ("agilerl", "--num-envs=4", "--steps=16", "--batch-size=32"),
    "cleanrl_ppo": ("torch", "--num-envs=4", "--num-steps=16", "--minibatch-size=32"),
    "open_spiel_ppo": ("pyspiel", "--num-envs=4", "--steps-per-batch=16"),
    "pettingzoo_parallel": ("pettingzoo", "--games=2", "--max-turns=30", "--minibatch=32"),
    "rllib_selfplay": ("ray.rllib", *RLLIB),
    "sb3_single_seat": ("sb3_contrib", "--num-envs=4", "--n-steps=16", "--batch-size=32"),
    "sb3_vec": ("sb3_contrib", "--num-envs=4", "--n-steps=16", "--batch-size=32"),
    "tianshou_ppo": ("tianshou", "--num-envs=4", "--steps=16", "--minibatch=32"),
    "torchrl_ppo": ("torchrl", "--num-envs=4", "--steps=16", "--minibatch=32"),
}
"""What each needs, and options that make it small."""

OWN_ENVIRONMENTS = ("agilerl", "pyspiel", "ray.rllib", "tianshou")
"""Libraries that aren't among the dependencies; `make test-libraries` installs each by itself."""

# No evaluation on the way: four games won by luck would end a training.
SHORT = ("--frames=128", "--eval-every=1000", "--eval-games=4", "--no-progress")


@pytest.fixture(autouse=True)
def _usual_torch():
    """Programs set what holds for the whole process."""
    threads = torch.get_num_threads()
    checks = torch.distributions.Distribution._validate_args
    yield
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(checks)


def case(name, *more):
    """A program as a parameter of tests, marked by the library that it needs."""
    library = PROGRAMS[name][0]
    marks = [pytest.mark.libraries] if library in OWN_ENVIRONMENTS else []
    if library == "ray.rllib":
        marks.append(pytest.mark.filterwarnings("ignore"))  # it warns of matters of its own
    return pytest.param(name, *more, marks=marks)


@pytest.fixture(params=[case(name) for name in PROGRAMS])
def program(request):
    """A module of a program, and words that make it small."""
    library, *small = PROGRAMS[request.param]
    pytest.importorskip(library, reason=f"takes {library}", exc_type=ImportError)
    return load(f"libraries/{request.param}"), small


def test_it_trains_and_says_how_well(program, capsys):
    module, small = program
    result = module.main([*SHORT, *small])
    assert result["decisions"] >= 128
    assert result["games"] == 8
    out = capsys.readouterr().out
    assert "decisions in " in out
    assert "against random: won " in out
    assert "above chance level" in out


@pytest.mark.parametrize("name", ["sb3_single_seat", "sb3_vec"])
def test_stable_baselines_learns_from_all_rollouts(name, monkeypatch):
    library, *small = PROGRAMS[name]
    pytest.importorskip(library, reason=f"takes {library}", exc_type=ImportError)
    module = load(f"libraries/{name}")
    learned = []

    class Learner(module.MaskablePPO):
        def train(self):
            learned.append(self.num_timesteps)
            super().train()

    monkeypatch.setattr(module, "MaskablePPO", Learner)
    assert module.main([*SHORT, *small])["decisions"] == 128
    assert learned == [64, 128]


def test_cleanrl_goes_on_by_its_estimate_where_games_are_truncated():
    module = load("libraries/cleanrl_ppo")
    rules = Rules(num_players=2, trading=False, skip_forced=True, max_turns=6)
    envs = module.CatanVectorEnv(4, rules, reward=PointsGained(point=0.0, win=1.0))
    observations, infos = envs.reset(seed=1)
    seen = torch.from_numpy(observations), torch.from_numpy(infos["action_mask"]).bool()
    learner = module.Learner(observations.shape[1], rules.num_actions)
    learner.critic = torch.nn.Linear(observations.shape[1], 1)
    torch.nn.init.zeros_(learner.critic.weight)
    torch.nn.init.constant_(learner.critic.bias, 3.0)
    args = parse(module.Args, ["--num-steps=64", "--gamma=0.5"], "")
    with torch.no_grad():
        *_, rewards, ends, _ = module.collect(envs, learner, seen, args)
    assert ends.any()
    assert torch.equal(rewards, 1.5 * ends)


def test_parallel_games_that_are_truncated_leave_out_what_is_not_known():
    module = load("libraries/pettingzoo_parallel")
    args = parse(module.Args, ["--gamma=0.5", "--gae-lambda=0.5"], "")
    seen, mask = np.zeros(3, np.float32), np.ones(2, np.int8)

    def steps():
        return {"player_0": [[seen, mask, 0, -1.0, 2.0, 1.0], [seen, mask, 1, -1.0, 4.0, 8.0]]}

    for is_truncated, expected in ((True, [1 + 2 - 2]), (False, [4.0, 1 + 2 - 2 + 0.25 * 4.0])):
        play = SimpleNamespace(steps=steps(), is_truncated=is_truncated)
        *_, actions, _, advantages, targets = module.decisions_of([play], args)
        assert advantages.tolist() == expected
        assert (targets - advantages).tolist() == ([2.0] if is_truncated else [4.0, 2.0])
        assert len(actions) == len(expected)


def test_parallel_games_tell_whether_they_are_truncated():
    module = load("libraries/pettingzoo_parallel")
    rules = Rules(num_players=2, trading=False, skip_forced=True, max_turns=6)
    envs = [module.catan_v0.parallel_env(rules=rules)]
    inputs = envs[0].observation_space("player_0")["observation"].shape[0]
    (play,) = module.play_games(envs, module.Learner(inputs, rules.num_actions), seed=1)
    assert play.is_truncated


@pytest.mark.libraries
@pytest.mark.filterwarnings("ignore")
def test_rllib_steps_pettingzoo_environments_too(capsys):
    pytest.importorskip("ray.rllib", reason="takes RLlib", exc_type=ImportError)
    module = load("libraries/rllib_selfplay")
    result = module.main([*SHORT, *RLLIB, "--runner=aec", "--observation=dict"])
    assert result["decisions"] >= 128


@pytest.mark.libraries
@pytest.mark.filterwarnings("ignore")
def test_a_frozen_copy_joins_rllibs_league():
    pytest.importorskip("ray.rllib", reason="takes RLlib", exc_type=ImportError)
    module = load("libraries/rllib_selfplay")
    args = parse(module.Args, RLLIB, "")
    league = module.League(args)
    module.ray.init("local", num_cpus=1, include_dashboard=False, logging_level="error")
    try:
        rules = Rules(num_players=2, trading=False)
        algorithm = module.make_config(args, rules).build_algo()
        for won in (0.1, 0.9):
            result = {module.ENV_RUNNER_RESULTS: {module.WON: {"learner": won}}}
            league.on_train_result(algorithm=algorithm, result=result)
        before = weights_of(algorithm, "past_1")
        assert weights_of(algorithm, "learner").equal(before)
        assert algorithm.get_module("past_2") is None
        algorithm.train()
        assert weights_of(algorithm, "past_1").equal(before)
        assert not weights_of(algorithm, "learner").equal(before)
        mapping = algorithm.env_runner.config.policy_mapping_fn
        seats = {mapping("player_0", SimpleNamespace(id_=k)) for k in range(50)}
        assert seats == {"learner", "random", "past_1"}
        algorithm.stop()
    finally:
        module.ray.shutdown()


def weights_of(algorithm, name):
    return algorithm.get_module(name).actor[0].weight.detach().clone()


@pytest.mark.libraries
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("terminated", "truncated", "winner"),
    [(True, False, "past_1"), (False, True, None), (True, True, None)],
)
def test_the_league_counts_games_that_somebody_has_won(terminated, truncated, winner):
    """A truncated game, or one ended by an illegal action, is nobody's."""
    pytest.importorskip("ray.rllib", reason="takes RLlib", exc_type=ImportError)
    program = load("libraries/rllib_selfplay")
    modules = {"player_0": "learner", "player_1": "past_1"}
    noted = {}
    episode = SimpleNamespace(
        is_terminated=terminated,
        is_truncated=truncated,
        get_rewards=lambda *_, **__: {"player_0": 0.0, "player_1": float(winner is not None)},
        module_for=modules.__getitem__,
    )
    logger = SimpleNamespace(log_value=lambda key, value, **_: noted.update({key[1]: value}))
    program.League(parse(program.Args, [], "")).on_episode_end(
        episode=episode, metrics_logger=logger
    )
    assert noted == {name: float(name == winner) for name in modules.values()}
