"""Allocates arrays and launches kernels of a batch on CUDA: a GPU, or the simulator."""

import gc
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from numba import config, cuda
from numpy.typing import NDArray

from catan_pz.batch.base import Host
from catan_pz.engine.state import STATE, as_games
from catan_pz.game.arguments import integers
from catan_pz.kernels.cache import use_kernel_cache
from catan_pz.kernels.rule import rules_called_by

THREADS_A_BLOCK: Final = 128

_GIB: Final = 2**30


def open_device() -> "Gpu | SimulatedGpu":
    """The GPU that torch uses, or the simulator with NUMBA_ENABLE_CUDASIM=1."""
    return SimulatedGpu() if config.ENABLE_CUDASIM else Gpu()


class Gpu:
    """The current GPU of torch, with tensors for outputs and numba's arrays for the rest."""

    def __init__(self) -> None:
        try:
            import torch
        except ImportError as error:
            raise ImportError(
                "device='cuda' needs torch, built for CUDA: see https://pytorch.org"
            ) from error
        if not torch.cuda.is_available():
            raise RuntimeError(
                f"device='cuda': torch {torch.__version__}, built for CUDA {torch.version.cuda}, "
                "finds no GPU: see nvidia-smi and https://pytorch.org; device='cpu' always works"
            )
        try:
            reason = "" if cuda.is_available() else "numba does not"
        except Exception as error:  # if a library is missing, such as libNVVM
            reason = f"numba can't use it ({error})"
        if reason:
            raise RuntimeError(
                f"device='cuda': torch finds a GPU but {reason}: install catan-pz[gpu], or set "
                "CUDA_HOME to a CUDA toolkit; device='cpu' always works"
            )
        self._torch = torch
        self._index = torch.cuda.current_device()
        cuda.select_device(self._index)

    def check_memory(self, needed: int, what: str) -> None:
        """Raise a `MemoryError` if less memory is free than needed."""
        memory = self._torch.cuda
        free, total = memory.mem_get_info(self._index)
        if needed > free:  # unused memory may not have been released yet
            gc.collect()
            cuda.current_context().deallocations.clear()
            memory.empty_cache()
            free, total = memory.mem_get_info(self._index)
        if needed > free:
            raise MemoryError(
                f"{what} need {needed / _GIB:.1f} GiB of GPU memory; {free / _GIB:.1f} of "
                f"{total / _GIB:.1f} GiB are free"
            )

    def zeros(self, shape: tuple[int, ...], dtype: type) -> Any:
        """A tensor of zeros for output."""
        kind = self._torch.from_numpy(np.zeros(0, dtype)).dtype
        return self._torch.zeros(shape, dtype=kind, device=f"cuda:{self._index}")

    def own(self, array: NDArray[Any]) -> Any:
        """A copy of an array on the device, for kernels only."""
        self._finish_stream()
        copied = cuda.to_device(np.ascontiguousarray(array))
        cuda.default_stream().synchronize()
        return copied

    def view(self, tensor: Any) -> Any:
        """The same memory, as kernels take it."""
        return cuda.as_cuda_array(tensor)

    def shared_with_host(self, values: NDArray[Any]) -> Any:
        """An array in host memory that kernels can write to."""
        array = cuda.mapped_array(values.shape, values.dtype)
        array[:] = values
        return array

    def copy(self, target: Any, source: NDArray[Any]) -> None:
        """Write into an array of `own`, in order after the work on torch's stream."""
        self._finish_stream()
        target.copy_to_device(source)
        cuda.default_stream().synchronize()

    def to_host(self, array: Any) -> NDArray[Any]:
        """A copy of an array of `own` in host memory, in order after the work on torch's stream."""
        self._finish_stream()
        return array.copy_to_host()

    def _finish_stream(self) -> None:
        # Numba copies on the default stream, which doesn't wait for torch's other streams.
        self._torch.cuda.current_stream(self._index).synchronize()

    def integers(self, given: Any, count: int) -> Any:
        """Actions (B,) of any integer type as an int64 tensor on the device."""
        torch = self._torch
        if not (isinstance(given, torch.Tensor) or hasattr(given, "__cuda_array_interface__")):
            given = integers(given, count, "actions")  # torch accepts fewer arrays than NumPy
        tensor = torch.as_tensor(given, device=f"cuda:{self._index}")
        if tuple(tensor.shape) != (count,):
            raise ValueError(f"actions have shape {tuple(tensor.shape)}, must have ({count},)")
        if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool:
            raise TypeError(f"actions are {tensor.dtype}, must be integers")
        return tensor.to(torch.int64).contiguous()

    def launcher(self, num_games: int) -> Callable[[Any], Callable[..., None]]:
        """Turns a kernel into a call that runs it for every game, on torch's stream."""
        blocks = -(-num_games // THREADS_A_BLOCK)

        def launch(kernel: Any) -> Callable[..., None]:
            made = _compiled(kernel)
            on_streams: dict[int, Callable[..., None]] = {}

            def call(*arguments: Any) -> None:
                stream = self._torch.cuda.current_stream(self._index).cuda_stream
                if stream not in on_streams:
                    given = cuda.external_stream(stream) if stream else 0
                    with warnings.catch_warnings():  # about small batches
                        warnings.filterwarnings("ignore", "Grid size")
                        on_streams[stream] = made[blocks, THREADS_A_BLOCK, given]
                on_streams[stream](*arguments)

            return call

        return launch

    def synchronize(self) -> None:
        """Wait until all work is done."""
        self._torch.cuda.synchronize(self._index)


class SimulatedGpu(Host):
    """Numba's simulator: kernels as plain Python, NumPy arrays; very slow, for tests."""

    def check_memory(self, needed: int, what: str) -> None:
        """Do nothing: host memory isn't checked."""

    def own(self, array: NDArray[Any]) -> NDArray[Any]:
        """A copy."""
        return as_games(array.copy()) if array.dtype == STATE else array.copy()

    shared_with_host = to_host = own

    def integers(self, given: Any, count: int) -> NDArray[np.int64]:
        """Actions (B,) of any integer type as int64."""
        return integers(given, count, "actions")

    def launcher(self, num_games: int) -> Callable[[Any], Callable[..., None]]:
        """Turns a kernel into a call that runs it for every game."""

        def launch(kernel: Any) -> Callable[..., None]:
            def call(*arguments: Any) -> None:
                _compiled(kernel)[num_games, 1](*arguments)  # other batches have other sizes

            return call

        return launch

    def synchronize(self) -> None:
        """Do nothing: kernels are synchronous."""


@cache
def _compiled(kernel: Any) -> Any:
    """A kernel for all batches, compiled at its first launch or taken from the cache."""
    for called in rules_called_by(kernel):
        called.disable_compile(False)  # rules refuse new signatures
    made = cuda.jit(kernel)
    if not config.ENABLE_CUDASIM:
        use_kernel_cache(made, kernel)
    return made
