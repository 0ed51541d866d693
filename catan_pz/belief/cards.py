"""What one viewer can conclude about hidden development cards."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from math import comb
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import BUY_DEVELOPMENT_CARD
from catan_pz.events import Events
from catan_pz.terms import DECK_COUNTS, DECK_SIZE, NUM_CARD_KINDS, Card, Phase

NOT_IN_TURN: Final = (int(Phase.SETUP_SETTLEMENT), int(Phase.SETUP_ROAD), int(Phase.OVER))
"""Phases in which a player in turn with enough points has won already, or can't yet."""
ROBBER_MOVES: Final = (int(Phase.MOVE_ROBBER), int(Phase.STEAL))
DECK: Final = -1
"""Stands for the deck where seats are listed."""


@dataclass(frozen=True)
class Slots:
    """Cards face down that came to one place together.

    Attributes:
        seat: who holds them, or `DECK`.
        count: how many.
        new: whether they were bought this turn.
    """

    seat: int
    count: int
    new: bool = False


class CardBelief:
    """Where the unknown development cards can lie: anywhere, each place equally likely.

    But a player who had not won with the points visible in the own turn held too few
    victory point cards to win with them.

    Args:
        viewer: seat.
        record: `STATE` scalar from which on the game is followed. Turns before it tell
            nothing, apart from the one that it is in.
        robber_before_win: whether who has enough points moves the robber before winning.
    """

    def __init__(self, viewer: int, record: np.ndarray, robber_before_win: bool = False) -> None:
        self.viewer = viewer
        self._silent = NOT_IN_TURN + (ROBBER_MOVES if robber_before_win else ())
        n = int(record["num_players"])
        self.most = [DECK_COUNTS[Card.VICTORY_POINT]] * n
        """(P,) most victory point cards that each seat can hold."""
        self.most_old = DECK_COUNTS[Card.VICTORY_POINT]
        """Likewise among those that the player in turn had before this turn."""
        self._note_no_win(record)
        self.confirm()

    def copy(self) -> Self:
        """An independent belief of the same content."""
        other = copy(self)
        other.most = self.most.copy()
        other._sure = self._sure.copy()
        return other

    def confirm(self) -> None:
        """The points that were visible so far are true: all that was concluded holds."""
        self._sure, self._sure_old = self.most.copy(), self.most_old

    def withdraw(self, record: np.ndarray) -> None:
        """Drop what was concluded since `confirm`, from visible points that weren't true.

        Args:
            record: `STATE` scalar of the game as it stands now, with true points.
        """
        self.most, self.most_old = self._sure.copy(), self._sure_old
        self._note_no_win(record)

    def update(self, events: Events, record: np.ndarray) -> None:
        """Take in what is public of a decision.

        Args:
            events: its events, as anybody sees them.
            record: `STATE` scalar after it.
        """
        decision = events[0]
        if decision.what == BUY_DEVELOPMENT_CARD:
            self.most[decision.seat] += 1
            self._sure[decision.seat] += 1
        if decision.other != record["turn_player"]:
            self.most_old = self.most[int(record["turn_player"])]
            self._sure_old = self._sure[int(record["turn_player"])]
        self._note_no_win(record)

    def _note_no_win(self, record: np.ndarray) -> None:
        if int(record["phase"]) in self._silent:
            return
        p = int(record["turn_player"])
        spare = int(record["victory_points"]) - 1 - int(record["visible_points"][p])
        self.most[p] = min(self.most[p], spare)
        self.most_old = min(self.most_old, spare)

    def unknown(self, record: np.ndarray) -> NDArray[np.int64]:
        """(C,) cards of each kind that the viewer doesn't see: in the deck and with others."""
        unknown = np.array(DECK_COUNTS, np.int64)
        unknown -= record["cards"][self.viewer]
        unknown -= record["played"].sum(0)
        return unknown

    def slots(self, record: np.ndarray) -> list[Slots]:
        """Where the unknown cards lie; the deck comes last."""
        places = []
        for p in range(int(record["num_players"])):
            if p == self.viewer:
                continue
            held = int(record["cards"][p].sum())
            new = int(record["new_cards"].sum()) if p == record["turn_player"] else 0
            places += [Slots(p, held - new), Slots(p, new, new=True)]
        return [*places, Slots(DECK, int(record["deck_left"]))]

    def splits(self, record: np.ndarray) -> dict[tuple[int, ...], int]:
        """The ways to split the unknown victory point cards among `slots`.

        Returns:
            For each split, in the order of `slots`, the choices of cards that make it.

        Raises:
            ValueError: if there is no way, since the record isn't one that was followed.
        """
        places = self.slots(record)
        cards = int(self.unknown(record)[Card.VICTORY_POINT])
        ways = {}
        for split in _splits([place.count for place in places], cards):
            if self._is_possible(record, places, split):
                ways[split] = 1
                for place, count in zip(places, split, strict=True):
                    ways[split] *= comb(place.count, count)
        if not ways:
            raise ValueError("no victory point cards fit what was seen")
        return ways

    def _is_possible(self, record: np.ndarray, places: list[Slots], split: tuple[int, ...]) -> bool:
        held = dict.fromkeys(range(len(self.most)), 0)
        for place, count in zip(places, split, strict=True):
            if place.seat == DECK:
                continue
            held[place.seat] += count
            old = place.seat == record["turn_player"] and not place.new
            if (old and count > self.most_old) or held[place.seat] > self.most[place.seat]:
                return False
        winner = int(record["winner"])
        if winner < 0 or winner == self.viewer:
            return True
        needed = int(record["victory_points"]) - int(record["visible_points"][winner])
        return held[winner] >= needed

    def victory_point_probabilities(self, record: np.ndarray) -> NDArray[np.float64]:
        """(P, 6) probability that each seat holds 0 to 5 victory point cards."""
        probabilities = np.zeros((len(self.most), DECK_COUNTS[Card.VICTORY_POINT] + 1))
        probabilities[self.viewer, int(record["cards"][self.viewer, Card.VICTORY_POINT])] = 1
        ways = self.splits(record)
        places = self.slots(record)
        for split, number in ways.items():
            for p in range(len(self.most)):
                if p != self.viewer:
                    held = sum(k for k, at in zip(split, places, strict=True) if at.seat == p)
                    probabilities[p, held] += number / sum(ways.values())
        return probabilities

    def deal(self, games: np.ndarray, rng: np.random.Generator) -> None:
        """Write random cards that fit into records: hands, new cards and deck.

        Args:
            games: (G,) `STATE`, alike in what the viewer sees.
            rng: where the draws come from.

        Raises:
            ValueError: as `splits`.
        """
        record = games[0]
        places, ways = self.slots(record), self.splits(record)
        numbers = np.array(list(ways.values()), np.float64)
        drawn = rng.choice(len(numbers), len(games), p=numbers / numbers.sum())
        points = np.array(list(ways))[drawn]  # (G, places)
        counts = [place.count for place in places]
        # In each place the cards with the smallest of random numbers are the victory points.
        cards = np.full((len(games), sum(counts)), int(Card.VICTORY_POINT), np.int8)
        ends = np.cumsum(counts).tolist()
        is_other = np.empty(cards.shape, np.bool_)
        for k, (end, count) in enumerate(zip(ends, counts, strict=True)):
            ranks = rng.random((len(games), count)).argsort(1).argsort(1)
            is_other[:, end - count : end] = ranks >= points[:, k, None]
        kinds = np.repeat(np.arange(NUM_CARD_KINDS, dtype=np.int8), self.unknown(record))
        others = kinds[kinds != Card.VICTORY_POINT]
        cards[is_other] = rng.permuted(np.tile(others, (len(games), 1)), axis=1).reshape(-1)
        for place, end in zip(places, ends, strict=True):
            _put(games, place, cards[:, end - place.count : end])

    def deal_with_card(
        self, games: np.ndarray, seat: int, card: int, rng: np.random.Generator
    ) -> None:
        """Like `deal`, but one card is known.

        Args:
            games: (1,) `STATE`, gets the cards.
            seat: who holds the card from before this turn, `DECK` where it is on top.
            card: its kind.
            rng: where the draws come from.

        Raises:
            ValueError: if the card can't be there.
        """
        record = games[0]
        if self.unknown(record)[card] == 0:
            raise ValueError(f"every {Card(card).name} card is accounted for elsewhere")
        held = int(record["deck_left"])
        if seat != DECK:
            held = int(record["cards"][seat].sum()) - int(record["new_cards"].sum())
        if held == 0:
            raise ValueError("there is no card")
        _take(record, seat, card)
        self.deal(games, rng)
        _give_back(record, seat, card)


