"""Notices of the compiler: compilation, a slower backend, an unusable cache.

Warnings go to the logger `catan_pz.kernels`, which prints them on standard error unless the
program configures logging. Compiling takes seconds if no compiled code is cached yet: one line
on standard error says so, unless `compile_hook` replaces it.
"""

import atexit
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

Hook = Callable[[str], None]
"""Called with the name of an entry point right before it is compiled; not if it is cached."""

MESSAGE: Final = "catan-pz: compiling the rules (first run only)"
NOT_KEPT: Final = "catan-pz: compiling the rules (at each start: compiled code can't be kept here)"

_LOGGER: Final = logging.getLogger("catan_pz.kernels")
_told: Final[set[str]] = set()


class _OneLine:
    """Prints one line on standard error; on a terminal it counts entry points and seconds."""

    def __init__(self) -> None:
        self._count = 0
        self._begun = 0.0

    def __call__(self, name: str, message: str = MESSAGE) -> None:
        stream = sys.stderr
        if stream is None:
            return
        self._begun = self._begun or time.monotonic()
        self._count += 1
        if stream.isatty():
            passed = time.monotonic() - self._begun
            so_far = f"entry point {self._count}, {name}, after {passed:.0f} s"
            stream.write(f"\r\x1b[K{message}: {so_far}")
            if self._count == 1:
                atexit.register(lambda: sys.stderr.write("\n"))
        elif self._count == 1:
            stream.write(f"{message}\n")
        stream.flush()


_one_line: Final = _OneLine()
_hooks: Final[list[Hook | None]] = [_one_line]


@contextmanager
def compile_hook(hook: Hook | None) -> Iterator[None]:
    """Set the hook called before an entry point is compiled, None for no hook."""
    _hooks.append(hook)
    try:
        yield
    finally:
        _hooks.pop()


def announce(name: str, *, is_kept: bool = True) -> None:
    """Call the hook; used by the compiler."""
    hook = _hooks[-1]
    if hook is _one_line and not is_kept:
        _one_line(name, NOT_KEPT)
    elif hook is not None:
        hook(name)


def warn_once(subject: str, message: str) -> None:
    """Log a warning if it is the first on its subject in this process."""
    if subject not in _told:
        _told.add(subject)
        _LOGGER.warning("catan-pz: %s", message)
