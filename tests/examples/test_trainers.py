"""The trainings of Stable-Baselines3's learners: what they write, how they stop and resume."""

import csv
import json
from contextlib import contextmanager

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from catan_pz import agents
from catan_pz.agents.network import Model
from catan_pz.training import sb3
from catan_pz.training.checkpoints import Checkpoints
from catan_pz.training.run import Run
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
def frequent_logs():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sb3, "_LOG_EVERY", 32)
        yield


@pytest.fixture(scope="module")
def whole(program, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole")
    return program.main([*program.small, f"--out={out}"]), out


class KilledError(Exception):
    pass


@contextmanager
def at_frame(frame, do):
    """Something is done with a run at the end of each rollout that passes a frame."""
    rollout_end = sb3._BetweenUpdates._on_rollout_end

    def broken(self):
        if self.num_timesteps > frame:
            do(self.run)
        rollout_end(self)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sb3._BetweenUpdates, "_on_rollout_end", broken)
        yield


def kill(_run):
    raise KilledError


def test_it_trains_and_writes_everything(whole):
    """The last rollout passes the 210 frames."""
    result, out = whole
    assert result["frames"] == 224
    assert json.loads((out / "result.json").read_text()) == result
    rows = list(csv.DictReader((out / "curve.csv").read_text().splitlines()))
    assert [int(row["frames"]) for row in rows] == [0, 96, 192, 224]
    assert (out / "curve.png").exists()
    assert not list(out.rglob(".*"))
    model = Model.read(out / "model.npz")
    assert model.card["frames"] == 224
    assert "--opponents random,league:2" in model.card["command"]
    assert agents.load(str(out / "model.npz")).model.choice == "best"


def test_the_learning_rate_ends_where_it_says_though_rollouts_pass_the_frames(program, whole):
    learner = Checkpoints(whole[1]).load()["learner"]
    args, rate = program.Args(), learner["optimizer"]["param_groups"][0]["lr"]
    assert rate == pytest.approx(args.learning_rate_end_factor * args.learning_rate)


def test_logs_have_the_usual_tags(program, whole):
    logs = EventAccumulator(str(whole[1] / "logs"))
    logs.Reload()
    own = {"train_maskable_ppo": "train/approx_kl", "train_dqn": "train/q_values"}
    assert set(logs.Tags()["scalars"]) >= {
        *("rollout/ep_rew_mean", "time/fps", "train/loss", "episode/won", "eval/random"),
        own[program.__name__],
    }
    steps = [event.step for event in logs.Scalars("time/total_timesteps")]
    assert steps == [event.value for event in logs.Scalars("time/total_timesteps")]
    assert steps == sorted(set(steps))


def test_a_training_that_was_killed_and_stopped_gives_the_numbers_of_an_unbroken_one(
    program, whole, tmp_path
):
    arguments = [*program.small, f"--out={tmp_path}"]
    with at_frame(150, kill), pytest.raises(KilledError):
        program.main(arguments)
    assert Checkpoints(tmp_path).load()["done"] == 128
    with at_frame(150, Run.stop):
        assert program.main([*arguments, "--resume"])["frames"] == 160
    assert not (tmp_path / "result.json").exists()
    program.main([*arguments, "--resume"])
    assert end_of(tmp_path) == end_of(whole[1])


@pytest.mark.slow
def test_a_killed_training_resumes(program, whole, tmp_path):
    """The real thing: SIGKILL at any moment, in the middle of writing too."""
    arguments = [*program.small, f"--out={tmp_path}"]
    kill_after_a_checkpoint(program, arguments, tmp_path)
    (tmp_path / ".checkpoint-000000000999.half.draft.pt").write_bytes(b"half")
    program.main([*arguments, "--resume"])
    assert end_of(tmp_path) == end_of(whole[1])


def test_imitation_is_worth_a_checkpoint_from_which_a_training_resumes_exactly(tmp_path):
    ppo = load("train_maskable_ppo")
    arguments = [*SMALL_PPO, "--frames=64", "--expert=weighted", "--demonstrations=100"]
    ppo.main([*arguments, f"--out={tmp_path / 'whole'}"])
    broken = [*arguments, f"--out={tmp_path / 'broken'}"]
    with at_frame(0, kill), pytest.raises(KilledError):
        ppo.main(broken)
    assert [entry["frames"] for entry in Checkpoints(tmp_path / "broken").entries()] == [0]
    ppo.main([*broken, "--resume"])
    assert end_of(tmp_path / "broken") == end_of(tmp_path / "whole")
