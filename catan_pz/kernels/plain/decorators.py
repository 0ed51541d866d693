"""How the plain backend hands functions to numba."""

from collections.abc import Callable
from typing import Any

from numba import njit


def make_rule(function: Callable[..., Any]) -> Any:
    """A dispatcher that other compiled functions call."""
    return njit(error_model="numpy")(function)  # as on CUDA: no check for division by zero


def make_entry(function: Callable[..., Any]) -> Any:
    """A dispatcher that Python calls."""
    return njit(error_model="numpy", nogil=True)(function)
