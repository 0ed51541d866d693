"""The GPU command: its report, its parts with batches of the CPU, and a rehearsal of all of it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import catan_pz
from tests.gpu import __main__ as command
from tests.gpu import figures, parity
from tests.gpu.devices import Device
from tests.gpu.report import Deadline

pytest.importorskip("numba.cuda")
ROOT = Path(__file__).parents[2]
GPU = Device("fake", 1, 1, 1, (1,), 0.0)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["tests.gpu", *arguments])
    return command.main()


def reported(folder: Path) -> tuple[list[str], str]:
    """The outcome of each part by the one report, and the text of the other."""
    parts = json.loads((folder / "report.json").read_text())["parts"]
    return [part["outcome"] for part in parts], (folder / "report.md").read_text()


@pytest.mark.slow
def test_a_rehearsal_in_the_simulator_writes_the_report(tmp_path: Path) -> None:
    simulator = {"NUMBA_DISABLE_JIT": "1", "NUMBA_ENABLE_CUDASIM": "1"}
    words = [sys.executable, "-m", "tests.gpu", "--minutes", "0.1", "--out", str(tmp_path)]
    subprocess.run(words, cwd=ROOT, env=os.environ | simulator, check=True)
    outcomes, text = reported(tmp_path)
    assert outcomes == ["passed"] * 5
    for expected in ("all equal", "An illegal action", "`planes`", "masks alone", "`step_kernel`"):
        assert expected in text


def test_it_needs_no_environment_libraries() -> None:
    """The machines with GPUs have none of these."""
    blocked = ("gymnasium", "pettingzoo", "stable_baselines3", "sb3_contrib", "tqdm")
    code = f"import sys\nfor name in {blocked}: sys.modules[name] = None\nimport tests.gpu.__main__"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_without_a_gpu_the_reason_is_told(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert run(monkeypatch) == 2
    assert re.match("There is no GPU to run on: .* finds no GPU", capsys.readouterr().err)


def fake_batch(changed: str | None = None) -> Any:
    """Arrays of a batch of two games, one of them changed where a name is given."""
    names = ("games", *parity.ARRAYS)
    return SimpleNamespace(**{name: np.full(2, name == changed, np.int8) for name in names})


@pytest.mark.parametrize("name", ["games", *parity.ARRAYS])
def test_each_difference_is_found(name: str) -> None:
    parity.compare(fake_batch(), fake_batch())
    with pytest.raises(AssertionError, match="records" if name == "games" else name):
        parity.compare(fake_batch(), fake_batch(name))


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The devices of all batches that are made; those for CUDA are batches on the CPU."""
    asked = []
    make_batch = catan_pz.make_batch

    def make(num_games: int, device: str = "cpu", **options: Any) -> Any:
        asked.append(device)
        batch: Any = make_batch(num_games, **options)
        batch.synchronize = lambda: None
        return batch

    monkeypatch.setattr(catan_pz, "make_batch", make)
    return asked


def test_the_report_is_written(
    devices: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(command, "find_device", lambda: GPU)
    monkeypatch.setattr(figures, "DRIFT", 1)

    def fail(_device: object, _deadline: object) -> str:
        raise AssertionError("records differ")

    monkeypatch.setitem(command.PARTS, "parity", (0.5, fail))
    words = ["--minutes", "0", "--only", "parity", "soak", "figures", "--out", str(tmp_path)]
    assert run(monkeypatch, *words) == 1
    outcomes, text = reported(tmp_path)
    assert outcomes == ["passed", "failed", "passed", "passed"]
    for expected in ("records differ", "8 decisions in 1 games at a time", "| `planes` |"):
        assert expected in text


def test_too_few_decisions_are_no_parity(devices: list[str]) -> None:
    device = Device("fake", 3, 150, 1, (1,), 0.0)
    with pytest.raises(AssertionError, match="no time to compare more than 1 decisions"):
        parity.run(device, Deadline(0))
    assert devices == ["cpu", "cuda"]
    assert parity.play(device, Deadline(300), {})[0] == 150


@pytest.mark.slow
def test_what_operations_move_is_counted() -> None:
    torch = pytest.importorskip("torch")
    from tests.gpu.roofline import Traffic

    left, right = torch.ones(8, 4), torch.ones(4, 2)
    with Traffic() as traffic:
        product = left.view(8, 4) @ right
        product.relu()
    assert traffic.products == 4 * (8 * 4 + 4 * 2 + 8 * 2)
    assert traffic.all == traffic.products + 2 * 4 * 8 * 2
