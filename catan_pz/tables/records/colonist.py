"""Colonist's replays: a first state, and for each event what it changes and what is told of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from catan_pz import actions
from catan_pz.actions import PLENTY_ACTIONS
from catan_pz.board.topology import EDGE_POINTS, HEX_POINTS, VERTEX_POINTS
from catan_pz.checks import quoted
from catan_pz.engine.state import CITY_OF, ROAD_OF, SETTLEMENT_OF
from catan_pz.rules import Board, Rules
from catan_pz.tables.records import moves
from catan_pz.tables.records.moves import (
    BOT,
    MOST_OFFER_CARDS,
    MOST_OFFERS,
    TIMEOUT,
    Act,
    Bundle,
    Marks,
    Move,
)
from catan_pz.tables.records.playing import Report, ToldGame
from catan_pz.tables.records.sight import UNTOLD, Sight
from catan_pz.terms import (
    GENERIC_HARBOR,
    HARBOR_EDGES,
    MAX_PLAYERS,
    NOBODY,
    NUM_HEXES,
    Card,
    Resource,
    Terrain,
)

FORMAT: Final = "Colonist replay"

RESOURCES: Final = {
    1: Resource.LUMBER,
    2: Resource.BRICK,
    3: Resource.WOOL,
    4: Resource.GRAIN,
    5: Resource.ORE,
}
"""By their cards; 0 is a hidden card."""
PORTS: Final = {1: GENERIC_HARBOR, **{1 + card: int(r) for card, r in RESOURCES.items()}}
TERRAINS: Final = {
    0: Terrain.DESERT,
    1: Terrain.FOREST,
    2: Terrain.HILLS,
    3: Terrain.PASTURE,
    4: Terrain.FIELDS,
    5: Terrain.MOUNTAINS,
}
CARDS: Final = {
    11: Card.KNIGHT,
    12: Card.VICTORY_POINT,
    13: Card.MONOPOLY,
    14: Card.ROAD_BUILDING,
    15: Card.YEAR_OF_PLENTY,
}
"""Development cards; 10 is a hidden one."""

_CARD_OF: Final = sorted(RESOURCES, key=RESOURCES.__getitem__)
_KIND_OF: Final = sorted(CARDS, key=CARDS.__getitem__)
"""Their numbers, in our order."""

_BASE_ONLY: Final = ("mapSetting", "modeSetting", "extensionSetting", "scenarioSetting")
DICE: Final = ("random", "balanced")
"""What `diceSetting` says."""

_TIMEOUTS: Final = {58, 64, 87}
_WITHOUT_EFFECT: Final = {
    *(0, 2, 24, 35, 44, 45, 47, 49, 60, 66, 67, 68, 74, 112, 113, 114),
    *(117, 118, *range(122, 128), 130, 139, 146, *_TIMEOUTS),
}
"""Kinds of entries that tell what follows from others, or what isn't played."""


def is_one(data: Any) -> bool:
    """Whether JSON values look like a replay."""
    return isinstance(data, Mapping) and "eventHistory" in data.get("data", data)


def told_game(data: Mapping[str, Any]) -> ToldGame:
    """The game that a replay tells."""
    return _Reader(data.get("data", data)).read()


def rules_of(settings: Mapping[str, Any], players: int, board: Board) -> Rules:
    """The rules that a game's settings stand for."""
    for name in _BASE_ONLY:
        if settings.get(name):
            raise ValueError(f"only the base game can be read, {name} is {settings[name]}")
    if players > MAX_PLAYERS:
        raise ValueError(f"games of 2 to 4 players can be read, this one has {players}")
    friendly, dice = bool(settings.get("friendlyRobber")), DICE[bool(settings.get("diceSetting"))]
    return Rules(
        num_players=players,
        offer_form="both",
        max_offers_per_turn=MOST_OFFERS,
        victory_points=settings.get("victoryPointsToWin", 10),
        discard_limit=settings.get("cardDiscardLimit", 7),
        max_offer_cards=MOST_OFFER_CARDS,
        friendly_robber=friendly,
        robber_spares_mover=friendly,
        dice=dice,
        dice_memory=dice == "balanced",
        board=board,
        max_turns=None,
    )


