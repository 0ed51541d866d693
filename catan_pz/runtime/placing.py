"""Positions that take the places of games in a batch."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.rules import Rules
from catan_pz.runtime.batch_rules import NOT_PLACED
from catan_pz.runtime.given import check_unfinished, integers, sound_records
from catan_pz.runtime.one_at_a_time import OneAtATime


class TakesPositions(OneAtATime):
    """A batch whose games may be replaced by positions; subclasses bring `_place`.

    Attributes:
        rules: the rules.
        num_games: B.
    """

    rules: Rules
    num_games: int

    def place_games(self, numbers: Any, games: np.ndarray) -> None:
        """Let positions take the places of some games: the batch goes on from them.

        `reward`, `done` and `truncated` still tell of the last step, `seeds` of the next game.

        Args:
            numbers: (K,) games of the batch, each once.
            games: (K,) records of `engine.state.STATE`, unfinished games of the same rules.

        Raises:
            TypeError, ValueError: names what isn't possible, or the position that breaks the
                rules; nothing is changed.
        """
        sources, records = _checked(numbers, games, self.rules, self.num_games)
        with self._turn:
            self._check_whole()
            self._change(self._place, records, sources)

    def _place(self, records: np.ndarray, sources: NDArray[np.int64]) -> None:
        """Take up the record `sources[i]` as game i, unless that is `NOT_PLACED`."""
        raise NotImplementedError


def _checked(
    numbers: Any, games: Any, rules: Rules, num_games: int
) -> tuple[NDArray[np.int64], np.ndarray]:
    """What a batch of B games is to take up: (B,) the place in the records of each, and these.

    Args:
        numbers: (K,) games of the batch, each once.
        games: (K,) records that take their places.
        rules: of the batch.
        num_games: B.

    Raises:
        TypeError, ValueError: names what isn't possible.
    """
    records = sound_records(games, rules)
    chosen = integers(numbers, len(records), "numbers")
    if len(chosen) and not 0 <= chosen.min() <= chosen.max() < num_games:
        raise ValueError(f"numbers must lie between 0 and {num_games - 1}")
    if len(np.unique(chosen)) != len(chosen):
        raise ValueError("numbers must name each game once")
    check_unfinished(records)
    sources = np.full(num_games, NOT_PLACED, np.int64)
    sources[chosen] = np.arange(len(records))
    return sources, records
