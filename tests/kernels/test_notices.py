import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from catan_pz.game import calls as game_calls
from catan_pz.kernels.notices import MESSAGE, announce, compile_hook, on_compile
from catan_pz.kernels.rule import Entry

compiled = pytest.mark.skipif(
    not isinstance(game_calls.deal_game, Entry), reason="compilation is switched off"
)
PROGRAM = """
import catan_pz.kernels.notices as notices
{setup}
from catan_pz import Game
Game(seed=1).step(2 + 72)
"""


def run(cache: Path, setup: str = "") -> str:
    """Standard error of a program that plays, by a cache of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(setup=setup)],
        capture_output=True,
        text=True,
        check=True,
        env={"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": ":".join(sys.path)},
    )
    return done.stderr


@compiled
def test_the_first_run_says_that_it_compiles_and_the_second_nothing(tmp_path: Path) -> None:
    assert run(tmp_path) == f"{MESSAGE}\n"
    assert run(tmp_path) == ""


@pytest.mark.slow
@compiled
def test_a_program_hears_of_each_entry_point_instead(tmp_path: Path) -> None:
    noted = "notices.on_compile(lambda name: print('!', name, file=__import__('sys').stderr))"
    lines = run(tmp_path, noted).splitlines()
    assert "! deal_game" in lines
    assert MESSAGE not in lines


def test_hooks_are_replaced_for_a_while(capsys: Any) -> None:
    heard: list[str] = []
    with compile_hook(heard.append):
        announce("a")
        with compile_hook(None):
            announce("b")
        announce("c")
    assert heard == ["a", "c"]
    before = on_compile(None)
    assert on_compile(before) is None
    assert capsys.readouterr().err == ""
