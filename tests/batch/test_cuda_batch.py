"""The batch on CUDA: the games of the CPU, in the simulator and, if there is one, on a GPU."""

import re
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import catan_pz
from tests.batch.test_parity import run
from tests.gpu.devices import find_device

pytest.importorskip("numba.cuda")


@pytest.mark.skipif(isinstance(find_device(), str), reason="no GPU")
def test_a_gpu_plays_the_same_games(tmp_path: Path) -> None:
    report = run("tests.gpu", "--only", "parity", "--minutes", "3", "--out", str(tmp_path))
    assert "parity: passed" in report


def test_what_numba_lacks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from numba import cuda

    def fail() -> bool:
        raise OSError("no libnvvm.so")

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    for is_available, reason in ((fail, "no libnvvm.so"), (lambda: False, "numba does not")):
        monkeypatch.setattr(cuda, "is_available", is_available)
        with pytest.raises(RuntimeError, match=rf"device='cuda'.*{reason}.*CUDA_HOME"):
            catan_pz.make_batch(2, device="cuda")


def test_without_numba_cuda_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "catan_pz.batch.cuda_device", None)
    with pytest.raises(ImportError, match=r"catan-pz\[gpu\]"):
        catan_pz.make_batch(2, device="cuda")


@pytest.fixture
def fake_gpu(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[str]]:
    """A GPU of fakes, and what is waited for, copied and freed, in order."""
    from numba import cuda

    from catan_pz.batch.cuda_device import Gpu

    done: list[str] = []
    monkeypatch.setattr("gc.collect", lambda: 0)

    def stream(name: str) -> Any:
        return SimpleNamespace(synchronize=lambda: done.append(name))

    array = SimpleNamespace(
        copy_to_device=lambda _: done.append("copy"), copy_to_host=lambda: done.append("copy")
    )
    monkeypatch.setattr(cuda, "to_device", lambda _: done.append("copy") or array)
    monkeypatch.setattr(cuda, "default_stream", lambda: stream("default"))
    pending = SimpleNamespace(clear=lambda: done.append("deallocations"))
    context = SimpleNamespace(deallocations=pending)
    monkeypatch.setattr(cuda, "current_context", lambda: context)
    gpu = Gpu.__new__(Gpu)
    gpu._index = 0
    gpu._torch = SimpleNamespace(
        cuda=SimpleNamespace(
            current_stream=lambda _: stream("torch's"),
            empty_cache=lambda: done.append("cache"),
            mem_get_info=lambda _: (8 if done[-1:] == ["cache"] else 2, 10),
        )
    )
    return gpu, done


def test_copies_wait_for_torchs_stream_and_it_for_them(fake_gpu: tuple[Any, list[str]]) -> None:
    gpu, done = fake_gpu
    array = gpu.own(np.zeros(1))
    gpu.copy(array, np.zeros(1))
    assert done == 2 * ["torch's", "copy", "default"]
    done.clear()
    gpu.to_host(array)
    assert done == ["torch's", "copy"]


def test_actions_are_any_array_or_tensor_of_integers() -> None:
    torch = pytest.importorskip("torch")
    from catan_pz.batch.cuda_device import Gpu

    gpu = Gpu.__new__(Gpu)
    gpu._index = 0
    gpu._torch = SimpleNamespace(
        Tensor=torch.Tensor,
        bool=torch.bool,
        int64=torch.int64,
        as_tensor=lambda given, device: torch.as_tensor(given),
    )
    fixed = np.array([1, 2, 3], np.uint16)
    fixed.flags.writeable = False
    swapped = np.array([1, 2, 3], ">i4")
    for given in ([1, 2, 3], np.array([3, 2, 1])[::-1], fixed, swapped, torch.tensor([1, 2, 3])):
        tensor = gpu.integers(given, 3)
        assert tensor.dtype == torch.int64
        assert tensor.tolist() == [1, 2, 3]
    for wrong in (torch.ones(3), torch.ones(3, dtype=torch.bool)):
        with pytest.raises(TypeError, match="must be integers"):
            gpu.integers(wrong, 3)
    with pytest.raises(ValueError, match=r"must have \(4,\)"):
        gpu.integers(torch.ones(3), 4)


def test_small_batches_launch_on_torchs_stream_without_a_warning(
    fake_gpu: tuple[Any, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from numba import cuda

    from catan_pz.batch import cuda_device

    gpu, _ = fake_gpu
    launched: list[tuple[Any, Any, Any]] = []
    configured: list[Any] = []

    class Kernel:
        """A dispatcher of numba's that says what numba says of few blocks."""

        def __getitem__(self, given: Any) -> Any:
            warnings.warn("Grid size 2 will likely result in GPU under-utilization", stacklevel=1)
            configured.append(given)
            return lambda *arguments: launched.append((*given[::2], arguments))

    monkeypatch.setattr(cuda_device, "_compiled", lambda _: Kernel())
    monkeypatch.setattr(cuda, "external_stream", lambda stream: f"stream {stream}")
    current = SimpleNamespace(cuda_stream=0)
    gpu._torch.cuda.current_stream = lambda _: current
    call = gpu.launcher(129)(None)
    for stream in (0, 7, 0, 7):
        current.cuda_stream = stream
        call(stream)
    on_both = [(2, 0, (0,)), (2, "stream 7", (7,))]
    assert launched == 2 * on_both
    assert len(configured) == 2


def test_memory_of_what_is_forgotten_is_free(fake_gpu: tuple[Any, list[str]]) -> None:
    gpu, done = fake_gpu
    with pytest.raises(MemoryError, match="7 games need"):
        gpu.check_memory(9, "7 games")
    assert done == ["deallocations", "cache"]
    done.clear()
    gpu.check_memory(2, "7 games")
    assert not done
    gpu.check_memory(8, "7 games")
    assert done == ["deallocations", "cache"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"device": "tpu"}, "device must be one of ('cpu', 'cuda'), got 'tpu'"),
        ({"device": "cuda", "threads": 2}, "threads must be 1 with device='cuda', got 2"),
        ({"device": "cuda", "reward": lambda terms, games: terms}, "reward must be"),
    ],
)
def test_options_that_are_not_possible(options: dict, named: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(named)}"):
        catan_pz.make_batch(**{"num_games": 2, **options})
