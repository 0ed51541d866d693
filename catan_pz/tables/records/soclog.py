"""JSettlers' logs of games: the server's messages as text, one a line, private ones included."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from catan_pz import actions
from catan_pz.actions import PLENTY_ACTIONS
from catan_pz.rules import Board, Rules
from catan_pz.tables.jsettlers import contents
from catan_pz.tables.jsettlers.decisions import canonical_dice
from catan_pz.tables.records import moves
from catan_pz.tables.records.moves import (
    BOT,
    BUILDING,
    Act,
    Bundle,
    Marks,
    Move,
)
from catan_pz.tables.records.playing import Report, ToldGame, rules_at
from catan_pz.tables.records.sight import Sight
from catan_pz.terms import NOBODY, Card, Resource

FORMAT: Final = "JSettlers log"
HEADER: Final = "SOC game event log:"

_LINE: Final = re.compile(r"(?:\d+:[\d.]+:)?(all|!?p[^:]*):SOC(\w+):(.*)")
"""A message of the server to players: to whom, its kind, and what it holds."""
_CARDS: Final = re.compile(r"(?:clay|ore|sheep|wheat|wood|unknown)=(\d+)")
_MAIN, _DISCARDING, _OVER = 15, 50, 1000
_SET: Final = "SET"
_HAND: Final = [f"e{k}" for k in range(1, 6)]
_WITHOUT_EFFECT: Final = {
    *("Version", "NewGame", "JoinGame", "LeaveGame", "ChangeFace", "SetSeatLock", "GameMembers"),
    *("GameServerText", "GameTextMsg", "PotentialSettlements", "PlayerElement", "StartGame"),
    *("RollDicePrompt", "DiceResultResources", "DiscardRequest", "ChoosePlayer", "PlayerStats"),
    *("ChoosePlayerRequest", "ResourceCount", "ClearTradeMsg", "RobotDismiss", "DeclineRequest"),
    *("BuildRequest", "TimingPing"),
}
"""Messages that tell what follows from others, or what isn't played."""


def is_one(head: str) -> bool:
    """Whether a text begins like a log."""
    return head.startswith(HEADER)


def rules_of(options: dict[str, str], players: int, board: Board) -> Rules:
    """The rules of a table with some options, on a board of the base game."""
    points = options.get("VP", "")
    return rules_at(
        players,
        board,
        trading=not options.get("NT", "").startswith("t"),
        victory_points=int(points[1:]) if points.startswith("t") else 10,
    )


def options_in(text: str) -> dict[str, str]:
    """Options of a game by name; those of other games than the base game are refused."""
    options = dict(part.partition("=")[::2] for part in text.split(","))
    for name in ("SBL", "PLB", "SC"):
        if options.get(name, "f")[:1] not in ("", "f"):
            raise ValueError(f"only the base game can be read, {name} is {options[name]}")
    return options


def told_game(text: str) -> ToldGame:
    """The game that a log tells."""
    log = _Log()
    for number, line in enumerate(text.splitlines(), 1):
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        to, kind, held = found.groups()
        reading = _READINGS.get(kind)
        if reading is not None:
            try:
                reading(log, f"line {number}", to, held)
            except (LookupError, ValueError) as error:
                raise ValueError(f"line {number}: {error}") from error
        elif kind not in _WITHOUT_EFFECT:
            log.unknown[kind] += 1
        if log.hidden:
            break
    return log.game()


def _fields(held: str) -> dict[str, str]:
    return dict(part.partition("=")[::2] for part in held.split("|"))


def _bundles(held: str) -> list[Bundle]:
    """The sets of cards in a message, those of unknown kinds left out."""
    counts = [int(n) for n in _CARDS.findall(held)]
    return [tuple(contents.from_theirs(counts[k : k + 5])) for k in range(0, len(counts), 6)]


def _numbers(held: str) -> list[int]:
    return [int(n) for n in held.strip("{} ").split()]


