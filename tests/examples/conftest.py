"""Shared setup of the examples' tests."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.examples.programs import load

BARE = (
    "endings",
    "gallery",
    "notebooks",
    "play",
    "starts",
    "trades",
    "tune_heuristic",
    "verifiers",
)
"""Tests of programs that run without the extra `train`."""

collect_ignore = []
if not all(map(find_spec, ("sb3_contrib", "torch", "tyro"))):
    bare = {f"test_{name}.py" for name in BARE}
    bare |= {"test_libraries.py"} if find_spec("torch") and find_spec("tyro") else set()
    collect_ignore += [p.name for p in Path(__file__).parent.glob("test_*") if p.name not in bare]


@pytest.fixture(scope="module", autouse=True)
def quick_pictures():
    """Drawing takes longer than small trainings: tests/training/test_evaluation.py has pictures."""
    with pytest.MonkeyPatch.context() as patched:
        if find_spec("torch"):
            patched.setattr("catan_pz.training.evaluation.draw_curve", lambda *_: b"picture")
        yield


@pytest.fixture(scope="module")
def program(request):
    return load(request.module.PROGRAM)
