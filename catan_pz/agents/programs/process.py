"""A process that lines are sent to and received from, and that is always ended.

Threads read what it writes, so that no full pipe can block either side. Its errors
are kept for messages.
"""

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import Final

from catan_pz.names import printable

MAX_LINE: Final = 1 << 20
"""Bytes of a line; a longer one counts as nonsense."""

MAX_LINES: Final = 1000
"""Lines that may wait to be received; nothing is read from a process that writes more."""

MAX_WAITING: Final = 4 << 20
"""Bytes that these lines may have together."""

STDERR_BYTES: Final = 4096
"""Bytes of the end of standard error that are kept."""

LAST_WORDS: Final = 200
"""Characters of these that messages quote."""

GRACE_SECONDS: Final = 2.0
"""Time to end by itself, once its standard input is closed."""

_JOIN_SECONDS: Final = 2.0

_LAST_LINES_SECONDS: Final = 0.5
"""Time to read what a process wrote before it ended."""

_running: "set[LineProcess]" = set()


def kill_all() -> None:
    """End all processes of this kind at once; for one that must end itself."""
    for process in list(_running):
        process.kill()


atexit.register(kill_all)


def one_line(text: object) -> str:
    """A text on one line, with escapes for what isn't printable."""
    return printable(" ".join(str(text).split()))


class LineProcess:
    """A process that speaks in lines.

    On POSIX it leads a process group of its own, which is ended with it: Ctrl-C at a terminal
    reaches the host alone, and what the process has started ends, too. If the host is killed,
    the process sees the end of its standard input.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=os.name == "posix",
        )
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._incoming: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._put_bytes = self._taken_bytes = 0  # of lines, each counted by one thread alone
        self._errors = bytearray()
        self._host = os.getpid()
        _running.add(self)
        work = (self._write, self._read, self._keep_errors, self._watch)
        self._threads = [threading.Thread(target=one, daemon=True) for one in work]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def send(self, line: bytes) -> None:
        """Send a line; returns at once, also if the process has ended or doesn't read."""
        self._outgoing.put(line)

    def receive(self, seconds: float | None) -> bytes | None:
        """The next line that it writes, or None if it has ended or wrote too much.

        Args:
            seconds: to wait, at most; None for no limit.
        """
        try:
            line = self._incoming.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            self._incoming.put(None)
        else:
            self._taken_bytes += len(line) + 1
        return line

    @property
    def is_silent(self) -> bool:
        """Whether it runs, and all that it wrote was received."""
        return self._incoming.empty()

    @property
    def is_patient(self) -> bool:
        """Whether it reads what it is sent, all but the last line, and no line of it waits."""
        return self._outgoing.empty() and self._put_bytes == self._taken_bytes

    def last_words(self) -> str:
        """The end of its standard error on one line, control characters left out."""
        words = one_line(self._errors.decode("utf-8", "replace"))
        return words if len(words) <= LAST_WORDS else f"...{words[-LAST_WORDS:]}"

    def end(self, grace: float = GRACE_SECONDS) -> int:
        """Close its standard input, wait, and kill it if that isn't enough; its exit status."""
        if self._process.returncode is not None or self._host != os.getpid():
            return self._process.returncode or 0
        self._outgoing.put(None)
        try:
            self._threads[-1].join(grace)
        finally:
            self.kill()
            status = self._process.wait()
        deadline = time.monotonic() + _JOIN_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        _running.discard(self)
        return status

    def kill(self) -> None:
        """Kill it, and what it has started."""
        if self._process.returncode is not None or self._host != os.getpid():
            return  # its id may be somebody else's by now, or it is that of a forked host
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
                left = memoryview(line)
                while left:
                    left = left[stream.write(left) :]

    def _read(self) -> None:
        stream, waiting = self._process.stdout, b""
        assert stream is not None
        with contextlib.suppress(OSError), stream:
            while (
                len(waiting) <= MAX_LINE
                and self._put_bytes - self._taken_bytes < MAX_WAITING
                and self._incoming.qsize() < MAX_LINES
            ):
                chunk = stream.read(1 << 16)
                if not chunk:
                    break
                *complete, waiting = (waiting + chunk).split(b"\n")
                for line in complete:
                    self._put(line)
        if waiting:
            self._put(waiting)
        self._incoming.put(None)

    def _put(self, line: bytes) -> None:
        self._put_bytes += len(line) + 1
        self._incoming.put(line)

    def _keep_errors(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        with contextlib.suppress(OSError), stream:
            while chunk := stream.read(1 << 12):
                self._errors += chunk
                del self._errors[:-STDERR_BYTES]

    def _watch(self) -> None:
        """See the end of the process, also where another one that it started holds its pipes."""
        if hasattr(os, "waitid"):  # it stays a zombie, whose id stays its own
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()
        self._threads[1].join(_LAST_LINES_SECONDS)
        self._incoming.put(None)
