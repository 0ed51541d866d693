"""The compile decorators: one source of the rules for Python, the CPU and CUDA.

A rule takes games as records (`s`) and int64 numbers; arrays go by the names in
`KINDS`. Nothing is compiled at import. `build` compiles every rule once, each with the
one signature that its parameter names give, and an entry point compiles on its first
call or comes from the cache. With NUMBA_DISABLE_JIT=1 rules stay plain Python.
"""

import hashlib
import inspect
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np
from numba import njit, types
from numba.core import caching

from catan_pz.engine.state import STATE

GAME: Final = numba.from_dtype(STATE)
GAMES: Final = types.Array(GAME, 1, "C")

KINDS: Final[dict[str, Any]] = {
    "s": GAME,
    "t": GAME,
    "games": GAMES,
    "spare": GAMES,
    "seed": types.uint64,
    "seeds": types.uint64[::1],
    "script": types.int8[:, ::1],
    "layouts": types.int8[:, ::1],
    "actions": types.int64[::1],
    "mask": types.int8[::1],
    "masks": types.int8[:, ::1],
    "obs": types.int8[::1],
    "scaled": types.float32[::1],
    "happened": types.int8[:, ::1],
}
"""Types of parameters by name; every other parameter is an int64."""

RULES: Final[list[Any]] = []
_building = threading.RLock()
_built = False


def rule(function: Callable[..., Any]) -> Any:
    """Mark a function as a rule; rules must be defined after the rules that they call."""
    if numba.config.DISABLE_JIT:
        return function
    dispatcher = njit(nogil=True, no_cfunc_wrapper=True)(function)
    _use_cache(dispatcher)
    RULES.append(dispatcher)
    return dispatcher


def build() -> None:
    """Compile every rule defined so far, or load it from the cache."""
    global _built
    with _building:
        for dispatcher in RULES:
            compile_rule(dispatcher)
        _built = True


def compile_rule(dispatcher: Any) -> None:
    """Compile one rule for the signature of its parameter names, if that's not done."""
    if not dispatcher.signatures:
        dispatcher.compile(signature_of(dispatcher.py_func))
        dispatcher.disable_compile()


def signature_of(function: Callable[..., Any]) -> tuple[Any, ...]:
    """Numba types of a rule's parameters."""
    return tuple(KINDS.get(name, types.int64) for name in inspect.signature(function).parameters)


class Entry:
    """A rule that Python calls: taken from the cache alone where that is possible."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.dispatcher = njit(nogil=True, no_cfunc_wrapper=True)(function)
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        _use_cache(self.dispatcher)

    def compiled(self) -> Any:
        """The compiled dispatcher."""
        with _building:
            if not self.dispatcher.signatures:
                signature = signature_of(self.dispatcher.py_func)
                if not _is_cached(self.dispatcher, signature):
                    build()
                compile_rule(self.dispatcher)
        return self.dispatcher

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled()(*arguments)


def entry(function: Callable[..., Any]) -> Any:
    """Mark a function that calls rules as one that Python calls, with whole arrays of games."""
    return function if numba.config.DISABLE_JIT else Entry(function)


def bound(function: Any) -> Callable[..., Any]:
    """The fastest callable of an entry point; compiles it."""
    return function.compiled() if isinstance(function, Entry) else function


def as_games(array: np.ndarray) -> np.ndarray:
    """An array of `STATE` as entry points take it: with fields as attributes in plain Python."""
    return array.view(np.recarray) if numba.config.DISABLE_JIT else array


@cache
def _sources_stamp() -> str:
    """Changes with any source that is compiled, and with what changes compilation."""
    digest = hashlib.sha256(repr((numba.config.BOUNDSCHECK, numba.config.OPT)).encode())
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        if path.parent.name in ("engine", "board", "observation", "runtime", "catan_pz"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _use_cache(dispatcher: Any) -> None:
    """Cache compiled code; numba alone would not notice a change in another file."""
    try:
        dispatcher.enable_caching()
    except RuntimeError:  # no directory can be written to: compile anew each time
        return
    locator = dispatcher._cache._impl._locator
    locator.get_source_stamp = _sources_stamp
    index = caching.IndexDataCacheFile(
        cache_path=dispatcher._cache._cache_path,
        filename_base=dispatcher._cache._impl.filename_base,
        source_stamp=_sources_stamp(),
    )
    dispatcher._cache._cache_file = index


def _is_cached(dispatcher: Any, signature: tuple[Any, ...]) -> bool:
    from numba.core.registry import cpu_target

    try:
        found = dispatcher._cache.load_overload(signature, cpu_target.target_context)
    except (AttributeError, OSError, RuntimeError):
        return False
    return found is not None
