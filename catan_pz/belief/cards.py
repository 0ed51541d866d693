"""Beliefs of one viewer about hidden development cards."""

from collections import Counter
from collections.abc import Iterator, Mapping
from copy import copy
from functools import lru_cache
from itertools import product
from math import comb, prod
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import BUY_DEVELOPMENT_CARD
from catan_pz.belief.resampling import DECK, deal_cards, drawn_by_weight
from catan_pz.events import EventKind, Events
from catan_pz.terms import DECK_COUNTS, DECK_SIZE, NOBODY, NUM_CARD_KINDS, Card, Phase

ANY: Final = DECK_COUNTS[Card.VICTORY_POINT]
"""Limit of a group that may hold all victory point cards of the deck."""
NOT_IN_TURN: Final = (int(Phase.SETUP_SETTLEMENT), int(Phase.SETUP_ROAD), int(Phase.OVER))
"""Phases in which the player in turn has already won with enough points, or can't win yet."""
ROBBER_MOVES: Final = (int(Phase.MOVE_ROBBER), int(Phase.STEAL))


class CardGroups:
    """A hand's cards in groups by age, with limits on the victory points of the oldest groups.

    A limit applies to the cards held at the time, so cards bought later form a separate group
    until a later limit makes the earlier one redundant. The group of a played card is unknown: it
    may be any card held before the turn.

    Args:
        held: number of cards held, those of this turn included.
        new: number of cards bought this turn.

    Attributes:
        sizes: possible sizes of the groups, with weights.
        most: limit on the victory point cards of each group together with the older ones.
        num_old: number of groups of cards from before this turn, which come first.
    """

    def __init__(self, held: int, new: int) -> None:
        self.sizes: dict[tuple[int, ...], int] = {(held - new, new): 1}
        self.most = [ANY, ANY]
        self.num_old = 1

    @property
    def count(self) -> int:
        """The number of cards held."""
        return sum(next(iter(self.sizes)))

    def copy(self) -> Self:
        """An independent copy."""
        other = type(self)(0, 0)
        other.sizes, other.most, other.num_old = self.sizes.copy(), self.most.copy(), self.num_old
        return other

    def buy(self) -> None:
        """Add a bought card of unknown kind."""
        self.sizes = {(*sizes, 1): weight for sizes, weight in self.sizes.items()}
        self.most.append(ANY)
        self._merge()

    def play(self) -> None:
        """Remove a played card, which is from before this turn and not a victory point card."""
        played: Counter[tuple[int, ...]] = Counter()
        for sizes, weight in self.sizes.items():
            for k in range(self.num_old):
                if sizes[k]:
                    left = *sizes[:k], sizes[k] - 1, *sizes[k + 1 :]
                    played[left] += weight * sizes[k]
        self.sizes = dict(played)

    def take_back(self) -> None:
        """Take back a played card, which may be any of those from before this turn."""
        k = self.num_old - 1
        self.sizes = {
            (*sizes[:k], sizes[k] + 1, *sizes[k + 1 :]): weight
            for sizes, weight in self.sizes.items()
        }

    def limit(self, most: int) -> None:
        """Record that all cards held now contain at most this many victory points."""
        if most < self.most[-1]:
            self.most[-1] = most
            self._merge()

    def end_turn(self) -> None:
        """Mark the cards of this turn as no longer new."""
        if not any(sum(sizes[self.num_old :]) for sizes in self.sizes):
            return
        self.num_old = len(self.most)
        self.sizes = {(*sizes, 0): weight for sizes, weight in self.sizes.items()}
        self.most.append(self.most[-1])
        self._merge()

    def _merge(self) -> None:
        """Merge each group whose limit is redundant into the next group."""
        for k in range(len(self.most) - 2, -1, -1):
            if self.most[k] < self.most[k + 1] or k == self.num_old - 1:
                continue
            del self.most[k]
            self.num_old -= k < self.num_old
            merged: Counter[tuple[int, ...]] = Counter()
            for sizes, weight in self.sizes.items():
                merged[*sizes[:k], sizes[k] + sizes[k + 1], *sizes[k + 2 :]] += weight
            self.sizes = dict(merged)


class Slots(NamedTuple):
    """Face-down cards in one place, a seat or `DECK`; `new` if they were bought this turn."""

    seat: int
    size: int
    new: bool = False


Split = tuple[tuple[Slots, ...], tuple[int, ...]]
"""Places of the unknown cards, and the number of victory point cards in each."""


