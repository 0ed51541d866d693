"""The exact posterior over hidden hands: a weighted set of all possible hands."""

from copy import copy
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from catan_pz.belief.bounds import HandBounds
from catan_pz.belief.hand_events import (
    Discarded,
    HandEvent,
    HandsChanged,
    HoldingShown,
    MonopolyTaken,
    Theft,
)
from catan_pz.belief.resampling import drawn_by_weight
from catan_pz.engine.ranges import MOST_CARDS

MOST_HYPOTHESES: Final = 1_000_000
"""The most hypotheses for an exact belief from bounds alone."""

MOST_KEPT: Final = 5_000
"""Hypotheses kept of too many: the likeliest after face-down discards, else dealt ones."""


class TooManyHandsError(ValueError):
    """There are too many possible hands to list."""


class HandBelief:
    """A viewer's belief about all hands, as hypotheses with weights.

    Only events change it: refusals and choices among legal actions count as no evidence.

    Args:
        viewer: seat; its own row is the same in all hypotheses.
        hands: (N, P, R) the hypotheses, all different.
        weights: (N,) float64, or an object array of `Fraction`; scaled to sum to 1.
    """

    is_cut: bool = False  # whether unlikely hypotheses were dropped

    def __init__(self, viewer: int, hands: ArrayLike, weights: NDArray[Any]) -> None:
        self.viewer = viewer
        self.hands: NDArray[np.int8] = np.array(hands, np.int8)
        self.weights: NDArray[Any] = weights / weights.sum()

    @classmethod
    def known(cls, viewer: int, hands: ArrayLike, number: type = float) -> "HandBelief":
        """The belief that hands (P, R) are known; `number` is `float` or `Fraction`."""
        return cls.uniform(viewer, np.array(hands, np.int8)[None], number)

    @classmethod
    def uniform(cls, viewer: int, hands: NDArray[np.int8], number: type = float) -> "HandBelief":
        """The belief that all hypotheses (N, P, R) are equally likely."""
        if number is Fraction:
            return cls(viewer, hands, np.array([Fraction(1)] * len(hands), object))
        return cls(viewer, hands, np.ones(len(hands)))

    def copy(self) -> "HandBelief":
        """An independent copy."""
        return copy(self)  # its arrays are replaced, never written to

    def __len__(self) -> int:
        """N, the number of hypotheses."""
        return len(self.hands)

    def update(self, event: HandEvent) -> None:
        """Condition on an event as the viewer saw it."""
        self._keep(allowing(self.hands, event))
        match event:
            case HandsChanged(changes):
                self.hands = self.hands + np.array(changes, np.int8)
            case MonopolyTaken(seat, resource, taken):
                self.hands = self.hands.copy()
                self.hands[:, :, resource] -= np.array(taken, np.int8)
                self.hands[:, seat, resource] += sum(taken)
            case Theft(thief, victim, resource) if resource is not None:
                self._steal(thief, victim, [resource])
            case Theft(thief, victim, _):
                self._steal(thief, victim, range(self.hands.shape[2]))
            case Discarded(seat, resource) if resource is not None:
                self._steal(None, seat, [resource])
            case Discarded(seat, _):
                self._steal(None, seat, range(self.hands.shape[2]))
                self._cut(MOST_KEPT)

    def before(self, event: HandEvent) -> "HandBelief":
        """The belief given that an event is about to be seen."""
        left = self.copy()
        left._keep(allowing(self.hands, event))
        return left

    def keep_within(self, bounds: HandBounds) -> None:
        """Drop the hypotheses outside bounds."""
        within = (bounds.least <= self.hands) & (self.hands <= bounds.most)
        self._keep(np.asarray(within.all((1, 2))))

    def _keep(self, fitting: NDArray[np.bool_]) -> None:
        if fitting.all():
            return
        self._replace(self.hands[fitting], self.weights[fitting])

    def _replace(self, hands: NDArray[np.int8], weights: NDArray[Any]) -> None:
        if len(hands) == 0:
            raise ValueError("no hands fit the observations")
        self.hands = hands
        self.weights = weights / weights.sum()

    def _cut(self, count: int) -> None:
        """Keep only the likeliest hypotheses."""
        if len(self) > count:
            kept = np.sort(np.argsort(-self.weights, kind="stable")[:count])
            self._replace(self.hands[kept], self.weights[kept])
            self.is_cut = True

    def _steal(self, thief: int | None, victim: int, resources: "range | list[int]") -> None:
        """Branch on the resource of a lost card, each card of the victim equally likely.

        The thief is None for a discarded card.
        """
        branches, weights = [], []
        sizes = self.hands[:, victim].sum(1)
        for r in resources:
            held = self.hands[:, victim, r] > 0
            branch = self.hands[held]
            weights.append(self.weights[held] * branch[:, victim, r] / sizes[held])
            branch[:, victim, r] -= 1
            if thief is not None:
                branch[:, thief, r] += 1
            branches.append(branch)
        self._replace(*merged(np.concatenate(branches), np.concatenate(weights)))

    @property
    def least(self) -> NDArray[np.int8]:
        """(P, R) fewest cards that each player can hold."""
        return np.array(self.hands.min(0))

    @property
    def most(self) -> NDArray[np.int8]:
        """(P, R) most cards that each player can hold."""
        return np.array(self.hands.max(0))

    @property
    def mean(self) -> NDArray[np.float64]:
        """(P, R) cards that each player holds on average."""
        weights = self.weights.astype(np.float64)
        return np.array(np.einsum("n,npr->pr", weights, self.hands), np.float64)

    def weight_of(self, hands: ArrayLike) -> Any:
        """Probability that the hands are exactly these (P, R)."""
        return self._total(np.all(self.hands == np.asarray(hands), axis=(1, 2)))

    def probability_of_holding(self, seat: int, bundle: ArrayLike) -> Any:
        """Probability that a player holds at least the cards (R,) of a bundle."""
        return self._total(np.all(self.hands[:, seat] >= np.asarray(bundle), axis=1))

    def _total(self, fitting: NDArray[np.bool_]) -> Any:
        return self.weights[fitting].sum() if fitting.any() else 0 * self.weights[0]

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.int8]:
        """(count, P, R) hands drawn by weight."""
        return np.array(self.hands[drawn_by_weight(self.weights, count, rng)])


