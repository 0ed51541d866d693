"""Trainings of the published systems: exact resumption, and what they write."""

import csv

import pytest

from catan_pz.published.charlesworth.agent import CharlesworthModel
from catan_pz.published.gendre.agent import GendreModel
from catan_pz.published.rocco.agent import RoccoModel
from tests.examples.programs import end_of, load

COMMON = "--seed=3 --no-eval-first --checkpoint-every=1 --eval-every=1 --eval-games=2"
ROCCO = "--max-turns=40 --batch-size=8 --memory=50 --sub-goal"
CHARLESWORTH = """--size=small --workers=1 --group-size=4 --decisions=16 --max-turns=3 --epochs=2
    --minibatches=2 --league-every=1 --eval-past=1 --eval-against=random"""
GENDRE = """--layers=1 --planes=2 --scalars=3 --groups=3 --group-size=2 --decisions=64
    --batch-size=16 --max-turns=30 --renew-every=1 --optimizer=adam --eval-against=random"""
FAST = "--fast --games-at-once=3 --learn-every=2 --executor-learn-every=1"


@pytest.mark.parametrize(
    ("model", "unit", "table", "words"),
    [
        (CharlesworthModel, "updates", "updates", CHARLESWORTH),
        (GendreModel, "trainings", "episodes", GENDRE),
        (RoccoModel, "episodes", "episodes", f"{ROCCO} {FAST}"),
        pytest.param(
            *(RoccoModel, "episodes", "episodes", f"{ROCCO} --executors=gcn"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_training_continues_as_if_it_had_not_stopped(model, unit, table, words, tmp_path):
    (name,), whole, stopped = model.kinds, tmp_path / "whole", tmp_path / "stopped"
    program, arguments = load(f"published/{name}"), [*COMMON.split(), *words.split()]
    program.main([*arguments, f"--{unit}=2", f"--out={whole}"])
    program.main([*arguments, f"--{unit}=1", f"--out={stopped}"])
    result = program.main([*arguments, f"--{unit}=2", f"--out={stopped}", "--resume"])
    assert end_of(stopped) == end_of(whole)
    assert result[unit] == 2
    assert len(list(csv.DictReader((stopped / f"{table}.csv").read_text().splitlines()))) == 2
    text = model.read(stopped / "model.npz").card_text(name)
    assert (stopped / "model.md").read_text() == text
    assert f"| {unit if name != 'rocco' else 'games'} | 2 |" in text