class CardBelief:
    """The distribution of the unknown development cards: uniform over all places.

    The exception is a player who hasn't won in its own turn: its victory point cards plus its
    visible points don't suffice to win.

    Args:
        viewer: seat.
        record: `STATE` scalar to follow the game from. Of the turns before, only the present one
            counts.
        robber_before_win: whether a player with enough points moves the robber before winning.
    """

    def __init__(self, viewer: int, record: np.ndarray, robber_before_win: bool = False) -> None:
        self.viewer = viewer
        self._silent = NOT_IN_TURN + (ROBBER_MOVES if robber_before_win else ())
        self.groups: list[CardGroups] = []
        """By seat; the viewer's entry isn't used."""
        for p in range(int(record["num_players"])):
            new = int(record["new_cards"].sum()) if p == record["turn_player"] else 0
            self.groups.append(CardGroups(int(record["cards"][p].sum()), new))
        self._note_no_win(record)
        self.confirm()

    def copy(self) -> Self:
        """An independent copy."""
        other = copy(self)
        other.groups = [groups.copy() for groups in self.groups]
        other._sure = [groups.copy() for groups in self._sure]
        return other

    def confirm(self) -> None:
        """Accept the conclusions so far: the visible points were right."""
        self._sure = [groups.copy() for groups in self.groups]

    def withdraw(self, record: np.ndarray) -> None:
        """Drop conclusions since `confirm`, as the visible points differed from the record's."""
        self.groups = [groups.copy() for groups in self._sure]
        self._note_no_win(record)

    def recount(self, record: np.ndarray) -> None:
        """Update for cards played, or taken back, outside of a decision."""
        for p, held in enumerate(record["cards"][: len(self.groups)].sum(1).tolist()):
            for groups in (self.groups[p], self._sure[p]):
                for _ in range(held - groups.count):
                    groups.take_back()
                for _ in range(groups.count - held):
                    groups.play()

    def update(self, events: Events, record: np.ndarray) -> None:
        """Process the public events of a decision."""
        decision = events[0]
        bought = decision.what == BUY_DEVELOPMENT_CARD
        played = any(event.kind == EventKind.CARD_PLAYED for event in events)
        turn_ended = decision.other != record["turn_player"]
        for groups in (self.groups, self._sure):
            if bought:
                groups[decision.seat].buy()
            if played:
                groups[decision.seat].play()
            if turn_ended:
                for held in groups:
                    held.end_turn()
        self._note_no_win(record)

    def _note_no_win(self, record: np.ndarray) -> None:
        if int(record["phase"]) in self._silent:
            return
        p = int(record["turn_player"])
        spare = int(record["victory_points"]) - 1 - int(record["visible_points"][p])
        self.groups[p].limit(spare)

    def unknown(self, record: np.ndarray) -> NDArray[np.int64]:
        """(C,) cards of each kind hidden from the viewer: in the deck and in other hands."""
        unknown = np.array(DECK_COUNTS, np.int64)
        unknown -= record["cards"][self.viewer]
        unknown -= record["played"].sum(0)
        return unknown

    def slots(self, record: np.ndarray) -> Iterator[tuple[tuple[Slots, ...], int]]:
        """The possible places of the unknown cards, the deck last, with weights."""
        others = [p for p in range(len(self.groups)) if p != self.viewer]
        held = record["cards"].sum(1).tolist()
        deck, in_turn = Slots(DECK, int(record["deck_left"])), int(record["turn_player"])
        for sizes in product(*(self.groups[p].sizes.items() for p in others)):
            if any(sum(counts) != held[p] for p, (counts, _) in zip(others, sizes, strict=True)):
                raise ValueError("the development cards differ from those followed")
            places = [
                Slots(p, count, p == in_turn and k >= self.groups[p].num_old)
                for p, (counts, _) in zip(others, sizes, strict=True)
                for k, count in enumerate(counts)
            ]
            yield (*places, deck), prod(weight for _, weight in sizes)

    def splits(self, record: np.ndarray) -> Mapping[Split, int]:
        """The splits of the unknown victory point cards among `slots`, with their weights.

        A split's weight is the number of card choices that make it, times its slots' weight.
        """
        cards = int(self.unknown(record)[Card.VICTORY_POINT])
        winner, needed = int(record["winner"]), 0
        if winner not in (NOBODY, self.viewer):
            needed = int(record["victory_points"]) - int(record["visible_points"][winner])
        limits = tuple(tuple(groups.most) for groups in self.groups)
        ways = _numbers(tuple(self.slots(record)), limits, cards, winner, needed)
        if not ways:
            raise ValueError("no victory point cards fit the observations")
        return ways

    def victory_point_probabilities(self, record: np.ndarray) -> NDArray[np.float64]:
        """(P, 6) probability that each seat holds 0 to 5 victory point cards."""
        probabilities = np.zeros((len(self.groups), DECK_COUNTS[Card.VICTORY_POINT] + 1))
        probabilities[self.viewer, int(record["cards"][self.viewer, Card.VICTORY_POINT])] = 1
        ways = self.splits(record)
        total = sum(ways.values())
        for (places, points), number in ways.items():
            held = [0] * len(self.groups)
            for place, count in zip(places, points, strict=True):
                if place.seat != DECK:
                    held[place.seat] += count
            for p in range(len(self.groups)):
                if p != self.viewer:
                    probabilities[p, held[p]] += number / total
        return probabilities

    def deal(self, games: np.ndarray, rng: np.random.Generator) -> None:
        """Deal the unknown cards at random in records (G,) that look the same to the viewer."""
        ways = self.splits(games[0])
        splits, drawn = list(ways), drawn_by_weight(list(ways.values()), len(games), rng)
        unknown = self.unknown(games[0])
        unknown[Card.VICTORY_POINT] = 0
        others = np.arange(NUM_CARD_KINDS, dtype=np.int8).repeat(unknown)
        seeds = rng.integers(0, 2**64, len(games), dtype=np.uint64)
        for k in set(drawn.tolist()):
            places, points = (np.array(part, np.int64) for part in splits[k])
            deal_cards(games, drawn, k, self.viewer, places, points, others, seeds)

    def deal_with_card(
        self, games: np.ndarray, seat: int, card: int, rng: np.random.Generator
    ) -> None:
        """Like `deal` for (1,), with one card known: in hand before this turn, or on the deck."""
        record = games[0]
        if self.unknown(record)[card] == 0:
            raise ValueError(f"every {Card(card).name} card is accounted for elsewhere")
        held = int(record["deck_left"])
        if seat != DECK:
            held = int(record["cards"][seat].sum()) - int(record["new_cards"].sum())
        if held == 0:
            raise ValueError("there is no card")
        without = self.copy()
        if seat != DECK:
            without.groups[seat].play()
        # The card counts as played while the rest is dealt without it.
        record["played"][0, card] += 1
        _add(record, seat, card, -1)
        without.deal(games, rng)
        record["played"][0, card] -= 1
        _add(record, seat, card, 1)
        if seat == DECK:
            record["deck"][DECK_SIZE - int(record["deck_left"])] = card


