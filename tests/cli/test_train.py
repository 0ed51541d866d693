import json
import re
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest

from catan_pz.cli import main

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
    return {k: v.tobytes() for k, v in Model.read(path).network.arrays.items()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def test_rules_are_those_that_were_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = []
    monkeypatch.setattr("catan_pz.training.quick.train", lambda args, *_: found.append(args.rules))
    for words in ([], ["--set", "skip_forced=false"], ["--set", "trading=true"], ["--trading"]):
        assert main([*SMALL, "--out", str(tmp_path), *words]) == 0
    assert [(rules["skip_forced"], rules["trading"]) for rules in found] == [
        *((True, False), (False, False), (True, True), (True, True))
    ]


def test_a_finished_training_is_not_overwritten(finished: Path, capsys: Any) -> None:
    before = {path: path.read_bytes() for path in finished.iterdir() if path.is_file()}
    assert main([*SMALL, "--out", str(finished)]) == 1
    assert "holds a training: pass --resume" in capsys.readouterr().err
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


def test_an_expert_and_agents_in_every_seat(tmp_path: Path, capsys: Any) -> None:
    words = [*SMALL, "--expert", "weighted", "--demonstrations", "64", "--out", str(tmp_path)]
    words[words.index("--players") + 1] = "3"
    assert main([*words, "--against", "weighted,random"]) == 0
    shown = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "behaviour cloning of weighted" in shown
    assert "against weighted,random: won" in shown


class Planted:
    """An object whose pickle makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A learner that Stable-Baselines3 saved; who loads it makes the file "planted" beside it."""
    from sb3_contrib import MaskablePPO

    from catan_pz.env.vector.sb3 import CatanVecEnv, note_training

    games = CatanVecEnv(2, num_players=2, trading=False, seed=1)
    path = tmp_path_factory.mktemp("learner") / "model.zip"
    saved = MaskablePPO("MlpPolicy", games, n_steps=4, batch_size=8, seed=1)
    saved.planted = Planted(path.with_name("planted"))
    note_training(saved, games.batch.rules, "flat")
    saved.save(path)
    return path


TWO = ("--players", "2", "--no-trading")


@pytest.mark.parametrize(
    "words",
    [
        ["play", "--terminal", "--against"],
        ["watch", "--terminal", "--agents"],
        ["watch", "--export", "a.svg", "--agents", "random", "--advice"],
        ["tournament", "random"],
        ["evaluate"],
        ["evaluate", "random", "--against"],
        ["train", "--against"],
    ],
    ids=" ".join,
)
def test_pickles_are_run_for_nobody_who_does_not_say_so(
    words: list[str], learner: Path, capsys: Any
) -> None:
    assert main([*words, str(learner), *TWO]) == 2
    told = capsys.readouterr().err
    assert f"{learner} holds pickles, which can run anything as you: give an .npz instead" in told
    assert not learner.with_name("planted").exists()


def test_a_learner_saved_by_stable_baselines3_is_an_agent(
    learner: Path, tmp_path: Path, capsys: Any
) -> None:
    end = ("--seed", "1", "--set", "max_turns=5", "--trust-pickle")
    assert main(["watch", "--terminal", "--agents", f"{learner},random", *TWO, *end]) == 0
    shown = capsys.readouterr()
    assert "model builds a settlement" in shown.out
    assert f"Warning: loading {learner} runs the pickles in it." in shown.err
    planted = learner.with_name("planted")
    assert planted.exists()
    planted.unlink()
    picture = tmp_path / "picture.svg"
    words = ["watch", *TWO, *end, "--agents", "random", "--export", str(picture), "--at", "0"]
    assert main([*words, "--advice", str(learner)]) == 0
    assert picture.read_text(encoding="utf-8").count('class="overlay"') == 1
    assert main(["evaluate", str(learner), "--trust-pickle", "--no-trading"]) == 2
    assert "plays games of 2 players with 252 actions; this one has 4 players" in (
        capsys.readouterr().err
    )
    planted.unlink()
