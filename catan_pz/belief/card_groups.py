"""The development cards that one seat holds face down, by age."""

from collections import Counter
from typing import Final, Self

from catan_pz.terms import DECK_COUNTS, Card

ANY: Final = DECK_COUNTS[Card.VICTORY_POINT]
"""Stands where a group may hold all victory point cards of the deck."""


class CardGroups:
    """Cards in groups, oldest first; the oldest groups together hold few enough victory points.

    A limit was true of the cards held at that time, so cards bought later form a group of their
    own, until a later limit makes the former one idle. From which group a card was played is not
    seen: each card held before the turn may have been the one.

    Args:
        held: cards held, those of this turn included.
        new: cards bought in this turn.

    Attributes:
        sizes: the possible sizes of groups, with weights.
        most: victory point cards that each group and the older ones hold together at most.
        num_old: groups of cards from before this turn; the first ones.
    """

    def __init__(self, held: int, new: int) -> None:
        self.sizes: dict[tuple[int, ...], int] = {(held - new, new): 1}
        self.most = [ANY, ANY]
        self.num_old = 1

    @property
    def count(self) -> int:
        """Cards held."""
        return sum(next(iter(self.sizes)))

    def copy(self) -> Self:
        """Independent groups of the same content."""
        other = type(self)(0, 0)
        other.sizes, other.most, other.num_old = self.sizes.copy(), self.most.copy(), self.num_old
        return other

    def buy(self) -> None:
        """A card is bought, which may be any."""
        self.sizes = {(*sizes, 1): weight for sizes, weight in self.sizes.items()}
        self.most.append(ANY)
        self._merge()

    def play(self) -> None:
        """A card is played: one from before this turn, and no victory point card."""
        played: Counter[tuple[int, ...]] = Counter()
        for sizes, weight in self.sizes.items():
            for k in range(self.num_old):
                if sizes[k]:
                    left = *sizes[:k], sizes[k] - 1, *sizes[k + 1 :]
                    played[left] += weight * sizes[k]
        self.sizes = dict(played)

    def take_back(self) -> None:
        """A card that was played comes back, and is any of those from before this turn again."""
        k = self.num_old - 1
        self.sizes = {
            (*sizes[:k], sizes[k] + 1, *sizes[k + 1 :]): weight
            for sizes, weight in self.sizes.items()
        }

    def limit(self, most: int) -> None:
        """All cards held now are known to have so many victory points at most."""
        if most < self.most[-1]:
            self.most[-1] = most
            self._merge()

    def end_turn(self) -> None:
        """Cards of this turn are no longer new."""
        if not any(sum(sizes[self.num_old :]) for sizes in self.sizes):
            return
        self.num_old = len(self.most)
        self.sizes = {(*sizes, 0): weight for sizes, weight in self.sizes.items()}
        self.most.append(self.most[-1])
        self._merge()

    def _merge(self) -> None:
        """Put groups together whose own limits say no more than those of the next group."""
        for k in range(len(self.most) - 2, -1, -1):
            if self.most[k] < self.most[k + 1] or k == self.num_old - 1:
                continue
            del self.most[k]
            self.num_old -= k < self.num_old
            merged: Counter[tuple[int, ...]] = Counter()
            for sizes, weight in self.sizes.items():
                merged[*sizes[:k], sizes[k] + sizes[k + 1], *sizes[k + 2 :]] += weight
            self.sizes = dict(merged)
