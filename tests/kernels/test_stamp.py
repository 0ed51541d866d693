"""Stamps change with everything that is compiled into an entry point, and with nothing else."""

import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

from catan_pz.kernels import stamp
from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.rule import Entry, rules_called_by
from catan_pz.kernels.stamp import stamp_of

pytestmark = pytest.mark.skipif(BACKEND == "python", reason="nothing is compiled")

SOURCE = '''
from enum import IntEnum
from typing import NamedTuple
import numpy as np
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Int64Array

TWO = 2
TABLE = np.array([1, 2, 3])

class Phase(IntEnum):
    ROLL = 4

class Pair(NamedTuple):
    first: int
    array: Int64Array

@kernel
def double(n: int) -> int:
    return TWO * n + TABLE[0]

@kernel
def unused(n: int) -> int:
    return n

@entry
def double_twice(n: int, pair: Pair) -> int:
    """Doubles."""
    return double(double(n)) + Phase.ROLL + pair.first
'''


def made(source: str) -> str:
    space: dict[str, Any] = {"__name__": "toy"}
    exec(source, space)
    return stamp_of(space["double_twice"].dispatcher.py_func)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("TWO = 2", "TWO = 3"),
        ("[1, 2, 3]", "[1, 2, 4]"),
        ("ROLL = 4", "ROLL = 5"),
        ("first: int", "first: float"),
        ("TABLE[0]", "TABLE[1]"),
        ("double(n: int)", "double(n: float)"),
        ("double(double(n))", "double(n)"),
    ],
)
def test_an_edit_of_what_is_compiled_changes_the_stamp(old: str, new: str) -> None:
    assert made(SOURCE.replace(old, new)) != made(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"), [("Doubles.", "Other words."), ("return n\n", "return 3 * n\n"), ("@", "#\n@")]
)
def test_other_edits_leave_it(old: str, new: str) -> None:
    assert made(SOURCE.replace(old, new)) == made(SOURCE)


def test_the_compiler_belongs_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = made(SOURCE)
    monkeypatch.setattr(stamp, "_compiler", lambda: b"another")
    assert made(SOURCE) != before


def test_rules_come_after_those_that_they_call() -> None:
    from catan_pz.game import calls

    found = rules_called_by(calls.play.dispatcher.py_func)
    for k, called in enumerate(found):
        assert {*rules_called_by(called.py_func)} <= {*found[:k]}
    assert {"apply_roll", "find_legal", "add_event", "write_mask"} <= {
        called.py_func.__name__ for called in found
    }


def stamps(*modules: str) -> str:
    """The stamps of all entry points of some modules."""
    found = (vars(import_module(f"catan_pz.{name}")).items() for name in modules)
    entries = {k: v for things in found for k, v in things if isinstance(v, Entry)}
    return repr(sorted((name, stamp_of(e.dispatcher.py_func)) for name, e in entries.items()))


def test_every_process_finds_the_same_stamps_in_any_order_of_imports() -> None:
    program = (
        "from tests.kernels.test_stamp import stamps\n"
        "print(stamps('batch.calls', 'agents.compiled'), end='')"
    )
    command = [sys.executable, "-c", program]
    other = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert other == stamps("agents.compiled", "batch.calls")
