"""Watching a game in a terminal, with single keys, or as lines without a terminal."""

import os
import re
import select
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from catan_pz.files import is_terminal
from catan_pz.play.frames import Frame
from catan_pz.render.ansi import board_text

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Frames per second."""

_KEYS: Final = "space <- -> PgUp PgDn Home End + - q"
_BAR: Final = 20
_CLEAR: Final = "\x1b[H\x1b[J"
_TICK: Final = 0.03

_SENT: Final = {
    "pause": (" ",),
    "next": ("\x1b[C", "n", "\xe0M"),
    "before": ("\x1b[D", "p", "\xe0K"),
    "next turn": ("\x1b[6~", "\xe0Q"),
    "turn before": ("\x1b[5~", "\xe0I"),
    "first": ("\x1b[H", "\x1b[1~", "\xe0G"),
    "last": ("\x1b[F", "\x1b[4~", "\xe0O"),
    "faster": ("+", "=", "\x1b[A", "\xe0H"),
    "slower": ("-", "\x1b[B", "\xe0P"),
    "quit": ("q", "\x1b"),
}
"""Key codes of terminals for each command; Windows sends those with \xe0."""

_COMMANDS: Final = {sent: command for command, keys in _SENT.items() for sent in keys}


class Playback:
    """Shows frames at a speed; frames of a live match are made on demand.

    Args:
        frames: the frames; at least one.
        speed: frames per second.
        total: number of frames, if known.
        viewer: the seat whose knowledge is shown; None for full information.
        names: of the seats.
        color: whether to use terminal colours.
        clock: returns the time in seconds.
    """

    def __init__(
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
        """Make the frames up to a position; return whether it exists."""
        while not self._complete and len(self._loaded) <= position:
            frame = next(self._frames, None)
            if frame is None:
                self._complete = True
            else:
                self._loaded.append(frame)
        return position < len(self._loaded)

    @property
    def count(self) -> int:
        """The number of frames, as far as known."""
        return len(self._loaded) if self._complete or not self._total else self._total

    @property
    def is_at_end(self) -> bool:
        """Whether the last frame is shown."""
        return not self._load(self.position + 1)

    def key(self, sent: str) -> None:
        """Run the command of a key code from the terminal; unknown keys do nothing."""
        nearest = min(range(len(SPEEDS)), key=lambda k: abs(SPEEDS[k] - self.speed))
        match _COMMANDS.get(sent.replace("\x1bO", "\x1b[")):
            case "pause":
                self.paused = not self.paused
                self._due = self._clock() + 1 / self.speed
            case "next":
                self.seek(self.position + 1)
            case "before":
                self.seek(self.position - 1)
            case "next turn":
                self._seek_turn(1)
            case "turn before":
                self._seek_turn(-1)
            case "first":
                self.seek(0)
            case "last":
                self.seek(self.count - 1)
            case "faster":
                self.speed = SPEEDS[min(len(SPEEDS) - 1, nearest + 1)]
            case "slower":
                self.speed = SPEEDS[max(0, nearest - 1)]
            case "quit":
                self.quit = True

    def seek(self, position: int) -> None:
        """Pause and go to a frame, at most to the last."""
        self.paused = True
        self._load(position)
        self.position = min(max(0, position), len(self._loaded) - 1)

    def _seek_turn(self, by: int) -> None:
        """Go to the next turn (1), or to the start of this turn or the one before (-1)."""
        at = self.position if by > 0 else max(0, self.position - 1)
        turn = self._loaded[at].state["turn"]
        while at + by >= 0 and self._load(at + by):
            if self._loaded[at + by].state["turn"] != turn:
                at += by > 0
                break
            at += by
        self.seek(at)

    def tick(self) -> None:
        """Go to the next frame if it is due and exists."""
        if not self.paused and self._clock() >= self._due and self._load(self.position + 1):
            self.position += 1
            self._due = self._clock() + 1 / self.speed

    def screen(self) -> str:
        """The screen: the game, the last decision, and a bar of at most 80 columns."""
        frame = self._loaded[self.position]
        board = board_text(frame.state, last_action=frame.line or "The game begins.", **self._shown)
        done = round(self.position / max(1, self.count - 1) * _BAR)
        pace = "paused" if self.paused else f"{self.speed:g}/s"
        end = "" if self._complete or self._total else "+"
        bar = "#" * done + "-" * (_BAR - done)
        return f"{board}\n[{bar}] {self.position}/{self.count - 1}{end} {pace}  {_KEYS}"

    def run(self, write: Callable[[str], None], interactive: bool = True) -> None:
        """Show the game in the terminal until the user quits.

        Args:
            write: writes text unchanged.
            interactive: whether there are keys; without them it ends with the last frame.
        """
        drawn: Any = None
        with ExitStack() as ending:
            ending.callback(write, "\n")  # also after Ctrl-C
            pressed = ending.enter_context(single_keys())
            while not self.quit:
                now = self.position, self.paused, self.speed, self.count
                if now != drawn:
                    drawn = now
                    write(_CLEAR + self.screen())
                if not interactive and self.is_at_end:
                    break
                for sent in pressed(_TICK):
                    self.key(sent)
                self.tick()


def write_log(
    frames: Iterable[Frame],
    write_line: Callable[[str], None],
    viewer: int | None = None,
    names: Sequence[str] | None = None,
) -> None:
    """Write the line of each decision, then the last position."""
    last = None
    for last in frames:
        if last.line is not None:
            write_line(last.line)
    if last is not None:
        write_line(board_text(last.state, viewer=viewer, color=False, names=names))


@contextmanager
def single_keys() -> Iterator[Callable[[float], list[str]]]:
    """A function that waits up to some seconds for keys, and returns a code for each.

    Ctrl-C still interrupts. Without a terminal as standard input it only waits.
    """
    if sys.platform == "win32":
        yield _windows_keys
        return
    if not is_terminal(sys.stdin):
        yield _no_keys
        return
    import termios
    import tty

    place = sys.stdin.fileno()
    before = termios.tcgetattr(place)
    try:
        tty.setcbreak(place)
        yield lambda seconds: _posix_keys(place, seconds)
    finally:
        termios.tcsetattr(place, termios.TCSADRAIN, before)


def keys_in(sent: str) -> list[str]:
    """Split a terminal's input into keys."""
    return re.findall(r"\x1b[\[O][0-9;]*[A-Za-z~]|\xe0.|.", sent, re.DOTALL)


def _no_keys(seconds: float) -> list[str]:
    time.sleep(seconds)
    return []


def _posix_keys(place: int, seconds: float) -> list[str]:
    ready = select.select([place], [], [], seconds)[0]
    return keys_in(os.read(place, 1024).decode(errors="ignore")) if ready else []


def _windows_keys(seconds: float) -> list[str]:
    import msvcrt

    keyboard: Any = msvcrt
    time.sleep(seconds)
    sent = ""
    while keyboard.kbhit():
        sent += keyboard.getwch().replace("\x00", "\xe0")
    return keys_in(sent)
