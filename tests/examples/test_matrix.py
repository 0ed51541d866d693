"""The tournament of the ten agents, with trainings that take no time."""

import csv
import json
import subprocess
import time
from types import SimpleNamespace

import numpy as np
import pytest

from catan_pz.published.rocco.agent import OUTPUTS, RoccoModel
from catan_pz.published.rocco.networks import Architecture
from catan_pz.rules import Rules
from catan_pz.training.options import parse
from tests.examples.programs import load


@pytest.fixture
def matrix(monkeypatch):
    """The example; a training writes a random orchestrator, and a win rate by its seed."""
    module = load("published/matrix")
    module.ran = []

    def run(command, **_options):
        options = dict(word.removeprefix("--").partition("=")[::2] for word in command[2:])
        module.ran.append(options)
        out, seed = module.Path(options["out"]), int(options["seed"])
        out.mkdir(parents=True, exist_ok=True)
        architecture = Architecture("ff", OUTPUTS["orchestrator"])
        weights = architecture.initial(np.random.default_rng(seed))
        model = RoccoModel({"orchestrator": (architecture, weights)}, Rules.preset("rocco"))
        model.save(out / "model.npz")
        rows = [f"{k},{seed + k // 100}" for k in range(250)]
        (out / "episodes.csv").write_text("\n".join(["turns,points_at_turn", *rows]))
        result = {
            "episodes": int(options["episodes"]),
            "results": [{"win_rate": {1: 0.3, 2: 0.9, 3: 0.5}[seed]}],
        }
        (out / "result.json").write_text(json.dumps(result))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(module.subprocess, "run", run)
    return module


def test_the_best_candidates_play_each_other(matrix, tmp_path, capsys):
    arguments = ["--types", "FF/FF*", "RAN/RAN", "--seeds=3", "--games=2", f"--out={tmp_path}"]
    result = matrix.main(arguments)
    assert len(matrix.ran) == 3
    args = matrix.parse_args(arguments)
    assert matrix.chosen("FF/FF*", args) == tmp_path / "ff-ff-star-2" / "model.npz"
    rows = list(csv.DictReader((tmp_path / "matrix.csv").read_text().splitlines()))
    assert [row["games"] for row in rows] == ["1"] * 2
    text = (tmp_path / "matrix.md").read_text()
    assert text in capsys.readouterr().out
    assert "| 75.6 % |" in text
    curve = [
        (row["games"], row["mean"], row["low"], row["high"]) for row in matrix.curve_rows(args)
    ]
    assert curve == [(100, 2.0, 1.5, 2.5), (200, 3.0, 2.5, 3.5)]
    assert matrix.main([*arguments, "--no-train"]).games == result.games
    assert len(matrix.ran) == 3


def test_after_a_training_that_fails_no_other_begins(matrix, tmp_path, monkeypatch):
    def fail(command, **_options):
        matrix.ran.append(command)
        time.sleep(0.05)
        return subprocess.CompletedProcess(command, 1, "", "no memory\n")

    monkeypatch.setattr(matrix.subprocess, "run", fail)
    with pytest.raises(RuntimeError, match=r"'FF/FF\*' with seed 1 failed:\nno memory$"):
        matrix.main(["--types", "FF/FF*", "--seeds=9", f"--out={tmp_path}"])
    assert len(matrix.ran) < 9


def test_totals_are_counted_by_seat(matrix):
    played = [(("A", "B"), 0)] * 3 + [(("A", "B"), 1)] + [(("B", "A"), 0)] * 2
    games = [*played, *[(("B", "A"), None)] * 2]
    found = [SimpleNamespace(seats=seats, winner=winner) for seats, winner in games]
    result = SimpleNamespace(names=("A", "B"), games=found)
    lines = matrix.totals_table(result)
    assert lines[2].startswith("| A | 75.0 % (30.1 to 95.4) | 0.0 % ")
    assert lines[3].startswith("| B | 50.0 % (15.0 to 85.0) | 25.0 % ")
    assert lines[-1].startswith("First seat: 62.5 % ")
    assert matrix.matrix_table(result)[2:] == ["| A |  | 75 |", "| B | 50 |  |"]


def test_every_training_can_be_asked_for(matrix, tmp_path):
    trainer = load("published/rocco")
    args = matrix.parse_args(["--options=--no-cut-terminal --reward=gain", f"--out={tmp_path}"])
    folders = set()
    for name in matrix.trained_types(args):
        made = parse(trainer.Args, matrix.options_of(name, 2, args), "")
        assert not made.cut_terminal
        assert made.reward == "gain"
        assert matrix.episodes_of(name, args) == (3000 if name == "SELF-L" else 1000)
        assert made.sub_goal == ("*" in name or name == "SELF-L")
        folders.add(made.out)
    assert len(folders) == 9
    assert set(matrix.THESIS) == set(matrix.TYPES)
    assert sum(map(sum, matrix.THESIS.values())) == 450
