"""Watching a match picture by picture: pause, step, back, faster, slower."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from catan_pz.cli.session import Session
from catan_pz.render.film import Reel
from catan_pz.render.overlay import Overlay
from catan_pz.render.story import tell
from catan_pz.runtime.game import Game
from catan_pz.runtime.record import GameRecord

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)


@dataclass(frozen=True)
class Frame:
    """A position with the decision that led to it.

    Attributes:
        state: the position as JSON values.
        line: what happened last, None at the start.
        overlay: what an agent thinks of it, if one is asked.
    """

    state: dict[str, Any]
    line: str | None
    overlay: Overlay | None = None


Thoughts = Callable[[Game], Overlay | None]
"""What somebody thinks of a position."""


def no_thoughts(_game: Game) -> Overlay | None:
    """Nothing."""
    return None


def frames_of_record(
    record: GameRecord,
    viewer: int | None = None,
    names: list[str] | None = None,
    thoughts: Thoughts = no_thoughts,
) -> Iterator[Frame]:
    """The positions of a recorded game, as a viewer may hear of them.

    Raises:
        ValueError: if the record isn't that of a game by the rules; names its line.
    """
    before: dict[str, Any] | None = None
    for number, game in enumerate(record.replay()):
        state = game.snapshot()
        line = None
        if before is not None:
            action = record.decisions[number - 1].action
            line = tell(before, action, state, viewer, names)
        yield Frame(state, line, thoughts(game))
        before = state


def frames_of_match(session: Session, thoughts: Thoughts = no_thoughts) -> Iterator[Frame]:
    """The positions of a match as it is played."""
    yield Frame(session.snapshot(), None, thoughts(session.game))
    while not session.is_finished:
        session.table.step()
        yield Frame(session.snapshot(), session.last_line, thoughts(session.game))


class Projector:
    """Shows frames in time.

    Args:
        frames: the frames, which may take their time to come.
        speed: frames a second.
        clock: seconds.
    """

    def __init__(
        self,
        frames: Iterator[Frame],
        speed: float = 4.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.speed = speed
        self.paused = False
        self.place = 0
        self.quit = False
        self._frames = frames
        self._clock = clock
        self._shown = [next(frames)]
        self._complete = False
        self._due = clock() + 1 / speed
        self._fetcher = ThreadPoolExecutor(1, "frames")
        self._fetching: Future[Frame | None] | None = None

    @property
    def frame(self) -> Frame:
        """The frame that is shown."""
        return self._shown[self.place]

    @property
    def reel(self) -> Reel:
        """How the film stands."""
        return Reel(self.place, len(self._shown), self.paused, self.speed, self._complete)

    @property
    def is_at_end(self) -> bool:
        """Whether the last frame of all is shown."""
        return self._complete and self.place == len(self._shown) - 1

    def close(self) -> None:
        """Let the thread go."""
        self._fetcher.shutdown(wait=False, cancel_futures=True)

    def key(self, name: str) -> None:
        """Do what a key stands for; unknown keys do nothing.

        "space" pauses and goes on, "right" and "left" step, "+" and "-" change the speed,
        "home" and "end" go to the first and the last frame there is, "q" and "escape" quit,
        "seek 0.25" goes to a share of the frames.
        """
        word, _, rest = name.partition(" ")
        if word == "space":
            self.paused = not self.paused
            self._due = self._clock() + 1 / self.speed
        elif word in ("right", "n", "left", "p", "home", "end", "seek"):
            self.paused = True
            self._go(word, rest)
        elif word in ("+", "=", "up", "-", "down"):
            self._change_speed(1 if word in ("+", "=", "up") else -1)
        elif word in ("q", "escape"):
            self.quit = True

    def _go(self, word: str, rest: str) -> None:
        last = len(self._shown) - 1
        if word in ("right", "n"):
            if self.place == last:
                self._fetch(wait=True)
            self.place = min(self.place + 1, len(self._shown) - 1)
        elif word in ("left", "p"):
            self.place = max(0, self.place - 1)
        elif word == "seek":
            self.place = min(last, max(0, round(float(rest) * last)))
        else:
            self.place = 0 if word == "home" else last

    def _change_speed(self, by: int) -> None:
        nearest = min(range(len(SPEEDS)), key=lambda k: abs(SPEEDS[k] - self.speed))
        self.speed = SPEEDS[min(len(SPEEDS) - 1, max(0, nearest + by))]

    def tick(self) -> None:
        """Go on to the next frame once it is time and there is one."""
        self._fetch(wait=False)
        if self.paused or self._clock() < self._due:
            return
        if self.place < len(self._shown) - 1:
            self.place += 1
            self._due = self._clock() + 1 / self.speed

    def _fetch(self, wait: bool) -> None:
        """Have the next frame made, a few ahead of what is shown."""
        if self._complete:
            return
        if self._fetching is None:
            if not wait and len(self._shown) - self.place > 8:
                return
            self._fetching = self._fetcher.submit(next, self._frames, None)
        if wait or self._fetching.done():
            frame = self._fetching.result()
            self._fetching = None
            if frame is None:
                self._complete = True
            else:
                self._shown.append(frame)
