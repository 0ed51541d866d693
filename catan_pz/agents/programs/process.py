"""A process that exchanges lines with its host, and that is always ended."""

import atexit
import contextlib
import os
import queue
import re
import signal
import subprocess
import threading
from collections.abc import Sequence
from typing import Final

from catan_pz.names import printable

MAX_LINE: Final = 1 << 20
"""Most bytes of a line; a longer one counts as nonsense."""

MAX_LINES: Final = 16
"""Most lines that may wait to be received; reading stops when a process writes more."""

STDERR_BYTES: Final = 4096
"""Bytes of standard error that are kept, the last ones."""

LAST_WORDS: Final = 200
"""Characters of these that errors quote."""

_JOIN_SECONDS: Final = 1.0

_LAST_LINES_SECONDS: Final = 0.5
"""Time to read the last output of a process that has ended."""

_running: "set[LineProcess]" = set()


def kill_all() -> None:
    """Kill all processes of this kind at once, before this process ends itself."""
    for process in list(_running):
        process.kill()


atexit.register(kill_all)


def one_line(text: object) -> str:
    """A text on one line, with escapes for characters that aren't printable."""
    return printable(" ".join(str(text).split()))


class LineProcess:
    """A process that speaks in lines.

    On POSIX it leads a process group of its own, which is ended with it: Ctrl-C at a terminal
    reaches the host alone, and the children of the process end with it. If the host is killed, the
    process sees the end of its standard input.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=os.name == "posix",
        )
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._incoming: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._errors = bytearray()
        self._host = os.getpid()
        _running.add(self)
        work = (self._write, self._read, self._keep_errors, self._watch)
        self._threads = [threading.Thread(target=one, daemon=True) for one in work]
        for thread in self._threads:
            thread.start()

    def send(self, line: bytes) -> None:
        """Send a line; returns at once, even if the process has ended or doesn't read."""
        self._outgoing.put(line)

    def receive(self, seconds: float | None) -> bytes | None:
        """The next line of its output; None if it has ended or wrote too much."""
        try:
            line = self._incoming.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            self._incoming.put(None)
        return line

    @property
    def is_silent(self) -> bool:
        """Whether it runs, and all of its output was received."""
        return self._incoming.empty()

    @property
    def is_patient(self) -> bool:
        """Whether it has read all but the last line sent to it, and no line of its output waits."""
        return self._outgoing.empty() and self._incoming.empty()

    def last_words(self) -> str:
        """The end of its standard error, on one line, without the calls below an error in Node."""
        words = self._errors.decode("utf-8", "replace")
        words = one_line(re.sub(r"^[ \t]+at .*$", "", words, flags=re.MULTILINE))
        return words if len(words) <= LAST_WORDS else f"...{words[-LAST_WORDS:]}"

    def end(self, grace: float) -> int:
        """Close its standard input, wait some seconds and kill it if needed; the exit status."""
        if self._process.returncode is not None or self._host != os.getpid():
            return self._process.returncode or 0
        self._outgoing.put(None)
        try:
            self._threads[-1].join(grace)
        finally:
            self.kill()
            status = self._process.wait()
        for thread in self._threads:
            thread.join(_JOIN_SECONDS)
        _running.discard(self)
        return status

    def kill(self) -> None:
        """Kill it and its children; in a fork of the host, do nothing."""
        if self._process.returncode is not None or self._host != os.getpid():
            return  # its id may be somebody else's by now
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def _write(self) -> None:
        stream = self._process.stdin
        assert stream is not None
        with contextlib.suppress(OSError), stream:
            while (line := self._outgoing.get()) is not None:
                stream.write(line)
                stream.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        with contextlib.suppress(OSError), stream:
            while self._incoming.qsize() < MAX_LINES and (line := stream.readline(MAX_LINE + 2)):
                self._incoming.put(line.removesuffix(b"\n"))
        self._incoming.put(None)

    def _keep_errors(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        with contextlib.suppress(OSError), stream:
            while chunk := os.read(stream.fileno(), 1 << 12):
                self._errors += chunk
                del self._errors[:-STDERR_BYTES]

    def _watch(self) -> None:
        """Note the end of the process, even if a child of it still holds its pipes."""
        if hasattr(os, "waitid"):  # it stays a zombie, whose id stays its own
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()
        self._threads[1].join(_LAST_LINES_SECONDS)
        self._incoming.put(None)