def allowing(hands: NDArray[np.int8], event: HandEvent) -> NDArray[np.bool_]:
    """(N,) whether an event is possible with each of the hands (N, P, R)."""
    match event:
        case HandsChanged(changes):
            least = -np.array(changes)  # a report may contain more cards than a byte can count
            fitting = np.all((hands >= least) & (hands <= least + MOST_CARDS), axis=(1, 2))
        case HoldingShown(seat, bundle):
            fitting = np.all(hands[:, seat] >= np.array(bundle), axis=1)
        case MonopolyTaken(seat, resource, taken):
            others = np.arange(len(taken)) != seat
            fitting = np.all(hands[:, others, resource] == np.array(taken)[others], axis=1)
            fitting &= hands[:, :, resource].sum(1, dtype=np.int64) <= MOST_CARDS
        case Theft(_, victim, resource) | Discarded(victim, resource):
            cards = slice(None) if resource is None else [resource]
            fitting = np.any(hands[:, victim, cards] > 0, axis=1)
    return np.asarray(fitting)


def merged(hands: NDArray[np.int8], weights: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[Any]]:
    """Distinct hypotheses (N, P, R), and the sums of their weights."""
    shape = hands.shape
    flat, place = np.unique(
        hands.reshape(shape[0], shape[1] * shape[2]), axis=0, return_inverse=True
    )
    sums = np.zeros(len(flat), weights.dtype)
    np.add.at(sums, place.reshape(-1), weights)
    return flat.reshape(len(flat), *shape[1:]), sums


def drawn_hands(bounds: HandBounds, count: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """(N, P, R) distinct random hands within bounds, of the required sizes."""
    drawn = []
    for low, high, size in zip(bounds.least, bounds.most, bounds.sizes, strict=True):
        rows = _rows(low, high, int(size))
        drawn.append(rows[rng.integers(0, len(rows), count)])
    return merged(np.stack(drawn, 1).astype(np.int8), np.ones(count))[0]


def dealt_hands(
    bounds: HandBounds, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Random hands within bounds, with the required sums, and the number of deals of each.

    Cards above the lower bounds are dealt at random; deals outside the upper bounds are dropped.

    Returns:
        (N, P, R) int8, distinct, and (N,).
    """
    low = bounds.least
    free, takes = bounds.totals - low.sum(0), bounds.sizes - low.sum(1)
    if free.sum() != takes.sum():
        raise ValueError("no hands fit the bounds")
    deck = np.repeat(np.arange(low.shape[1]), free)
    deals = rng.permuted(np.tile(deck, (count, 1)), axis=1)
    hands = np.tile(low, (count, 1, 1))
    for k, owner in enumerate(np.repeat(np.arange(len(low)), takes)):
        hands[np.arange(count), owner, deals[:, k]] += 1
    hands = hands[(hands <= bounds.most).all((1, 2))]
    if len(hands) == 0:
        raise ValueError("no hands fit the bounds")
    return merged(hands.astype(np.int8), np.ones(len(hands)))


def all_hands(bounds: HandBounds, limit: int = MOST_HYPOTHESES) -> NDArray[np.int8]:
    """(N, P, R) all hands within bounds, with the required sums, in lexicographic order."""
    low, high = bounds.least, bounds.most
    found = np.zeros((1, 0, low.shape[1]), np.int64)
    for p, size in enumerate(bounds.sizes):
        rows = _rows(low[p], high[p], int(size))
        if len(found) * len(rows) > limit:
            raise TooManyHandsError(f"more than {limit} hands fit")
        found = np.concatenate(
            [np.repeat(found, len(rows), 0), np.tile(rows, (len(found), 1))[:, None]], 1
        )
        left = bounds.totals - found.sum(1)
        found = found[((left >= low[p + 1 :].sum(0)) & (left <= high[p + 1 :].sum(0))).all(1)]
    if len(found) == 0:
        raise ValueError("no hands fit the bounds")
    return found.astype(np.int8)


def _rows(low: NDArray[np.int64], high: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """(N, R) all hands of a size within bounds (R,)."""
    rows = np.zeros((1, 0), np.int64)
    for r in range(len(low)):
        values = np.arange(low[r], high[r] + 1)
        rows = np.column_stack([np.repeat(rows, len(values), 0), np.tile(values, len(rows))])
        left = size - rows.sum(1)
        rows = rows[(left >= low[r + 1 :].sum()) & (left <= high[r + 1 :].sum())]
    return rows
