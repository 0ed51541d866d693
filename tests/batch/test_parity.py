"""Pure Python, compiled code and the CUDA simulator play the same games, byte for byte."""

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("numba.cuda")

from tests.batch.ptx import KERNELS
from tests.batch.simulated import played

PYTHON = {"NUMBA_DISABLE_JIT": "1"}
SIMULATOR = PYTHON | {"NUMBA_ENABLE_CUDASIM": "1"}


def run(module: str, *arguments: str, **environment: str) -> str:
    """What a module of the tests prints when run on its own."""
    result = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout


def run_games(way: str, *decisions: int, **environment: str) -> dict[str, Any]:
    return json.loads(run("tests.batch.simulated", way, *map(str, decisions), **environment))


@pytest.fixture(scope="module")
def compiled() -> dict[str, Any]:
    return played("compiled")


def test_compiled_games_and_refusals_are_of_every_kind(compiled: dict[str, Any]) -> None:
    assert len(set(compiled["rules"])) == 5
    # Games end, and are followed, where the limit of turns is near.
    assert [ended > 0 for _, ended in compiled["batches"]] == [True, False, True]
    said = compiled["refusals"]
    assert said["synchronize"] == said["step"]
    assert re.search("game 1.*end_turn", said["step"])
    assert "'roll'} is illegal" in said["place_games"]
    assert all("the game is truncated" in said[name] for name in ("reset_finished", "deal"))


def test_python_plays_the_same_games(compiled: dict[str, Any]) -> None:
    assert run_games("python", **PYTHON)["rules"] == compiled["rules"]


def test_the_simulator_plays_the_same_games(compiled: dict[str, Any]) -> None:
    assert run_games("cuda", **SIMULATOR) == compiled


@pytest.mark.slow
def test_the_simulator_gives_out_tensors(compiled: dict[str, Any]) -> None:
    pytest.importorskip("torch")
    found = run_games("tensors", **SIMULATOR)
    assert found == {name: compiled[name] for name in found}


@pytest.mark.slow
def test_many_decisions_are_the_same() -> None:
    rules = played("compiled", 2000)["rules"]
    assert run_games("python", 2000, **PYTHON)["rules"] == rules
    assert run_games("cuda", 2000, **SIMULATOR)["rules"] == rules


@pytest.mark.parametrize(
    "kernels",
    [("check_kernel", "observe_everything_kernel"), pytest.param((), marks=pytest.mark.slow)],
)
def test_rules_compile_for_cuda_without_a_gpu(kernels: tuple[str, ...]) -> None:
    pytest.importorskip("numba_cuda")
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        load_nvidia_dynamic_lib("nvvm")
        load_nvidia_dynamic_lib("nvrtc")
    except DynamicLibNotFoundError:
        pytest.skip("the compiler of the gpu extra is not installed")
    ptx = run("tests.batch.ptx", *(("--unoptimized", *kernels) if kernels else ()))
    assert ".target sm_90" in ptx
    for kernel in kernels or KERNELS:
        assert re.search(rf"\.entry \S*{kernel}", ptx)
    # The rules themselves are in it, not only the kernel's frame.
    for rule in ("is_legal", "observe", *(() if kernels else ("apply_roll", "longest_trail"))):
        assert rule in ptx
