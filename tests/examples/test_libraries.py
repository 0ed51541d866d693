"""The programs in `examples/libraries`, each for seconds."""

from types import SimpleNamespace

import numpy as np
import pytest
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
    checks = torch.distributions.Distribution._validate_args
    yield
    torch.distributions.Distribution.set_default_validate_args(checks)


def case(name, library):
    """A program as a parameter of tests, marked by the library that it needs."""
    marks = [pytest.mark.libraries] if library in OWN_ENVIRONMENTS else []
    if library == "ray.rllib":
        marks.append(pytest.mark.filterwarnings("ignore"))  # it warns of matters of its own
    return pytest.param(name, marks=marks)


@pytest.fixture(params=[case(name, library) for name, (library, *_) in PROGRAMS.items()])
def program(request):
    library, *small = PROGRAMS[request.param]
    pytest.importorskip(library, reason=f"takes {library}", exc_type=ImportError)
    return load(f"libraries/{request.param}"), small


def test_it_trains_and_says_how_well(program, capsys):
    module, small = program
    result = module.main([*SHORT, *small])
    assert result["decisions"] >= 128
    assert result["games"] == 8
    assert "above chance level" in capsys.readouterr().out


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