def _add(record: np.ndarray, seat: int, card: int, count: int) -> None:
    if seat == DECK:
        record["deck_left"] += count
    else:
        record["cards"][seat, card] += count


@lru_cache(maxsize=1000)
def _splits(room: tuple[int, ...], cards: int) -> list[tuple[int, ...]]:
    """All ways to distribute identical cards among places with limited room."""
    if not room:
        return [] if cards else [()]
    counts = range(min(room[0], cards) + 1)
    return [(count, *rest) for count in counts for rest in _splits(room[1:], cards - count)]


@lru_cache(maxsize=1000)
def _numbers(
    slots: tuple[tuple[tuple[Slots, ...], int], ...],
    limits: tuple[tuple[int, ...], ...],
    cards: int,
    winner: int,
    needed: int,
) -> Mapping[Split, int]:
    """`splits` of this many victory point cards among slots with weights.

    The limits are those of each seat's groups; the winner holds at least the `needed` cards.
    """
    ways = {}
    for places, weight in slots:
        rooms = tuple(place.size for place in places)
        for points in _splits(rooms, cards):
            if _is_possible(places, points, limits, winner, needed):
                ways[places, points] = weight * prod(map(comb, rooms, points))
    return ways


def _is_possible(
    places: tuple[Slots, ...],
    points: tuple[int, ...],
    limits: tuple[tuple[int, ...], ...],
    winner: int,
    needed: int,
) -> bool:
    left = [iter(most) for most in limits]
    held = [0] * len(limits)
    for place, count in zip(places, points, strict=True):
        if place.seat != DECK:
            held[place.seat] += count
            if held[place.seat] > next(left[place.seat]):
                return False
    return needed == 0 or held[winner] >= needed
