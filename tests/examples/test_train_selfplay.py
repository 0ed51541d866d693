"""Self-play in plain torch: what it writes, exact resumption, and that it learns."""

import json
from copy import deepcopy

import pytest
import torch
from parts.self_play_games import update_figures

from catan_pz import Game, agents
from catan_pz.agents.network import Model
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.game import GameRecord
from catan_pz.training.checkpoints import Checkpoints
from tests.examples.programs import end_of

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard")

SMALL = (
    *("--players=3", "--points=3", "--num-envs=8", "--n-steps=16", "--batch-size=64"),
    *("--width=8", "--embedding-size=4", "--frames=600", "--eval-games=3", "--eval-every=250"),
    *("--eval-against=random", "--checkpoint-every=150", "--league-every=2", "--no-progress"),
    *("--league-members=2", "--opponents=heuristic", "--expert=heuristic", "--demonstrations=200"),
    *("--critic-first=2", "--kl-coef=0.1"),
)

PROGRAM = "train_selfplay"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Words of a small training, some of whose games start from recorded ones."""
    folder = tmp_path_factory.mktemp("games")
    for seed in range(4):
        game = Game(num_players=3, trading=False, victory_points=3, seed=seed)
        record = GameRecord.of(game)
        Table(game, [agents.load("heuristic") for _ in range(3)], seat_seeds(seed, 3)).play()
        record.save(folder / f"{seed}.jsonl")
    return [*SMALL, f"--starts={folder}", "--starts-share=0.5"]


@pytest.fixture(scope="module")
def whole(program, small, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole")
    return program.main([*small, f"--out={out}"]), out


def test_it_trains_and_writes_everything(whole):
    result, out = whole
    assert result["frames"] >= 600
    assert json.loads((out / "result.json").read_text()) == result
    state = Checkpoints(out).load()
    assert state["learner"]["rivals"]["pool"]
    assert state["curve"][0]["frames"] == 0
    model = Model.read(out / "model.npz")
    assert model.card["frames"] == result["frames"]
    assert 200 <= model.card["demonstrations"] < 600
    assert "--expert heuristic" in model.card["command"]


def make(program, *words):
    return program.make_run(program.parse(program.Args, words, ""))


def stop_after(program, updates, arguments):
    """A training that is stopped, as by Ctrl-C, in the update of this number."""
    run = make(program, *arguments)
    play = run.learner.play

    def counted(number):
        if number + 1 == updates:
            run.stop()
        return play(number)

    run.learner.play = counted
    run.train()
    return run.learner


def test_a_stopped_training_leaves_its_model_and_resumes(program, small, whole, tmp_path):
    arguments = [*small, "--checkpoint-every=100000", f"--out={tmp_path}"]
    learner = stop_after(program, 5, arguments)
    model = Model.read(tmp_path / "model.npz")
    assert model.card["frames"] == learner.frames
    program.main([*arguments, "--resume"])
    assert end_of(tmp_path) == end_of(whole[1])


def test_a_checkpoint_of_a_gpu_resumes_with_new_games(program, tmp_path, capsys):
    """On a GPU the games are not in the checkpoint; a GPU's options may be left out later."""
    arguments = [*SMALL, f"--out={tmp_path}"]
    stop_after(program, 4, [*arguments, "--bf16"])
    checkpoints = Checkpoints(tmp_path)
    state = checkpoints.load()
    state["learner"]["games"] = None
    checkpoints.save(state["done"], state, state["learner"]["snapshots"])
    capsys.readouterr()
    assert program.main([*arguments, "--resume"])["frames"] >= 600
    assert "The games begin anew" in capsys.readouterr().out


def learner_and_round(program, tmp_path, *options):
    """A learner of dense layers, and a round that it has played."""
    fixed = [*SMALL, "--expert=", "--network=dense", "--num-envs=32", f"--out={tmp_path}", *options]
    learner = make(program, *fixed).learner
    learner.start = deepcopy(learner.network.policy)
    return learner, learner.player.play(learner.network, 0, gamma=0.99, gae_lambda=0.95)


@pytest.mark.parametrize("critic", ["hidden", "shared"])
def test_the_critic_learns_first_and_leaves_the_policy(program, tmp_path, critic):
    learner, played = learner_and_round(program, tmp_path, f"--critic={critic}")
    policy = deepcopy(learner.network.policy.state_dict())
    losses = []
    for _ in range(3):
        losses.append(update_figures(learner.network, learner.start, played)["value_loss"])
        assert learner.learn(played, 0, 1.0, "critic") > 5
    assert losses[2] < losses[1] < losses[0]
    for name, array in learner.network.policy.state_dict().items():
        assert torch.equal(array, policy[name])


def test_the_divergence_holds_the_policy_at_its_start(program, tmp_path):
    apart = {}
    for coefficient in (0, 100):
        options = f"--kl-coef={coefficient}", "--learning-rate=2e-3", "--target-kl=9"
        learner, played = learner_and_round(program, tmp_path, *options)
        for number in range(6):
            learner.learn(played, number, 1.0, "ppo")
        figures = update_figures(learner.network, learner.start, played)
        apart[coefficient] = figures["kl_from_start"]
    assert apart[0] > 0.02
    assert apart[100] < 0.1 * apart[0]


def test_a_policy_is_started_from_a_model(program, whole, tmp_path):
    model = whole[1] / "model.npz"
    options = [option for option in SMALL if not option.startswith("--expert")]
    arguments = [*options, f"--out={tmp_path}", f"--init={model}", "--frames=1", "--eval-games=2"]
    result = program.main([*arguments, "--learning-rate=0"])
    started = Model.read(tmp_path / "model.npz").network.arrays
    for name, array in Model.read(model).network.arrays.items():
        assert abs(started[name] - array).max() < 1e-3
    assert result["frames"] > 0


@pytest.mark.slow
def test_it_learns(program, tmp_path):
    """From nothing, two players to three points: better than random play within 45,000 frames."""
    options = (
        *("--players=2", "--points=3", "--network=dense", "--width=64", "--num-envs=64"),
        *("--n-steps=64", "--batch-size=512", "--learning-rate=1e-3", "--frames=45000"),
        *("--eval-games=400", "--no-eval-first", "--eval-every=100000", "--no-progress"),
        *("--opponents=", "--eval-against=random", f"--out={tmp_path}"),
    )
    (row,) = program.main(options)["results"]
    assert row["interval"][0] > 0.52
