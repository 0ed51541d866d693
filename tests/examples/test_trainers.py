import ast
import csv
import importlib.util
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("matplotlib", reason="takes the extra `train`")

import torch

from catan_pz import agents
from catan_pz.agents.network import Model
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.rewards import REWARDS
from catan_pz.rules import Rules
from catan_pz.runtime.game import Game

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = (
    *(
        "--players=2",
        "--points=3",
        "--games=4",
        "--steps=8",
        "--batch=16",
        "--width=8",
        "--place-width=4",
    ),
    *("--frames=224", "--eval-every=96", "--eval-games=2", "--checkpoint-every=64"),
    *("--league-every=2", "--league-size=2", "--no-progress"),
)
SMALL_DQN = ("--replay=96", "--warmup=32", "--target-every=48", "--updates=2")
LEAGUE = "--opponents=random,league:2"

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard")


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.small = SMALL if name == "train_maskable_ppo" else (*SMALL, *SMALL_DQN)
    return module


@pytest.fixture(scope="module", params=["train_maskable_ppo", "train_dqn"])
def example(request):
    return load(request.param)


@pytest.fixture(scope="module")
def unbroken(example, tmp_path_factory):
    """Finished trainings by their options."""
    done = {}

    def train(*more):
        if more not in done:
            out = tmp_path_factory.mktemp("unbroken")
            example.main([*example.small, *more, f"--out={out}"])
            done[more] = final_state(example, out)
        return done[more]

    return train


def final_state(example, out):
    """What a training has come to, without its times."""
    state = example.Checkpoints(out).load()
    with np.load(out / "model.npz") as file:
        policy = {name: file[name].tobytes() for name in file.files if name != "header"}
    untimed = [{k: v for k, v in row.items() if k != "seconds"} for row in state["curve"]]
    games = example.unpacked(state["games"])
    return {
        "policy": policy,
        "optimizer": [
            value.tolist() if torch.is_tensor(value) else value
            for part in state["optimizer"]["state"].values()
            for value in part.values()
        ],
        "rate": state["optimizer"]["param_groups"][0]["lr"],
        "curve": untimed,
        "counters": state["counters"],
        "league": state["league"],
        "games": {name: array.tobytes() for name, array in games.items()},
        "torch": state["torch"].tolist(),
        "numpy": state["numpy"][1].tolist(),
        "replay": replay_of(state),
        "exploration": (state.get("exploration_rate"), state.get("explorer")),
        "episodes": [(one["r"], one["l"]) for one in state["episodes"]],
        "ended": state["ended"],
        "snapshots": sorted(path.name for path in (out / "league").glob("*")),
    }


def replay_of(state):
    kept = state.get("replay")
    if kept is None:
        return None
    arrays = {name: bytes(array.tolist()) for name, array in kept["arrays"].items()}
    return kept["added"], kept["rng"], arrays


class KilledError(Exception):
    pass


def train_until(example, frames, arguments, monkeypatch):
    """Train, and break off without any farewell in the first rollout that passes a frame."""
    whole = example.Training._on_rollout_end

    def broken(self):
        if self.num_timesteps > frames:
            raise KilledError
        whole(self)

    with monkeypatch.context() as patched:
        patched.setattr(example.Training, "_on_rollout_end", broken)
        with pytest.raises(KilledError):
            example.main(arguments)


def test_it_trains_and_writes_everything(example, tmp_path):
    result = example.main([*example.small, LEAGUE, f"--out={tmp_path}"])
    assert result["frames"] == 224
    assert json.loads((tmp_path / "result.json").read_text()) == result
    rows = list(csv.DictReader((tmp_path / "curve.csv").read_text().splitlines()))
    assert [int(row["frames"]) for row in rows] == [0, 96, 192, 224]
    assert all(float(row["low"]) <= float(row["win_rate"]) <= float(row["high"]) for row in rows)
    assert (tmp_path / "curve.png").read_bytes()[:4] == b"\x89PNG"
    assert list((tmp_path / "logs").glob("events.*"))
    assert not list(tmp_path.rglob(".*"))
    assert set(result["timers"]) == {
        *("games", "opponents", "choices", "updates", "evaluations", "checkpoints"),
    }
    assert all(seconds > 0 for seconds in result["timers"].values())
    model = Model.read(tmp_path / "model.npz")
    assert model.card["frames"] == 224
    assert "--opponents random,league:2" in model.card["command"]
    agent = agents.load(str(tmp_path / "model.npz"))
    game = Game(Rules.from_dict(model.rules), seed=1)
    Table(game, [agent, agent], seat_seeds(1, 2)).play()
    assert game.is_over or game.is_truncated


