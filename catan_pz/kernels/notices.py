"""Tells users what the compiler does: compiling, a slower way, a cache that can't be used.

Warnings go to the logger `catan_pz.kernels`, which prints them on standard error unless the
program configures logging. Compiling takes seconds where no compiled code is cached yet.

By default the first compilation of a process prints one line on standard error. A program that
shows its own progress replaces that with `on_compile`:

    from catan_pz.kernels.notices import on_compile

    on_compile(lambda name: bar.set_description(f"compiling {name}"))  # or on_compile(None)
"""

import atexit
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

Hook = Callable[[str], None]
"""Called with the name of an entry point right before it is compiled, not if it is cached."""

MESSAGE: Final = "catan-pz: compiling the rules (first run only)"
NOT_KEPT: Final = "catan-pz: compiling the rules (at each start: compiled code can't be kept here)"


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
            atexit.unregister(self._end)
            atexit.register(self._end)
        elif self._count == 1:
            stream.write(f"{message}\n")
        stream.flush()

    def _end(self) -> None:
        sys.stderr.write("\n")


one_line: Final = _OneLine()
"""The default hook."""

_hook: Hook | None = one_line


def on_compile(hook: Hook | None) -> Hook | None:
    """Choose what is called before an entry point is compiled, None for nothing.

    Returns:
        What was called until now.
    """
    global _hook
    before, _hook = _hook, hook
    return before


@contextmanager
def compile_hook(hook: Hook | None) -> Iterator[None]:
    """`on_compile` for the length of a `with` block."""
    before = on_compile(hook)
    try:
        yield
    finally:
        on_compile(before)


def announce(name: str, *, is_kept: bool = True) -> None:
    """Call the hook; for the compiler."""
    if _hook is one_line and not is_kept:
        one_line(name, NOT_KEPT)
    elif _hook is not None:
        _hook(name)


_LOGGER: Final = logging.getLogger("catan_pz.kernels")
_warned: Final[set[str]] = set()


def warn_once(subject: str, message: str) -> None:
    """Log a warning, the first one on its subject in this process."""
    if subject not in _warned:
        _warned.add(subject)
        _LOGGER.warning("catan-pz: %s", message)
