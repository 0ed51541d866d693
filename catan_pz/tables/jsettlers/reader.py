"""Reads one game at a JSettlers table from the messages to one seat."""

from collections.abc import Callable
from enum import Enum
from typing import Final

from catan_pz import actions
from catan_pz.events import UNKNOWN, EventKind, Events
from catan_pz.game.followed import Bundles, ContradictionError, FollowedGame
from catan_pz.game.game import Game
from catan_pz.rules import Board
from catan_pz.tables.jsettlers import contents
from catan_pz.tables.jsettlers.decisions import (
    JSETTLERS,
    TableDecisions,
    built,
    canonical_dice,
    event,
    table_rules,
)
from catan_pz.tables.jsettlers.messages import Kind, Message, MessageError
from catan_pz.terms import NOBODY, NUM_RESOURCES, Card, Phase

_OVER: Final = 1000
_FIRST_SETTLEMENT: Final = 5
_ROLL_OR_CARD: Final = 15
_TO_PLAY: Final = (5, 6, 10, 11, 20, 33, 40, 41)
"""States in which the player in turn decides without a request."""
_PICK_CARDS, _PICK_KIND = 52, 53

_SET, _LOSE = 100, 102
_DRAWN, _PLAYED = 0, 1
_MONOPOLIZED: Final = 3
_WINNER, _LARGEST_ARMY = 4, 5


class Asks(Enum):
    """The decision that the table expects from the seat."""

    DECISION = "decision"
    DISCARD = "discard"
    PICK = "pick"
    ANSWER = "answer"


