"""Checks of what Python passes to an entry point that threads share."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numba import types
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
        kinds: their numba types.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function.__name__
        given = zip(inspect.signature(function).parameters, signature_of(function), strict=True)
        kinds = {name: kind for name, kind in given if name not in SHARED[1:]}
        self.names, self.kinds = list(kinds), list(kinds.values())

    def __len__(self) -> int:
        return len(self.names)

    def check_count(self, count: int) -> None:
        """Refuse too many or too few arguments with a `TypeError`."""
        if count != len(self):
            raise TypeError(f"{self._function}: {count} arguments, must be {len(self)}")

    def checked(self, k: int, given: Any) -> list[Any]:
        """Argument k as arrays and ints: one, or those of a bundle, field by field.

        Raises:
            TypeError: for another type than the parameter's; names the parameter.
        """
        return list(_leaves(f"{self._function}: argument {self.names[k]!r}", self.kinds[k], given))


def leaf_kinds(kind: Any) -> list[Any]:
    """The types of arrays and numbers in an argument, field by field where it is a bundle."""
    if isinstance(kind, types.BaseTuple):
        return [leaf for field in kind.types for leaf in leaf_kinds(field)]
    return [kind]


def _leaves(name: str, kind: Any, given: Any) -> Iterator[Any]:
    if isinstance(kind, types.BaseTuple):
        if not isinstance(given, kind.instance_class):
            raise TypeError(f"{name} must be a {kind.instance_class.__name__}")
        for field, inner, value in zip(kind.fields, kind.types, given, strict=True):
            yield from _leaves(f"{name}.{field}", inner, value)
    elif not isinstance(kind, types.Array):
        yield as_integer(name, given)
    elif (
        isinstance(given, np.ndarray)
        and given.dtype == as_dtype(kind.dtype)
        and given.ndim == kind.ndim
        and given.flags.c_contiguous
        and given.flags.aligned
        and (given.flags.writeable or not kind.mutable)
    ):
        yield given
    else:
        raise TypeError(f"{name} must be a {kind}")


def index_error(function: Any) -> IndexError:
    """The error for an index out of bounds in a call that threads share."""
    return IndexError(f"{function.__name__}: an index is out of bounds")
