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
from tests.examples.programs import kill_after_a_checkpoint, load
from tests.examples.states import final_state

SMALL = (
    *("--players=2", "--points=3", "--num-envs=4", "--batch-size=16", "--width=8"),
    *("--embedding-size=4", "--frames=224", "--eval-every=96", "--eval-games=2"),
    *("--checkpoint-every=64", "--league-every=2", "--league-size=2", "--no-progress"),
)
SMALL_PPO = ("--n-steps=8",)
SMALL_DQN = (
    *("--train-freq=8", "--buffer-size=96", "--learning-starts=32", "--gradient-steps=2"),
    "--target-update-interval=48",
)
LEAGUE = "--opponents=random,league:2"

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard")


@pytest.fixture(scope="module", params=["train_maskable_ppo", "train_dqn"])
def program(request):
    module = load(request.param)
    module.small = (*SMALL, *(SMALL_DQN if request.param == "train_dqn" else SMALL_PPO))
    return module


@pytest.fixture(scope="module", autouse=True)
def quick_pictures():
    """Drawing takes longer than these trainings: `test_curves` looks at the pictures."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(evaluation, "draw_curve", lambda *_, **__: b"picture")
        yield


@pytest.fixture(scope="module")
def unbroken(program, tmp_path_factory):
    """Final states of finished trainings, by their options."""
    done = {}

    def train(*more):
        if more not in done:
            out = tmp_path_factory.mktemp("unbroken")
            program.main([*program.small, *more, f"--out={out}"])
            done[more] = final_state(out)
        return done[more]

    return train


class KilledError(Exception):
    pass


def train_until(program, frames, arguments, monkeypatch):
    """Train, and fail abruptly in the first rollout that passes a frame."""
    whole = sb3._BetweenUpdates._on_rollout_end

    def broken(self):
        if self.num_timesteps > frames:
            raise KilledError
        whole(self)

    with monkeypatch.context() as patched:
        patched.setattr(sb3._BetweenUpdates, "_on_rollout_end", broken)
        with pytest.raises(KilledError):
            program.main(arguments)


def test_it_trains_and_writes_everything(program, tmp_path):
    result = program.main([*program.small, LEAGUE, f"--out={tmp_path}"])
    assert result["frames"] == 224
    assert json.loads((tmp_path / "result.json").read_text()) == result
    rows = list(csv.DictReader((tmp_path / "curve.csv").read_text().splitlines()))
    assert [int(row["frames"]) for row in rows] == [0, 96, 192, 224]
    assert all(float(row["low"]) <= float(row["win_rate"]) <= float(row["high"]) for row in rows)
    assert (tmp_path / "curve.png").exists()
    assert list((tmp_path / "logs").glob("events.*"))
    assert not list(tmp_path.rglob(".*"))
    assert all(result["timers"][part] > 0 for part in ("games", "updates", "evaluations"))
    model = Model.read(tmp_path / "model.npz")
    assert model.card["frames"] == 224
    assert "--opponents random,league:2" in model.card["command"]
    agent = agents.load(str(tmp_path / "model.npz"))
    game = Game(Rules.from_dict(model.rules), seed=1)
    Table(game, [agent, agent], seat_seeds(1, 2)).play()
    assert game.is_over or game.is_truncated


def test_logs_have_the_usual_tags(program, tmp_path, monkeypatch):
    monkeypatch.setattr(sb3, "_LOG_EVERY", 32)
    program.main([*program.small, f"--out={tmp_path}"])
    logs = EventAccumulator(str(tmp_path / "logs"))
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


@pytest.mark.parametrize("more", [(LEAGUE,), ("--observation=dict",)])
def test_a_resumed_training_gives_the_numbers_of_an_unbroken_one(
    program, unbroken, tmp_path, monkeypatch, more
):
    arguments = [*program.small, *more, f"--out={tmp_path}"]
    train_until(program, 150, arguments, monkeypatch)
    assert Checkpoints(tmp_path).load()["learner"]["num_timesteps"] == 128
    train_until(program, 200, [*arguments, "--resume"], monkeypatch)
    program.main([*arguments, "--resume"])
    resumed, whole = final_state(tmp_path), unbroken(*more)
    for part in whole:
        assert resumed[part] == whole[part], part


def test_the_learning_rate_ends_where_it_says_though_rollouts_pass_the_frames(program, unbroken):
    end = unbroken("--frames=100")
    assert end["counters"][0] == 128
    assert end["rate"] == pytest.approx(0.1 * program.Args().learning_rate)


def test_the_same_seed_gives_the_same_numbers_and_another_others(program, unbroken, tmp_path):
    again, other = (tmp_path / name for name in ("again", "other"))
    program.main([*program.small, LEAGUE, f"--out={again}"])
    program.main([*program.small, LEAGUE, "--seed=2", f"--out={other}"])
    assert final_state(again) == unbroken(LEAGUE)
    assert final_state(other)["policy"] != unbroken(LEAGUE)["policy"]


def test_a_killed_training_resumes(program, unbroken, tmp_path):
    """The real thing: SIGKILL at any moment, in the middle of writing too."""
    if program.__name__ != "train_maskable_ppo":
        pytest.skip("one of the two is enough")
    arguments = [*program.small, LEAGUE, f"--out={tmp_path}"]
    kill_after_a_checkpoint(program, arguments, tmp_path)
    (tmp_path / ".checkpoint-000000000999.half.draft.pt").write_bytes(b"half")
    program.main([*arguments, "--resume"])
    assert final_state(tmp_path) == unbroken(LEAGUE)


def test_ctrl_c_saves_after_the_update(program, unbroken, tmp_path, monkeypatch):
    arguments = [*program.small, LEAGUE, f"--out={tmp_path}"]
    whole = sb3._BetweenUpdates._on_rollout_end

    def interrupted(self):
        if self.num_timesteps == 96:
            self.run.stop()
        whole(self)

    with monkeypatch.context() as patched:
        patched.setattr(sb3._BetweenUpdates, "_on_rollout_end", interrupted)
        assert program.main(arguments)["frames"] == 96
    assert not (tmp_path / "result.json").exists()
    assert Checkpoints(tmp_path).load()["learner"]["num_timesteps"] == 96
    program.main([*arguments, "--resume"])
    assert final_state(tmp_path) == unbroken(LEAGUE)


def test_numbers_that_are_not_finite_end_it_and_leave_the_checkpoint(
    program, unbroken, tmp_path, monkeypatch
):
    arguments = [*program.small, f"--out={tmp_path}"]
    train_until(program, 100, arguments, monkeypatch)
    before = (tmp_path / "checkpoint.json").read_text()
    learner = program.MaskablePPO if hasattr(program, "MaskablePPO") else program.MaskedDQN
    train = learner.train

    def astray(self, *arguments, **more):
        train(self, *arguments, **more)
        with torch.no_grad():
            next(self.policy.parameters())[0, 0] = float("nan")

    with monkeypatch.context() as patched:
        patched.setattr(learner, "train", astray)
        with pytest.raises(FloatingPointError, match="aren't finite"):
            program.main([*arguments, "--resume"])
    assert (tmp_path / "checkpoint.json").read_text() == before
    program.main([*arguments, "--resume"])
    assert final_state(tmp_path) == unbroken()


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
    words = [*SMALL, *SMALL_PPO, argument, "--no-eval-first", f"--out={tmp_path}"]
    with pytest.raises(ValueError, match=match):
        load("train_maskable_ppo").main(words)
    assert not (tmp_path / "checkpoint.json").exists()


def test_a_training_with_an_expert_resumes_exactly(tmp_path, monkeypatch):
    ppo = load("train_maskable_ppo")
    states = []
    for name in ("one", "other"):
        arguments = [*SMALL, *SMALL_PPO, "--expert=weighted", "--demonstrations=100"]
        arguments.append(f"--out={tmp_path / name}")
        if name == "other":
            train_until(ppo, 150, arguments, monkeypatch)
            arguments.append("--resume")
        ppo.main(arguments)
        states.append(final_state(tmp_path / name))
    assert states[0] == states[1]


def test_imitation_is_worth_a_checkpoint_of_its_own(tmp_path, monkeypatch):
    ppo = load("train_maskable_ppo")
    arguments = [*SMALL, *SMALL_PPO, "--expert=weighted", "--demonstrations=100"]
    train_until(ppo, 0, [*arguments, f"--out={tmp_path}"], monkeypatch)
    assert [entry["frames"] for entry in Checkpoints(tmp_path).entries()] == [0]
