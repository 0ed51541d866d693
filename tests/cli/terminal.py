"""The program in a pseudo-terminal."""

import os
import re
import select
import subprocess
import sys
import time
from typing import Self


def program(*words: str) -> list[str]:
    return [sys.executable, "-m", "catan_pz.cli", *words]


def read_until(place: int, shown: str, words: str, start: int = 0) -> tuple[str, int]:
    """Read until some words appear after an index; all text, and the index after them."""
    until = time.monotonic() + 120
    while words not in shown[start:]:
        assert time.monotonic() < until, shown[-2000:]
        if select.select([place], [], [], 1)[0]:
            shown += os.read(place, 65536).decode()
    return shown, shown.index(words, start) + len(words)


class Terminal:
    """A command in a pseudo-terminal of 80 columns and 24 rows, and its output."""

    def __init__(self, *words: str) -> None:
        import pty
        import termios

        self._place, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 80))
        self._process = subprocess.Popen(
            program(*words),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=os.environ | {"TERM": "xterm-256color"},
        )
        os.close(theirs)
        self.shown, self._read = "", 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._place)

    def until(self, words: str) -> None:
        """Wait for words after the previous ones."""
        self.shown, self._read = read_until(self._place, self.shown, words, self._read)

    def type(self, text: str) -> None:
        os.write(self._place, text.encode())

    def end(self) -> None:
        try:
            while data := os.read(self._place, 65536):
                self.shown += data.decode()
        except OSError:  # the other end is closed
            pass
        assert self._process.wait(60) == 0

    @property
    def plain(self) -> str:
        """The whole output, without colours."""
        return re.sub(r"\x1b\[[\d;]*m", "", self.shown).replace("\r", "")

    def screens(self, until: str = "") -> list[str]:
        """The successive screens; all of them fit."""
        shown = self.plain.partition(until)[0] if until else self.plain
        found = shown.split("\x1b[H\x1b[J")[1:]
        assert max(len(screen.rstrip().split("\n")) for screen in found) <= 24
        assert max(len(line) for screen in found for line in screen.split("\n")) <= 80
        return found