class TableReader:
    """A game as seen by one seat, which has a number from 0 to 3 at the JSettlers table.

    `observe` is called with each decision's events.
    """

    def __init__(
        self, number: int, trading: bool, observe: Callable[[Events], None], max_offers: int
    ) -> None:
        self.number = number
        self.names: dict[int, str] = {}  # of the players, by number of the seat
        self.table: TableDecisions | None = None  # until the first turn
        self.offers: dict[int, Bundles] = {}  # open offers by seat, both sides of each
        self.first = 0  # the first player's seat
        self.state = 0  # the table's state
        self.winner: int | None = None
        self.points: tuple[int, ...] | None = None  # at the end, by seat, once reported
        self._trading, self._max_offers, self._observe = trading, max_offers, observe
        self._board: Board | None = None
        self._card: Card | None = None  # played, effect not yet reported
        self._taken: dict[int, int] = {}  # by monopoly, from each seat
        self._largest_army: int = NOBODY
        self._to_discard = False
        self._hand: list[int] | None = None

    @property
    def numbers(self) -> list[int]:
        """Numbers of the taken seats, in order: seat k here has number k of this list."""
        return sorted(self.names)

    @property
    def seat(self) -> int:
        """The own seat."""
        return self.seat_of(self.number)

    def seat_of(self, number: int) -> int:
        """The seat with a JSettlers number."""
        if number not in self.names:
            raise MessageError(f"nobody sits in seat {number}")
        return self.numbers.index(number)

    @property
    def decisions(self) -> TableDecisions:
        """The game's decisions."""
        if self.table is None:
            raise MessageError("the game hasn't begun")
        return self.table

    @property
    def followed(self) -> FollowedGame:
        """The followed game."""
        return self.decisions.followed

    @property
    def game(self) -> Game:
        """A game consistent with the seat's view of the table."""
        return self.decisions.game

    @property
    def is_own_turn(self) -> bool:
        """Whether it is the own seat's turn."""
        return self.game.turn_player == self.seat

    @property
    def is_finished(self) -> bool:
        """Whether the game is won and the points are reported."""
        return self.winner is not None and self.points is not None

    def take(self, message: Message) -> Asks | None:
        """Process a message; return the decision that the table expects from the seat."""
        handler = _HANDLERS.get(message.kind)
        if handler is None or (self.table is None and message.kind not in _BEFORE_START):
            return None
        return handler(self, message)

    # -- before the game begins

    def _sit_down(self, message: Message) -> None:
        number = message.integer(2)
        if self.table is None and 0 <= number < contents.SEATS:
            self.names[number] = message.text(1)

    def _layout(self, message: Message) -> None:
        self._board = contents.board_in(message) or self._board

    def _start(self, number: int, state: int) -> None:
        """Start the first turn."""
        if state != _FIRST_SETTLEMENT:
            raise ContradictionError(f"the game is under way before the first turn (state {state})")
        if self._board is None:
            raise MessageError("a turn begins before there is a board")
        rules = table_rules(len(self.names), self._trading, self._max_offers)
        self.first = self.seat_of(number)
        followed = FollowedGame(rules, self.seat, self._board, self.first, JSETTLERS)
        self.table = TableDecisions(followed, self._observe)

    # -- decisions

    def _roll(self, message: Message) -> None:
        dice = canonical_dice(message.integer(1))
        seat = self.game.turn_player
        self.decisions.begin(seat, actions.ROLL, event(EventKind.ROLLED, seat, *dice))

    def _production(self, message: Message) -> None:
        if self.decisions.pending != actions.ROLL:
            raise ContradictionError("cards are produced without a roll")
        for number, gained, amount in contents.production_in(message):
            self.decisions.add(event(EventKind.GAINED, self.seat_of(number), gained, amount))

    def _put_piece(self, message: Message) -> None:
        number, piece, at = message.integers(1, 4)
        seat = self.seat_of(number)
        action, placed = built(seat, piece, at)
        self.decisions.begin(seat, action, placed)

    def _robber(self, message: Message) -> None:
        number, at = message.integers(1, 3)
        where, seat = contents.place(contents.HEX_IDS, at, "hex"), self.seat_of(number)
        moved = event(EventKind.ROBBER_MOVED, seat, where)
        self.decisions.begin(seat, actions.MOVE_ROBBER + where, moved)

    def _robbery(self, message: Message) -> None:
        thief, victim = (self.seat_of(number) for number in message.integers(1, 3))
        kind = message.integer(4)
        unknown = kind in (0, contents.UNKNOWN_RESOURCE)
        what = UNKNOWN if unknown else int(contents.resource(kind))
        stolen = event(EventKind.STOLEN, thief, what, 1, victim)
        if self.decisions.pending is not None:
            self.decisions.add(stolen)
        elif self.game.phase == Phase.STEAL:
            distance = (victim - thief) % len(self.names)
            self.decisions.begin(thief, actions.STEAL + distance - 1, stolen)
        else:
            raise ContradictionError("a card is stolen without a move of the robber")

    def _card_action(self, message: Message) -> None:
        number, action, kind = message.integers(1, 4)
        if action not in (_DRAWN, _PLAYED):
            return
        seat, card = self.seat_of(number), contents.card(kind)
        if action == _DRAWN:
            what = UNKNOWN if card is None else int(card)
            bought = event(EventKind.CARD_BOUGHT, seat, what)
            self.decisions.begin(seat, actions.BUY_DEVELOPMENT_CARD, bought)
        elif card is None:
            raise MessageError("an unknown development card is played")
        elif card in (Card.KNIGHT, Card.ROAD_BUILDING):
            played = actions.PLAY_KNIGHT if card == Card.KNIGHT else actions.PLAY_ROAD_BUILDING
            self.decisions.begin(seat, played, event(EventKind.CARD_PLAYED, seat, int(card)))
        else:
            self.decisions.flush()
            self._card, self._taken = card, {}

    def _picked(self, message: Message) -> None:
        """Give the player in turn two cards for a year of plenty."""
        counts = contents.from_theirs(message.counts(1, 1 + NUM_RESOURCES))
        pair = sorted(r for r, n in enumerate(counts) for _ in range(n))
        if len(pair) != 2 or self._card != Card.YEAR_OF_PLENTY:
            raise ContradictionError(f"cards {pair} are picked without year of plenty")
        seat = self.game.turn_player
        played = event(EventKind.CARD_PLAYED, seat, Card.YEAR_OF_PLENTY)
        gained = [event(EventKind.GAINED, seat, r, n) for r, n in enumerate(counts) if n]
        self.decisions.begin(seat, int(actions.PLENTY_ACTIONS[pair[0], pair[1]]), played, *gained)
        self._card = None

    def _simple(self, message: Message) -> None:
        """Take a resource by monopoly; the losses of the others were reported before."""
        number, kind, _, what = message.integers(1, 5)
        if kind != _MONOPOLIZED:
            return
        seat, named = self.seat_of(number), int(contents.resource(what))
        if self._card != Card.MONOPOLY:
            raise ContradictionError("a resource is monopolized without the card")
        played = event(EventKind.CARD_PLAYED, seat, Card.MONOPOLY)
        given = [event(EventKind.GIVEN, v, named, n, seat) for v, n in self._taken.items()]
        self.decisions.begin(seat, actions.PLAY_MONOPOLY + named, played, *given)
        self._card = None

    def _count(self, message: Message) -> None:
        seat, (size,) = self.seat_of(message.integer(1)), message.counts(2, 3)
        if self._card == Card.MONOPOLY:
            self._taken[seat] = int(self.game.state["hand_size"][seat]) - size

    def _bank_trade(self, message: Message) -> Asks | None:
        number, bundles = contents.bank_trade_in(message)
        if number is not None and number < 0:
            return None  # a refusal, which `TablePlayer` counts
        seat = self.seat if number is None else self.seat_of(number)
        self.decisions.trade_with_bank(seat, bundles)
        return Asks.DECISION if seat == self.seat else None

    def _discard_request(self, _message: Message) -> Asks | None:
        self.decisions.flush()
        self._to_discard = True
        return self._asked_to_discard()

    def _discarded(self, message: Message) -> Asks | None:
        number, cards = contents.discard_in(message)
        self.decisions.discard(self.seat if number is None else self.seat_of(number), cards)
        return self._asked_to_discard()

    def _asked_to_discard(self) -> Asks | None:
        """Whether it is the seat's turn to discard: the seats before it have done so."""
        game = self.game
        if self._to_discard and game.phase == Phase.DISCARD and game.player == self.seat:
            self._to_discard = False
            return Asks.DISCARD
        return None

    # -- trade between players

    def _offer(self, message: Message) -> Asks | None:
        maker, to, bundles = contents.offer_in(message)
        self.decisions.flush()
        seat = self.seat_of(maker)
        self.offers[seat] = bundles
        return Asks.ANSWER if seat != self.seat and self.number in to else None

    def _clear(self, message: Message) -> None:
        number = message.integer(1)
        for seat in [*self.offers] if number < 0 else [self.seat_of(number)]:
            self.offers.pop(seat, None)

    def _accepted(self, message: Message) -> Asks | None:
        taker, maker = message.integers(1, 3)
        bundles = contents.two_bundles(message, 3)
        self.decisions.flush()
        self.followed.follow_trade(self.seat_of(maker), self.seat_of(taker), bundles)
        self.offers.clear()
        return Asks.DECISION if self.is_own_turn else None

    # -- course of the game

    def _elements(self, message: Message) -> Asks | None:
        number, action, pairs = contents.elements_in(message)
        cards = [(kind, n) for kind, n in pairs if 1 <= kind <= NUM_RESOURCES]
        if action == _LOSE and self.game.phase == Phase.DISCARD:
            return self._drawn_to_discard(self.seat_of(number), pairs)
        if action == _LOSE:
            self.decisions.pay((contents.resource(kind), n) for kind, n in cards)
        elif action == _SET and number == self.number and len(cards) == NUM_RESOURCES:
            counts = dict(cards)
            self._hand = contents.from_theirs([counts[k + 1] for k in range(NUM_RESOURCES)])
        elif self._card is None and abs(action) != _SET:
            self.decisions.take_back_payment()
        return None

    def _drawn_to_discard(self, seat: int, pairs: list[tuple[int, int]]) -> Asks | None:
        """Process a discard, reported by kinds, that the table drew for a slow player."""
        cards = [kind for kind, n in pairs for _ in range(n)]
        hidden = contents.UNKNOWN_RESOURCE
        cards = [UNKNOWN if kind == hidden else int(contents.resource(kind)) for kind in cards]
        self._to_discard &= seat != self.seat
        self.decisions.draw_discards(seat, cards)
        return self._asked_to_discard()

    def _game_elements(self, message: Message) -> None:
        fields = message.integers(1)
        if len(fields) % 2:
            raise MessageError(f"message {message.kind}: {len(fields)} fields aren't pairs")
        values = dict(zip(fields[::2], fields[1::2], strict=True))
        if _LARGEST_ARMY in values:
            number = values[_LARGEST_ARMY]
            self._largest_army = NOBODY if number < 0 else self.seat_of(number)
        # A message with only the current player's name reports the winner.
        if values.get(_WINNER, -1) >= 0 and len(values) == 1:
            self.winner = self.seat_of(values[_WINNER])

    def _turn(self, message: Message) -> Asks | None:
        number = message.integer(1)
        state = message.integer(2) if len(message.fields) > 2 else _ROLL_OR_CARD
        if number < 0:
            return None
        if self.table is None:
            self._start(number, state)
        self._card = None
        self.decisions.begin_turn(self.seat_of(number), state == _OVER, self._largest_army)
        self.offers.clear()
        return self._after_state(state)

    def _game_state(self, message: Message) -> Asks | None:
        state = message.integer(1)
        if state == _OVER and self.winner is None and self.decisions.pending is not None:
            self.winner = self.game.turn_player
        self.decisions.flush(self.winner if state == _OVER else None)
        self._check_hand()
        return self._after_state(state)

    def _after_state(self, state: int) -> Asks | None:
        self.state = state
        if not self.is_own_turn:
            return None
        if state in (_PICK_CARDS, _PICK_KIND):
            return Asks.PICK
        return Asks.DECISION if state in _TO_PLAY else None

    def _check_hand(self) -> None:
        """Compare the own hand with the reported one."""
        told, self._hand = self._hand, None
        held = self.game.state["hand"][self.seat].tolist()
        if told is not None and self.decisions.pending is None and told != held:
            raise ContradictionError(f"the table reports the own hand as {told}; it is {held}")

    def _asked_to_roll(self, message: Message) -> Asks | None:
        return Asks.DECISION if message.integer(1) == self.number else None

    def _asked_for_victim(self, _message: Message) -> Asks | None:
        self.decisions.flush()
        return Asks.DECISION

    def _statistics(self, message: Message) -> None:
        if message.text(1).startswith("t"):
            return
        points = message.integers(1, 1 + contents.SEATS)
        self.points = tuple(points[number] for number in self.numbers)


