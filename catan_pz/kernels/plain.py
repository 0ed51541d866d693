"""The plain backend: numba's documented decorators, for any version of numba."""

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.extending import register_jitable


def make_rule(function: Callable[..., Any]) -> Any:
    """A dispatcher that other compiled functions call."""
    return njit(error_model="numpy")(function)  # as on CUDA, division by zero isn't checked


def make_entry(function: Callable[..., Any]) -> Any:
    """A dispatcher that Python calls."""
    return njit(error_model="numpy", nogil=True)(function)


@register_jitable
def prefetch(games: Any, i: int) -> None:
    """Do nothing: the next game is loaded when it is used."""


@register_jitable
def spell_bits(array: Any, first: int, members: int) -> None:
    """Write the 64 bits of an int64 into an int8 array from index `first` on, each as 0 or 1."""
    for k in range(64):
        array[first + k] = (members >> k) & 1
