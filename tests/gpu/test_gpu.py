"""The GPU command: rehearsed in numba's simulator, and its report."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import catan_pz
from tests.gpu import __main__ as command
from tests.gpu import figures, parity, trainings
from tests.gpu.devices import Device, find_device
from tests.gpu.report import Deadline, Part, Report, table
from tests.gpu.toolkit import toolkit

pytest.importorskip("numba.cuda")
ROOT = Path(__file__).parents[2]
GPU = Device("fake", 1, 1, 1, (1,), 0.0)


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
    for expected in (
        "simulator",
        "all equal",
        "An illegal action",
        "`planes`",
        "masks alone",
        "`step_kernel`",
    ):
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


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Games and device of all batches; those for CUDA are batches on the CPU."""
    calls = []
    make_batch = catan_pz.make_batch

    def make(num_games: int, device: str = "cpu", **options: Any) -> Any:
        calls.append((num_games, device))
        batch: Any = make_batch(num_games, **options)
        batch.synchronize = lambda: None
        return batch

    monkeypatch.setattr(catan_pz, "make_batch", make)
    return calls


def test_too_few_decisions_are_no_parity(made: list[tuple[int, str]]) -> None:
    device = Device("fake", 3, 150, 1, (1,), 0.0)
    with pytest.raises(AssertionError, match="no time to compare more than 1 decisions"):
        parity.run(device, Deadline(0))
    assert made == [(2, "cpu"), (2, "cuda"), (3, "cpu"), (3, "cuda")]  # what compiles comes first
    assert parity.play(device, Deadline(300), {})[0] == 150


def test_a_batch_without_room_leaves_the_other_figures(
    made: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(figures, "DRIFT", 1)

    def rate(batch: Any, _seconds: float) -> float:
        if batch.num_games == 2:
            raise torch.OutOfMemoryError
        return 7.0

    monkeypatch.setattr(figures, "rate", rate)
    device = Device("fake", 1, 1, 1, (1, 2, 3), 0.0)
    assert figures.row(device, Deadline(60), False) == ["7.00", "no memory", "7.00"]
    assert len(made) == 3


def test_a_part_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_device: object, _deadline: object) -> str:
        raise AssertionError("records differ")

    monkeypatch.setitem(command.PARTS, "parity", (0.5, fail))
    part = command.run_part("parity", GPU, Deadline(1))
    assert part.outcome == "failed"
    assert "records differ" in part.text


RATE = "print('7 frames, 1,200/s: 3 steps')"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts programs that print something in the trainers' place."""

    def put(**bodies: str) -> None:
        (tmp_path / "examples").mkdir()
        for name, body in bodies.items():
            (tmp_path / "examples" / f"{name}.py").write_text(body)
        monkeypatch.setattr(trainings, "ROOT", tmp_path)
        monkeypatch.setattr(trainings, "TRAINERS", dict.fromkeys(bodies, ((), ())))

    return put


def test_a_trainer_that_fails_leaves_the_others_rows(programs: Callable[..., None]) -> None:
    programs(first="raise SystemExit('out of it')", second=f"{RATE}\nprint('done')")
    part = command.run_part("trainings", GPU, Deadline(60))
    assert part.outcome == "failed"
    assert "| failed |" in part.text
    assert "out of it" in part.text
    assert "| done; 1,200 frames/s in the last 1 rounds |" in part.text


def test_time_is_shared_among_trainers_that_can_run(
    programs: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(first="", second="", third="")
    for name in ("second", "third"):
        trainings.TRAINERS[name] = ("no_such_library",), ()
    shares = []
    monkeypatch.setattr(trainings, "train", lambda *given: shares.append(given[2].left) or "done")
    text = trainings.run(GPU, Deadline(90))
    assert shares[0] > 89
    assert text.count("not installed: no_such_library") == 2


def test_a_training_that_is_stopped_or_killed_tells_its_rates(
    programs: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = "import signal, time\nsignal.signal(signal.SIGTERM, {})\n{}\ntime.sleep(60)"
    programs(
        starting=wait.format("signal.SIG_DFL", ""),
        deaf=wait.format("signal.SIG_IGN", RATE),
    )
    monkeypatch.setattr(trainings, "SHORTEST", 4.0)
    monkeypatch.setattr(trainings, "STOPPING", 0.5)
    starting, deaf = (trainings.train(name, (), Deadline(0)) for name in trainings.TRAINERS)
    assert starting == "stopped while starting, as its time was over"
    assert deaf.startswith("killed, ")
    assert deaf.endswith("; 1,200 frames/s in the last 1 rounds")


def test_a_training_finds_carried_libraries(
    programs: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carried = tmp_path / "carried"
    carried.mkdir()
    (carried / "a_wheel.py").write_text("NAME = 'carried'")
    monkeypatch.setenv("PYTHONPATH", str(carried))
    programs(trainer="import a_wheel\nprint(a_wheel.NAME)")
    assert trainings.train("trainer", (), Deadline(60)) == "carried"


def test_rates_are_read_as_they_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("tyro")
    from catan_pz.training.run import Run

    run = Run.__new__(Run)
    run.unit, run._counts_frames = "frames", True
    for rate in (900.0, 1_234_567.0):
        run._tell({"entropy": 0.5}, 5_000, rate)
    assert trainings.rates(capsys.readouterr().out) == [900.0, 1_234_567.0]


def test_what_operations_move_is_counted() -> None:
    torch = pytest.importorskip("torch")
    from tests.gpu.roofline import Traffic

    left, right = torch.ones(8, 4), torch.ones(4, 2)
    with Traffic() as traffic:
        product = left.view(8, 4) @ right
        product.relu()
    assert traffic.products == 4 * (8 * 4 + 4 * 2 + 8 * 2)
    assert traffic.all == traffic.products + 2 * 4 * 8 * 2
