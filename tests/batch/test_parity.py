"""Pure Python, compiled code and the CUDA simulator play the same games, byte for byte."""

import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("numba.cuda")

from tests.batch.ptx import KERNELS


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


@pytest.mark.parametrize("decisions", ["150", pytest.param("2000", marks=pytest.mark.slow)])
def test_python_compiled_and_simulator_agree(decisions: str) -> None:
    module = "tests.batch.parity"
    compiled = run(module, "compiled", decisions)
    assert len(set(compiled.split())) == 5
    assert run(module, "python", decisions, NUMBA_DISABLE_JIT="1") == compiled
    simulator = {"NUMBA_DISABLE_JIT": "1", "NUMBA_ENABLE_CUDASIM": "1"}
    assert run(module, "simulator", decisions, **simulator) == compiled


@pytest.mark.parametrize("options", [("--unoptimized",), pytest.param((), marks=pytest.mark.slow)])
def test_rules_compile_for_cuda_without_a_gpu(options: tuple[str, ...]) -> None:
    pytest.importorskip("numba_cuda")
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        load_nvidia_dynamic_lib("nvvm")
        load_nvidia_dynamic_lib("nvrtc")
    except DynamicLibNotFoundError:
        pytest.skip("the compiler of the gpu extra is not installed")
    ptx = run("tests.batch.ptx", *options)
    assert ".target sm_90" in ptx
    for kernel in KERNELS:
        assert re.search(rf"\.entry \S*{kernel}", ptx)
    # The rules themselves are in it, not only the kernel's frame.
    for rule in ("play_in_place", "apply_roll", "longest_trail", "tighten", "observe"):
        assert rule in ptx
