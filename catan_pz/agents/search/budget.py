"""How long a search goes on: a number of simulations, a time, or whichever is spent first."""

from time import perf_counter
from typing import Final

CHUNKS: Final = 8
"""Chunks into which a number of simulations is divided, to look in between at what they say."""
CHUNK_SECONDS: Final = 0.01
"""Time after which a search by the clock looks at it again, about."""
WITHOUT_END: Final = 10**12


class Budget:
    """What may be spent on one decision, or on a part of it.

    Args:
        simulations: how many may be played, None for any number.
        seconds: how long they may take from now on, None for any time.
        pace: seconds that a simulation is known to take; None if the first ones are to show it.

    Attributes:
        played: simulations played.
    """

    def __init__(
        self, simulations: int | None, seconds: float | None, pace: float | None = None
    ) -> None:
        self._simulations = simulations
        self._seconds = seconds
        self._pace = pace
        self._start = perf_counter()
        self.played = 0

    @property
    def left(self) -> float:
        """Simulations left; infinite where only time counts."""
        return float("inf") if self._simulations is None else self._simulations - self.played

    @property
    def seconds_left(self) -> float | None:
        """Time left; None where only simulations count."""
        return None if self._seconds is None else self._seconds - (perf_counter() - self._start)

    @property
    def is_late(self) -> bool:
        """Whether the time is spent."""
        left = self.seconds_left
        return left is not None and left <= 0

    @property
    def pace(self) -> float | None:
        """Seconds that a simulation takes, all told; None where only simulations count."""
        if self._seconds is None or self.played == 0:
            return self._pace
        return max(1e-9, perf_counter() - self._start) / self.played

    def part(self, parts: int) -> "Budget":
        """An equal part of what is left, to be spent from now on."""
        simulations = None if self._simulations is None else int(self.left) // parts
        seconds = self.seconds_left
        return Budget(simulations, None if seconds is None else seconds / parts, self.pace)

    def chunk(self, width: int) -> int:
        """How often to play `width` simulations before looking again; 0 if all is spent.

        By the clock that is so when they would take longer than what is left; but one chunk is
        granted in any case where nothing is known of their pace.
        """
        most = WITHOUT_END if self._simulations is None else int(self.left) // width
        seconds = self.seconds_left
        if seconds is None:
            assert self._simulations is not None
            return min(most, -(-self._simulations // (CHUNKS * width)))
        pace = self.pace
        if pace is None:
            return min(most, 1)
        if seconds < pace * width:
            return 0
        return min(most, max(1, int(min(seconds, CHUNK_SECONDS) / (pace * width))))
