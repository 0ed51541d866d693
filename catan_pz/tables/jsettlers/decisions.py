"""Decisions at their tables as this package's events."""

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
"""How tables of JSettlers differ from games of this package."""

_INTERRUPTIBLE: Final = (Phase.ROLL, Phase.MOVE_ROBBER, Phase.STEAL, Phase.FREE_ROAD)
"""Phases in which a table ends the turn of a player who takes too long, apart from `MAIN`."""

_BUILT: Final = (
    (actions.BUILD_ROAD, contents.EDGE_IDS, EventKind.ROAD_BUILT, "edge"),
    (actions.BUILD_SETTLEMENT, contents.VERTEX_IDS, EventKind.SETTLEMENT_BUILT, "vertex"),
    (actions.BUILD_CITY, contents.VERTEX_IDS, EventKind.CITY_BUILT, "vertex"),
)


MOST_OFFERS: Final = 20
"""Offers that an agent makes in a turn, unless told otherwise: their server limits none."""


def table_rules(num_players: int, trading: bool, max_offers: int = MOST_OFFERS) -> Rules:
    """The rules of a game at their tables."""
    return Rules(
        num_players=num_players,
        trading=trading,
        offer_form="both",
        max_offers_per_turn=max_offers,
        first_player="random",
        max_turns=None,
    )


def canonical_dice(total: int) -> tuple[int, int]:
    """A pair of dice for a total, which is all that the table tells."""
    if not 2 <= total <= 12:
        raise MessageError(f"two dice can't show {total}")
    return max(1, total - 6), min(6, total - 1)


def event(kind: EventKind, seat: int, what: int, amount: int = 1, other: int = -1) -> Event:
    """An event, without those who see it."""
    return Event(kind, seat, other, what, amount, 0)


class TableDecisions:
    """The decisions of a game, followed as soon as they are told in full.

    A decision is told by several messages, and whether it wins the game by the last of them.
    So it is kept until the next state, turn or decision.
    """

    def __init__(self, followed: FollowedGame, observe: Callable[[Events], None]) -> None:
        self.followed = followed
        self.pending: int | None = None
        """the action of the decision that is kept"""
        self._observe = observe
        self._seat = 0
        self._last = UNKNOWN
        self._events: list[Event] = []
        self._paid = [0] * NUM_RESOURCES
        self._discards: dict[int, list[int]] = {}
        self._drawn: dict[int, list[int]] = {}

    @property
    def game(self) -> Game:
        """A game that looks to the seat as the one at the table, up to the decision kept."""
        return self.followed.sampled

    def begin(self, seat: int, action: int, *events: Event) -> None:
        """A decision is told; the one before it is complete."""
        self.flush()
        self.pending, self._seat, self._events = action, seat, list(events)

    def add(self, *events: Event) -> None:
        """More of the decision that is kept."""
        self._events += events

    def flush(self, winner: int | None = None) -> None:
        """The decision that is kept is complete: follow it."""
        action, self.pending = self.pending, None
        if action is None:
            return
        paid = [event(EventKind.PAID, self._seat, r, n) for r, n in enumerate(self._paid) if n]
        self._paid = [0] * NUM_RESOURCES
        won = [] if winner is None else [event(EventKind.WON, winner, UNKNOWN)]
        self.follow(self._seat, action, [*self._events, *paid, *won])

    def follow(self, seat: int, action: int, events: Sequence[Event] = ()) -> None:
        """Follow a decision that is complete."""
        self._last = action
        decision = event(EventKind.DECISION, seat, action, 0, self.game.turn_player)
        self._observe(self.followed.follow((decision, *events)))

    def begin_turn(self, seat: int, won: bool, largest_army: int) -> None:
        """A seat is in turn now: the one before it has ended its turn, or the table has.

        It may win with that. Some seat or `NOBODY` has the largest army now.
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
                f"seat {seat} is said to be in turn; by the rules it is seat {by_rules} in {phase}"
            )

    def _interrupt(self, largest_army: int) -> None:
        """The table lets the player in turn do nothing more but end the turn.

        A card that is in play and has brought nothing yet goes back to its owner. That others
        have seen which it is isn't kept: it counts as any hidden card.
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
        """The card in play that has brought nothing yet."""
        record = self.game.state
        if record["phase"] == Phase.MOVE_ROBBER and self._last == actions.PLAY_KNIGHT:
            return Card.KNIGHT
        if record["phase"] == Phase.FREE_ROAD and self._last == actions.PLAY_ROAD_BUILDING:
            return Card.ROAD_BUILDING
        return None

    def pay(self, cards: Iterable[tuple[int, int]]) -> None:
        """Somebody pays for the decision that comes: resources and how many."""
        self.flush()
        for r, n in cards:
            self._paid[r] += n

    def take_back_payment(self) -> None:
        """What was paid is returned."""
        self._paid = [0] * NUM_RESOURCES

    def trade_with_bank(self, seat: int, bundles: Bundles) -> None:
        """Trades with the bank, several at once maybe."""
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
        """A seat discards cards, hidden ones `UNKNOWN`: there in any order, here by turn order."""
        self.flush()
        owed = int(self.game.state["to_discard"][seat])
        if len(cards) != owed or seat in self._discards:
            raise ContradictionError(f"seat {seat} discards {len(cards)} cards; it owes {owed}")
        self._discards[seat] = cards
        while self.game.phase == Phase.DISCARD and self.game.player in self._discards:
            discarding = self.game.player
            for what in self._discards.pop(discarding):
                action = UNKNOWN if what == UNKNOWN else actions.DISCARD + what
                self.follow(discarding, action, [event(EventKind.PAID, discarding, what)])

    def draw_discards(self, seat: int, cards: list[int]) -> None:
        """Some of the cards that somebody discards, told one kind after the other."""
        drawn = [*self._drawn.pop(seat, []), *cards]
        if len(drawn) < int(self.game.state["to_discard"][seat]):
            self._drawn[seat] = drawn
        else:
            self.discard(seat, drawn)


def built(seat: int, piece: int, at: int) -> tuple[int, Event]:
    """A piece put on the board, as an action and an event."""
    if not 0 <= piece < len(_BUILT):
        raise MessageError(f"there is no piece {piece} in the base game")
    first, ids, kind, what = _BUILT[piece]
    where = contents.place(ids, at, what)
    return first + where, event(kind, seat, where)