@pytest.mark.parametrize(
    "more", [(), (LEAGUE,), ("--observation=dict",), ("--observation=flat", "--no-skip-forced")]
)
def test_a_resumed_training_gives_the_numbers_of_an_unbroken_one(
    example, unbroken, tmp_path, monkeypatch, more
):
    arguments = [*example.small, *more, f"--out={tmp_path}"]
    train_until(example, 150, arguments, monkeypatch)
    assert example.Checkpoints(tmp_path).load()["counters"]["num_timesteps"] == 128
    train_until(example, 200, [*arguments, "--resume"], monkeypatch)
    example.main([*arguments, "--resume"])
    resumed, whole = final_state(example, tmp_path), unbroken(*more)
    for part in whole:
        assert resumed[part] == whole[part], part


def test_the_same_seed_gives_the_same_numbers_and_another_others(example, unbroken, tmp_path):
    again, other = (tmp_path / name for name in ("again", "other"))
    example.main([*example.small, LEAGUE, f"--out={again}"])
    example.main([*example.small, LEAGUE, "--seed=2", f"--out={other}"])
    assert final_state(example, again) == unbroken(LEAGUE)
    assert final_state(example, other)["policy"] != unbroken(LEAGUE)["policy"]


def test_a_killed_training_goes_on(example, unbroken, tmp_path):
    """The real thing: SIGKILL at any moment, in the middle of writing too."""
    arguments = [*example.small, LEAGUE, f"--out={tmp_path}"]
    with subprocess.Popen(
        [sys.executable, example.__file__, *arguments], stdout=subprocess.PIPE, cwd=EXAMPLES.parent
    ) as process:
        until = time.monotonic() + 120
        while not (tmp_path / "checkpoint.json").exists() and time.monotonic() < until:
            time.sleep(0.01)
        process.kill()
    assert process.returncode in (-signal.SIGKILL, 0)
    (tmp_path / ".checkpoint-000000000999.pt.draft").write_bytes(b"half")
    example.main([*arguments, "--resume"])
    resumed, whole = final_state(example, tmp_path), unbroken(LEAGUE)
    for part in whole:
        assert resumed[part] == whole[part], part


def test_ctrl_c_saves_after_the_update(example, unbroken, tmp_path, monkeypatch):
    arguments = [*example.small, f"--out={tmp_path}"]
    whole = example.Training._on_rollout_end

    def interrupted(self):
        if self.num_timesteps == 96:
            signal.raise_signal(signal.SIGINT)
        whole(self)

    with monkeypatch.context() as patched:
        patched.setattr(example.Training, "_on_rollout_end", interrupted)
        result = example.main(arguments)
    assert result["frames"] == 96
    assert example.Checkpoints(tmp_path).load()["counters"]["num_timesteps"] == 96
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    example.main([*arguments, "--resume"])
    assert final_state(example, tmp_path) == unbroken()


def test_a_second_ctrl_c_ends_at_once(example):
    training = example.Training.__new__(example.Training)
    training.stopping = True
    with pytest.raises(KeyboardInterrupt):
        training.stop()


def test_a_damaged_checkpoint_is_never_taken_for_a_whole_one(
    example, unbroken, tmp_path, monkeypatch, capsys
):
    arguments = [*example.small, f"--out={tmp_path}"]
    train_until(example, 200, arguments, monkeypatch)
    newest, before = (tmp_path / e["file"] for e in example.Checkpoints(tmp_path).entries())
    newest.write_bytes(newest.read_bytes()[:-1])
    capsys.readouterr()
    example.main([*arguments, "--resume"])
    assert "damaged or missing" in re.sub(r"\s+", " ", capsys.readouterr().out)
    assert final_state(example, tmp_path) == unbroken()
    for path in tmp_path.glob("checkpoint-*.pt"):
        path.write_bytes(b"")
    with pytest.raises(ValueError, match="no whole checkpoint"):
        example.main([*arguments, "--resume"])
    assert before != newest