class _Log:
    """What a log has told so far; seats are numbered from who goes first."""

    def __init__(self) -> None:
        self.options: dict[str, str] = {}
        self.sitting: dict[int, tuple[str, bool]] = {}
        self.board: Board | None = None
        self.numbers: list[int] = []
        self.number = self.state = -1
        self.moves: list[Move] = []
        self.robber: tuple[str, int] | None = None
        self.discards: dict[int, list[Resource]] = {}
        self.drawn = False
        self.hidden = ""
        self.offers: dict[int, moves.Offer] = {}
        self.seen: set[int] = set()
        self.unknown: Counter[str] = Counter()

    def game(self) -> ToldGame:
        """All of it."""
        if not self.hidden:
            self.flush("end")
        if self.board is None or not self.numbers:
            raise ValueError("the log ends before the game begins")
        report = Report(FORMAT, sorted(self.seen), unknown=dict(self.unknown))
        report.notes.append("The log tells sums of dice; the pairs are made up.")
        report.notes += [self.hidden] * bool(self.hidden)
        rules = rules_of(self.options, len(self.numbers), self.board)
        names = [self.sitting[number][0] for number in self.numbers]
        return ToldGame(rules, self.moves, report, names)

    def seat(self, number: int | str) -> int:
        """The seat of a number at their table."""
        return self.numbers.index(int(number))

    def marks(self, number: int) -> Marks:
        """What is to be said of the decisions of a seat."""
        return (BOT,) if self.sitting[number][1] else ()

    def add(self, place: str, action: int, outcome: Any = None, number: int | None = None) -> None:
        """Add a move that is one action, of the player in turn if nobody is named."""
        number = self.number if number is None else number
        self.flush(place)
        self.moves.append(Act(place, self.seat(number), action, outcome, self.marks(number)))

    def flush(self, place: str) -> None:
        """Something else follows: the robber took nothing, and all have discarded."""
        if self.discards:
            marks = {seat: self.marks(self.numbers[seat]) for seat in self.discards}
            self.moves.append(moves.Discards(place, self.discards, marks))
            self.discards = {}
        if self.robber is not None:
            (at, hex_id), self.robber = self.robber, None
            seat, marks_of = self.seat(self.number), self.marks(self.number)
            self.moves.append(moves.Rob(at, seat, hex_id, None, None, marks_of))

    def check(self, place: str, name: str, seat: int | slice, value: Any) -> None:
        """Add a check of one field."""
        sight = Sight()
        sight[name][seat] = value
        self.flush(place)
        self.moves.append(moves.Check(place, sight.values))

    # Messages.

    def new_game(self, _place: str, _to: str, held: str) -> None:
        """The options of the game."""
        self.options = options_in(_fields(held).get("param2", ""))

    def sit(self, _place: str, _to: str, held: str) -> None:
        """Somebody sits down, perhaps in the place of a robot."""
        told = _fields(held)
        robot = told["robotFlag"] == "true"
        self.sitting[int(told["playerNumber"])] = told["nickname"], robot

    def lay_board(self, _place: str, _to: str, held: str) -> None:
        """The board; before the game it is all water."""
        told = _fields(held)
        coded = "hexLayout" in told
        hexes = _numbers(told["hexLayout" if coded else "HL"])
        tokens = _numbers(told["numberLayout" if coded else "NL"])
        if any(value != 6 for value in hexes):
            self.board = contents.board_of(hexes, tokens, coded)

    def turn(self, place: str, _to: str, held: str) -> None:
        """The next turn, also in set-up."""
        told = _fields(held)
        number, state = int(told["playerNumber"]), int(told["gameState"])
        if not self.numbers:
            seats = sorted(self.sitting)
            first = seats.index(number)
            self.numbers = seats[first:] + seats[:first]
        if self.state == _MAIN:
            self.add(place, actions.END_TURN)
        self.number = number
        self.state = _MAIN if state in (_MAIN, _OVER) else state
        self.offers = {}
        self.check(place, "turn_player", 0, self.seat(number))
        if state == _OVER:
            self.moves.append(moves.Over(place, self.seat(number)))

    def change_state(self, place: str, _to: str, held: str) -> None:
        """What the game waits for."""
        state = int(_fields(held)["state"])
        if state not in (_DISCARDING, _OVER) and self.discards:
            self.flush(place)
        if state == _OVER:
            self.flush(place)
            self.moves.append(moves.Over(place, self.seat(self.number)))

    def put_piece(self, place: str, _to: str, held: str) -> None:
        """A piece is placed."""
        self.add(place, self.piece(held), number=int(_fields(held)["playerNumber"]))

    def piece(self, held: str) -> int:
        """The action that places a piece."""
        told = _fields(held)
        kind, coord = int(told["pieceType"]), int(told["coord"], 16)
        ids = contents.EDGE_IDS if kind == 0 else contents.VERTEX_IDS
        return BUILDING[kind] + contents.place(ids, coord, "place")

    def take_back(self, _place: str, _to: str, held: str) -> None:
        """The last piece goes back; a piece asked for and not placed hasn't been played."""
        told = _fields(held)
        first = BUILDING[int(told["pieceType"])]
        while isinstance(self.moves[-1], moves.Check):
            self.moves.pop()
        last = self.moves[-1]
        undone = "coord" in told or self.state in (5, 10)
        if undone and isinstance(last, Act) and first <= last.action < first + 72:
            self.moves.pop()

    def roll(self, place: str, _to: str, held: str) -> None:
        """The dice; -1 before the game."""
        total = int(_fields(held)["param"])
        if total > 0:
            self.add(place, actions.ROLL, canonical_dice(total))

    def see_elements(self, place: str, to: str, held: str) -> None:
        """A hand, as told to who holds it."""
        told = _fields(held)
        *_, elements = held.split("|")
        counts = dict(part.partition("=")[::2] for part in elements.split(","))
        if told["actionType"] == _SET and to != "all" and self.state == _MAIN:
            seat = self.seat(told["playerNum"])
            self.seen.add(seat)
            hand = contents.from_theirs([int(counts[key]) for key in _HAND])
            self.check(place, "hand", seat, hand)

    def see_game(self, place: str, _to: str, held: str) -> None:
        """Who holds the special cards."""
        *_, elements = held.split("|")
        for name, value in (part.split("=") for part in elements.split(",")):
            if self.state == _MAIN and name in ("e5", "e6"):
                owner = NOBODY if int(value) < 0 else self.seat(value)
                field = "largest_army_owner" if name == "e5" else "longest_road_owner"
                self.check(place, field, 0, owner)

    def discard(self, place: str, to: str, held: str) -> None:
        """What a seat discards, as told to itself; a client's log hides those of others."""
        seat = self.seat(_fields(held)["playerNum"])
        if to.startswith("!") and seat in self.discards:
            return
        (cards,) = _bundles(held)
        told = moves.cards_in(cards)
        if not told:
            self.hidden = f"The log hides the discards of {place}; the game is kept up to there."
            return
        self.discards[seat] = told

    def move_robber(self, place: str, _to: str, held: str) -> None:
        """The robber is moved; a theft may follow."""
        hex_id = contents.place(contents.HEX_IDS, int(_fields(held)["coord"], 16), "hex")
        self.flush(place)
        self.robber = place, hex_id

    def rob(self, _place: str, _to: str, held: str) -> None:
        """A theft, told first to who knows the card."""
        if self.robber is None:
            return
        told = _fields(held)
        (place, hex_id), self.robber = self.robber, None
        kind, number = int(told["resType"]), int(told["perp"])
        card = None if kind == contents.UNKNOWN_RESOURCE else contents.resource(kind)
        seats = self.seat(number), self.seat(told["victim"])
        self.moves.append(moves.Rob(place, seats[0], hex_id, seats[1], card, self.marks(number)))

    def use_card(self, place: str, to: str, held: str) -> None:
        """A development card is bought, as told to its owner and then to others, or played."""
        told = _fields(held)
        card, number = contents.card(int(told["cardType"])), int(told["playerNum"])
        if told["actionType"] == "DRAW":
            if not (to.startswith("!") and self.drawn):
                self.add(place, actions.BUY_DEVELOPMENT_CARD, card, number)
            self.drawn = not to.startswith(("!", "all"))
        elif told["actionType"] == "PLAY" and card == Card.KNIGHT:
            self.add(place, actions.PLAY_KNIGHT)
        elif told["actionType"] == "PLAY" and card == Card.ROAD_BUILDING:
            self.add(place, actions.PLAY_ROAD_BUILDING)

    def take_plenty(self, place: str, _to: str, held: str) -> None:
        """Year of plenty takes two cards."""
        (cards,) = _bundles(held)
        first, second = moves.cards_in(cards)
        self.add(place, int(PLENTY_ACTIONS[first, second]))

    def simple_action(self, place: str, _to: str, held: str) -> None:
        """Monopoly takes all cards of a resource; cards left, after one was bought."""
        told = _fields(held)
        if told["actType"] == "3":
            self.add(place, actions.PLAY_MONOPOLY + contents.resource(int(told["v2"])))
        elif told["actType"] == "1":
            self.check(place, "deck_left", 0, int(told["v1"]))

    def trade_with_bank(self, place: str, _to: str, held: str) -> None:
        """A trade with the bank, or one that is taken back."""
        give, get = _bundles(held)
        number = int(_fields(held)["pn"])
        last = self.moves[-1]
        if isinstance(last, moves.BankTrade) and (last.give, last.get) == (get, give):
            self.moves.pop()
            return
        self.flush(place)
        marks = self.marks(number)
        self.moves.append(moves.BankTrade(place, self.seat(number), give, get, marks))

    def offer(self, place: str, _to: str, held: str) -> None:
        """An offer of the player in turn, or one to that player."""
        number = int(_fields(held)["from"])
        give, get = _bundles(held)
        self.flush(place)
        if number == self.number:
            marks = self.marks(number)
            self.offers[number] = moves.Offer(place, self.seat(number), give, get, marks=marks)
            self.moves.append(self.offers[number])
        elif self.number in self.offers:
            self.offers[self.number].answers[self.seat(number)] = give, get

    def reject(self, _place: str, _to: str, held: str) -> None:
        """Somebody rejects the offer of the player in turn, who may reject those of others."""
        number = int(_fields(held)["playerNumber"])
        made = self.offers.get(self.number)
        if made is not None and number != self.number:
            made.answers[self.seat(number)] = False

    def accept(self, place: str, _to: str, held: str) -> None:
        """A trade."""
        told = _fields(held)
        accepting, offering = int(told["accepting"]), int(told["offering"])
        to_accepting, to_offering = _bundles(held)
        self.flush(place)
        in_turn = offering == self.number
        other = self.seat(accepting if in_turn else offering)
        give, get = (to_accepting, to_offering) if in_turn else (to_offering, to_accepting)
        made = self.offers.pop(self.number, None)
        answer = True if in_turn else (get, give)
        seat, marks = self.seat(self.number), self.marks(self.number)
        trade = moves.Offer(place, seat, give, get, {other: answer}, other, marks=marks)
        if made is not None:
            made.stands_later = True
            trade.give, trade.get = made.give, made.get
            trade.answers = made.answers | {other: answer}
        self.moves.append(trade)

    def clear_offer(self, _place: str, _to: str, held: str) -> None:
        """Offers are taken back."""
        number = int(_fields(held)["playerNumber"])
        if number < 0:
            self.offers = {}
        else:
            self.offers.pop(number, None)

    def see_points(self, place: str, _to: str, held: str) -> None:
        """Points of all, at the end."""
        _, *told = held.split("|")
        if self.numbers and told[0].isdigit():
            points = [int(told[number]) for number in self.numbers]
            self.check(place, "points", slice(len(points)), points)


_READINGS: Final[dict[str, Callable[[_Log, str, str, str], None]]] = {
    "NewGameWithOptions": _Log.new_game,
    "SitDown": _Log.sit,
    "BoardLayout": _Log.lay_board,
    "BoardLayout2": _Log.lay_board,
    "Turn": _Log.turn,
    "GameState": _Log.change_state,
    "PutPiece": _Log.put_piece,
    "CancelBuildRequest": _Log.take_back,
    "UndoPutPiece": _Log.take_back,
    "DiceResult": _Log.roll,
    "PlayerElements": _Log.see_elements,
    "GameElements": _Log.see_game,
    "Discard": _Log.discard,
    "MoveRobber": _Log.move_robber,
    "RobberyResult": _Log.rob,
    "DevCardAction": _Log.use_card,
    "PickResources": _Log.take_plenty,
    "SimpleAction": _Log.simple_action,
    "BankTrade": _Log.trade_with_bank,
    "MakeOffer": _Log.offer,
    "RejectOffer": _Log.reject,
    "AcceptOffer": _Log.accept,
    "ClearOffer": _Log.clear_offer,
    "GameStats": _Log.see_points,
}
