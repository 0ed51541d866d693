"""JSettlers' logs of games: the server's messages as text, one a line, private ones included."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from catan_pz import actions
from catan_pz.actions import PLENTY_ACTIONS
from catan_pz.rules import Board, Rules
from catan_pz.tables.jsettlers import contents
from catan_pz.tables.jsettlers.decisions import canonical_dice
from catan_pz.tables.jsettlers.messages import as_count
from catan_pz.tables.records import moves
from catan_pz.tables.records.moves import BOT, BUILDING, Act, Bundle, Marks
from catan_pz.tables.records.playing import Report, ToldGame, rules_at
from catan_pz.tables.records.sight import Sight
from catan_pz.tables.records.telling import Telling
from catan_pz.terms import NOBODY, Card

FORMAT: Final = "JSettlers log"
Told = Mapping[str, str]
"""Fields of a message by name."""
HEADER: Final = "SOC game event log:"

_LINE: Final = re.compile(r"(?:\d+:[\d.]+:)?(all|!?p[^:]*):SOC(\w+):(.*)")
"""A message of the server to players: its addressee, kind and content."""
_CARDS: Final = re.compile(r"(?:clay|ore|sheep|wheat|wood|unknown)=(\d+)")
_MAIN, _DISCARDING, _OVER = 15, 50, 1000
_SET: Final = "SET"
_HAND: Final = [f"e{k}" for k in range(1, 6)]
_OWNERS: Final = {"e5": "largest_army_owner", "e6": "longest_road_owner"}
_WITHOUT_EFFECT: Final = {
    *("Version", "NewGame", "JoinGame", "LeaveGame", "ChangeFace", "SetSeatLock", "GameMembers"),
    *("GameServerText", "GameTextMsg", "PotentialSettlements", "PlayerElement", "StartGame"),
    *("RollDicePrompt", "DiceResultResources", "DiscardRequest", "ChoosePlayer", "PlayerStats"),
    *("ChoosePlayerRequest", "ResourceCount", "ClearTradeMsg", "RobotDismiss", "DeclineRequest"),
    *("BuildRequest", "TimingPing"),
}
"""Messages that are redundant or don't concern play."""


def is_one(head: str) -> bool:
    """Whether a text starts like a log."""
    return head.startswith(HEADER)


def rules_of(options: dict[str, str], players: int, board: Board) -> Rules:
    """The rules of a table with these options, on a board of the base game."""
    points = options.get("VP", "")
    return rules_at(
        players,
        board,
        trading=not options.get("NT", "").startswith("t"),
        victory_points=int(points[1:]) if points.startswith("t") else 10,
    )


def options_in(text: str) -> dict[str, str]:
    """Options of a game by name; options of games other than the base game are refused."""
    options = _fields(text, ",")
    for name in ("SBL", "PLB", "SC"):
        if options.get(name, "f")[:1] not in ("", "f"):
            raise ValueError(f"{name} must be that of the base game, got {options[name]}")
    return options


def told_game(text: str) -> ToldGame:
    """The game of a log."""
    log = _Log()
    for number, line in enumerate(text.splitlines(), 1):
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        log.place = f"line {number}"
        log.to, kind, log.held = found.groups()
        reading = _READINGS.get(kind)
        if reading is not None:
            try:
                reading(log, _fields(log.held, "|"))
            except (LookupError, ValueError) as error:
                raise ValueError(f"{log.place}: {error}") from error
        elif kind not in _WITHOUT_EFFECT:
            log.unknown[kind] += 1
        if log.hidden:
            break
    return log.game()


def _fields(held: str, between: str) -> dict[str, str]:
    return dict(part.partition("=")[::2] for part in held.split(between))


def _numbers(held: str) -> list[int]:
    return [int(n) for n in held.strip("{} ").split()]


