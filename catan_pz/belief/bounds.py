"""Bounds on hidden hands from public events: the cheap companion of the exact belief.

The fixpoint rules are those of `engine.hands`, but in terms of bounds instead of distances from
the truth. So they don't need the truth, and serve to check the engine.
"""

from collections.abc import Sequence

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
    """The fewest and the most cards of each resource that each player can hold.

    Bounds of several observers have an extra first axis; an update applies to all of them.

    Attributes:
        missing: (R,) cards of the totals that may have been discarded face down.
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
        """Bounds of known hands (P, R)."""
        known = np.array(hands, np.int64)
        return cls(known, known, known.sum(1), known.sum(0))

    @classmethod
    def of_sums(cls, sizes: ArrayLike, totals: ArrayLike) -> "HandBounds":
        """Bounds of hands with only their sums known."""
        most = np.minimum.outer(np.array(sizes, np.int64), np.array(totals, np.int64))
        return cls(np.zeros_like(most), most, sizes, totals)

    @classmethod
    def together(cls, bounds: Sequence["HandBounds"]) -> "HandBounds":
        """The bounds of several observers."""
        return cls._of(
            {name: np.stack([vars(b)[name] for b in bounds]) for name in vars(bounds[0])}
        )

    @classmethod
    def _of(cls, arrays: dict[str, NDArray[np.int64]]) -> "HandBounds":
        bounds = cls.__new__(cls)
        vars(bounds).update(arrays)
        return bounds

    def copy(self) -> "HandBounds":
        """An independent copy."""
        return self._of({name: array.copy() for name, array in vars(self).items()})

    def __getitem__(self, observer: int) -> "HandBounds":
        """The bounds of one of several observers, in the same memory."""
        return self._of({name: array[observer] for name, array in vars(self).items()})

    def update(self, event: HandEvent) -> None:
        """Apply an event; a theft or a face-down discard requires bounds of one observer."""
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
        self.least += changes
        self.most += changes
        self.sizes += changes.sum(1)
        self.totals += changes.sum(0)
        # Bounds that move along with the truth stay equally narrow.
        if self.least.min() < 0:
            np.maximum(self.least, 0, out=self.least)
            self.tighten()

    def _raise_least(self, seat: int, bundle: Counts) -> None:
        least = self.least[..., seat, :]
        if (bundle > least).any():
            np.maximum(least, bundle, out=least)
            self.tighten()

    def _hand_over(self, seat: int, resource: int, taken: NDArray[np.int64]) -> None:
        others = np.arange(len(taken)) != seat
        for side, narrower in ((self.least, np.maximum), (self.most, np.minimum)):
            narrower(side[..., resource], taken, out=side[..., resource], where=others)
        changes = np.zeros_like(self.least, shape=self.least.shape[-2:])
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
        """Move an unseen card from the victim to the thief, or to the bank."""
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
        """Narrow the totals of each resource in all hands together."""
        least = np.maximum(self.totals - self.missing, self.least.sum(-2))
        np.minimum(self.totals, self.most.sum(-2), out=self.totals)
        np.maximum(self.totals - least, 0, out=self.missing)

    def tighten(self) -> None:
        """Narrow the bounds until row and column sums give no more."""
        least, most = self.least, self.most
        while True:
            if self.missing.any():
                self._note_missing()
            sizes, totals = self.sizes[..., None], self.totals[..., None, :]
            fewest = totals - self.missing[..., None, :]
            row_least, row_most = least.sum(-1, keepdims=True), most.sum(-1, keepdims=True)
            column_least, column_most = least.sum(-2, keepdims=True), most.sum(-2, keepdims=True)
            new_least = np.maximum(least, sizes - (row_most - most))
            new_least = np.maximum(new_least, fewest - (column_most - most))
            new_most = np.minimum(most, sizes - (row_least - least))
            new_most = np.minimum(new_most, totals - (column_least - least))
            if (new_least > new_most).any():
                raise ValueError("no hands fit the observations")
            if (new_least == least).all() and (new_most == most).all():
                return
            least[...], most[...] = new_least, new_most