def _take(record: np.ndarray, seat: int, card: int) -> None:
    """Lay a card aside, among those played: the rest can then be dealt without it."""
    record["played"][0, card] += 1
    if seat == DECK:
        record["deck_left"] -= 1
    else:
        record["cards"][seat, card] -= 1


def _give_back(record: np.ndarray, seat: int, card: int) -> None:
    record["played"][0, card] -= 1
    if seat == DECK:
        record["deck_left"] += 1
        record["deck"][DECK_SIZE - int(record["deck_left"])] = card
    else:
        record["cards"][seat, card] += 1


def _put(games: np.ndarray, place: Slots, cards: NDArray[np.int8]) -> None:
    """Write the cards (G, count) of a place into games (G,)."""
    if place.seat == DECK:
        games["deck"] = 0
        games["deck"][:, DECK_SIZE - place.count :] = cards
        return
    counts = (cards[:, :, None] == np.arange(NUM_CARD_KINDS)).sum(1, dtype=np.int8)
    if not place.new:
        games["cards"][:, place.seat] = counts
        return
    games["cards"][:, place.seat] += counts
    if place.seat == games["turn_player"][0]:
        games["new_cards"] = counts


def _splits(room: list[int], cards: int) -> Iterator[tuple[int, ...]]:
    """All ways to put a number of cards, alike, into places with room for so many."""
    if not room:
        if cards == 0:
            yield ()
        return
    for count in range(min(room[0], cards) + 1):
        for rest in _splits(room[1:], cards - count):
            yield count, *rest