def _numbered(points: Iterable[Iterable[int]]) -> dict[tuple[int, ...], int]:
    return {tuple(map(int, point)): number for number, point in enumerate(points)}


_HEXES, _VERTICES, _EDGES = map(_numbered, (HEX_POINTS, VERTEX_POINTS, EDGE_POINTS))
VERTEX_SHIFTS: Final = ((0, -1), (0, 1))
EDGE_SHIFTS: Final = ((-1, -1), (-2, 0), (-1, 1))
"""From a hex to its corner and its edge z, in the coordinates of `board.topology`."""


def _place(numbers: Mapping[tuple[int, ...], int], told: Mapping[str, int], shifts: Any) -> int:
    """The number of a hex, vertex or edge that is told as x, y and z."""
    dx, dy = shifts[told["z"]] if shifts else (0, 0)
    return numbers[4 * told["x"] + 2 * told["y"] + dx, 2 * told["y"] + dy]


def _places(told: Mapping[str, Any], numbers: Any, shifts: Any) -> dict[str, int]:
    return {key: _place(numbers, one, shifts) for key, one in told.items()}


def _board(tiles: Mapping[int, Mapping[str, int]], ports: Mapping[int, int]) -> Board:
    in_order = [tiles[h] for h in range(NUM_HEXES)]
    return Board(
        tuple(TERRAINS[tile["type"]] for tile in in_order),
        tuple(tile["diceNumber"] for tile in in_order),
        tuple(PORTS[ports[edge]] for edge in HARBOR_EDGES),
    )


def bundle(cards: Sequence[int]) -> Bundle:
    """(R,) how many cards of each resource a list holds."""
    return tuple(map(cards.count, _CARD_OF))


