"""One game at a JSettlers table, followed by its messages from one seat.

A decision is told by several messages, and whether it wins the game only by the last of them.
So it is kept until the next state, turn or decision, and then followed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from catan_pz.actions import (
    BUILD_CITY,
    BUILD_ROAD,
    BUILD_SETTLEMENT,
    BUY_DEVELOPMENT_CARD,
    DISCARD,
    END_TURN,
    MARITIME_SWAPS,
    MARITIME_TRADE,
    MOVE_ROBBER,
    PLAY_KNIGHT,
    PLAY_MONOPOLY,
    PLAY_ROAD_BUILDING,
    PLAY_YEAR_OF_PLENTY,
    PLENTY_PAIRS,
    ROLL,
    STEAL,
)
from catan_pz.belief import TableCustoms
from catan_pz.bridges.jsettlers import coordinates
from catan_pz.bridges.jsettlers.messages import Kind, Message, MessageError
from catan_pz.engine.events import EventKind
from catan_pz.events import UNKNOWN, Event, Events
from catan_pz.rules import Board, Rules
from catan_pz.runtime.followed import Bundles, ContradictionError, FollowedGame
from catan_pz.terms import NUM_RESOURCES, Card, Phase

JSETTLERS: Final = TableCustoms(
    hides_discards=True, unlimited_bank=True, tells_in_part=True, robber_before_win=True
)
"""How tables of JSettlers differ from games of this package."""

SEATS: Final = 4
"""Seats at their tables, taken or not."""

_OVER: Final = 1000
_ROLL_OR_CARD: Final = 15
_TO_PLAY: Final = (5, 6, 10, 11, 20, 33, 40, 41)
"""States in which the player in turn decides without being asked."""
_PICK_CARDS, _PICK_KIND = 52, 53

_SET, _LOSE = 100, 102
_WINNER: Final = 4
_BUILT: Final = (
    (BUILD_ROAD, coordinates.EDGE_IDS, EventKind.ROAD_BUILT, "edge"),
    (BUILD_SETTLEMENT, coordinates.VERTEX_IDS, EventKind.SETTLEMENT_BUILT, "vertex"),
    (BUILD_CITY, coordinates.VERTEX_IDS, EventKind.CITY_BUILT, "vertex"),
)


class Question(Enum):
    """What the table waits for from the seat."""

    DECISION = "decision"
    DISCARD = "discard"
    PICK = "pick"
    ANSWER = "answer"


@dataclass
class _Pending:
    """A decision that is not followed yet."""

    seat: int
    action: int
    events: list[Event] = field(default_factory=list)


def canonical_dice(total: int) -> tuple[int, int]:
    """A pair of dice for a total, which is all that the table tells."""
    return max(1, total - 6), min(6, total - 1)


def event(kind: EventKind, seat: int, what: int, amount: int = 1, other: int = -1) -> Event:
    """An event, without those who see it."""
    return Event(kind, seat, other, what, amount, 0)


class TableReader:
    """The game as one seat hears of it.

    Args:
        number: of the seat at their table, 0 to 3.
        trading: whether players trade.
        observe: called with the events of each decision.

    Attributes:
        names: of those who sit, by the number of the seat.
        followed: the game followed; None until somebody's first turn.
        offers: open offers by seat, what each gives and gets.
        addressed: seats that each of these goes to.
        first: the seat that goes first.
        state: number of the table's state.
        winner: the seat that has won, or None.
        points: at the end, by seat, once they are told.
    """

    def __init__(
        self, number: int, trading: bool, observe: Callable[[Events], None] = lambda _: None
    ) -> None:
        self.number = number
        self.names: dict[int, str] = {}
        self.followed: FollowedGame | None = None
        self.offers: dict[int, Bundles] = {}
        self.addressed: dict[int, list[int]] = {}
        self.first = 0
        self.winner: int | None = None
        self.points: tuple[int, ...] | None = None
        self._trading = trading
        self._observe = observe
        self._board: Board | None = None
        self._pending: _Pending | None = None
        self._paid = [0] * NUM_RESOURCES
        self._card: Card | None = None
        self._victims: dict[int, int] = {}
        self._discards: dict[int, list[int]] = {}
        self._to_discard = False
        self.state = 0
        self._hand: list[int] | None = None

    @property
    def numbers(self) -> list[int]:
        """Numbers of the seats that are taken, in order: seat k has the number k here."""
        return sorted(self.names)

    @property
    def seat(self) -> int:
        """The own seat."""
        return self.seat_of(self.number)

    def seat_of(self, number: int) -> int:
        """The seat that has a number at their table.

        Raises:
            MessageError: if nobody sits there.
        """
        if number not in self.names:
            raise MessageError(f"nobody sits in seat {number}")
        return self.numbers.index(number)

    @property
    def game(self) -> FollowedGame:
        """The game followed.

        Raises:
            MessageError: if it hasn't begun.
        """
        if self.followed is None:
            raise MessageError("the game hasn't begun")
        return self.followed

    @property
    def is_own_turn(self) -> bool:
        """Whether it is the turn of the own seat."""
        return self.game.sampled.turn_player == self.seat

    @property
    def is_finished(self) -> bool:
        """Whether the game is won and the points are told."""
        return self.winner is not None and self.points is not None

    def take(self, message: Message) -> Question | None:
        """Take in a message; what the table now waits for from the seat.

        Raises:
            MessageError: if it can't be read.
            ContradictionError: if it tells something impossible.
        """
        handler = _HANDLERS.get(message.kind)
        if handler is None or (self.followed is None and message.kind not in _BEFORE_START):
            return None
        return handler(self, message)

    # -- before the game begins

    def _sit_down(self, message: Message) -> None:
        if self.followed is None:
            self.names[message.integer(2)] = message.fields[1]

    def _layout(self, message: Message) -> None:
        numbers = message.integers(1, 76)
        count = len(coordinates.HEXES)
        if not coordinates.is_placeholder(numbers[:count]):
            self._board = coordinates.board_of(numbers[:count], numbers[count : 2 * count], True)

    def _layout_in_parts(self, message: Message) -> None:
        parts, fields = {}, list(message.fields[2:])
        while len(fields) >= 2:
            key, first = fields.pop(0), fields.pop(0)
            if first.startswith("["):
                parts[key] = [int(n) for n in fields[: int(first[1:])]]
                del fields[: int(first[1:])]
        hexes = parts.get("HL", [])
        if hexes and not coordinates.is_placeholder(hexes):
            self._board = coordinates.board_of(hexes, parts.get("NL", []), False)

    def _start(self, number: int) -> None:
        """Somebody has the first turn."""
        if self._board is None:
            raise MessageError("a turn begins, and there is no board yet")
        rules = Rules(
            num_players=len(self.names),
            trading=self._trading,
            first_player="random",
            max_turns=None,
        )
        self.first = self.seat_of(number)
        self.followed = FollowedGame(rules, self.seat, self._board, self.first, JSETTLERS)

    # -- decisions

    def _begin(self, seat: int, action: int, *events: Event) -> None:
        self._flush()
        self._pending = _Pending(seat, action, list(events))

    def _flush(self, winner: int | None = None) -> None:
        """Follow the decision that is pending."""
        pending, self._pending = self._pending, None
        if pending is None:
            return
        events = pending.events
        events += [
            event(EventKind.PAID, pending.seat, r, n) for r, n in enumerate(self._paid) if n > 0
        ]
        self._paid = [0] * NUM_RESOURCES
        if winner is not None:
            events.append(event(EventKind.WON, winner, -1))
        self._follow(pending.seat, pending.action, events)

    def _follow(self, seat: int, action: int, events: Sequence[Event] = ()) -> None:
        turn_player = self.game.sampled.turn_player
        decision = event(EventKind.DECISION, seat, action, 0, turn_player)
        self._observe(self.game.follow((decision, *events)))

    def _roll(self, message: Message) -> None:
        total = message.integer(1)
        if not 2 <= total <= 12:
            raise MessageError(f"two dice can't show {total}")
        dice = canonical_dice(total)
        seat = self.game.sampled.turn_player
        self._begin(seat, ROLL, event(EventKind.ROLLED, seat, *dice))

    def _production(self, message: Message) -> None:
        pending = self._expect(ROLL, "cards are shared out without a roll")
        fields = message.integers(2)
        while fields:
            seat = self.seat_of(fields.pop(0))
            del fields[:1]
            while fields and fields[0] != 0:
                amount, kind = fields.pop(0), fields.pop(0)
                gained = coordinates.resource(kind)
                pending.events.append(event(EventKind.GAINED, seat, gained, amount))
            del fields[:1]

    def _expect(self, action: int, otherwise: str) -> _Pending:
        if self._pending is None or self._pending.action != action:
            raise ContradictionError(otherwise)
        return self._pending

    def _put_piece(self, message: Message) -> None:
        number, piece, at = message.integers(1, 4)
        if not 0 <= piece < len(_BUILT):
            raise MessageError(f"there is no piece {piece} in the base game")
        first, ids, kind, what = _BUILT[piece]
        where, seat = coordinates.place(ids, at, what), self.seat_of(number)
        self._begin(seat, first + where, event(kind, seat, where))

    def _robber(self, message: Message) -> None:
        number, at = message.integers(1, 3)
        where, seat = coordinates.place(coordinates.HEX_IDS, at, "hex"), self.seat_of(number)
        self._begin(seat, MOVE_ROBBER + where, event(EventKind.ROBBER_MOVED, seat, where))

    def _robbery(self, message: Message) -> None:
        thief, victim = (self.seat_of(number) for number in message.integers(1, 3))
        kind = message.integer(4)
        unknown = kind in (0, coordinates.UNKNOWN_RESOURCE)
        what = UNKNOWN if unknown else int(coordinates.resource(kind))
        stolen = event(EventKind.STOLEN, thief, what, 1, victim)
        if self._pending is None and self.game.sampled.phase == Phase.STEAL:
            distance = (victim - thief) % len(self.names)
            self._begin(thief, STEAL + distance - 1, stolen)
        elif self._pending is not None:
            self._pending.events.append(stolen)
        else:
            raise ContradictionError("a card is stolen, and the robber wasn't moved")

    def _card_action(self, message: Message) -> None:
        number, action, kind = message.integers(1, 4)
        if action not in (0, 1):
            return
        seat, card = self.seat_of(number), coordinates.card(kind)
        if action == 0:
            what = UNKNOWN if card is None else int(card)
            bought = event(EventKind.CARD_BOUGHT, seat, what)
            self._begin(seat, BUY_DEVELOPMENT_CARD, bought)
        elif card is None:
            raise MessageError("an unknown development card is played")
        elif card in (Card.KNIGHT, Card.ROAD_BUILDING):
            played = PLAY_KNIGHT if card == Card.KNIGHT else PLAY_ROAD_BUILDING
            self._begin(seat, played, event(EventKind.CARD_PLAYED, seat, int(card)))
        else:
            self._flush()
            self._card = card

    def _picked(self, message: Message) -> None:
        fields = message.integers(1)
        counts = coordinates.from_theirs(fields[:NUM_RESOURCES])
        seat = self.game.sampled.turn_player
        pair = sorted(r for r, n in enumerate(counts) for _ in range(n))
        if len(pair) != 2 or self._card != Card.YEAR_OF_PLENTY:
            raise ContradictionError(f"cards {pair} are picked without year of plenty")
        self._card = None
        action = PLAY_YEAR_OF_PLENTY + PLENTY_PAIRS.tolist().index(pair)
        played = event(EventKind.CARD_PLAYED, seat, Card.YEAR_OF_PLENTY)
        gained = [event(EventKind.GAINED, seat, r, n) for r, n in enumerate(counts) if n]
        self._begin(seat, action, played, *gained)

    def _simple(self, message: Message) -> None:
        number, kind, _, what = message.integers(1, 5)
        if kind != 3:
            return
        seat, named = self.seat_of(number), int(coordinates.resource(what))
        if self._card != Card.MONOPOLY:
            raise ContradictionError("a resource is monopolized without the card")
        self._card = None
        given = [
            event(EventKind.GIVEN, victim, named, count, seat)
            for victim, count in self._victims.items()
        ]
        self._victims = {}
        played = event(EventKind.CARD_PLAYED, seat, Card.MONOPOLY)
        self._begin(seat, PLAY_MONOPOLY + named, played, *given)

    def _count(self, message: Message) -> None:
        seat, size = self.seat_of(message.integer(1)), message.integer(2)
        held = int(self.game.sampled.state["hand_size"][seat])
        if self._card == Card.MONOPOLY:
            self._victims[seat] = held - size

    def _bank_trade(self, message: Message) -> Question | None:
        fields = message.integers(1)
        number = fields[2 * NUM_RESOURCES] if len(fields) > 2 * NUM_RESOURCES else self.number
        if number < 0:
            return None  # refused, which the player counts
        seat = self.seat_of(number)
        give = coordinates.from_theirs(fields[:NUM_RESOURCES])
        get = coordinates.from_theirs(fields[NUM_RESOURCES : 2 * NUM_RESOURCES])
        self._flush()
        rates = self.game.sampled.state["rate"][seat].copy()
        given = [r for r, n in enumerate(give) for _ in range(n // int(rates[r]))]
        got = [r for r, n in enumerate(get) for _ in range(n)]
        if len(given) != len(got):
            raise ContradictionError(f"seat {seat} trades {give} for {get} with the bank")
        for r, wanted in zip(given, got, strict=True):
            swap = MARITIME_SWAPS.tolist().index([r, wanted])
            paid = event(EventKind.PAID, seat, r, int(rates[r]))
            self._follow(seat, MARITIME_TRADE + swap, [paid, event(EventKind.GAINED, seat, wanted)])
        return Question.DECISION if seat == self.seat else None

    # -- discards, which go by turn order here and come in any order there

    def _discard_request(self, message: Message) -> Question | None:
        self._flush()
        self._to_discard = True
        return self._next_discards()

    def _discarded(self, message: Message) -> Question | None:
        self._flush()
        text = message.fields[1]
        number = int(text[1:]) if text[:1] == "p" and text[1:].isdigit() else self.number
        counts = message.integers(2, 2 + NUM_RESOURCES + 1)
        known = coordinates.from_theirs(counts[:NUM_RESOURCES])
        cards = [r for r, n in enumerate(known) for _ in range(n)]
        self._discards[self.seat_of(number)] = cards + [UNKNOWN] * counts[NUM_RESOURCES]
        return self._next_discards()

    def _next_discards(self) -> Question | None:
        """Follow the discards that are known up to whose turn it is to discard."""
        game = self.game.sampled
        while game.phase == Phase.DISCARD and game.player in self._discards:
            seat = game.player
            for what in self._discards.pop(seat):
                paid = event(EventKind.PAID, seat, what)
                self._follow(seat, UNKNOWN if what == UNKNOWN else DISCARD + what, [paid])
            if game.phase == Phase.DISCARD and game.player == seat:
                raise ContradictionError(f"seat {seat} discards too few cards")
        if self._to_discard and game.phase == Phase.DISCARD and game.player == self.seat:
            self._to_discard = False
            return Question.DISCARD
        return None

    # -- trade between players

    def _offer(self, message: Message) -> Question | None:
        seat = self.seat_of(message.integer(1))
        to = [p for p in range(SEATS) if message.fields[2 + p] == "true" and p in self.names]
        counts = message.integers(2 + SEATS, 2 + SEATS + 2 * NUM_RESOURCES)
        give = coordinates.from_theirs(counts[:NUM_RESOURCES])
        get = coordinates.from_theirs(counts[NUM_RESOURCES:])
        self._flush()
        self.offers[seat] = give, get
        self.addressed[seat] = [self.seat_of(p) for p in to]
        if seat != self.seat and self.seat in self.addressed[seat]:
            return Question.ANSWER
        return None

    def _clear(self, message: Message) -> None:
        number = message.integer(1)
        if number < 0:
            self.offers.clear()
        else:
            self.offers.pop(self.seat_of(number), None)

    def _accepted(self, message: Message) -> Question | None:
        taker, maker = (self.seat_of(number) for number in message.integers(1, 3))
        counts = message.integers(3, 3 + 2 * NUM_RESOURCES)
        gives = coordinates.from_theirs(counts[:NUM_RESOURCES])
        gets = coordinates.from_theirs(counts[NUM_RESOURCES:])
        self._flush()
        self.game.follow_trade(maker, taker, (gives, gets))
        self.offers.clear()
        return Question.DECISION if self.is_own_turn else None

    # -- course of the game

    def _element(self, message: Message) -> None:
        number, action, kind, amount = message.integers(1, 5)
        self._note_elements(number, action, [(kind, amount)])

    def _elements(self, message: Message) -> None:
        number, action, *pairs = message.integers(1)
        self._note_elements(number, action, list(zip(pairs[::2], pairs[1::2], strict=True)))

    def _note_elements(self, number: int, action: int, pairs: list[tuple[int, int]]) -> None:
        cards = [(kind, n) for kind, n in pairs if 1 <= kind <= NUM_RESOURCES]
        if action == _LOSE:
            self._flush()
            for kind, n in cards:
                self._paid[coordinates.resource(kind)] += n
        elif action == _SET and number == self.number and len(cards) == NUM_RESOURCES:
            counts = dict(cards)
            self._hand = coordinates.from_theirs([counts[k + 1] for k in range(NUM_RESOURCES)])
        elif self._card is None and abs(action) != _SET:
            self._paid = [0] * NUM_RESOURCES

    def _game_elements(self, message: Message) -> None:
        fields = message.integers(1)
        values = dict(zip(fields[::2], fields[1::2], strict=True))
        if values.get(_WINNER, -1) >= 0 and self.followed is not None and _is_win(message):
            self.winner = self.seat_of(values[_WINNER])

    def _turn(self, message: Message) -> Question | None:
        number = message.integer(1)
        state = message.integer(2) if len(message.fields) > 2 else _ROLL_OR_CARD
        if number < 0:
            return None
        if self.followed is None:
            self._start(number)
        seat, game = self.seat_of(number), self.game.sampled
        self._flush()
        if game.phase == Phase.MAIN and game.turn_player != seat:
            won = [event(EventKind.WON, seat, -1)] if state == _OVER else []
            self._follow(game.turn_player, END_TURN, won)
        if game.turn_player != seat and not game.is_over:
            raise ContradictionError(
                f"seat {seat} is said to be in turn; by the rules it is seat {game.turn_player}"
            )
        self.offers.clear()
        return self._after_state(state)

    def _game_state(self, message: Message) -> Question | None:
        state = message.integer(1)
        if self.followed is None:
            return None
        if state == _OVER and self.winner is None and self._pending is not None:
            self.winner = self.game.sampled.turn_player
        self._flush(self.winner if state == _OVER else None)
        self._check_hand()
        return self._after_state(state)

    def _after_state(self, state: int) -> Question | None:
        self.state = state
        if not self.is_own_turn:
            return None
        if state in (_PICK_CARDS, _PICK_KIND):
            return Question.PICK
        return Question.DECISION if state in _TO_PLAY else None

    def _check_hand(self) -> None:
        """Compare the own hand with what the table said of it."""
        told, self._hand = self._hand, None
        held = self.game.sampled.state["hand"][self.seat].tolist()
        if told is not None and self._pending is None and told != held:
            raise ContradictionError(f"the table says that the own hand is {told}; it is {held}")

    def _asked_to_roll(self, message: Message) -> Question | None:
        return Question.DECISION if message.integer(1) == self.number else None

    def _asked_for_victim(self, _message: Message) -> Question | None:
        self._flush()
        return Question.DECISION

    def _statistics(self, message: Message) -> None:
        if message.fields[1].startswith("t"):
            return
        points = message.integers(1, 1 + SEATS)
        self.points = tuple(points[number] for number in self.numbers)


def _is_win(message: Message) -> bool:
    """Whether the player named as current is the winner: then it is named alone."""
    return len(message.fields) == 3


_Handler = Callable[[TableReader, Message], Question | None]

_HANDLERS: Final[dict[int, _Handler]] = {
    Kind.SIT_DOWN: TableReader._sit_down,
    Kind.BOARD_LAYOUT: TableReader._layout,
    Kind.BOARD_LAYOUT_2: TableReader._layout_in_parts,
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
    Kind.PLAYER_ELEMENT: TableReader._element,
    Kind.PLAYER_ELEMENTS: TableReader._elements,
    Kind.GAME_ELEMENTS: TableReader._game_elements,
    Kind.TURN: TableReader._turn,
    Kind.GAME_STATE: TableReader._game_state,
    Kind.ROLL_DICE_PROMPT: TableReader._asked_to_roll,
    Kind.CHOOSE_PLAYER_REQUEST: TableReader._asked_for_victim,
    Kind.GAME_STATS: TableReader._statistics,
}

_BEFORE_START: Final = (Kind.SIT_DOWN, Kind.BOARD_LAYOUT, Kind.BOARD_LAYOUT_2, Kind.TURN)
