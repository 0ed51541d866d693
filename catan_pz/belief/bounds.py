"""Bounds on hidden hands, by public events: the cheap companion of the exact belief.

The fixpoint rules are those of `engine.hands`, written for bounds instead of
distances from the truth, so that they need no truth and check the engine's.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from catan_pz.belief.hand_events import (
    Counts,
    Discarded,
    HandEvent,
    HandsChanged,
    HoldingShown,
    MonopolyTaken,
    Theft,
)


class HandBounds:
    """The least and the most of each resource that each player can hold.

    Attributes:
        missing: (R,) how many of the totals may have been discarded face down.
    """

    def __init__(
        self, least: ArrayLike, most: ArrayLike, sizes: ArrayLike, totals: ArrayLike
    ) -> None:
        self.least: NDArray[np.int64] = np.array(least, np.int64)
        self.most: NDArray[np.int64] = np.array(most, np.int64)
        self.sizes: NDArray[np.int64] = np.array(sizes, np.int64)
        self.totals: NDArray[np.int64] = np.array(totals, np.int64)
        self.missing = np.zeros_like(self.totals)
        self.tighten()

    @classmethod
    def known(cls, hands: ArrayLike) -> "HandBounds":
        """Bounds of hands (P, R) that are known."""
        known = np.array(hands, np.int64)
        return cls(known, known, known.sum(1), known.sum(0))

    @classmethod
    def of_sums(cls, sizes: ArrayLike, totals: ArrayLike) -> "HandBounds":
        """Bounds of hands of which nothing but the sums is known."""
        most = np.minimum.outer(np.array(sizes, np.int64), np.array(totals, np.int64))
        return cls(np.zeros_like(most), most, sizes, totals)

    def copy(self) -> "HandBounds":
        """Independent bounds of the same content."""
        other = HandBounds.__new__(HandBounds)
        for name, array in self.__dict__.items():
            setattr(other, name, array.copy())
        return other

    def update(self, event: HandEvent) -> None:
        """Take in what was seen."""
        match event:
            case HandsChanged(changes):
                self._shift(np.array(changes, np.int64))
            case HoldingShown(seat, bundle):
                self._raise_least(seat, bundle)
            case MonopolyTaken(seat, resource, taken):
                self._hand_over(seat, resource, np.array(taken, np.int64))
            case Theft(thief, victim, resource) if resource is not None:
                self._move(victim, thief, resource)
            case Theft(thief, victim, _):
                self._take_unseen(victim, thief)
            case Discarded(seat, resource) if resource is not None:
                self._move(seat, None, resource)
            case Discarded(seat, _):
                self._take_unseen(seat, None)

    def _shift(self, changes: NDArray[np.int64]) -> None:
        self.least = self.least + changes
        self.most = self.most + changes
        self.sizes = self.sizes + changes.sum(1)
        self.totals = self.totals + changes.sum(0)
        # Bounds that move along with the truth stay as narrow as they were.
        if self.least.min() < 0:
            self.least = np.maximum(self.least, 0)
            self.tighten()

    def _raise_least(self, seat: int, bundle: Counts) -> None:
        least = np.maximum(self.least[seat], bundle)
        if (least > self.least[seat]).any():
            self.least[seat] = least
            self.tighten()

    def _hand_over(self, seat: int, resource: int, taken: NDArray[np.int64]) -> None:
        others = np.arange(len(taken)) != seat
        self.least[others, resource] = np.maximum(self.least[others, resource], taken[others])
        self.most[others, resource] = np.minimum(self.most[others, resource], taken[others])
        changes = np.zeros_like(self.least)
        changes[:, resource] = -taken
        changes[seat, resource] = taken.sum()
        self._shift(changes)
        self.tighten()

    def _move(self, giver: int, taker: int | None, resource: int) -> None:
        changes = np.zeros_like(self.least)
        changes[giver, resource] = -1
        if taker is not None:
            changes[taker, resource] = 1
        self._shift(changes)

    def _take_unseen(self, victim: int, thief: int | None) -> None:
        """A card of the victim goes to the thief, or face down to the bank."""
        possible = np.flatnonzero(self.most[victim] > 0)
        if len(possible) == 1:
            self._move(victim, thief, int(possible[0]))
            return
        self.least[victim] = np.maximum(self.least[victim] - 1, 0)
        self.sizes[victim] -= 1
        if thief is None:
            self.missing[possible] += 1
        else:
            self.most[thief, possible] += 1
            self.sizes[thief] += 1
        self.tighten()

    def _note_missing(self) -> None:
        """Narrow what all hands together can hold of each resource."""
        least = np.maximum(self.totals - self.missing, self.least.sum(0))
        self.totals = np.minimum(self.totals, self.most.sum(0))
        self.missing = np.maximum(self.totals - least, 0)

    def tighten(self) -> None:
        """Narrow the bounds until row and column sums give nothing more."""
        while True:
            if self.missing.any():
                self._note_missing()
            least, most = self.least, self.most
            sizes, totals = self.sizes[:, None], self.totals[None, :]
            row_least, row_most = least.sum(1, keepdims=True), most.sum(1, keepdims=True)
            column_least, column_most = least.sum(0), most.sum(0)
            new_least = np.maximum(least, sizes - (row_most - most))
            new_least = np.maximum(new_least, totals - self.missing - (column_most - most))
            new_most = np.minimum(most, sizes - (row_least - least))
            new_most = np.minimum(new_most, totals - (column_least - least))
            if (new_least > new_most).any():
                raise ValueError("no hands fit what was seen")
            if (new_least == least).all() and (new_most == most).all():
                return
            self.least, self.most = new_least, new_most
