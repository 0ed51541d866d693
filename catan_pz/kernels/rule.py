"""The decorators that compile rules: one source for Python, the CPU and CUDA.

A rule takes records, arrays and numbers, as annotated (`kernels.types`). Nothing is compiled at
import. An entry point is loaded from the cache or compiled on its first call, after the rules
that it calls, each for the single signature of its annotations. With NUMBA_DISABLE_JIT=1 rules
stay plain Python.
"""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar, cast

import numpy as np

from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.cache import use_cache
from catan_pz.kernels.notices import announce
from catan_pz.kernels.stamp import RULES, rules_called_by
from catan_pz.kernels.types import signature_of

if BACKEND == "fast":
    from catan_pz.kernels.fast.atomics import prefetch, spell_bits
    from catan_pz.kernels.fast.lowering import make_entry, make_rule
else:
    from catan_pz.kernels.plain import make_entry, make_rule, prefetch, spell_bits

__all__ = ["Entry", "bound", "entry", "kernel", "prefetch", "rule", "rules_called_by", "spell_bits"]

Rule = TypeVar("Rule", bound=Callable[..., Any])

_compiling: Final = threading.RLock()


def rule(function: Rule) -> Rule:
    """Mark a function as a rule."""
    if BACKEND == "python":
        return function
    made = make_rule(function)
    RULES[id(made)] = made
    return cast(Rule, made)


def rare(function: Rule) -> Rule:
    """Mark a rule that seldom runs, so that the compiler doesn't inline it."""
    function.is_rare = True  # type: ignore[attr-defined]
    return function


kernel = rule
"""Decorator of compiled functions outside the engine, which hold no rule of the game."""


def compile_rule(dispatcher: Any) -> None:
    """Compile one rule for the signature of its annotations, unless that is done."""
    if not dispatcher.overloads:
        dispatcher.compile(signature_of(dispatcher.py_func))
        dispatcher.disable_compile()


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Disable garbage collection: numba creates many small objects that stay."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Entry:
    """A function that Python calls, compiled with all its rules or loaded from the cache."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.dispatcher = make_entry(function)
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._call: Any = None

    def compiled(self) -> Any:
        """The compiled dispatcher."""
        if self._call is None:
            with _compiling, _without_collecting():
                if self._call is None:  # no other thread has set it
                    self._compile()
        return self._call

    def _compile(self) -> None:
        function, cache = self.dispatcher.py_func, use_cache(self.dispatcher)
        if cache is None or not cache.look_up(signature_of(function), self.dispatcher.targetctx):
            announce(self.__name__, is_kept=cache is not None and cache.can_keep)
            for called in rules_called_by(function):
                compile_rule(called)
        compile_rule(self.dispatcher)
        self._call = self.dispatcher

    def __call__(self, *arguments: Any) -> Any:
        """Call the function, compiling it first if needed."""
        return (self._call or self.compiled())(*arguments)


def entry(function: Callable[..., Any]) -> Any:
    """Mark a function as an entry point: Python calls it with whole arrays of games."""
    if BACKEND == "python":
        # Random numbers and bit counts wrap around; NumPy would warn.
        return np.errstate(over="ignore")(function)
    return Entry(function)


def bound(function: Any) -> Any:
    """The fastest callable of an entry point; compiles it if needed."""
    return function.compiled() if isinstance(function, Entry) else function