def test_a_full_disk_does_not_end_the_training(example, tmp_path, monkeypatch, capsys):
    write = example.write_atomically
    full = {"now": True}

    def fail(path, data):
        if full["now"] and path.name in ("checkpoint-000000000064.pt", "curve.csv"):
            raise OSError(28, "No space left on device")
        full["now"] = full["now"] and "128" not in path.name
        write(path, data)

    monkeypatch.setattr(example, "write_atomically", fail)
    example.main([*example.small, f"--out={tmp_path}"])
    shown = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "the checkpoint can't be written: [Errno 28] No space left on device" in shown
    assert "the curve can't be written" in shown
    assert example.Checkpoints(tmp_path).entries()[0]["frames"] == 224
    assert (tmp_path / "curve.csv").exists()


def test_a_full_disk_at_the_end_is_told(example, tmp_path, monkeypatch):
    def fail(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(example, "write_atomically", fail)
    with pytest.raises(OSError, match="No space"):
        example.main([*example.small, f"--out={tmp_path}"])


def test_numbers_that_are_not_finite_end_it_and_leave_the_checkpoint(
    example, unbroken, tmp_path, monkeypatch
):
    arguments = [*example.small, f"--out={tmp_path}"]
    train_until(example, 100, arguments, monkeypatch)
    before = (tmp_path / "checkpoint.json").read_text()
    learner = example.MaskablePPO if hasattr(example, "MaskablePPO") else example.MaskedDQN
    train = learner.train

    def astray(self, *arguments, **more):
        train(self, *arguments, **more)
        with torch.no_grad():
            next(self.policy.parameters())[0, 0] = float("nan")

    with monkeypatch.context() as patched:
        patched.setattr(learner, "train", astray)
        with pytest.raises(FloatingPointError, match="aren't finite"):
            example.main([*arguments, "--resume"])
    assert (tmp_path / "checkpoint.json").read_text() == before
    example.main([*arguments, "--resume"])
    assert final_state(example, tmp_path) == unbroken()


def test_a_checkpoint_of_another_training_is_refused(example, tmp_path, monkeypatch):
    arguments = [*example.small, f"--out={tmp_path}"]
    with pytest.raises(ValueError, match="no whole checkpoint"):
        example.main([*arguments, "--resume"])
    train_until(example, 100, arguments, monkeypatch)
    with pytest.raises(ValueError, match="has a checkpoint; allowed: --resume"):
        example.main(arguments)
    with pytest.raises(ValueError, match=r"option players=3: .* trained with players=2"):
        example.main([*arguments, "--players=3", "--resume"])
    with pytest.raises(ValueError, match="option rate="):
        example.main([*arguments, "--rate=0.5", "--resume"])


@pytest.mark.parametrize(
    ("argument", "match"),
    [
        ("--device=cuda", "no GPU"),
        ("--frames=0", "frames=0"),
        ("--players=5", "num_players=5"),
        ("--opponents=nobody", "nobody"),
        ("--opponents=random:much", "weight 'much'"),
        ("--opponents=league:0", "share"),
        ("--boards=1,-2", "board"),
    ],
)
def test_impossible_options_are_named(example, tmp_path, monkeypatch, argument, match):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=match):
        example.main([*example.small, argument, f"--out={tmp_path}"])


