"""The GPU command: rehearsed in numba's simulator, and its report."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.gpu import __main__ as command
from tests.gpu import parity
from tests.gpu.devices import Device, find_device
from tests.gpu.report import Deadline, Part, Report, table
from tests.gpu.toolkit import toolkit

pytest.importorskip("numba.cuda")
ROOT = Path(__file__).parents[2]


def call(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.gpu", *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_rehearsal_in_the_simulator_writes_the_report(tmp_path: Path) -> None:
    simulator = {"NUMBA_DISABLE_JIT": "1", "NUMBA_ENABLE_CUDASIM": "1"}
    done = call("--minutes", "0.1", "--out", str(tmp_path), **simulator)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    outcomes = {part["name"]: part["outcome"] for part in report["parts"]}
    assert outcomes == {
        **dict.fromkeys(["parity", "soak", "figures", "kernels"], "passed"),
        "trainings": "not run",
    }
    page = (tmp_path / "report.md").read_text()
    assert page == Report(**{**report, "parts": [Part(**p) for p in report["parts"]]}).markdown()
    for expected in ("simulator", "all equal", "`planes`", "masks alone", "`step_kernel`"):
        assert expected in page


def test_it_needs_no_environment_libraries() -> None:
    """The machines with GPUs have none of these; only the trainings need them."""
    blocked = ("gymnasium", "pettingzoo", "stable_baselines3", "sb3_contrib", "tqdm")
    code = f"import sys\nfor name in {blocked}: sys.modules[name] = None\nimport tests.gpu.__main__"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_without_a_gpu_the_reason_is_told(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    done = call("--out", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == "There is no GPU to run on: torch finds no GPU.\n"


def test_what_numba_lacks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from numba import cuda

    def fail() -> bool:
        raise OSError("no libnvvm.so")

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(cuda, "is_available", fail)
    assert find_device() == "numba can't use it: no libnvvm.so"


def test_a_toolkit_with_libnvvm_is_found(tmp_path: Path) -> None:
    nvcc = tmp_path / "cuda" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.touch(0o755)
    environment, default = {"PATH": str(nvcc.parent)}, tmp_path / "default"
    assert toolkit(environment, default) == {}
    (default / "nvvm").mkdir(parents=True)
    assert toolkit(environment, default) == {"CUDA_HOME": str(default)}
    assert toolkit({"PATH": ""}, default) == {"CUDA_HOME": str(default)}
    (tmp_path / "cuda" / "nvvm").mkdir()
    assert toolkit(environment, default) == {"CUDA_HOME": str(tmp_path / "cuda")}
    assert toolkit(environment | {"CUDA_PATH": "elsewhere"}, default) == {}


def test_deadlines_are_shared_out() -> None:
    whole = Deadline(100)
    assert 49 < whole.share(0.5).left <= 50
    assert Deadline(0).is_over
    assert Deadline(-1).left == 0


def test_tables() -> None:
    assert table(("a", "b"), [(1, "x")]) == "| a | b |\n|---|---|\n| 1 | x |"


class FakeBatch:
    """Arrays of a batch of two games, one of them changed where a name is given."""

    def __init__(self, changed: str | None = None) -> None:
        for name in ("games", *parity.ARRAYS):
            setattr(self, name, np.full(2, 1 if name == changed else 0, np.int8))


@pytest.mark.parametrize("name", ["games", *parity.ARRAYS])
def test_each_difference_is_found(name: str) -> None:
    parity.compare(FakeBatch(), FakeBatch())
    with pytest.raises(AssertionError, match="records" if name == "games" else name):
        parity.compare(FakeBatch(), FakeBatch(name))


def test_a_part_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_device: object, _deadline: object) -> str:
        raise AssertionError("records differ")

    monkeypatch.setitem(command.PARTS, "parity", (0.5, fail))
    device = Device("simulator", 1, 1, 1, (1,), 0.0)
    part = command.run_part("parity", device, Deadline(1))
    assert part.outcome == "failed"
    assert "records differ" in part.text


def test_what_operations_move_is_counted() -> None:
    torch = pytest.importorskip("torch")
    from tests.gpu.roofline import Traffic

    left, right = torch.ones(8, 4), torch.ones(4, 2)
    with Traffic() as traffic:
        product = left.view(8, 4) @ right
        product.relu()
    assert traffic.products == 4 * (8 * 4 + 4 * 2 + 8 * 2)
    assert traffic.all == traffic.products + 2 * 4 * 8 * 2
