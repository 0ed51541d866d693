"""Playing frames in time: pause, step, seek, faster, slower."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from catan_pz.play.frames import Frame

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Frames a second."""

_AHEAD: Final = 8
"""Frames of a live match that are made before they are shown."""


@dataclass(frozen=True)
class PlaybackState:
    """Where a playback stands.

    Attributes:
        position: the frame that is shown, from 0.
        count: frames that there are, those of a recording still to be loaded included.
        paused: whether it stands still.
        speed: frames a second.
        complete: whether `count` is final; a live match grows until it ends.
    """

    position: int
    count: int
    paused: bool
    speed: float
    complete: bool

    @property
    def share(self) -> float:
        """The position as a share of the whole, 0 to 1."""
        return self.position / max(1, self.count - 1)

    def words(self) -> str:
        """The position in words: "120 of 480"."""
        return f"{self.position} of {self.count - 1}" + ("" if self.complete else " …")


class Playback:
    """Shows frames in time. A thread makes them ahead of what is shown.

    Args:
        frames: the frames, which may take their time to come; at least one.
        speed: frames a second.
        total: how many frames there will be, where that is known: they are then all made at
            once, and any of them can be sought from the start.
        clock: seconds.
    """

    def __init__(
        self,
        frames: Iterator[Frame],
        speed: float = 4.0,
        total: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.speed = speed
        self.paused = False
        self.quit = False
        self._total = total
        self._clock = clock
        self._loaded = [next(frames)]
        self._goal = 0
        self._complete = False
        self._error: BaseException | None = None
        self._closed = False
        self._due = clock() + 1 / speed
        self._changed = threading.Condition()
        self._loader = threading.Thread(target=self._load, args=(frames,), daemon=True)
        self._loader.start()

    @property
    def position(self) -> int:
        """The frame that is shown, from 0."""
        return min(self._goal, len(self._loaded) - 1)

    @property
    def frame(self) -> Frame:
        """The frame that is shown."""
        return self._loaded[self.position]

    @property
    def state(self) -> PlaybackState:
        """Where the playback stands."""
        loaded = len(self._loaded)
        known = self._complete or self._total is not None
        count = loaded if self._complete or self._total is None else max(loaded, self._total)
        return PlaybackState(self.position, count, self.paused, self.speed, known)

    @property
    def is_at_end(self) -> bool:
        """Whether the last frame of all is shown."""
        return self._complete and self.position == len(self._loaded) - 1

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def key(self, name: str) -> None:
        """Do what a key stands for; unknown keys do nothing.

        "space" pauses and goes on, "right" and "left" step, "page down" and "page up" go to the
        next turn and to the one before, "home" and "end" to the first and the last frame, "+"
        and "-" change the speed, "q" and "escape" quit.
        """
        if name == "space":
            self.toggle_pause()
        elif name in ("right", "n"):
            self.step(1)
        elif name in ("left", "p"):
            self.step(-1)
        elif name == "page down":
            self.seek_turn(1)
        elif name == "page up":
            self.seek_turn(-1)
        elif name == "home":
            self.seek(0)
        elif name == "end":
            self.seek(self.state.count - 1)
        elif name in ("+", "=", "up"):
            self.change_speed(1)
        elif name in ("-", "down"):
            self.change_speed(-1)
        elif name in ("q", "escape"):
            self.quit = True

    def toggle_pause(self) -> None:
        """Pause, or go on."""
        self.paused = not self.paused
        self._due = self._clock() + 1 / self.speed

    def step(self, by: int) -> None:
        """Pause and go some frames on or back, waiting for one that isn't there yet."""
        self.seek(self.position + by)
        with self._changed:
            self._changed.wait_for(lambda: len(self._loaded) > self._goal or self._complete)
        self._raise_error()

    def seek(self, position: int) -> None:
        """Pause and go to a frame, as soon as it is loaded; at most to the last."""
        with self._changed:
            self.paused = True
            live = self._total is None and not self._complete
            last = len(self._loaded) if live else self.state.count - 1
            self._goal = min(max(0, position), last)
            self._changed.notify_all()

    def seek_share(self, share: float) -> None:
        """Pause and go to a share of all frames, 0 to 1."""
        self.seek(round(share * (self.state.count - 1)))

    def seek_turn(self, by: int) -> None:
        """Pause and go to the next turn (1), or to the start of this or the one before (-1)."""
        turn = self.frame.state["turn"]
        if by > 0:
            later = range(self.position + 1, len(self._loaded))
            found = (k for k in later if self._loaded[k].state["turn"] != turn)
            self.seek(next(found, len(self._loaded) - 1))
            return
        start = self.position - 1
        while start > 0 and self._turn_of(start - 1) == self._turn_of(start):
            start -= 1
        self.seek(start)

    def _turn_of(self, position: int) -> int:
        turn: int = self._loaded[position].state["turn"]
        return turn

    def change_speed(self, by: int) -> None:
        """Go some steps up or down the `SPEEDS`."""
        nearest = min(range(len(SPEEDS)), key=lambda k: abs(SPEEDS[k] - self.speed))
        self.speed = SPEEDS[min(len(SPEEDS) - 1, max(0, nearest + by))]

    def tick(self) -> None:
        """Go on to the next frame once it is time and there is one.

        Raises:
            ValueError: whatever the making of the frames raised.
        """
        self._raise_error()
        if self.paused or self._clock() < self._due:
            return
        if self.position < len(self._loaded) - 1:
            with self._changed:
                self._goal = self.position + 1
                self._changed.notify_all()
            self._due = self._clock() + 1 / self.speed

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error

    def _load(self, frames: Iterator[Frame]) -> None:
        """Make the frames, those of a live match only a few ahead of what is shown."""
        try:
            while (frame := next(frames, None)) is not None:
                with self._changed:
                    self._loaded.append(frame)
                    self._changed.notify_all()
                    self._changed.wait_for(self._wants_more)
                    if self._closed:
                        return
        except BaseException as error:  # raised again where it is seen, by `tick`
            self._error = error
        with self._changed:
            self._complete = True
            self._changed.notify_all()

    def _wants_more(self) -> bool:
        ahead = len(self._loaded) - self._goal
        return self._closed or self._total is not None or ahead <= _AHEAD
