"""The belief of one viewer about a game, and full states drawn from it."""

from copy import copy
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz.belief import resampling
from catan_pz.belief.bounds import HandBounds
from catan_pz.belief.cards import CardBelief
from catan_pz.belief.hand_events import (
    Discarded,
    HandEvent,
    HoldingShown,
    Theft,
    hand_events,
    unseen_by,
)
from catan_pz.belief.hands import (
    MOST_KEPT,
    HandBelief,
    TooManyHandsError,
    all_hands,
    dealt_hands,
    drawn_hands,
)
from catan_pz.checks import check_seat
from catan_pz.engine.state import STATE, as_games
from catan_pz.engine.trade import ACCEPTED, COUNTERED
from catan_pz.events import Events, as_seen_by
from catan_pz.terms import BANK_PER_RESOURCE, NUM_RESOURCES, Phase


@dataclass(frozen=True)
class TableCustoms:
    """Differences between a table and a game of this package.

    Attributes:
        hides_discards: only their owner sees which cards are discarded after a 7.
        unlimited_bank: the bank never runs out. A view then shows 19 cards less the mean of all
            hands, from 0 to 19.
        tells_in_part: reports may omit what follows from the rules; what they contain must
            agree with the rules.
        robber_before_win: a player who wins with a knight moves the robber first.
    """

    hides_discards: bool = False
    unlimited_bank: bool = False
    tells_in_part: bool = False
    robber_before_win: bool = False

    @property
    def loose_sums(self) -> bool:
        """Whether the total of a resource in all hands may be unknown, or more than 19."""
        return self.hides_discards or self.unlimited_bank


OWN_CUSTOMS: Final = TableCustoms()
"""A game of this package."""


class Belief:
    """A viewer's belief about a game, from everything that it has seen.

    It follows a game as a listener: `game.listeners.append(belief.listen)`. It only reads the
    viewer's information from the records that it gets.

    It is exact if it follows the game from the first decision. A mid-game record contains less.
    Then all hands within the record's bounds for the viewer, with the right sums and with the
    cards proved by open offers, count as equally likely (of more than a million, some thousand
    are dealt at random); only the present turn is evidence of victory point cards; and the other
    players are assumed to know only the sums of hidden hands.

    Args:
        viewer: seat.
        record: `STATE` scalar to start from.
        number: type of the weights of hands, `float` or `fractions.Fraction`.
        customs: differences between the table and a game of this package.

    Attributes:
        hands: the `HandBelief`.
        cards: the `CardBelief`.
        shared: `HandBounds` of all observers: what the viewer is sure that each of them knows,
            apart from the observer's own hand.
        customs: differences between the table and a game of this package.
    """

    def __init__(
        self,
        viewer: int,
        record: np.ndarray,
        number: type = float,
        customs: TableCustoms = OWN_CUSTOMS,
    ) -> None:
        self.customs = customs
        n = int(record["num_players"])
        self.viewer = viewer = check_seat(viewer, n)
        sums = record["hand_size"][:n], BANK_PER_RESOURCE - record["bank"].astype(np.int64)
        bounds = HandBounds(*bounds_of(record, viewer), *sums)
        try:
            self.hands = HandBelief.uniform(viewer, all_hands(bounds), number)
        except TooManyHandsError:
            self.hands = self._dealt(bounds)
        shared = [HandBounds.of_sums(*sums)] * n
        if customs.loose_sums or self.hands.is_cut:
            shared[viewer] = bounds
        self.shared = HandBounds.together(shared)
        self.cards = CardBelief(viewer, record, customs.robber_before_win)
        for event in _holdings_on_the_table(record):
            self.update(event)

    def __repr__(self) -> str:
        return f"<belief of seat {self.viewer}: {len(self.hands)} possible hands>"

    def copy(self) -> Self:
        """An independent copy."""
        other = copy(self)
        other.hands = self.hands.copy()
        other.cards = self.cards.copy()
        other.shared = self.shared.copy()
        return other

    def listen(self, game: Any, events: Events) -> None:
        """Process one decision, as a game's listener."""
        self.follow(as_seen_by(events, self.viewer), game.state)

    def follow(self, events: Events, record: np.ndarray) -> None:
        """Process one decision."""
        for event in hand_events(events, int(record["num_players"]), self.customs.hides_discards):
            self.update(event)
        self.cards.update(events, record)

    def update(self, event: HandEvent) -> None:
        """Process a hand event as the viewer saw it; a `ValueError` if it is impossible."""
        lost = False
        try:
            self.hands.update(event)
        except ValueError:
            if not self.hands.is_cut:
                raise
            lost = True
        if isinstance(event, Theft | Discarded):
            for o in range(len(self.shared.least)):
                self.shared[o].update(unseen_by(event, o))
        else:
            self.shared.update(event)
        if self.hands.is_cut and not lost:
            # Drawn hands may later prove to exceed the sums.
            try:
                self.hands.keep_within(self.shared[self.viewer])
            except ValueError:
                lost = True
        if lost:
            self.hands = self._hands_within_bounds()

    def _hands_within_bounds(self) -> HandBelief:
        """Hands drawn from the viewer's bounds alone, after the kept ones have proved wrong."""
        bounds, rng = self.shared[self.viewer], np.random.default_rng(len(self.hands))
        if not self.customs.loose_sums:
            return self._dealt(bounds)
        hands = drawn_hands(bounds, MOST_KEPT, rng)
        sums = hands.sum(1)
        fitting = ((bounds.totals - bounds.missing <= sums) & (sums <= bounds.totals)).all(1)
        drawn = HandBelief.uniform(self.viewer, hands[fitting] if fitting.any() else hands)
        drawn.is_cut = True
        return drawn

    def _dealt(self, bounds: HandBounds) -> HandBelief:
        """Some of the hands within bounds, dealt at random."""
        rng = np.random.default_rng(int(bounds.sizes.sum()))
        dealt = HandBelief(self.viewer, *dealt_hands(bounds, MOST_KEPT, rng))
        dealt.is_cut = True
        return dealt

    def _allowing(self, coming: HandEvent) -> HandBelief:
        """The hands that allow the coming event."""
        try:
            return self.hands.before(coming)
        except ValueError:
            if not self.hands.is_cut:
                raise
            return self._hands_within_bounds().before(coming)

    def resample(
        self,
        record: np.ndarray,
        rng: np.random.Generator,
        count: int = 1,
        *,
        coming: HandEvent | None = None,
    ) -> np.ndarray:
        """(count,) `STATE`, full states that look the same to the viewer as the present one.

        Hands, development cards and the order of the deck are drawn from the belief, and the random
        generator is reseeded. Hidden information in `record`, the present state, has no influence.
        The viewer's knowledge is unchanged; the others know their own hands and what is shared.
        An opponent who composes an offer has composed a single card, drawn from the possible first
        cards. Only hands that allow the `coming` event are drawn.
        """
        games = _copies(record, count)
        possible = self.hands if coming is None else self._allowing(coming)
        hands = possible.draw(rng, count)
        self._check(record, hands)
        games["hand"][:, : hands.shape[1]] = hands
        self.write_knowledge(games, record)
        self.cards.deal(games, rng)
        games["rng"] = rng.integers(0, 2**64, count, dtype=np.uint64)
        resampling.settle(games, self.viewer)
        composer = int(record["player"])
        if composer != self.viewer and record["phase"] == Phase.COMPOSE:
            for i in range(count):
                _compose_anew(games, i, composer, rng)
            resampling.settle(games, self.viewer)
        return games

    def known_part(self, record: np.ndarray) -> np.ndarray:
        """(1,) `STATE` without what is hidden from the viewer; `resample` gives the same for it.

        Other hands are their lower bounds, other development cards all of one kind.
        """
        games = _copies(record, 1)
        resampling.hide(games, self.viewer)
        return games

    def _check(self, record: np.ndarray, hands: NDArray[np.int8]) -> None:
        n = hands.shape[1]
        sums = (hands.sum(2) == record["hand_size"][:n]).all()
        banked = (hands.sum(1) + record["bank"] == BANK_PER_RESOURCE).all()
        if not (
            sums
            and (banked or self.customs.loose_sums)
            and (hands[:, self.viewer] == record["hand"][self.viewer]).all()
        ):
            raise ValueError("the belief is not about this state; follow every decision")

    def write_knowledge(self, games: np.ndarray, record: np.ndarray) -> None:
        """Write each seat's knowledge of hands into games (G,), whose hands are possible."""
        least, most = self.shared.least.astype(np.int16), self.shared.most.astype(np.int16)
        if not self.customs.loose_sums:
            least[self.viewer], most[self.viewer] = bounds_of(record, self.viewer)
        resampling.write_bounds(games, least, most)

    def shown_bank(self) -> NDArray[np.int64]:
        """(R,) 19 cards of each resource less the mean of all hands."""
        left = BANK_PER_RESOURCE - np.rint(self.hands.mean.sum(0))
        return np.array(np.clip(left, 0, BANK_PER_RESOURCE), np.int64)


