import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from catan_pz import Agent, View
from catan_pz.cli import main, train

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

from catan_pz.agents.network import Model
from catan_pz.training.checkpoints import Checkpoints
from catan_pz.training.sb3 import _BetweenUpdates

RULES = ("--players", "2", "--points", "3", "--set", "max_turns=20")
SMALL = (
    *("train", "--num-envs", "4", "--games", "4", "--device", "cpu", "--frames", "256"),
    *("--eval-every", "128", "--checkpoint-every", "128", *RULES),
)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard")


def weights(path: Path) -> dict[str, bytes]:
    """The arrays of a model, without its card."""
    return {k: v.tobytes() for k, v in Model.read(path).network.arrays.items()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a training."""
    out = tmp_path_factory.mktemp("run")
    assert main([*SMALL, "--out", str(out)]) == 0
    return out


def test_everything_is_written(finished: Path) -> None:
    result = json.loads((finished / "result.json").read_text())
    assert result["frames"] == 256
    assert result["results"][0]["games"] == 4
    rules = result["options"]["rules"]
    assert (rules["trading"], rules["skip_forced"], rules["max_turns"]) == (False, True, 20)
    rows = (finished / "curve.csv").read_text().splitlines()
    assert [int(row.split(",")[0]) for row in rows[1:]] == [0, 128, 256]
    assert (finished / "curve.png").read_bytes()[:4] == b"\x89PNG"
    assert list((finished / "logs").glob("events.*"))


def test_the_card_has_a_command_that_gives_the_same_training(
    finished: Path, tmp_path: Path
) -> None:
    words = shlex.split(Model.read(finished / "model.npz").card["command"])
    assert words[:2] == ["catan-pz", "train"]
    words[words.index("--out") + 1] = str(tmp_path)
    assert main(words[1:]) == 0
    assert weights(tmp_path / "model.npz") == weights(finished / "model.npz")


def test_the_model_plays(finished: Path, tmp_path: Path, capsys: Any) -> None:
    model = str(finished / "model.npz")
    evaluate = ["evaluate", model, "--against", "random", "--games", "4", "--set", "max_turns=20"]
    assert main([*evaluate, "--points", "3"]) == 0
    assert re.search(r"model\.npz won \d of 4 games", capsys.readouterr().out)


def test_rules_are_those_that_were_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = []
    monkeypatch.setattr("catan_pz.training.quick.train", lambda args, *_: found.append(args.rules))
    for words in ([], ["--set", "skip_forced=false"], ["--set", "trading=true"], ["--trading"]):
        assert main([*SMALL, "--out", str(tmp_path), *words]) == 0
    assert [(rules["skip_forced"], rules["trading"]) for rules in found] == [
        *((True, False), (False, False), (True, True), (True, True))
    ]


def test_a_folder_that_cannot_be_written_is_refused_before_the_first_frame(
    tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "file").touch()
    out = tmp_path / "file" / "run"
    assert main([*SMALL, "--out", str(out)]) == 1
    shown = capsys.readouterr()
    assert f"option out={str(out)!r} can't be written: " in shown.err
    assert shown.out == ""


def test_a_finished_training_is_not_overwritten(finished: Path, capsys: Any) -> None:
    before = {path: path.read_bytes() for path in finished.iterdir() if path.is_file()}
    assert main([*SMALL, "--out", str(finished)]) == 1
    assert "the folder holds a training; allowed: --resume" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in finished.iterdir() if path.is_file()} == before


def test_a_resumed_training_gives_the_numbers_of_an_unbroken_one(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _BetweenUpdates._on_rollout_end

    def fail(self: _BetweenUpdates) -> None:
        if self.num_timesteps > 128:
            raise RuntimeError
        whole(self)

    with monkeypatch.context() as patched:
        patched.setattr(_BetweenUpdates, "_on_rollout_end", fail)
        assert main([*SMALL, "--out", str(tmp_path)]) == 1
    assert [entry["frames"] for entry in Checkpoints(tmp_path).entries()] == [128]
    assert main([*SMALL, "--out", str(tmp_path), "--reward", "win_loss", "--resume"]) == 1
    assert main([*SMALL, "--out", str(tmp_path), "--resume"]) == 0
    assert weights(tmp_path / "model.npz") == weights(finished / "model.npz")
    columns = [re.split(",", row) for row in (tmp_path / "curve.csv").read_text().splitlines()]
    others = [re.split(",", row) for row in (finished / "curve.csv").read_text().splitlines()]
    assert [row[:1] + row[2:] for row in columns] == [row[:1] + row[2:] for row in others]


def test_an_interrupt_finishes_the_update_and_saves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    whole = _BetweenUpdates._on_rollout_end

    def interrupt(self: _BetweenUpdates) -> None:
        signal.raise_signal(signal.SIGTERM)
        whole(self)

    monkeypatch.setattr(_BetweenUpdates, "_on_rollout_end", interrupt)
    assert main([*SMALL, "--out", str(tmp_path)]) == 130
    assert [entry["frames"] for entry in Checkpoints(tmp_path).entries()] == [128]
    assert Model.read(tmp_path / "model.npz").card["frames"] == 128
    assert not (tmp_path / "result.json").exists()


def test_a_killed_training_resumes(tmp_path: Path) -> None:
    words = [*SMALL[: -len(RULES)], *RULES, "--out", str(tmp_path), "--frames", "100000"]
    with subprocess.Popen(
        [sys.executable, "-m", "catan_pz.cli", *words], stdout=subprocess.PIPE
    ) as process:
        until = time.monotonic() + 120
        while not (tmp_path / "checkpoint.json").exists() and time.monotonic() < until:
            time.sleep(0.01)
        process.kill()
    frames = Checkpoints(tmp_path).entries()[0]["frames"]
    assert main([*words[:-1], str(frames + 128), "--resume"]) == 0
    assert Model.read(tmp_path / "model.npz").card["frames"] == frames + 128


def test_an_expert_and_agents_in_every_seat(tmp_path: Path, capsys: Any) -> None:
    words = [*SMALL, "--expert", "weighted", "--demonstrations", "64", "--out", str(tmp_path)]
    words[words.index("--players") + 1] = "3"
    assert main([*words, "--against", "weighted,random"]) == 0
    shown = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "behaviour cloning of weighted" in shown
    assert "against weighted,random: won" in shown


class Remembering(Agent):
    """It may keep something of a game between its decisions."""

    name = "remembering"

    def act(self, view: View) -> int:
        return int(view.mask.argmax())


def test_agents_that_remember_are_played_without_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(train, "load_agent", lambda name, rules: Remembering())
    words = [*SMALL, "--out", str(tmp_path), "--against", "remembering"]
    words[words.index("--frames") + 1] = "128"
    assert main([*words, "--games", "2"]) == 0
    assert "No checkpoints" in capsys.readouterr().err
    assert (tmp_path / "model.npz").exists()
    assert not list(tmp_path.glob("checkpoint*"))


def test_a_learner_saved_by_stable_baselines3_is_an_agent(tmp_path: Path, capsys: Any) -> None:
    from sb3_contrib import MaskablePPO

    from catan_pz.env.vector.sb3 import CatanVecEnv, note_training

    games = CatanVecEnv(2, num_players=2, trading=False, seed=1)
    model = tmp_path / "model.zip"
    learner = MaskablePPO("MlpPolicy", games, n_steps=4, batch_size=8, seed=1)
    learner.save(model)
    rules = ["--players", "2", "--no-trading", "--seed", "1", "--set", "max_turns=5"]
    rules.append("--trust-pickle")
    assert main(["watch", "--terminal", "--agents", f"{model},random", *rules]) == 0
    shown = capsys.readouterr()
    assert "model builds a settlement" in shown.out
    assert f"Warning: loading {model} runs the pickles in it." in shown.err
    picture = tmp_path / "picture.svg"
    words = ["watch", *rules, "--agents", "random", "--export", str(picture), "--at", "0"]
    assert main([*words, "--advice", str(model)]) == 0
    assert picture.read_text(encoding="utf-8").count('class="overlay"') == 1
    assert main(["watch", "--agents", str(model), "--players", "2", "--trust-pickle"]) == 2
    assert "plays games of 2 players with 252 actions; this one has 2 players and 389 actions" in (
        capsys.readouterr().err
    )
    note_training(learner, games.batch.rules, "flat")
    learner.save(model)
    words = ["evaluate", str(model), "--trust-pickle", "--no-trading"]
    assert main(words) == 2
    assert "plays games of 2 players with 252 actions; this one has 4 players" in (
        capsys.readouterr().err
    )


class Planted:
    """An object whose pickle makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


COMMANDS_WITH_AGENTS = {
    "play": ["play", "--terminal", "--against"],
    "watch": ["watch", "--terminal", "--agents"],
    "watch --advice": ["watch", "--export", "a.svg", "--agents", "random", "--advice"],
    "tournament": ["tournament"],
    "evaluate": ["evaluate"],
    "evaluate --against": ["evaluate", "random", "--against"],
    "train": ["train", "--against"],
}


@pytest.mark.parametrize("words", COMMANDS_WITH_AGENTS.values(), ids=COMMANDS_WITH_AGENTS)
def test_pickles_are_run_for_nobody_who_does_not_say_so(
    words: list[str], tmp_path: Path, capsys: Any
) -> None:
    from sb3_contrib import MaskablePPO

    from catan_pz.env.vector.sb3 import CatanVecEnv

    games = CatanVecEnv(2, num_players=2, trading=False, seed=1)
    learner = MaskablePPO("MlpPolicy", games, n_steps=4, batch_size=8, seed=1)
    planted, model = tmp_path / "planted", tmp_path / "model.zip"
    learner.planted = Planted(planted)
    learner.save(model)
    agents = f"{model},random" if words == ["tournament"] else str(model)
    assert main([*words, agents, "--players", "2", "--no-trading"]) == 2
    told = capsys.readouterr().err
    assert f"{model} holds pickles, which can run anything as you: give an .npz instead" in told
    assert not planted.exists()
    end = ["--terminal", "--set", "max_turns=1", "--trust-pickle"]
    assert main(["watch", "--agents", str(model), "--players", "2", "--no-trading", *end]) == 0
    assert planted.exists()


def test_trading_says_what_it_is_like(capsys: Any) -> None:
    assert main(["train", "--help"]) == 0
    told = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "Nothing else changes, neither the reward nor the frames. [no]" in told
    assert "Trade between players. [yes" not in told
