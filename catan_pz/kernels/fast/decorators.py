"""How the fast backend hands functions to numba."""

from collections.abc import Callable
from typing import Any

from numba import njit

from catan_pz.kernels.fast.lowering import EntryCompiler, RuleCompiler, keep_from_python


def make_rule(function: Callable[..., Any]) -> Any:
    """A dispatcher that other compiled functions can call, and Python can't."""
    dispatcher = njit(
        error_model="numpy",  # as on CUDA: no check for division by zero
        _nrt=False,  # no reference counts: nothing is allocated
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=RuleCompiler,
    )(function)
    keep_from_python(dispatcher)
    return dispatcher


def make_entry(function: Callable[..., Any]) -> Any:
    """A dispatcher that Python calls, with packed code beside it where threads can share it."""
    return njit(
        error_model="numpy",
        nogil=True,
        _nrt=False,
        no_cfunc_wrapper=True,
        pipeline_class=EntryCompiler,
    )(function)