class _Reader:
    """Reads the events one by one, and keeps what later ones refer to."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        history = data["eventHistory"]
        self.colors: list[int] = data["playOrder"]
        self.seats = {color: seat for seat, color in enumerate(self.colors)}
        self.by_key = {str(color): seat for color, seat in self.seats.items()}
        self.events: list[Mapping[str, Any]] = history["events"]
        self.end: Mapping[str, Any] = history.get("endGameState") or {}
        start = history["initialState"]
        tiles = start["mapState"]
        self.hexes = _places(tiles["tileHexStates"], _HEXES, None)
        self.vertices = _places(tiles["tileCornerStates"], _VERTICES, VERTEX_SHIFTS)
        self.edges = _places(tiles["tileEdgeStates"], _EDGES, EDGE_SHIFTS)
        board = _board(
            {self.hexes[key]: tile for key, tile in tiles["tileHexStates"].items()},
            {_place(_EDGES, p, EDGE_SHIFTS): p["type"] for p in tiles["portEdgeStates"].values()},
        )
        self.rules = rules_of(data["gameSettings"], len(self.colors), board)
        told = history.get("eventsPerspectives") or [data.get("playerPerspective")]
        self.report = Report(FORMAT, sorted(self.seats[color] for color in told if color))
        users = {user["selectedColor"]: user for user in data.get("playerUserStates", ())}
        self.users = [users.get(color, {}) for color in self.colors]
        self.gone = {seat for seat, user in enumerate(self.users) if user.get("isBot")}
        self.bought: list[int] = list(self.end.get("developmentCardStats") or ())
        self.cards: list[list[int]] = [[] for _ in self.colors]
        self.sight = Sight()
        self.points: list[dict[str, int]] = [{} for _ in self.colors]
        self.moves: list[Move] = []
        self.buys = self.lines = 0
        self.due: dict[int, int] = {}
        self.offers: dict[str, moves.Offer] = {}
        self.discards: dict[int, list[Resource]] = {}
        self.discarders: dict[int, Marks] = {}
        self.robber: tuple[int, int] | None = None
        self.card = False
        self.unknown: Counter[str] = Counter()
        for name in ("on_vertex", "on_edge", "rolled"):
            self.sight[name][:] = 0
        for name in ("longest_road_owner", "largest_army_owner"):
            self.sight[name][:] = NOBODY
        self.update(start)

    def read(self) -> ToldGame:
        """The whole game."""
        for number, event in enumerate(self.events):
            try:
                self.take(f"event {number}", event["stateChange"])
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise ValueError(f"event {number} is damaged: {quoted(error)}") from error
        self.flush("end")
        if self.end.get("players"):
            points = Sight()
            for color, player in self.end["players"].items():
                points["points"][self.by_key[color]] = _sum(player["victoryPoints"])
            self.moves.append(moves.Check("end", points.values))
        self.report.unknown = dict(self.unknown)
        names = [str(user.get("username")) for user in self.users] if all(self.users) else None
        return ToldGame(self.rules, self.moves, self.report, names)

    def take(self, place: str, change: Mapping[str, Any]) -> None:
        """Read one event."""
        self.place, self.change = place, change
        entries = change.get("gameLogState") or {}
        logs = [entries[key] for key in sorted(entries, key=int)]
        self.late = {log["text"]["playerColor"] for log in logs if log["text"]["type"] in _TIMEOUTS}
        self.pieces = self.new_pieces(change.get("mapState") or {})
        for log in logs:
            kind = log["text"]["type"]
            reading = _READINGS.get(kind)
            if reading is not None:
                reading(self, log["text"], log)
            elif kind not in _WITHOUT_EFFECT:
                self.unknown[str(kind)] += 1
        self.update(change)
        if not (self.due or self.robber or self.card):
            self.moves.append(moves.Check(place, self.sight.values.copy()))

    def update(self, change: Mapping[str, Any]) -> None:
        """Take in what an event, or the first state, says of the state."""
        for name, update in _UPDATES.items():
            told = change.get(name)
            if told:
                update(self, told)

    # What the state says.

    def see_map(self, told: Mapping[str, Any]) -> None:
        """Buildings and roads."""
        on_vertex, on_edge = self.sight["on_vertex"], self.sight["on_edge"]
        for key, corner in (told.get("tileCornerStates") or {}).items():
            vertex = self.vertices[key]
            if "owner" in corner:
                on_vertex[vertex] = SETTLEMENT_OF + self.seats[corner["owner"]]
            if corner.get("buildingType") == 2 and on_vertex[vertex] < CITY_OF:
                on_vertex[vertex] += CITY_OF - SETTLEMENT_OF
        for key, edge in (told.get("tileEdgeStates") or {}).items():
            if "owner" in edge:
                on_edge[self.edges[key]] = ROAD_OF + self.seats[edge["owner"]]

    def see_bank(self, told: Mapping[str, Any]) -> None:
        """Cards in the bank."""
        for key, n in (told.get("resourceCards") or {}).items():
            self.sight["bank"][RESOURCES[int(key)]] = n

    def see_players(self, told: Mapping[str, Any]) -> None:
        """Hands and points."""
        for color, player in told.items():
            seat = self.by_key[color]
            if "resourceCards" in player:
                cards = player["resourceCards"]["cards"]
                self.sight["hand_size"][seat] = len(cards)
                self.sight["hand"][seat] = UNTOLD if 0 in cards else bundle(cards)
            if "victoryPointsState" in player:
                points = self.points[seat]
                points |= player["victoryPointsState"]
                self.sight["visible_points"][seat] = _sum(points | {"2": 0})
                if seat in self.report.seats:
                    self.sight["points"][seat] = _sum(points)

    def see_longest_road(self, told: Mapping[str, Any]) -> None:
        """Lengths of roads, and who holds the card."""
        for color, player in told.items():
            if "longestRoad" in player:
                self.sight["road_length"][self.by_key[color]] = player["longestRoad"]
        self.see_owner("longest_road_owner", "hasLongestRoad", told)

    def see_largest_army(self, told: Mapping[str, Any]) -> None:
        """Who holds the card."""
        self.see_owner("largest_army_owner", "hasLargestArmy", told)

    def see_owner(self, name: str, key: str, told: Mapping[str, Any]) -> None:
        """Who holds a special card."""
        owner = self.sight[name]
        for color, player in told.items():
            if player.get(key):
                owner[0] = self.by_key[color]
            elif key in player and owner[0] == self.by_key[color]:
                owner[0] = NOBODY

    def see_robber(self, told: Mapping[str, Any]) -> None:
        """Where the robber stands."""
        if "locationTileIndex" in told:
            self.sight["robber"][0] = self.hexes[str(told["locationTileIndex"])]

    def see_cards(self, told: Mapping[str, Any]) -> None:
        """Development cards."""
        if "bankDevelopmentCards" in told:
            self.sight["deck_left"][0] = len(told["bankDevelopmentCards"]["cards"])
        for color, player in (told.get("players") or {}).items():
            seat = self.by_key[color]
            if "developmentCards" in player:
                cards = self.cards[seat] = player["developmentCards"]["cards"]
                if seat in self.report.seats:
                    self.sight["cards"][seat] = _kinds(cards)
            if "developmentCardsUsed" in player:
                self.sight["played"][seat] = _kinds(player["developmentCardsUsed"] or ())

    def see_turn(self, told: Mapping[str, Any]) -> None:
        """Whose turn it is."""
        if "currentTurnPlayerColor" in told:
            self.sight["turn_player"][0] = self.seats[told["currentTurnPlayerColor"]]

    def see_dice(self, told: Mapping[str, Any]) -> None:
        """Whether the dice were rolled."""
        if "diceThrown" in told:
            self.sight["rolled"][0] = bool(told["diceThrown"])

    def see_trade(self, told: Mapping[str, Any]) -> None:
        """Offers, counter-offers and other answers."""
        for key, offer in (told.get("activeOffers") or {}).items():
            if offer is None:
                self.offers.pop(key, None)
                continue
            known = self.offers.get(key)
            if "creator" in offer and known is None:
                known = self.new_offer(key, offer)
            if known is not None:
                told_answers = (offer.get("playerResponses") or {}).items()
                answers = {self.by_key[c]: n == 1 for c, n in told_answers if n}
                known.answers |= answers

    def new_offer(self, key: str, told: Mapping[str, Any]) -> moves.Offer | None:
        """An offer of the player in turn; counter-offers are answers to one."""
        seat = self.seats[told["creator"]]
        sides = bundle(told["offeredResources"]), bundle(told["wantedResources"])
        if seat == self.sight["turn_player"][0]:
            self.flush(self.place)
            made = moves.Offer(self.place, seat, *sides, marks=self.marks(told["creator"]))
            self.offers[key] = made
            self.moves.append(made)
            return made
        answered = self.offers.get(told.get("counterOfferInResponseToTradeId") or "")
        if answered is not None:
            answered.answers[seat] = sides
        return None

    # What the entries say.

    def add(self, color: int, action: int, outcome: Any = None) -> None:
        """Add a move that is one action of ours."""
        seat = self.seats[color]
        self.flush(self.place)
        self.moves.append(Act(self.place, seat, action, outcome, self.marks(color)))

    def marks(self, color: int) -> Marks:
        """What is to be said of a decision of a player in this event."""
        late = (TIMEOUT,) if color in self.late else ()
        return (BOT, *late) if self.seats[color] in self.gone else late

    def flush(self, place: str) -> None:
        """Something else follows a move of the robber: nobody was robbed."""
        if self.robber is not None:
            (color, hex_id), self.robber = self.robber, None
            mover = self.seats[color]
            self.moves.append(moves.Rob(place, mover, hex_id, None, None, self.marks(color)))

    def new_pieces(self, told: Mapping[str, Any]) -> dict[int, list[int]]:
        """Actions that place the pieces of this event, by `pieceEnum`."""
        corners = (told.get("tileCornerStates") or {}).items()
        edges = (told.get("tileEdgeStates") or {}).items()
        built = [(self.vertices[key], corner.get("buildingType")) for key, corner in corners]
        return {
            0: [actions.BUILD_ROAD + self.edges[key] for key, edge in edges if "owner" in edge],
            2: [actions.BUILD_SETTLEMENT + vertex for vertex, kind in built if kind == 1],
            3: [actions.BUILD_CITY + vertex for vertex, kind in built if kind == 2],
        }

    def build(self, text: Any, _log: Any) -> None:
        """A piece is placed, paid or not."""
        self.add(text["playerColor"], self.pieces[text["pieceEnum"]].pop(0))

    def buy(self, text: Any, _log: Any) -> None:
        """A development card is bought."""
        color = text["playerColor"]
        told = self.change["mechanicDevelopmentCardsState"]["players"][str(color)]
        new = Counter(told["developmentCards"]["cards"]) - Counter(self.cards[self.seats[color]])
        if self.buys < len(self.bought):
            known = self.bought[self.buys]
        else:  # others' cards that a file tells by mistake aren't used
            known = min(new) if self.seats[color] in self.report.seats else 0
        self.buys += 1
        self.add(color, actions.BUY_DEVELOPMENT_CARD, CARDS.get(known))

    def roll(self, text: Any, _log: Any) -> None:
        """The dice are rolled; after a seven some have to discard."""
        dice = text["firstDice"], text["secondDice"]
        self.add(text["playerColor"], actions.ROLL, dice)
        if sum(dice) == 7:
            held = enumerate(self.sight["hand_size"].tolist())
            self.due = {seat: n // 2 for seat, n in held if n > self.rules.discard_limit}
            self.discards, self.discarders = {}, {}

    def discard(self, text: Any, _log: Any) -> None:
        """A seat discards; when all have, they do so in our order."""
        seat = self.seats[text["playerColor"]]
        self.discards[seat] = [RESOURCES[card] for card in text["cardEnums"]]
        self.discarders[seat] = self.marks(text["playerColor"])
        self.due.pop(seat, None)
        if not self.due:
            self.moves.append(moves.Discards(self.place, self.discards, self.discarders))

    def move_robber(self, text: Any, _log: Any) -> None:
        """The robber is moved; a theft may follow."""
        self.flush(self.place)
        tile = self.change["mechanicRobberState"]["locationTileIndex"]
        self.robber = text["playerColor"], self.hexes[str(tile)]

    def rob_nobody(self, _text: Any, _log: Any) -> None:
        """There is nobody to rob."""
        self.flush(self.place)

    def steal(self, text: Any, log: Any) -> None:
        """A theft, as told to thief, victim or others: each tells of the same."""
        if self.robber is None:
            return
        (thief, hex_id), self.robber = self.robber, None
        kind = text["type"]
        card = (text.get("cardEnums") or [0])[0]
        if kind == 14:
            victim = text["playerColor"]
        else:
            victim = log["specificRecipients"][0] if kind == 15 else text["playerColorVictim"]
        resource = RESOURCES[card] if card else None
        self.moves.append(
            moves.Rob(
                self.place,
                self.seats[thief],
                hex_id,
                self.seats[victim],
                resource,
                self.marks(thief),
            )
        )

    def play_card(self, text: Any, _log: Any) -> None:
        """A development card is played; what it takes is told in an entry of its own."""
        kind = CARDS[text["cardEnum"]]
        if kind == Card.KNIGHT:
            self.add(text["playerColor"], actions.PLAY_KNIGHT)
        elif kind == Card.ROAD_BUILDING:
            self.add(text["playerColor"], actions.PLAY_ROAD_BUILDING)
        else:
            self.card = True

    def take_plenty(self, text: Any, _log: Any) -> None:
        """Year of plenty takes two cards."""
        first, second = (RESOURCES[card] for card in text["cardEnums"])
        self.card = False
        self.add(text["playerColor"], int(PLENTY_ACTIONS[first, second]))

    def take_all(self, text: Any, _log: Any) -> None:
        """Monopoly takes all cards of a resource."""
        self.card = False
        self.add(text["playerColor"], actions.PLAY_MONOPOLY + RESOURCES[text["cardEnum"]])

    def end_turn(self, _text: Any, _log: Any) -> None:
        """A line between turns; in set-up and at the end no turn of ours ends with it."""
        told = self.change.get("currentState") or {}
        self.lines += 1
        completed = told.get(
            "completedTurns", self.lines if "currentTurnPlayerColor" in told else 0
        )
        if completed > 2 * len(self.colors):
            self.add(self.colors[int(self.sight["turn_player"][0])], actions.END_TURN)

    def trade_with_bank(self, text: Any, _log: Any) -> None:
        """Some lots are traded with the bank."""
        self.flush(self.place)
        give, get = bundle(text["givenCardEnums"]), bundle(text["receivedCardEnums"])
        seat, marks = self.seats[text["playerColor"]], self.marks(text["playerColor"])
        self.moves.append(moves.BankTrade(self.place, seat, give, get, marks))

    def trade(self, text: Any, _log: Any) -> None:
        """A trade of the player in turn with another, by one of the offers or an answer to it."""
        self.flush(self.place)
        give, get = bundle(text["givenCardEnums"]), bundle(text["receivedCardEnums"])
        color, other = text["playerColor"], self.seats[text["acceptingPlayerColor"]]
        made = moves.Offer(
            self.place, self.seats[color], give, get, {other: True}, other, marks=self.marks(color)
        )
        for offer in self.offers.values():
            countered = offer.answers.get(other) == (get, give)
            if countered or (offer.give, offer.get) == (give, get):
                made.give, made.get = offer.give, offer.get
                made.answers = offer.answers | ({} if countered else {other: True})
                offer.stands_later = True
        self.moves.append(made)

    def leave(self, text: Any, _log: Any) -> None:
        """A player is disconnected: after a while a program goes on."""
        self.gone.add(self.seats[text["playerColor"]])

    def come_back(self, text: Any, _log: Any) -> None:
        """A player is back."""
        self.gone.discard(self.seats[text["playerColor"]])

    def give_up(self, text: Any, _log: Any) -> None:
        """A player resigns."""
        self.report.notes.append(f"Seat {self.seats[text['playerColor']]} resigned.")

    def win(self, text: Any, _log: Any) -> None:
        """A player has won."""
        self.flush(self.place)
        self.moves.append(moves.Over(self.place, self.seats[text["playerColor"]]))


_UPDATES: Final[dict[str, Callable[[_Reader, Any], None]]] = {
    "mapState": _Reader.see_map,
    "bankState": _Reader.see_bank,
    "playerStates": _Reader.see_players,
    "mechanicLongestRoadState": _Reader.see_longest_road,
    "mechanicLargestArmyState": _Reader.see_largest_army,
    "mechanicRobberState": _Reader.see_robber,
    "mechanicDevelopmentCardsState": _Reader.see_cards,
    "currentState": _Reader.see_turn,
    "diceState": _Reader.see_dice,
    "tradeState": _Reader.see_trade,
}

_READINGS: Final[dict[int, Callable[[_Reader, Any, Any], None]]] = {
    0: _Reader.come_back,
    1: _Reader.buy,
    4: _Reader.build,
    5: _Reader.build,
    10: _Reader.roll,
    11: _Reader.move_robber,
    14: _Reader.steal,
    15: _Reader.steal,
    16: _Reader.steal,
    20: _Reader.play_card,
    21: _Reader.take_plenty,
    24: _Reader.leave,
    44: _Reader.end_turn,
    45: _Reader.win,
    55: _Reader.discard,
    74: _Reader.rob_nobody,
    86: _Reader.take_all,
    112: _Reader.give_up,
    115: _Reader.trade,
    116: _Reader.trade_with_bank,
    139: _Reader.rob_nobody,
}


def _sum(points: Mapping[str, int | None]) -> int:
    """The points of a `victoryPointsState`."""
    return sum(n * (1 + (key in "134")) for key, n in points.items() if n)


def _kinds(cards: Sequence[int]) -> list[int]:
    """(C,) how many development cards of each kind a list holds."""
    return list(map(cards.count, _KIND_OF))
