"""Colonist's replays: a first state, and for each event its changes and its log entry."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from catan_pz import actions
from catan_pz.actions import PLENTY_ACTIONS
from catan_pz.checks import quoted
from catan_pz.rules import Board, Rules
from catan_pz.tables.records import moves
from catan_pz.tables.records.colonist_state import (
    CARDS,
    RESOURCES,
    ToldState,
    bundle,
    points_of,
)
from catan_pz.tables.records.moves import BOT, TIMEOUT, Marks
from catan_pz.tables.records.playing import Report, ToldGame, rules_at
from catan_pz.tables.records.sight import Sight
from catan_pz.tables.records.telling import Telling
from catan_pz.terms import MAX_PLAYERS, NOBODY, Card

FORMAT: Final = "Colonist replay"

_BASE_ONLY: Final = ("mapSetting", "modeSetting", "extensionSetting", "scenarioSetting")
DICE: Final = ("random", "balanced")
"""The values of `diceSetting`."""

_TIMEOUTS: Final = {58, 64, 87}
_WITHOUT_EFFECT: Final = {
    *(2, 35, 47, 49, 60, 66, 67, 68, 113, 114, 117, 118, *range(122, 128), 130, 146),
    *_TIMEOUTS,
}
"""Kinds of entries that are redundant or don't concern play."""


def is_one(data: Any) -> bool:
    """Whether JSON values look like a replay."""
    return isinstance(data, Mapping) and "eventHistory" in data.get("data", data)


def told_game(data: Mapping[str, Any]) -> ToldGame:
    """The game of a replay."""
    return _Reader(data.get("data", data)).read()


def check_settings(settings: Mapping[str, Any], players: int) -> None:
    """Refuse games other than the base game for up to four."""
    for name in _BASE_ONLY:
        if settings.get(name):
            raise ValueError(f"{name} must be that of the base game, got {settings[name]}")
    if not 2 <= players <= MAX_PLAYERS:
        raise ValueError(f"a game must have 2 to 4 players, got {players}")


def rules_of(settings: Mapping[str, Any], players: int, board: Board) -> Rules:
    """The rules of a game's settings."""
    friendly, dice = bool(settings.get("friendlyRobber")), DICE[bool(settings.get("diceSetting"))]
    return rules_at(
        players,
        board,
        victory_points=settings.get("victoryPointsToWin", 10),
        discard_limit=settings.get("cardDiscardLimit", 7),
        friendly_robber=friendly,
        robber_spares_mover=friendly,
        dice=dice,
        dice_memory=dice == "balanced",
    )


