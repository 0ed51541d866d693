"""Checks of what Python passes to an entry point that threads share."""

import inspect
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numba.np.numpy_support import as_dtype

from catan_pz.checks import as_integer
from catan_pz.kernels.types import signature_of

SHARED: Final = ("games", "first", "last")
"""The parameters that an entry point shared by threads begins with."""


class Parameters:
    """Parameters of an entry point without `first` and `last`.

    Args:
        function: the entry point's Python function.

    Attributes:
        names: of the parameters.
        ndims: number of dimensions of each, 0 for an integer.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function.__name__
        names, kinds = list(inspect.signature(function).parameters), signature_of(function)
        kept = [k for k, name in enumerate(names) if name not in SHARED[1:]]
        self.names = [names[k] for k in kept]
        self._kinds = [kinds[k] for k in kept]
        self.ndims: list[int] = [getattr(kind, "ndim", 0) for kind in self._kinds]
        self._dtypes = [
            as_dtype(kind.dtype) if ndim else None
            for kind, ndim in zip(self._kinds, self.ndims, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.names)

    def check_count(self, count: int) -> None:
        """Refuse too many or too few arguments.

        Raises:
            TypeError: names both numbers.
        """
        if count != len(self):
            raise TypeError(f"{self._function}: {count} arguments, must be {len(self)}")

    def checked(self, k: int, given: Any) -> Any:
        """Argument k: an array as it is, an integer as an int.

        Raises:
            TypeError: for another type than the parameter's; names the parameter.
        """
        if not self.ndims[k]:
            return as_integer(f"{self._function}: argument {self.names[k]!r}", given)
        kind = self._kinds[k]
        fits = (
            isinstance(given, np.ndarray)
            and given.dtype == self._dtypes[k]
            and given.ndim == kind.ndim
            and given.flags.c_contiguous
            and given.flags.aligned
            and (given.flags.writeable or not kind.mutable)
        )
        if not fits:
            raise TypeError(f"{self._function}: argument {self.names[k]!r} must be a {kind}")
        return given


def index_error(function: Any) -> IndexError:
    """The error for an index out of bounds in a call that threads share."""
    return IndexError(f"{function.__name__}: an index is out of bounds")
