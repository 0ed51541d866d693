"""Positions that take the places of games in a batch."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.batch.one_at_a_time import OneAtATime
from catan_pz.batch.steps import NOT_PLACED
from catan_pz.game.arguments import check_unfinished, integers, records_in_range, sound_records
from catan_pz.rules import Rules


class TakesPositions(OneAtATime):
    """A batch whose games may be replaced by positions; subclasses bring `_place`.

    Attributes:
        rules: the rules.
        num_games: B.
    """

    rules: Rules
    num_games: int

    def place_games(self, numbers: Any, games: np.ndarray, *, check: bool = True) -> None:
        """Let positions take the places of some games: the batch goes on from them.

        `reward`, `done` and `truncated` still tell of the last step, `seeds` of the next game.

        Args:
            numbers: (K,) games of the batch, each once.
            games: (K,) records of `engine.state.STATE`, unfinished games of the same rules. Of a
                JSON state that is `Game.from_snapshot(state).games`.
            check: whether positions that break the rules are refused. What `View.resample_many`
                gives needs no check, and at tables of others it may not pass: their bank may be
                unlimited, so that it doesn't add up with the hands, or their longest road another.
                Numbers out of their ranges are refused in any case; but derived fields
                (`engine.state.DERIVED`) are then taken as they are and must follow from the others.

        Raises:
            IllegalActionError: on "cuda", for an action of a step before; nothing is changed.
            TypeError, ValueError: names what isn't possible, or the position that breaks the
                rules; nothing is changed.
        """
        records = (sound_records if check else records_in_range)(games, self.rules)
        sources = _sources(numbers, records, self.num_games)
        with self._turn:
            self._check_whole()
            self._report()
            self._change(self._place, records, sources)

    def _report(self) -> None:
        """Raise errors of earlier steps that are not reported yet, while their games are there."""

    def _place(self, records: np.ndarray, sources: NDArray[np.int64]) -> None:
        """Take up the record `sources[i]` as game i, unless that is `NOT_PLACED`."""
        raise NotImplementedError


def _sources(numbers: Any, records: np.ndarray, num_games: int) -> NDArray[np.int64]:
    """(B,) the place in the records of what each game of a batch is to take up.

    Args:
        numbers: (K,) games of the batch, each once.
        records: (K,) that take their places.
        num_games: B.

    Raises:
        TypeError, ValueError: names what isn't possible.
    """
    chosen = integers(numbers, len(records), "numbers")
    if len(chosen) and not 0 <= chosen.min() <= chosen.max() < num_games:
        raise ValueError(f"numbers must lie between 0 and {num_games - 1}")
    if len(np.unique(chosen)) != len(chosen):
        raise ValueError("numbers must name each game once")
    check_unfinished(records)
    sources = np.full(num_games, NOT_PLACED, np.int64)
    sources[chosen] = np.arange(len(records))
    return sources