class _Reader(Telling):
    """Reads the events one by one, and keeps what later ones refer to."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__()
        history = data["eventHistory"]
        self.colors: list[int] = data["playOrder"]
        check_settings(data["gameSettings"], len(self.colors))
        self.events: list[Mapping[str, Any]] = history["events"]
        self.end: Mapping[str, Any] = history.get("endGameState") or {}
        told = history.get("eventsPerspectives") or [data.get("playerPerspective")]
        self.state = ToldState(self.colors, filter(None, told), history["initialState"])
        self.seats, self.sight = self.state.seats, self.state.sight
        self.rules = rules_of(data["gameSettings"], len(self.colors), self.state.board)
        self.report = Report(FORMAT, self.state.open)
        users = {user["selectedColor"]: user for user in data.get("playerUserStates", ())}
        self.users = [users.get(color, {}) for color in self.colors]
        self.gone = {seat for seat, user in enumerate(self.users) if user.get("isBot")}
        self.bought: list[int] = list(self.end.get("developmentCardStats") or ())
        self.buys = self.lines = 0
        self.due: set[int] = set()  # seats that still have to discard
        self.offers: dict[str, moves.Offer] = {}
        self.card = False

    def read(self) -> ToldGame:
        """The whole game."""
        for number, event in enumerate(self.events):
            try:
                self.take(f"event {number}", event["stateChange"])
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise ValueError(f"event {number} is damaged: {quoted(error)}") from error
        self.place = "end"
        self.flush()
        if self.end.get("players"):
            points = Sight()
            for color, player in self.end["players"].items():
                points["points"][self.state.by_key[color]] = points_of(player["victoryPoints"])
            self.moves.append(moves.Check("end", points.values))
        self.report.unknown = dict(self.unknown)
        names = [str(user.get("username")) for user in self.users] if all(self.users) else None
        return ToldGame(self.rules, self.moves, self.report, names)

    def take(self, place: str, change: Mapping[str, Any]) -> None:
        """Read one event."""
        self.place, self.change = place, change
        entries = change.get("gameLogState") or {}
        logs = [entries[key] for key in sorted(entries, key=int)]
        late = {log["text"]["playerColor"] for log in logs if log["text"]["type"] in _TIMEOUTS}
        self.late = {self.seats[color] for color in late}
        self.pieces = self.state.new_pieces(change.get("mapState") or {})
        for log in logs:
            kind = log["text"]["type"]
            reading = _READINGS.get(kind)
            if reading is not None:
                self.recipients = log.get("specificRecipients")
                text = log["text"]
                named = "playerColor" in text
                reading(self, self.seats[text["playerColor"]] if named else NOBODY, text)
            elif kind not in _WITHOUT_EFFECT:
                self.unknown[str(kind)] += 1
        self.state.update(change)
        self.see_trade(change.get("tradeState") or {})
        if not (self.due or self.robber or self.card):
            self.moves.append(moves.Check(place, self.sight.values.copy()))

    def see_trade(self, told: Mapping[str, Any]) -> None:
        """Read offers, counter-offers and other answers."""
        for key, offer in (told.get("activeOffers") or {}).items():
            if offer is None:
                self.offers.pop(key, None)
                continue
            if "creator" in offer and key not in self.offers:
                self.see_offer(key, offer)
            if key in self.offers:
                told_answers = (offer.get("playerResponses") or {}).items()
                answers = {self.state.by_key[c]: n == 1 for c, n in told_answers if n}
                self.offers[key].answers |= answers

    def see_offer(self, key: str, told: Mapping[str, Any]) -> None:
        """Read an offer of the player in turn; counter-offers are answers to one."""
        seat = self.seats[told["creator"]]
        sides = bundle(told["offeredResources"]), bundle(told["wantedResources"])
        answered = self.offers.get(told.get("counterOfferInResponseToTradeId") or "")
        if seat == self.state.turn_player:
            self.offers[key] = self.offer(seat, *sides)
        elif answered is not None:
            answered.answers[seat] = sides

    def marks(self, seat: int) -> Marks:
        """Marks of a seat's decisions in this event."""
        late = (TIMEOUT,) if seat in self.late else ()
        return (BOT, *late) if seat in self.gone else late

    # Entries about a seat.

    def build(self, seat: int, text: Any) -> None:
        """Place a piece, paid for or not."""
        self.add(seat, self.pieces[text["pieceEnum"]].pop(0))

    def buy(self, seat: int, _text: Any) -> None:
        number = self.buys
        self.buys += 1
        known = self.bought[number : self.buys] or [self.state.kind_bought(self.change, seat)]
        self.add(seat, actions.BUY_DEVELOPMENT_CARD, CARDS.get(known[0]))

    def roll(self, seat: int, text: Any) -> None:
        """Roll the dice; after a seven record who must discard."""
        dice = text["firstDice"], text["secondDice"]
        self.add(seat, actions.ROLL, dice)
        if sum(dice) == 7:
            held = enumerate(self.sight["hand_size"].tolist())
            self.due = {seat for seat, n in held if n > self.rules.discard_limit}

    def see_discard(self, seat: int, text: Any) -> None:
        """Record a seat's discard; when all have discarded, play them in our order."""
        self.discard(seat, [RESOURCES[card] for card in text["cardEnums"]])
        self.due.discard(seat)
        if not self.due:
            self.flush()

    def see_robber(self, seat: int, _text: Any) -> None:
        tile = self.change["mechanicRobberState"]["locationTileIndex"]
        self.move_robber(seat, self.state.hexes[str(tile)])

    def rob_nobody(self, _seat: int, _text: Any) -> None:
        self.flush()

    def steal(self, seat: int, text: Any) -> None:
        """Record a theft, reported to thief, victim or others: all reports are of the same one."""
        card = (text.get("cardEnums") or [0])[0]
        if text["type"] == 15:
            seat = self.seats[self.recipients[0]]
        elif text["type"] == 16:
            seat = self.seats[text["playerColorVictim"]]
        self.rob(seat, RESOURCES[card] if card else None)

    def play_card(self, seat: int, text: Any) -> None:
        """Play a development card; what it takes has a separate entry."""
        kind = CARDS[text["cardEnum"]]
        if kind == Card.KNIGHT:
            self.add(seat, actions.PLAY_KNIGHT)
        elif kind == Card.ROAD_BUILDING:
            self.add(seat, actions.PLAY_ROAD_BUILDING)
        else:
            self.card = True

    def take_plenty(self, seat: int, text: Any) -> None:
        first, second = (RESOURCES[card] for card in text["cardEnums"])
        self.card = False
        self.add(seat, int(PLENTY_ACTIONS[first, second]))

    def take_all(self, seat: int, text: Any) -> None:
        """Take all cards of a resource by monopoly."""
        self.card = False
        self.add(seat, actions.PLAY_MONOPOLY + RESOURCES[text["cardEnum"]])

    def end_turn(self, _seat: int, _text: Any) -> None:
        """End the turn at a line between turns; in set-up and at the end there is none to end."""
        told = self.change.get("currentState") or {}
        self.lines += 1
        completed = told.get(
            "completedTurns", self.lines if "currentTurnPlayerColor" in told else 0
        )
        if completed > 2 * len(self.colors):
            self.add(self.state.turn_player, actions.END_TURN)

    def see_bank(self, seat: int, text: Any) -> None:
        give, get = bundle(text["givenCardEnums"]), bundle(text["receivedCardEnums"])
        self.trade_with_bank(seat, give, get)

    def see_exchange(self, seat: int, text: Any) -> None:
        give, get = bundle(text["givenCardEnums"]), bundle(text["receivedCardEnums"])
        other = self.seats[text["acceptingPlayerColor"]]
        self.trade(seat, other, give, get, self.offers.values())

    def leave(self, seat: int, _text: Any) -> None:
        """Note that a player is disconnected: after a while a program takes over."""
        self.gone.add(seat)

    def come_back(self, seat: int, _text: Any) -> None:
        self.gone.discard(seat)

    def give_up(self, seat: int, _text: Any) -> None:
        self.report.notes.append(f"Seat {seat} resigned.")

    def win(self, seat: int, _text: Any) -> None:
        self.flush()
        self.moves.append(moves.Over(self.place, seat))


_READINGS: Final[dict[int, Callable[[_Reader, int, Any], None]]] = {
    0: _Reader.come_back,
    1: _Reader.buy,
    4: _Reader.build,
    5: _Reader.build,
    10: _Reader.roll,
    11: _Reader.see_robber,
    14: _Reader.steal,
    15: _Reader.steal,
    16: _Reader.steal,
    20: _Reader.play_card,
    21: _Reader.take_plenty,
    24: _Reader.leave,
    44: _Reader.end_turn,
    45: _Reader.win,
    55: _Reader.see_discard,
    74: _Reader.rob_nobody,
    86: _Reader.take_all,
    112: _Reader.give_up,
    115: _Reader.see_exchange,
    116: _Reader.see_bank,
    139: _Reader.rob_nobody,
}
