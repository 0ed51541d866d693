"""Watching a game in a terminal, by single keys, or as lines where there is none."""

import os
import select
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from catan_pz.files import is_terminal
from catan_pz.play.frames import Frame
from catan_pz.render.ansi import board_text

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Frames a second."""

_KEYS: Final = "space <- -> PgUp PgDn Home End + - q"
_BAR: Final = 20
_CLEAR: Final = "\x1b[H\x1b[J"
_TICK: Final = 0.03


class Playback:
    """Shows frames in time; of a live match they are made when they are wanted.

    Args:
        frames: the frames; at least one.
        speed: frames a second.
        total: how many frames there are, where that is known.
        viewer: the seat whose knowledge is shown; None for all.
        names: of the seats.
        color: whether to use terminal colours.
        clock: seconds.
    """

    def __init__(  # wide: how a game is shown, each with a default
        self,
        frames: Iterator[Frame],
        speed: float = 4.0,
        total: int | None = None,
        viewer: int | None = None,
        names: Sequence[str] | None = None,
        color: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.speed = speed
        self.position = 0
        self.paused = False
        self.quit = False
        self._frames = frames
        self._total = total
        self._shown: dict[str, Any] = {"viewer": viewer, "names": names, "color": color}
        self._clock = clock
        self._due = clock() + 1 / speed
        self._loaded = [next(frames)]
        self._complete = False

    def _load(self, position: int) -> bool:
        """Make the frames up to a position; whether there is one."""
        while not self._complete and len(self._loaded) <= position:
            frame = next(self._frames, None)
            if frame is None:
                self._complete = True
            else:
                self._loaded.append(frame)
        return position < len(self._loaded)

    @property
    def count(self) -> int:
        """Frames that there are, as far as that is known."""
        return len(self._loaded) if self._complete or not self._total else self._total

    @property
    def is_at_end(self) -> bool:
        """Whether the last frame of all is shown."""
        return not self._load(self.position + 1)

    def key(self, name: str) -> None:
        """Do what a key stands for; unknown keys do nothing.

        "space" pauses and goes on, "right" and "left" step, "page down" and "page up" go to the
        next turn and to the one before, "home" and "end" to the first and the last frame known,
        "+" and "-" change the speed, "q" and "escape" quit.
        """
        nearest = min(range(len(SPEEDS)), key=lambda k: abs(SPEEDS[k] - self.speed))
        if name == "space":
            self.paused = not self.paused
            self._due = self._clock() + 1 / self.speed
        elif name in ("right", "n"):
            self.seek(self.position + 1)
        elif name in ("left", "p"):
            self.seek(self.position - 1)
        elif name == "page down":
            self._seek_turn(1)
        elif name == "page up":
            self._seek_turn(-1)
        elif name == "home":
            self.seek(0)
        elif name == "end":
            self.seek(self.count - 1)
        elif name in ("+", "=", "up"):
            self.speed = SPEEDS[min(len(SPEEDS) - 1, nearest + 1)]
        elif name in ("-", "down"):
            self.speed = SPEEDS[max(0, nearest - 1)]
        elif name in ("q", "escape"):
            self.quit = True

    def seek(self, position: int) -> None:
        """Pause and go to a frame; at most to the last."""
        self.paused = True
        self._load(position)
        self.position = min(max(0, position), len(self._loaded) - 1)

    def _seek_turn(self, by: int) -> None:
        """Go to the next turn (1), or to the start of this or the one before (-1)."""
        at = self.position if by > 0 else max(0, self.position - 1)
        turn = self._loaded[at].state["turn"]
        while at + by >= 0 and self._load(at + by):
            if self._loaded[at + by].state["turn"] != turn:
                at += by > 0
                break
            at += by
        self.seek(at)

    def tick(self) -> None:
        """Go on to the next frame once it is time and there is one."""
        if self.paused or self._clock() < self._due:
            return
        if self._load(self.position + 1):
            self.position += 1
            self._due = self._clock() + 1 / self.speed

    def screen(self) -> str:
        """What is shown now: the game, the last decision, and a bar of at most 80 columns."""
        frame = self._loaded[self.position]
        line = frame.line or "The game begins."
        last = max(1, self.count - 1)
        done = round(self.position / last * _BAR)
        pace = "paused" if self.paused else f"{self.speed:g}/s"
        end = "" if self._complete or self._total else "+"
        return (
            f"{board_text(frame.state, last_action=line, **self._shown)}\n"
            f"[{'#' * done}{'-' * (_BAR - done)}] {self.position}/{self.count - 1}{end} {pace}  "
            f"{_KEYS}"
        )

    def run(self, write: Callable[[str], None], interactive: bool = True) -> None:
        """Show the game in the terminal until the user quits.

        Args:
            write: writes text as it is.
            interactive: whether keys can come; without them it ends with the last frame.
        """
        drawn: Any = None
        with single_keys() as wait_for_key:
            while not self.quit:
                now = self.position, self.paused, self.speed, self.count
                if now != drawn:
                    drawn = now
                    write(_CLEAR + self.screen())
                if not interactive and self.is_at_end:
                    break
                self.key(wait_for_key(_TICK))
                self.tick()
        write("\n")


def write_log(
    frames: Iterable[Frame],
    write_line: Callable[[str], None],
    viewer: int | None = None,
    names: Sequence[str] | None = None,
) -> None:
    """Write what happened line by line, then the last position."""
    last = None
    for last in frames:
        if last.line is not None:
            write_line(last.line)
    if last is not None:
        write_line(board_text(last.state, viewer=viewer, color=False, names=names))


_SENT: Final = {
    " ": "space",
    "\x1b[C": "right",
    "\x1b[D": "left",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[H": "home",
    "\x1b[F": "end",
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
def single_keys() -> Iterator[Callable[[float], str]]:
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
    return _SENT.get(sent.replace("\x1bO", "\x1b["), sent.lower())


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
    time.sleep(seconds)
    return ""


def _windows_key(seconds: float) -> str:
    import msvcrt

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