def bounds_of(record: np.ndarray, viewer: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(P, R) the fewest and the most cards of each hand, from the engine's bounds for a viewer."""
    n = int(record["num_players"])
    hands = record["hand"][:n].astype(np.int64)
    return hands - record["below"][viewer, :n], hands + record["above"][viewer, :n]


def _copies(record: np.ndarray, count: int) -> np.ndarray:
    # NumPy would fill an array of records field by field.
    return as_games(np.frombuffer(bytearray(record.tobytes() * count), STATE))


def _holdings_on_the_table(record: np.ndarray) -> list[HoldingShown]:
    """The holdings proved by open offers and answers."""
    if record["phase"] not in (Phase.COMPOSE, Phase.ANSWER, Phase.CLOSE):
        return []
    maker = int(record["turn_player"])
    shown = []
    if not (record["phase"] == Phase.COMPOSE and record["player"] == maker):
        shown.append((maker, record["offer_give"][maker]))
    for p in range(int(record["num_players"])):
        if record["answer"][p] == ACCEPTED:
            shown.append((p, record["offer_get"][maker]))
        elif record["answer"][p] == COUNTERED:
            shown.append((p, record["offer_give"][p]))
    return [HoldingShown(p, tuple(int(k) for k in bundle)) for p, bundle in shown]


def _compose_anew(games: np.ndarray, i: int, composer: int, rng: np.random.Generator) -> None:
    cards = int(resampling.first_cards_to_compose(games, i, composer))
    possible = [k for k in range(2 * NUM_RESOURCES) if cards >> k & 1]
    side, resource = divmod(int(rng.choice(possible)), NUM_RESOURCES)
    games["offer_get" if side else "offer_give"][i, composer, resource] = 1
