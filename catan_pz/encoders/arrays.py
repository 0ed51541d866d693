"""Array operations of encoders, for NumPy arrays and torch tensors alike.

Letters: N numbers of an observation; "..." any leading axes.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.observation.segments import SCALES

Array = Any
"""A NumPy array or a torch tensor."""


class Constant:
    """A constant array, for use with NumPy arrays and with tensors on any device.

    It is copied to a device once. `values` is a read-only NumPy array; float64 becomes float32.
    """

    def __init__(self, values: Any) -> None:
        array = np.array(values)
        self.values: NDArray[Any] = array.astype(np.float32) if array.dtype == float else array
        self.values.flags.writeable = False
        self._on_device: dict[Any, Any] = {}

    def beside(self, array: Array) -> Array:
        """The constant as an array of the same kind, on the same device as `array`."""
        if isinstance(array, np.ndarray | np.generic):
            return self.values
        if array.device not in self._on_device:
            import torch

            self._on_device[array.device] = torch.tensor(self.values, device=array.device)
        return self._on_device[array.device]

    def __getstate__(self) -> NDArray[Any]:
        return self.values

    def __setstate__(self, values: NDArray[Any]) -> None:
        self.__init__(values)  # type: ignore[misc]


_SCALES: Final = Constant(SCALES)


def each(seen: Any, function: Callable[[Array], Any]) -> Any:
    """Apply a function to an encoder's array, or to each of its arrays by name."""
    if isinstance(seen, dict):
        return {name: function(array) for name, array in seen.items()}
    return function(seen)


def scaled(units: Array, scales: Constant = _SCALES) -> Array:
    """Observations (..., N), int8 in natural units, as flat vectors: float32 in [0, 1]."""
    numbers = units * scales.beside(units)
    if isinstance(numbers, np.ndarray):
        return np.minimum(numbers, np.float32(1), out=numbers)
    return numbers.clamp_(max=1)


def floats(array: Array) -> Array:
    """An array of integers or bools as float32."""
    return array.astype(np.float32) if isinstance(array, np.ndarray) else array.float()


def gather(array: Array, table: Constant) -> Array:
    """(..., *shape of the table): numbers of the last axis of (..., n), by a table of indices."""
    if isinstance(array, np.ndarray):
        return np.take(array, table.values, axis=-1)
    return array[..., table.beside(array)]


def join(arrays: Sequence[Array], axis: int = -1) -> Array:
    """Arrays concatenated along an axis."""
    if isinstance(arrays[0], np.ndarray):
        return np.concatenate(arrays, axis)
    import torch

    return torch.cat(tuple(arrays), axis)


def spread(table: Constant, over: Array) -> Array:
    """A constant repeated along the leading axes of observations (..., N)."""
    values = table.beside(over)
    shape = (*over.shape[:-1], *values.shape)
    if isinstance(over, np.ndarray):
        return np.broadcast_to(values, shape).copy()
    return values.expand(shape).clone()


def merge(array: Array) -> Array:
    """The last two axes as one: (..., m, n) to (..., m * n)."""
    *lead, m, n = array.shape
    return array.reshape(*lead, m * n)


def rows(array: Array, *shape: int) -> Array:
    """The last axis in another shape: (..., n) to `(..., *shape)`."""
    return array.reshape(*array.shape[:-1], *shape)


def contiguous(array: Array) -> Array:
    """The array, contiguous in memory."""
    return np.ascontiguousarray(array) if isinstance(array, np.ndarray) else array.contiguous()


def relu(array: Array) -> Array:
    """The larger of each number and 0."""
    return np.maximum(array, 0) if isinstance(array, np.ndarray) else array.relu()


def affine(x: Array, weight: Array, bias: Array) -> Array:
    """(..., n) `x @ weight + bias`."""
    if isinstance(x, np.ndarray):
        y = x @ weight
        y += bias  # in place: allocating memory costs more than the sums
        return y
    return x @ weight + bias if x.ndim != 2 else bias.addmm(x, weight)
