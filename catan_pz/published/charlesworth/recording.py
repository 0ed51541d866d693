"""Decisions of one seat in each of many games, with their rewards and what follows them.

Letters: B games, K decisions.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

END: Final = -1
"""Follows the last decision of a game that was won."""

UNKNOWN: Final = -2
"""Follows a decision of which it isn't known what came of it."""

Batch = dict[str, Any]


class Recording:
    """Decisions as they are taken, each with its reward and the number of the next one.

    The reward of a decision is what its seat gets until its next decision or the end of the game.

    Args:
        num_games: B.

    Attributes:
        complete: decisions of which reward and next one are known.
    """

    def __init__(self, num_games: int) -> None:
        self.complete = 0
        self._parts: list[Batch] = []
        self._reward: NDArray[np.float64] = np.zeros(0)
        self._next: NDArray[np.int64] = np.zeros(0, np.int64)
        self._last = np.full(num_games, UNKNOWN)
        self._gained = np.zeros(num_games)

    def add(self, games: NDArray[np.int64], part: Batch) -> None:
        """Add a decision in each of some games.

        Args:
            games: numbers of the games.
            part: arrays with a row for each of them, by name.
        """
        index = len(self._reward) + np.arange(len(games))
        self._close(games, index)
        self._last[games] = index
        self._parts.append(part)
        self._reward = np.append(self._reward, np.zeros(len(games)))
        self._next = np.append(self._next, np.full(len(games), UNKNOWN))

    def _close(self, games: NDArray[np.int64], following: NDArray[np.int64] | int) -> None:
        """Give the last decisions in some games their rewards and what follows them."""
        known = self._last[games] != UNKNOWN
        before = self._last[games][known]
        self._reward[before] = self._gained[games][known]
        self._next[before] = np.broadcast_to(following, len(games))[known]
        self._gained[games] = 0
        self.complete += len(before)

    def step(
        self, rewards: NDArray[Any], done: NDArray[np.bool_], truncated: NDArray[np.bool_]
    ) -> None:
        """Note what a step of all games has brought.

        The last decision of a truncated game stays incomplete: nobody's game has ended there.

        Args:
            rewards: (B,) of the seat that is recorded.
            done: (B,) which games have ended.
            truncated: (B,) which of them by the limit of turns.
        """
        self._gained += rewards
        self._close(np.flatnonzero(done & ~truncated), END)
        self._last[done] = UNKNOWN
        self._gained[done] = 0

    def batch(self) -> Batch:
        """All decisions: what was added, "reward" and "next", (K, ...) arrays by name."""
        names = self._parts[0] if self._parts else {}
        joined = {name: np.concatenate([part[name] for part in self._parts]) for name in names}
        return {**joined, "reward": self._reward, "next": self._next}