class _Log(Telling):
    """The content of a log so far; seats are numbered from the first player.

    Attributes:
        to, held: addressee and content of the present message.
        numbers: JSettlers' numbers of the seats.
        number: JSettlers' number of the player in turn.
    """

    def __init__(self) -> None:
        super().__init__()
        self.to = self.held = ""
        self.options: dict[str, str] = {}
        self.sitting: dict[int, tuple[str, bool]] = {}
        self.board: Board | None = None
        self.numbers: list[int] = []
        self.number = self.state = -1
        self.drawn = False
        self.hidden = ""
        self.offers: dict[int, moves.Offer] = {}
        self.seen: set[int] = set()

    def game(self) -> ToldGame:
        """The whole game."""
        if not self.hidden:
            self.flush()
        if self.board is None or not self.numbers:
            raise ValueError("the log ends before the game begins")
        report = Report(FORMAT, sorted(self.seen), unknown=dict(self.unknown))
        report.notes.append("The log has sums of dice; the pairs are made up.")
        report.notes += [self.hidden] * bool(self.hidden)
        rules = rules_of(self.options, len(self.numbers), self.board)
        names = [self.sitting[number][0] for number in self.numbers]
        return ToldGame(rules, self.moves, report, names)

    def seat(self, number: int | str) -> int:
        """The seat with a JSettlers number."""
        return self.numbers.index(int(number))

    @property
    def in_turn(self) -> int:
        """The seat of the player in turn."""
        return self.seat(self.number)

    def marks(self, seat: int) -> Marks:
        """The mark of a seat that a robot plays."""
        return (BOT,) if self.sitting[self.numbers[seat]][1] else ()

    def bundles(self) -> list[Bundle]:
        """The bundles of cards in a message, without cards of unknown kinds."""
        counts = [as_count(int(n)) for n in _CARDS.findall(self.held)]
        return [tuple(contents.from_theirs(counts[k : k + 5])) for k in range(0, len(counts), 6)]

    def check(self, name: str, seat: int | slice, value: Any) -> None:
        """Add a check of one field."""
        sight = Sight()
        sight[name][seat] = value
        self.flush()
        self.moves.append(moves.Check(self.place, sight.values))

    # Messages.

    def new_game(self, told: Told) -> None:
        self.options = options_in(told.get("param2", ""))

    def sit(self, told: Told) -> None:
        """Seat a player, possibly in place of a robot."""
        self.sitting[int(told["playerNumber"])] = told["nickname"], told["robotFlag"] == "true"

    def lay_board(self, told: Told) -> None:
        """Read the board; before the game it is all water."""
        coded = "hexLayout" in told
        hexes = _numbers(told["hexLayout" if coded else "HL"])
        tokens = _numbers(told["numberLayout" if coded else "NL"])
        if any(value != 6 for value in hexes):
            self.board = contents.board_of(hexes, tokens, coded)

    def turn(self, told: Told) -> None:
        """Start the next turn, also in set-up."""
        number, state = int(told["playerNumber"]), int(told["gameState"])
        if not self.numbers:
            seats = sorted(self.sitting)
            first = seats.index(number)
            self.numbers = seats[first:] + seats[:first]
        if self.state == _MAIN:
            self.add(self.in_turn, actions.END_TURN)
        self.number = number
        self.state = _MAIN if state in (_MAIN, _OVER) else state
        self.offers = {}
        self.check("turn_player", 0, self.in_turn)
        if state == _OVER:
            self.moves.append(moves.Over(self.place, self.in_turn))

    def change_state(self, told: Told) -> None:
        """Read the state of the game."""
        state = int(told["state"])
        if state == _OVER or (state != _DISCARDING and self.discards):
            self.flush()
        if state == _OVER:
            self.moves.append(moves.Over(self.place, self.in_turn))

    def put_piece(self, told: Told) -> None:
        kind, coord = int(told["pieceType"]), int(told["coord"], 16)
        ids = contents.EDGE_IDS if kind == 0 else contents.VERTEX_IDS
        action = BUILDING[kind] + contents.place(ids, coord, "place")
        self.add(self.seat(told["playerNumber"]), action)

    def take_back(self, told: Told) -> None:
        """Take back the last piece; a piece requested and not placed hasn't been played."""
        first = BUILDING[int(told["pieceType"])]
        while isinstance(self.moves[-1], moves.Check):
            self.moves.pop()
        last = self.moves[-1]
        undone = "coord" in told or self.state in (5, 10)
        if undone and isinstance(last, Act) and first <= last.action < first + 72:
            self.moves.pop()

    def roll(self, told: Told) -> None:
        """Read the dice; -1 before the game."""
        total = int(told["param"])
        if total > 0:
            self.add(self.in_turn, actions.ROLL, canonical_dice(total))

    def see_elements(self, told: Told) -> None:
        """Read a hand, reported to its holder."""
        if told["actionType"] == _SET and self.to != "all" and self.state == _MAIN:
            counts = _fields(self.held.rpartition("|")[2], ",")
            seat = self.seat(told["playerNum"])
            self.seen.add(seat)
            self.check("hand", seat, contents.from_theirs([int(counts[key]) for key in _HAND]))

    def see_game(self, _told: Told) -> None:
        """Read the holders of the special cards."""
        for name, value in _fields(self.held.rpartition("|")[2], ",").items():
            if self.state == _MAIN and name in _OWNERS:
                self.check(_OWNERS[name], 0, NOBODY if int(value) < 0 else self.seat(value))

    def see_discard(self, told: Told) -> None:
        """Read a seat's discard, reported to itself; a client's log hides those of others."""
        seat = self.seat(told["playerNum"])
        if self.to.startswith("!") and seat in self.discards:
            return
        (cards,) = self.bundles()
        if any(cards):
            self.discard(seat, moves.cards_in(cards))
        else:
            self.hidden = (
                f"The log hides the discards of {self.place}; the game is kept up to there."
            )

    def see_robber(self, told: Told) -> None:
        hex_id = contents.place(contents.HEX_IDS, int(told["coord"], 16), "hex")
        self.move_robber(self.in_turn, hex_id)

    def see_theft(self, told: Told) -> None:
        """Read a theft, reported first to those who know the card."""
        kind = int(told["resType"])
        card = None if kind == contents.UNKNOWN_RESOURCE else contents.resource(kind)
        self.rob(self.seat(told["victim"]), card)

    def use_card(self, told: Told) -> None:
        """Read the purchase of a development card, reported to its owner and others, or its use."""
        card, seat = contents.card(int(told["cardType"])), self.seat(told["playerNum"])
        if told["actionType"] == "DRAW":
            if not (self.to.startswith("!") and self.drawn):
                self.add(seat, actions.BUY_DEVELOPMENT_CARD, card)
            self.drawn = not self.to.startswith(("!", "all"))
        elif told["actionType"] == "PLAY" and card == Card.KNIGHT:
            self.add(self.in_turn, actions.PLAY_KNIGHT)
        elif told["actionType"] == "PLAY" and card == Card.ROAD_BUILDING:
            self.add(self.in_turn, actions.PLAY_ROAD_BUILDING)

    def take_plenty(self, _told: Told) -> None:
        (cards,) = self.bundles()
        first, second = moves.cards_in(cards)
        self.add(self.in_turn, int(PLENTY_ACTIONS[first, second]))

    def simple_action(self, told: Told) -> None:
        """Read a monopoly, or the number of cards left after a purchase."""
        if told["actType"] == "3":
            self.add(self.in_turn, actions.PLAY_MONOPOLY + contents.resource(int(told["v2"])))
        elif told["actType"] == "1":
            self.check("deck_left", 0, int(told["v1"]))

    def see_bank(self, told: Told) -> None:
        """Read a trade with the bank, or its reversal."""
        give, get = self.bundles()
        last = self.moves[-1]
        if isinstance(last, moves.BankTrade) and (last.give, last.get) == (get, give):
            self.moves.pop()
        else:
            self.trade_with_bank(self.seat(told["pn"]), give, get)

    def see_offer(self, told: Told) -> None:
        """Read an offer of the player in turn, or one to that player."""
        number = int(told["from"])
        give, get = self.bundles()
        if number == self.number:
            self.offers[number] = self.offer(self.in_turn, give, get)
        elif self.number in self.offers:
            self.offers[self.number].answers[self.seat(number)] = give, get

    def reject(self, told: Told) -> None:
        """Read a rejection of an offer of the player in turn, or by that player of other offers."""
        number = int(told["playerNumber"])
        made = self.offers.get(self.number)
        if made is not None and number != self.number:
            made.answers[self.seat(number)] = False

    def accept(self, told: Told) -> None:
        """Read a trade: the offer of the player in turn is accepted, or one to that player."""
        give, get = self.bundles()
        made = [self.offers.pop(self.number)] if self.number in self.offers else []
        if int(told["offering"]) == self.number:
            self.trade(self.in_turn, self.seat(told["accepting"]), give, get, made)
        else:
            self.trade(self.in_turn, self.seat(told["offering"]), get, give, made)

    def clear_offer(self, told: Told) -> None:
        number = int(told["playerNumber"])
        self.offers = {k: made for k, made in self.offers.items() if number not in (k, -1)}

    def see_points(self, _told: Told) -> None:
        """Read the final points of all players."""
        _, *points = self.held.split("|")
        if self.numbers and points[0].isdigit():
            in_order = [int(points[number]) for number in self.numbers]
            self.check("points", slice(len(in_order)), in_order)


_READINGS: Final[dict[str, Callable[[_Log, Told], None]]] = {
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
    "Discard": _Log.see_discard,
    "MoveRobber": _Log.see_robber,
    "RobberyResult": _Log.see_theft,
    "DevCardAction": _Log.use_card,
    "PickResources": _Log.take_plenty,
    "SimpleAction": _Log.simple_action,
    "BankTrade": _Log.see_bank,
    "MakeOffer": _Log.see_offer,
    "RejectOffer": _Log.reject,
    "AcceptOffer": _Log.accept,
    "ClearOffer": _Log.clear_offer,
    "GameStats": _Log.see_points,
}
