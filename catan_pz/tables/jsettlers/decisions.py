"""Decisions at JSettlers tables as events of this package."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from catan_pz import actions
from catan_pz.belief import TableCustoms
from catan_pz.events import UNKNOWN, Event, EventKind, Events
from catan_pz.game.followed import Bundles, ContradictionError, FollowedGame
from catan_pz.game.game import Game
from catan_pz.rules import Rules
from catan_pz.tables.jsettlers import contents
from catan_pz.tables.jsettlers.messages import MessageError
from catan_pz.terms import NUM_RESOURCES, Card, Phase

JSETTLERS: Final = TableCustoms(
    hides_discards=True, unlimited_bank=True, tells_in_part=True, robber_before_win=True
)
"""Differences between JSettlers tables and games of this package."""

_INTERRUPTIBLE: Final = (Phase.ROLL, Phase.MOVE_ROBBER, Phase.STEAL, Phase.FREE_ROAD)
"""Phases, besides `MAIN`, in which a table ends the turn of a player who takes too long."""

_BUILT: Final = (
    (actions.BUILD_ROAD, contents.EDGE_IDS, EventKind.ROAD_BUILT, "edge"),
    (actions.BUILD_SETTLEMENT, contents.VERTEX_IDS, EventKind.SETTLEMENT_BUILT, "vertex"),
    (actions.BUILD_CITY, contents.VERTEX_IDS, EventKind.CITY_BUILT, "vertex"),
)


MOST_OFFERS: Final = 20
"""The most offers of an agent in a turn, by default; the server has no limit."""


def table_rules(num_players: int, trading: bool, max_offers: int = MOST_OFFERS) -> Rules:
    """The rules of a game at JSettlers tables."""
    return Rules(
        num_players=num_players,
        trading=trading,
        offer_form="both",
        max_offers_per_turn=max_offers,
        first_player="random",
        max_turns=None,
    )


def canonical_dice(total: int) -> tuple[int, int]:
    """A pair of dice for a total; the table reports only totals."""
    if not 2 <= total <= 12:
        raise MessageError(f"two dice can't show {total}")
    return max(1, total - 6), min(6, total - 1)


def event(kind: EventKind, seat: int, what: int, amount: int = 1, other: int = -1) -> Event:
    """An event, without the seats that see it."""
    return Event(kind, seat, other, what, amount, 0)


class TableDecisions:
    """The decisions of a game, followed as soon as they are complete.

    A decision is reported in several messages, and only the last of them says whether it wins the
    game. So it is kept until the next state, turn or decision.
    """

    def __init__(self, followed: FollowedGame, observe: Callable[[Events], None]) -> None:
        self.followed = followed
        self.pending: int | None = None
        """the action of the pending decision"""
        self._observe = observe
        self._seat = 0
        self._last = UNKNOWN
        self._events: list[Event] = []
        self._paid = [0] * NUM_RESOURCES
        self._discards: dict[int, list[int]] = {}
        self._drawn: dict[int, list[int]] = {}

    @property
    def game(self) -> Game:
        """A game consistent with the seat's view of the table, up to the pending decision."""
        return self.followed.sampled

    def begin(self, seat: int, action: int, *events: Event) -> None:
        """Start a reported decision; the previous one is complete."""
        self.flush()
        self.pending, self._seat, self._events = action, seat, list(events)

    def add(self, *events: Event) -> None:
        """Add events to the pending decision."""
        self._events += events

    def flush(self, winner: int | None = None) -> None:
        """Follow the pending decision, which is complete."""
        action, self.pending = self.pending, None
        if action is None:
            return
        paid = [event(EventKind.PAID, self._seat, r, n) for r, n in enumerate(self._paid) if n]
        self._paid = [0] * NUM_RESOURCES
        won = [] if winner is None else [event(EventKind.WON, winner, UNKNOWN)]
        self.follow(self._seat, action, [*self._events, *paid, *won])

    def follow(self, seat: int, action: int, events: Sequence[Event] = ()) -> None:
        """Follow a complete decision."""
        self._last = action
        decision = event(EventKind.DECISION, seat, action, 0, self.game.turn_player)
        self._observe(self.followed.follow((decision, *events)))

    def begin_turn(self, seat: int, won: bool, largest_army: int) -> None:
        """Start a seat's turn: the seat before it, or the table, has ended its turn.

        The seat may win with that. `largest_army` is the present holder of the card or `NOBODY`.
        """
        self.flush()
        if self.game.turn_player != seat:
            if self.game.phase in _INTERRUPTIBLE:
                self._interrupt(largest_army)
            if self.game.phase == Phase.MAIN:
                ends = [event(EventKind.WON, seat, UNKNOWN)] if won else []
                self.follow(self.game.turn_player, actions.END_TURN, ends)
        if self.game.turn_player != seat and not self.game.is_over:
            by_rules, phase = self.game.turn_player, Phase(self.game.phase).name
            raise ContradictionError(
                f"the table has seat {seat} in turn; by the rules it is seat {by_rules} in {phase}"
            )

    def _interrupt(self, largest_army: int) -> None:
        """End the turn of a player who took too long.

        A card in play without effect yet returns to its owner. That the others have seen it isn't
        kept: it counts as a hidden card.
        """
        games = self.game.games.copy()
        record = games[0]
        card, seat = self._taken_back(), int(record["turn_player"])
        if card is not None:
            record["played"][seat, card] -= 1
            record["cards"][seat, card] += 1
            record["largest_army_owner"] = largest_army
        record["phase"], record["rolled"], record["free_roads"] = Phase.MAIN, 1, 0
        self.followed.confirm()
        self.followed.amend(games)

    def _taken_back(self) -> Card | None:
        """The card in play without effect yet."""
        record = self.game.state
        if record["phase"] == Phase.MOVE_ROBBER and self._last == actions.PLAY_KNIGHT:
            return Card.KNIGHT
        if record["phase"] == Phase.FREE_ROAD and self._last == actions.PLAY_ROAD_BUILDING:
            return Card.ROAD_BUILDING
        return None

    def pay(self, cards: Iterable[tuple[int, int]]) -> None:
        """Record a payment for the next decision: resources and their amounts."""
        self.flush()
        for r, n in cards:
            self._paid[r] += n

    def take_back_payment(self) -> None:
        """Cancel a payment that was returned."""
        self._paid = [0] * NUM_RESOURCES

    def trade_with_bank(self, seat: int, bundles: Bundles) -> None:
        """Play trades with the bank, possibly several at once."""
        self.flush()
        rates = self.game.state["rate"][seat].copy()
        given = [r for r, n in enumerate(bundles[0]) for _ in range(n // int(rates[r]))]
        got = [r for r, n in enumerate(bundles[1]) for _ in range(n)]
        is_rest = any(n % int(rate) for n, rate in zip(bundles[0], rates, strict=False))
        if is_rest or len(given) != len(got) or set(given) & set(got):
            give, get = bundles
            raise ContradictionError(f"seat {seat} trades {give} for {get} with the bank")
        for r, wanted in zip(given, got, strict=True):
            paid = event(EventKind.PAID, seat, r, int(rates[r]))
            gained = event(EventKind.GAINED, seat, wanted)
            self.follow(seat, int(actions.SWAP_ACTIONS[r, wanted]), [paid, gained])

    def discard(self, seat: int, cards: list[int]) -> None:
        """Discard a seat's cards, hidden ones `UNKNOWN`: there in any order, here in turn order."""
        self.flush()
        owed = int(self.game.state["to_discard"][seat])
        if len(cards) != owed or seat in self._discards:
            raise ContradictionError(f"seat {seat} must discard {owed} cards, got {len(cards)}")
        self._discards[seat] = cards
        while self.game.phase == Phase.DISCARD and self.game.player in self._discards:
            discarding = self.game.player
            for what in self._discards.pop(discarding):
                action = UNKNOWN if what == UNKNOWN else actions.DISCARD + what
                self.follow(discarding, action, [event(EventKind.PAID, discarding, what)])

    def draw_discards(self, seat: int, cards: list[int]) -> None:
        """Collect the cards of a discard that is reported kind by kind."""
        drawn = [*self._drawn.pop(seat, []), *cards]
        if len(drawn) < int(self.game.state["to_discard"][seat]):
            self._drawn[seat] = drawn
        else:
            self.discard(seat, drawn)


def built(seat: int, piece: int, at: int) -> tuple[int, Event]:
    """The action and event of a piece placed on the board."""
    if not 0 <= piece < len(_BUILT):
        raise MessageError(f"the base game has no piece {piece}")
    first, ids, kind, what = _BUILT[piece]
    where = contents.place(ids, at, what)
    return first + where, event(kind, seat, where)
