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
from typing import IO, Final

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
_POLL_SECONDS: Final = 0.005

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

    Args:
        command: program and arguments.

    Raises:
        OSError: if it can't be started.
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
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._incoming = _Lines()
        self._errors = bytearray()
        self._host = os.getpid()
        _running.add(self)
        self._threads = [
            threading.Thread(target=_write, args=(stdin, self._outgoing), daemon=True),
            threading.Thread(target=_read, args=(stdout, self._incoming), daemon=True),
            threading.Thread(target=_keep_end, args=(stderr, self._errors), daemon=True),
        ]
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

        Raises:
            TimeoutError: if it writes none in this time.
        """
        try:
            return self._incoming.take(seconds)
        except queue.Empty:
            raise TimeoutError from None

    @property
    def is_silent(self) -> bool:
        """Whether it runs, and all that it wrote was received."""
        return self._incoming.is_empty

    @property
    def is_patient(self) -> bool:
        """Whether it reads what it is sent, all but the last line, and no line of it waits."""
        return self._outgoing.empty() and not self._incoming.size

    def last_words(self) -> str:
        """The end of its standard error on one line, control characters left out."""
        text = self._errors.decode("utf-8", "replace")
        words = one_line(text)
        return words if len(words) <= LAST_WORDS else f"...{words[-LAST_WORDS:]}"

    def end(self, grace: float = GRACE_SECONDS) -> int:
        """Close its standard input, wait, and kill it if that isn't enough; its exit status."""
        if self._process.returncode is not None or self._host != os.getpid():
            return self._process.returncode or 0
        self._outgoing.put(None)
        try:
            self._wait(grace)
        finally:
            self.kill()
            status = self._process.wait()
        for thread in self._threads:
            thread.join(_JOIN_SECONDS)
        _running.discard(self)
        return status

    def _wait(self, seconds: float) -> None:
        """Wait for its end, and leave it a zombie where that can be, whose id stays its own."""
        if not hasattr(os, "waitid"):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
            return
        deadline = time.monotonic() + seconds
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while os.waitid(os.P_PID, self.pid, options) is None and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)

    def kill(self) -> None:
        """Kill it, and what it has started."""
        if self._process.returncode is not None or self._host != os.getpid():
            return  # its id may be somebody else's by now, or it is that of a forked host
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()


class _Lines:
    """Lines that wait to be received: one thread puts them, another takes them.

    None stands for the end, which stays.
    """

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._put = self._taken = 0

    @property
    def size(self) -> int:
        """Bytes of the lines, each with its end."""
        return self._put - self._taken

    @property
    def is_empty(self) -> bool:
        """Whether there is no line, nor the end."""
        return self._lines.empty()

    @property
    def is_full(self) -> bool:
        """Whether as many wait as may."""
        return self._lines.qsize() >= MAX_LINES or self.size >= MAX_WAITING

    def put(self, line: bytes) -> None:
        """Add a line."""
        self._put += len(line) + 1
        self._lines.put(line)

    def end(self) -> None:
        """No more lines come."""
        self._lines.put(None)

    def take(self, seconds: float | None) -> bytes | None:
        """The next line, or None at the end.

        Raises:
            queue.Empty: if there is none in so many seconds.
        """
        line = self._lines.get(timeout=seconds)
        if line is None:
            self.end()
        else:
            self._taken += len(line) + 1
        return line


def _write(stream: IO[bytes], lines: "queue.SimpleQueue[bytes | None]") -> None:
    with contextlib.suppress(OSError), stream:
        while (line := lines.get()) is not None:
            left = memoryview(line)
            while left:
                left = left[stream.write(left) :]


def _read(stream: IO[bytes], lines: _Lines) -> None:
    waiting = b""
    with contextlib.suppress(OSError), stream:
        while not lines.is_full and len(waiting) <= MAX_LINE:
            chunk = stream.read(1 << 16)
            if not chunk:
                break
            *complete, waiting = (waiting + chunk).split(b"\n")
            for line in complete:
                lines.put(line)
    if waiting:
        lines.put(waiting)
    lines.end()


def _keep_end(stream: IO[bytes], kept: bytearray) -> None:
    with contextlib.suppress(OSError), stream:
        while chunk := stream.read(1 << 12):
            kept += chunk
            del kept[:-STDERR_BYTES]
