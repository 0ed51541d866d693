"""Tells users what the compiler does: compiling, a slower way, a cache that can't be used.

Warnings go to the logger `catan_pz.kernels`, which prints them on standard error unless the
program configures logging. Compiling takes seconds where no compiled code is cached yet: the first
compilation of a process prints one line, unless `compile_hook` puts something in its place.
"""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

Hook = Callable[[str], None]
"""Called with the name of an entry point right before it is compiled, not if it is cached."""

MESSAGE: Final = "catan-pz: compiling the rules (first run only)"

_LOGGER: Final = logging.getLogger("catan_pz.kernels")
_told: Final[set[str]] = set()


def _one_line(_name: str) -> None:
    if sys.stderr is not None and "compiling" not in _told:
        _told.add("compiling")
        sys.stderr.write(f"{MESSAGE}\n")
        sys.stderr.flush()


_hooks: Final[list[Hook | None]] = [_one_line]


@contextmanager
def compile_hook(hook: Hook | None) -> Iterator[None]:
    """Choose what is called before an entry point is compiled, None for nothing."""
    _hooks.append(hook)
    try:
        yield
    finally:
        _hooks.pop()


def announce(name: str) -> None:
    """Call the hook; for the compiler."""
    hook = _hooks[-1]
    if hook is not None:
        hook(name)


def warn_once(subject: str, message: str) -> None:
    """Log a warning, the first one on its subject in this process."""
    if subject not in _told:
        _told.add(subject)
        _LOGGER.warning("catan-pz: %s", message)
