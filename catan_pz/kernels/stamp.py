"""The rules compiled into an entry point, and a stamp of all of them.

Numba only checks the file of a function, not the rules that the function calls.
"""

import hashlib
from collections.abc import Callable, Iterator
from enum import EnumType
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import llvmlite
import numba
import numpy as np

RULES: Final[dict[int, Any]] = {}
"""The dispatchers of all rules by `id`; they live as long as the process."""

_PLAIN: Final = (int, float, str, bytes, tuple, frozenset, type(None), np.generic, np.dtype)


def _named(function: Callable[..., Any]) -> Iterator[Any]:
    """The objects that a function refers to, by name or as attributes of modules."""
    names = function.__code__.co_names
    for name in names:
        thing = function.__globals__.get(name)
        yield thing
        if isinstance(thing, ModuleType):
            yield from (getattr(thing, attribute, None) for attribute in names)


def rules_called_by(function: Callable[..., Any]) -> list[Any]:
    """The rules that a function calls, directly or indirectly, each after the rules it calls."""
    found: dict[Any, None] = {}

    def visit(caller: Callable[..., Any]) -> None:
        for thing in _named(caller):
            called = RULES.get(id(thing))
            if called is not None and called not in found and called.py_func != caller:
                visit(called.py_func)
                found[called] = None

    visit(function)
    return list(found)


def stamp_of(function: Callable[..., Any]) -> str:
    """A hash of everything compiled into a function.

    It covers its code and that of the rules it calls, the constants and tables that these use,
    the compiler, and the versions of numba and llvmlite.
    """
    called = (rule.py_func for rule in rules_called_by(function))
    parts = [_compiler(), *map(_content, called), _content(function)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


@cache
def _compiler() -> bytes:
    versions = repr((numba.__version__, llvmlite.__version__, numba.config.OPT)).encode()
    sources = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join([versions, *(path.read_bytes() for path in sources)])).digest()


@cache
def _content(function: Callable[..., Any]) -> bytes:
    """A hash of a function without the functions it calls; names and comments don't matter."""
    taken = map(_annotation, function.__annotations__.values())
    parts = [_code(function), *taken, *map(_value, _named(function))]
    return hashlib.sha256("\n".join(parts).encode()).digest()


def _code(function: Callable[..., Any]) -> str:
    code, doc = function.__code__, function.__doc__
    constants = [c for c in code.co_consts if c != doc and not isinstance(c, CodeType)]
    rest = code.co_names, code.co_varnames, function.__defaults__, function.__dict__
    return repr((code.co_code, constants, *rest))


def _annotation(kind: Any) -> str:
    fields = getattr(kind, "__annotations__", {}) if hasattr(kind, "_fields") else {}
    return repr([(name, _annotation(field)) for name, field in fields.items()] or kind)


def _value(thing: Any) -> str:
    """The part of an object that compiled code depends on."""
    if isinstance(thing, _PLAIN):
        return repr(thing)
    if isinstance(thing, np.ndarray):
        return f"{thing.dtype} {thing.shape} {hashlib.sha256(thing.tobytes()).hexdigest()}"
    if isinstance(thing, EnumType):
        return repr(list(thing))
    if isinstance(thing, FunctionType):
        return _code(thing)
    if hasattr(thing, "_fields"):
        return _annotation(thing)
    return str(getattr(thing, "__name__", type(thing).__name__))
