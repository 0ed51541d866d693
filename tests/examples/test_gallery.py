"""The gallery runs, and says what it should."""

import importlib.util
from pathlib import Path

import pytest

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"


def loaded(name):
    spec = importlib.util.spec_from_file_location(name, GALLERY / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES = {
    "first_game": ((1,), "has won"),
    "read_an_observation": ((3,), "own hand:"),
    "write_an_agent": ((8,), "of 8 games"),
    "hidden_hands": ((5,), "looks the same to the viewer: True"),
    "batch_of_games": ((16, 30), "decisions a second"),
}


@pytest.mark.parametrize("name", CASES)
def test_gallery(name, capsys):
    arguments, said = CASES[name]
    loaded(name).main(*arguments)
    assert said in capsys.readouterr().out
