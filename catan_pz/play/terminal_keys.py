"""Single keys of a terminal, without Enter."""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from catan_pz.files import is_terminal

_NAMES: Final = {
    " ": "space",
    "\x1b[C": "right",
    "\x1b[D": "left",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1bOC": "right",
    "\x1bOD": "left",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b": "escape",
    "\xe0M": "right",
    "\xe0K": "left",
    "\xe0H": "up",
    "\xe0P": "down",
    "\xe0G": "home",
    "\xe0O": "end",
    "\xe0I": "page up",
    "\xe0Q": "page down",
}
"""What terminals send for some keys; the last eight are those of Windows."""


@contextmanager
def single_keys() -> Iterator[Any]:
    """A function that waits up to some seconds for a key and returns its name, "" for none.

    Ctrl-C still interrupts. Where standard input is no terminal it only waits.
    """
    if sys.platform == "win32":
        yield _windows_key
        return
    if not is_terminal(sys.stdin):
        yield _no_key
        return
    import termios
    import tty

    place = sys.stdin.fileno()
    before = termios.tcgetattr(place)
    try:
        tty.setcbreak(place)
        yield lambda seconds: _posix_key(place, seconds)
    finally:
        termios.tcsetattr(place, termios.TCSADRAIN, before)


def name_of(sent: str) -> str:
    """The name of a key, by what the terminal sent."""
    return _NAMES.get(sent, sent.lower())


def _posix_key(place: int, seconds: float) -> str:
    if not select.select([place], [], [], seconds)[0]:
        return ""
    sent = os.read(place, 1).decode(errors="ignore")
    if sent == "\x1b":
        # The rest of a sequence comes along at once, if there is one.
        while not _is_whole(sent) and select.select([place], [], [], 0.01)[0]:
            sent += os.read(place, 1).decode(errors="ignore")
    return name_of(sent)


def _is_whole(sequence: str) -> bool:
    """Whether what came after Escape is a key, such as "[C", "OC" or "[5~"."""
    return len(sequence) >= 3 and (sequence[-1].isalpha() or sequence[-1] == "~")


def _no_key(seconds: float) -> str:
    import time

    time.sleep(seconds)
    return ""


def _windows_key(seconds: float) -> str:
    import msvcrt
    import time

    until = time.monotonic() + seconds
    keyboard: Any = msvcrt
    while not keyboard.kbhit():
        if time.monotonic() >= until:
            return ""
        time.sleep(0.01)
    sent = keyboard.getwch()
    if sent in ("\xe0", "\x00"):
        sent = "\xe0" + keyboard.getwch()
    return name_of(sent)
