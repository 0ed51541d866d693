"""The compile decorators: one source of the rules for Python, the CPU and CUDA.

A rule takes records, arrays and numbers, as its annotations say (`compiler.types`). Nothing
is compiled at import. An entry point comes from the cache or is compiled on its first call,
after the rules that it calls, each with the one signature of its annotations. With
NUMBA_DISABLE_JIT=1 rules stay plain Python.
"""

import gc
import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar, cast

import numba
import numpy as np
from numba import njit
from numba.core import caching
from numba.core.dispatcher import Dispatcher

from catan_pz.compiler.lowering import EntryCompiler, RuleCompiler, keep_from_python
from catan_pz.compiler.notices import announce
from catan_pz.compiler.packed_calls import PackedCall
from catan_pz.compiler.types import signature_of

Rule = TypeVar("Rule", bound=Callable[..., Any])

_building = threading.RLock()
_COMPILED_ROOMS: Final = (
    *("", "compiler/", "board/", "engine/", "observation/", "belief/", "runtime/", "agents/"),
)
"""Rooms with rules, each after those that it may call."""


def rule(function: Rule) -> Rule:
    """Mark a function as a rule."""
    if numba.config.DISABLE_JIT:
        return function
    dispatcher = njit(
        error_model="numpy",  # as on CUDA: no check for division by zero
        _nrt=False,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=RuleCompiler,
    )(function)
    keep_from_python(dispatcher)
    return cast(Rule, dispatcher)


def rules_called_by(function: Callable[..., Any]) -> list[Any]:
    """The rules that a function calls, directly or not, each after those that it calls."""
    found: dict[Any, None] = {}

    def visit(caller: Callable[..., Any]) -> None:
        for called in _calls(caller):
            if called not in found:
                visit(called.py_func)
                found[called] = None

    visit(function)
    return list(found)


def _calls(function: Callable[..., Any]) -> list[Any]:
    """The rules that a function names, itself or as an attribute of a module."""
    names = function.__code__.co_names
    seen = [function.__globals__.get(name) for name in names]
    modules = [thing for thing in seen if isinstance(thing, ModuleType)]
    seen += [getattr(module, name, None) for module in modules for name in names]
    return [thing for thing in seen if isinstance(thing, Dispatcher) and thing.py_func != function]


def compile_rule(dispatcher: Any) -> None:
    """Compile one rule for the one signature of its annotations, if that's not done."""
    if not dispatcher.overloads:
        dispatcher.compile(signature_of(dispatcher.py_func))
        dispatcher.disable_compile()


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Numba makes many small objects that stay; looking for garbage among them takes its time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Entry:
    """A function that Python calls, compiled with all its rules or taken from the cache."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.dispatcher = njit(
            error_model="numpy",
            nogil=True,
            _nrt=False,  # no reference counts: nothing is allocated
            no_cfunc_wrapper=True,
            pipeline_class=EntryCompiler,
        )(function)
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._call: Any = None
        _use_cache(self.dispatcher)

    def compiled(self) -> Any:
        """The compiled dispatcher."""
        with _building, _without_collecting():
            if self._call is None:
                if not _is_cached(self.dispatcher):
                    announce(self.__name__)
                    for called in rules_called_by(self.dispatcher.py_func):
                        compile_rule(called)
                compile_rule(self.dispatcher)
                self._call = self.dispatcher
        return self._call

    def packed(self) -> PackedCall:
        """A call that threads can share, without arguments yet."""
        return PackedCall(self.compiled())

    def __call__(self, *arguments: Any) -> Any:
        """Call it, compiled first if need be."""
        return (self._call or self.compiled())(*arguments)


def entry(function: Callable[..., Any]) -> Any:
    """Mark a function that calls rules as one that Python calls, with whole arrays of games."""
    if numba.config.DISABLE_JIT:
        # Random numbers and bit counts wrap around, of which NumPy would warn.
        return np.errstate(over="ignore")(function)
    return Entry(function)


def bound(function: Any) -> Any:
    """The fastest callable of an entry point; compiles it."""
    return function.compiled() if isinstance(function, Entry) else function


@cache
def stamp(file: str) -> str:
    """Changes with a source file, with any that may be compiled into it, and with options."""
    digest = hashlib.sha256(repr((numba.config.BOUNDSCHECK, numba.config.OPT)).encode())
    package = Path(__file__).parents[1]
    own_room = Path(file).relative_to(package).parts[0] if package in Path(file).parents else ""
    sources: list[Path] = []
    for room in _COMPILED_ROOMS:
        sources += sorted(package.glob(f"{room}**/*.py" if room else "*.py"))
        if room == f"{own_room}/":  # nothing beyond it can be compiled into this file
            break
    for path in [*sources, Path(file)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _use_cache(dispatcher: Any) -> None:
    """Cache compiled code; numba alone would not notice a change in another file."""
    try:
        dispatcher.enable_caching()
    except RuntimeError:  # no directory can be written to: compile anew each time
        return
    kept = dispatcher._cache
    kept._cache_file = caching.IndexDataCacheFile(
        cache_path=kept._cache_path,
        filename_base=kept._impl.filename_base,
        source_stamp=stamp(dispatcher.py_func.__code__.co_filename),
    )


def _is_cached(dispatcher: Any) -> bool:
    signature = signature_of(dispatcher.py_func)
    try:
        return dispatcher._cache.load_overload(signature, dispatcher.targetctx) is not None
    except (AttributeError, OSError, RuntimeError):
        return False