_Handler = Callable[[TableReader, Message], Asks | None]

_HANDLERS: Final[dict[int, _Handler]] = {
    Kind.SIT_DOWN: TableReader._sit_down,
    Kind.BOARD_LAYOUT: TableReader._layout,
    Kind.BOARD_LAYOUT_2: TableReader._layout,
    Kind.PUT_PIECE: TableReader._put_piece,
    Kind.DICE_RESULT: TableReader._roll,
    Kind.DICE_RESOURCES: TableReader._production,
    Kind.MOVE_ROBBER: TableReader._robber,
    Kind.ROBBERY_RESULT: TableReader._robbery,
    Kind.DEV_CARD_ACTION: TableReader._card_action,
    Kind.PICK_RESOURCES: TableReader._picked,
    Kind.SIMPLE_ACTION: TableReader._simple,
    Kind.RESOURCE_COUNT: TableReader._count,
    Kind.BANK_TRADE: TableReader._bank_trade,
    Kind.DISCARD_REQUEST: TableReader._discard_request,
    Kind.DISCARD: TableReader._discarded,
    Kind.MAKE_OFFER: TableReader._offer,
    Kind.CLEAR_OFFER: TableReader._clear,
    Kind.ACCEPT_OFFER: TableReader._accepted,
    Kind.PLAYER_ELEMENT: TableReader._elements,
    Kind.PLAYER_ELEMENTS: TableReader._elements,
    Kind.GAME_ELEMENTS: TableReader._game_elements,
    Kind.TURN: TableReader._turn,
    Kind.GAME_STATE: TableReader._game_state,
    Kind.ROLL_DICE_PROMPT: TableReader._asked_to_roll,
    Kind.CHOOSE_PLAYER_REQUEST: TableReader._asked_for_victim,
    Kind.GAME_STATS: TableReader._statistics,
}

READ: Final = frozenset((*_HANDLERS, Kind.REJECT_OFFER, Kind.DECLINE_REQUEST))
"""Messages processed for a game, here or by its player."""

_BEFORE_START: Final = (Kind.SIT_DOWN, Kind.BOARD_LAYOUT, Kind.BOARD_LAYOUT_2, Kind.TURN)
