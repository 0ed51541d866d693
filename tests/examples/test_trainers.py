"""The trainings of Stable-Baselines3's learners: what they write, how they stop and resume."""

import csv
import json

import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("matplotlib", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from catan_pz import agents
from catan_pz.agents.network import Model
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.game.game import Game
from catan_pz.rules import Rules
from catan_pz.training import evaluation, sb3
from catan_pz.training.checkpoints import Checkpoints
from tests.examples.programs import end_of, kill_after_a_checkpoint, load

SMALL = (
    *("--players=2", "--points=3", "--num-envs=4", "--batch-size=16", "--width=8"),
    *("--embedding-size=4", "--frames=210", "--eval-every=96", "--eval-games=2"),
    *("--checkpoint-every=64", "--league-every=2", "--league-size=2", "--no-progress"),
    "--opponents=random,league:2",
)
SMALL_PPO = (*SMALL, "--n-steps=8")
SMALL_DQN = (
    *(*SMALL, "--train-freq=8", "--buffer-size=96", "--learning-starts=32"),
    *("--gradient-steps=2", "--target-update-interval=48"),
)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard")


@pytest.fixture(scope="module", params=["train_maskable_ppo", "train_dqn"])
def program(request):
    module = load(request.param)
    module.small = SMALL_DQN if request.param == "train_dqn" else SMALL_PPO
    return module


@pytest.fixture(scope="module", autouse=True)
def quick_pictures():
    """Drawing takes longer than these trainings: `test_curves` looks at the pictures."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(evaluation, "draw_curve", lambda *_, **__: b"picture")
        patched.setattr(sb3, "_LOG_EVERY", 32)
        yield


@pytest.fixture(scope="module")
def whole(program, tmp_path_factory):
    """Result and folder of a training that nothing stopped."""
    out = tmp_path_factory.mktemp("whole")
    return program.main([*program.small, f"--out={out}"]), out


class KilledError(Exception):
    pass


def stopped_at(frames, how):
    """Trainings stopped in the first rollout that passes a frame: "killed", or asked to stop."""
    rollout_end = sb3._BetweenUpdates._on_rollout_end

    def broken(self):
        if self.num_timesteps > frames:
            if how == "killed":
                raise KilledError
            self.run.stop()
        rollout_end(self)

    patched = pytest.MonkeyPatch()
    patched.setattr(sb3._BetweenUpdates, "_on_rollout_end", broken)
    return patched


def kill_at(frames, program, arguments):
    patched = stopped_at(frames, "killed")
    with pytest.raises(KilledError):
        program.main(arguments)
    patched.undo()


def test_it_trains_and_writes_everything(whole):
    """The last rollout passes the 210 frames."""
    result, out = whole
    assert result["frames"] == 224
    assert json.loads((out / "result.json").read_text()) == result
    rows = list(csv.DictReader((out / "curve.csv").read_text().splitlines()))
    assert [int(row["frames"]) for row in rows] == [0, 96, 192, 224]
    assert all(float(row["low"]) <= float(row["win_rate"]) <= float(row["high"]) for row in rows)
    assert (out / "curve.png").exists()
    assert not list(out.rglob(".*"))
    assert all(result["timers"][part] > 0 for part in ("games", "updates", "evaluations"))
    model = Model.read(out / "model.npz")
    assert model.card["frames"] == 224
    assert "--opponents random,league:2" in model.card["command"]
    agent = agents.load(str(out / "model.npz"))
    game = Game(Rules.from_dict(model.rules), seed=1)
    Table(game, [agent, agent], seat_seeds(1, 2)).play()
    assert game.is_over or game.is_truncated


def test_the_learning_rate_ends_where_it_says_though_rollouts_pass_the_frames(program, whole):
    learner = Checkpoints(whole[1]).load()["learner"]
    rate = learner["optimizer"]["param_groups"][0]["lr"]
    assert rate == pytest.approx(0.1 * program.Args().learning_rate)


def test_logs_have_the_usual_tags(program, whole):
    logs = EventAccumulator(str(whole[1] / "logs"))
    logs.Reload()
    tags = set(logs.Tags()["scalars"])
    assert tags >= {
        *("rollout/ep_rew_mean", "rollout/ep_len_mean", "time/fps", "time/iterations"),
        *("time/total_timesteps", "time/time_elapsed", "train/loss", "train/learning_rate"),
        *("episode/won", "episode/points", "eval/random", "seconds/updates"),
    }
    own = {
        "train_maskable_ppo": {"train/entropy_loss", "train/value_loss", "train/approx_kl"},
        "train_dqn": {"train/q_values", "train/n_updates", "rollout/exploration_rate"},
    }
    assert tags >= own[program.__name__]
    steps = [event.step for event in logs.Scalars("time/total_timesteps")]
    assert steps == [event.value for event in logs.Scalars("time/total_timesteps")]
    assert steps == sorted(set(steps))


def test_a_training_that_was_killed_and_stopped_gives_the_numbers_of_an_unbroken_one(
    program, whole, tmp_path
):
    arguments = [*program.small, f"--out={tmp_path}"]
    kill_at(150, program, arguments)
    assert Checkpoints(tmp_path).load()["done"] == 128
    patched = stopped_at(150, "asked to stop")
    assert program.main([*arguments, "--resume"])["frames"] == 160
    patched.undo()
    assert not (tmp_path / "result.json").exists()
    program.main([*arguments, "--resume"])
    resumed = end_of(tmp_path)
    for part, value in end_of(whole[1]).items():
        assert resumed[part] == value, part


@pytest.mark.slow
def test_a_training_on_dicts_resumes(program, tmp_path):
    arguments = [*program.small, "--observation=dict"]
    program.main([*arguments, f"--out={tmp_path / 'whole'}"])
    broken = [*arguments, f"--out={tmp_path / 'broken'}"]
    kill_at(110, program, broken)
    program.main([*broken, "--resume"])
    assert end_of(tmp_path / "broken") == end_of(tmp_path / "whole")


@pytest.mark.slow
def test_a_killed_training_resumes(program, whole, tmp_path):
    """The real thing: SIGKILL at any moment, in the middle of writing too."""
    arguments = [*program.small, f"--out={tmp_path}"]
    kill_after_a_checkpoint(program, arguments, tmp_path)
    (tmp_path / ".checkpoint-000000000999.half.draft.pt").write_bytes(b"half")
    program.main([*arguments, "--resume"])
    assert end_of(tmp_path) == end_of(whole[1])


@pytest.mark.slow
def test_numbers_that_are_not_finite_end_it_and_leave_the_checkpoint(
    program, whole, tmp_path, monkeypatch
):
    arguments = [*program.small, f"--out={tmp_path}"]
    kill_at(100, program, arguments)
    before = (tmp_path / "checkpoint.json").read_text()
    learner = program.MaskablePPO if hasattr(program, "MaskablePPO") else program.MaskedDQN
    train = learner.train

    def astray(self, *arguments, **more):
        train(self, *arguments, **more)
        with torch.no_grad():
            next(self.policy.parameters())[0, 0] = float("nan")

    monkeypatch.setattr(learner, "train", astray)
    with pytest.raises(FloatingPointError, match="aren't finite"):
        program.main([*arguments, "--resume"])
    assert (tmp_path / "checkpoint.json").read_text() == before


@pytest.mark.parametrize(
    ("argument", "match"),
    [
        ("--device=cuda", "no GPU"),
        ("--opponents=league:0", "opponents='league:0'"),
        ("--boards=1,-2", "board"),
        ("--eval-against=ppo-4p", "agent 'ppo-4p' plays games of 4 players"),
        ("--observation=planes", "board network"),
    ],
)
def test_impossible_options_are_named(tmp_path, monkeypatch, argument, match):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    words = [*SMALL_PPO, argument, "--no-eval-first", f"--out={tmp_path}"]
    with pytest.raises(ValueError, match=match):
        load("train_maskable_ppo").main(words)
    assert not (tmp_path / "checkpoint.json").exists()


def test_imitation_is_worth_a_checkpoint_from_which_a_training_resumes_exactly(tmp_path):
    ppo = load("train_maskable_ppo")
    arguments = [*SMALL_PPO, "--frames=64", "--expert=weighted", "--demonstrations=100"]
    ppo.main([*arguments, f"--out={tmp_path / 'whole'}"])
    broken = [*arguments, f"--out={tmp_path / 'broken'}"]
    kill_at(0, ppo, broken)
    assert [entry["frames"] for entry in Checkpoints(tmp_path / "broken").entries()] == [0]
    ppo.main([*broken, "--resume"])
    assert end_of(tmp_path / "broken") == end_of(tmp_path / "whole")
