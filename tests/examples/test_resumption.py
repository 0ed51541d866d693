"""Trainings that stop and go on: they come to the same, and write result, model and card."""

import json

import pytest

from catan_pz.agents.network import Model
from catan_pz.agents.value.network import ValueNet
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


EXPERT = """--players=2 --points=4 --games=3 --share=0.3 --simulations=20 --considered=4
    --base=heuristic --width=8 --embedding-size=4 --window=1 --match-block=20 --match-games=20
    --eval-against=random"""
VALUE = """--players=2 --window=1 --points=5 --positions=200 --part=100 --epochs=1 --batch-size=64
    --eval-against=random"""


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("program", "unit", "words", "model", "name"),
    [
        ("published/charlesworth", "updates", CHARLESWORTH, CharlesworthModel, "charlesworth"),
        ("published/gendre", "trainings", GENDRE, GendreModel, "gendre"),
        ("published/rocco", "episodes", f"{ROCCO} {FAST}", RoccoModel, "rocco"),
        slow("published/rocco", "episodes", f"{ROCCO} --executors=gcn", RoccoModel, "rocco"),
        ("expert_iteration", "rounds", EXPERT, Model, None),
        slow("fit_value", "rounds", VALUE, ValueNet, "value"),
    ],
)
def test_a_training_continues_as_if_it_had_not_stopped(program, unit, words, model, name, tmp_path):
    program, whole, stopped = load(program), tmp_path / "whole", tmp_path / "stopped"
    arguments = [*COMMON.split(), *words.split()]
    program.main([*arguments, f"--{unit}=2", f"--out={whole}"])
    program.main([*arguments, f"--{unit}=1", f"--out={stopped}"])
    result = program.main([*arguments, f"--{unit}=2", f"--out={stopped}", "--resume"])
    assert end_of(stopped) == end_of(whole)
    assert result[unit] == 2
    assert json.loads((stopped / "result.json").read_text()).keys() == result.keys()
    read = model.read(stopped / "model.npz")
    assert f"{words.split()[0].replace('=', ' ')}" in read.card["command"]
    if name:
        assert (stopped / "model.md").read_text() == read.card_text(name)