def test_errors_are_one_line_on_the_command_line(example, tmp_path):
    done = subprocess.run(
        [sys.executable, example.__file__, "--frames=0", f"--out={tmp_path}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=EXAMPLES.parent,
    )
    assert done.returncode == 1
    assert done.stderr == "error: option frames=0: allowed: an int from 1\n"


@pytest.mark.parametrize("name", ["shaped", *REWARDS])
def test_every_reward_can_be_chosen_and_scaled(example, name):
    plain = example.reward_of(example.parse_options([f"--reward={name}"]))
    tenth = example.reward_of(example.parse_options([f"--reward={name}", "--scale=0.1"]))
    np.testing.assert_allclose(tenth.weights, 0.1 * plain.weights)
    if name != "shaped":
        np.testing.assert_array_equal(plain.weights, REWARDS[name]().weights)


def test_rules_are_those_of_the_options(example):
    def rules(*arguments):
        return example.rules_of(example.parse_options(arguments))

    assert rules() == Rules(trading=False, skip_forced=True)
    assert rules("--rules=one_v_one") == Rules.make("one_v_one", skip_forced=True)
    assert rules("--players=3", "--trading", "--no-skip-forced") == Rules(num_players=3)
    assert rules("--boards=5,7", "--points=8").board == (5, 7)
    assert rules("--boards=spiral").board == "spiral"


def test_every_option_has_help(example, capsys):
    with pytest.raises(SystemExit):
        example.parse_options(["--help"])
    shown = re.sub(r"\s+", " ", capsys.readouterr().out)
    for option in example.fields(example.Options):
        assert f"--{option.name.replace('_', '-')}" in shown
        assert option.metadata["help"] in shown


def test_the_command_of_a_card_gives_the_same_options(example):
    given = ["--players", "2", "--rate", "0.5", "--trading", "--no-skip-forced", "--out", "a b"]
    options = example.parse_options(given)
    words = example.command_of(options)
    assert example.parse_options(words[2:]) == options


@pytest.fixture
def ppo():
    return load("train_maskable_ppo")


class TestLessons:
    def options(self, ppo, *more):
        return ppo.parse_options([*SMALL, "--lessons=600", "--teacher=weighted", *more])

    def test_what_is_watched_is_what_happened(self, ppo):
        options = self.options(ppo, "--gamma=0.9")
        told = ppo.watch(options, ppo.make_games(options, None, ppo.Timers()))
        rules = ppo.rules_of(options)
        batch = ppo.SingleLearnerBatch(
            4, rules, seat="random", reward=ppo.reward_of(options), seed=options.seed + 2_000_003
        )
        rows = {name: array.reshape(150, 4, *array.shape[1:]) for name, array in told.items()}
        rewards, done = [], []
        for t in range(150):
            assert (rows["observations"][t] == batch.observation).all()
            assert (np.unpackbits(rows["masks"][t], axis=1, count=252) == batch.mask).all()
            batch.step(rows["actions"][t])
            rewards.append(batch.reward.copy())
            done.append(batch.done.copy())
        for game in range(4):
            ends = [t for t in range(150) if done[t][game]]
            assert ends
            for t in range(150):
                end = next((end for end in ends if end >= t), None)
                assert rows["known"][t, game] == (end is not None)
                if end is not None:
                    total = sum(0.9 ** (j - t) * rewards[j][game] for j in range(t, end + 1))
                    assert rows["returns"][t, game] == pytest.approx(total, abs=1e-5)

    @pytest.mark.parametrize("observation", ["units", "flat", "dict"])
    def test_the_policy_comes_to_choose_as_its_teacher(self, ppo, observation, capsys):
        options = self.options(
            ppo, f"--observation={observation}", "--lesson-rate=0.01", "--lesson-passes=3"
        )
        games = ppo.make_games(options, None, ppo.Timers())
        torch.distributions.Distribution.set_default_validate_args(False)
        same = ppo.take_lessons(ppo.make_model(options, games), games, options)
        shown = re.sub(r"\s+", " ", capsys.readouterr().out)
        odds = [float(one) for one in re.findall(r"odds of ([\d.]+) %", shown)]
        assert len(odds) == 3
        assert 100 * same == pytest.approx(odds[-1], abs=0.05)
        assert odds[0] < odds[1] < odds[2]

    def test_a_taught_training_is_settled_by_its_seed(self, ppo, tmp_path, monkeypatch):
        states = []
        for name in ("one", "other"):
            arguments = [*SMALL, "--teacher=weighted", "--lessons=100", f"--out={tmp_path / name}"]
            if name == "other":
                train_until(ppo, 150, arguments, monkeypatch)
                arguments.append("--resume")
            ppo.main(arguments)
            states.append(final_state(ppo, tmp_path / name))
        assert states[0] == states[1]

    def test_a_teacher_must_play_batches(self, ppo):
        options = ppo.parse_options([*SMALL, "--teacher=search"])
        with pytest.raises(ValueError, match="teacher='search'"):
            ppo.watch(options, ppo.make_games(options, None, ppo.Timers()))


@pytest.mark.parametrize(
    "name",
    [
        *("option", "parse_options", "rules_of", "reward_of", "Timers", "TimedVecEnv"),
        *("make_games", "TimedLeague", "opponents_of", "play_games", "show", "write_atomically"),
        *("packed", "unpacked", "Checkpoints", "check_same_training", "draw_curve", "hardware"),
        *("write_curve", "Board", "command_of", "signals_to", "main"),
    ],
)
def test_what_the_files_have_in_common_is_the_same(name):
    """Each can be copied alone; what is mended in one must be mended in the other."""
    sources = []
    for file in ("train_maskable_ppo.py", "train_dqn.py"):
        parts = ast.parse((EXAMPLES / file).read_text(encoding="utf-8")).body
        (part,) = (part for part in parts if getattr(part, "name", None) == name)
        sources.append(ast.unparse(part))
    assert sources[0] == sources[1]
