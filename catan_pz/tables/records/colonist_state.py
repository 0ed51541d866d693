"""The state of a game in Colonist's replays: a first state, and changes."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from catan_pz import actions
from catan_pz.board.topology import EDGE_POINTS, HEX_POINTS, VERTEX_POINTS
from catan_pz.engine.state import CITY_OF, ROAD_OF, SETTLEMENT_OF
from catan_pz.rules import Board
from catan_pz.tables.records.moves import Bundle
from catan_pz.tables.records.sight import UNTOLD, Sight
from catan_pz.terms import (
    GENERIC_HARBOR,
    HARBOR_EDGES,
    NOBODY,
    NUM_HEXES,
    Card,
    Resource,
    Terrain,
)

RESOURCES: Final = dict(
    enumerate((Resource.LUMBER, Resource.BRICK, Resource.WOOL, Resource.GRAIN, Resource.ORE), 1)
)
"""Resources by the numbers of their cards; 0 is a hidden card."""
PORTS: Final = {1: GENERIC_HARBOR, **{1 + card: int(r) for card, r in RESOURCES.items()}}
TERRAINS: Final = tuple(
    Terrain[name] for name in ("DESERT", "FOREST", "HILLS", "PASTURE", "FIELDS", "MOUNTAINS")
)
CARDS: Final = {
    11: Card.KNIGHT,
    12: Card.VICTORY_POINT,
    13: Card.MONOPOLY,
    14: Card.ROAD_BUILDING,
    15: Card.YEAR_OF_PLENTY,
}
"""Development cards by number; 10 is a hidden one."""

_CARD_OF: Final = sorted(RESOURCES, key=RESOURCES.__getitem__)
_KIND_OF: Final = sorted(CARDS, key=CARDS.__getitem__)
"""Colonist's numbers, in our order."""


def _numbered(points: Iterable[Iterable[int]]) -> dict[tuple[int, ...], int]:
    return {tuple(map(int, point)): number for number, point in enumerate(points)}


_HEXES, _VERTICES, _EDGES = map(_numbered, (HEX_POINTS, VERTEX_POINTS, EDGE_POINTS))
VERTEX_SHIFTS: Final = ((0, -1), (0, 1))
EDGE_SHIFTS: Final = ((-1, -1), (-2, 0), (-1, 1))
"""Offsets from a hex to its corner and its edge z, in the coordinates of `board.topology`."""


def _place(numbers: Mapping[tuple[int, ...], int], told: Mapping[str, int], shifts: Any) -> int:
    """The number of a hex, vertex or edge given as x, y and z."""
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
    """(R,) the number of cards of each resource in a list."""
    return tuple(map(cards.count, _CARD_OF))


class ToldState:
    """The state of a game as far as reported.

    Attributes:
        seats, by_key: the seat of each color, and of each color as a key of objects.
        hexes, vertices, edges: our numbers by Colonist's keys.
        open: seats whose hidden cards are reported.
        sight: the facts reported so far.
        cards: development cards of each seat, as Colonist's numbers.
    """

    def __init__(self, colors: Sequence[int], opened: Iterable[int], start: Any) -> None:
        self.seats = {color: seat for seat, color in enumerate(colors)}
        self.by_key = {str(color): seat for color, seat in self.seats.items()}
        self.open = sorted(self.seats[color] for color in opened)
        tiles = start["mapState"]
        self.hexes = _places(tiles["tileHexStates"], _HEXES, None)
        self.vertices = _places(tiles["tileCornerStates"], _VERTICES, VERTEX_SHIFTS)
        self.edges = _places(tiles["tileEdgeStates"], _EDGES, EDGE_SHIFTS)
        self.board = _board(
            {self.hexes[key]: tile for key, tile in tiles["tileHexStates"].items()},
            {_place(_EDGES, p, EDGE_SHIFTS): p["type"] for p in tiles["portEdgeStates"].values()},
        )
        self.cards: list[list[int]] = [[] for _ in colors]
        self._points: list[dict[str, int]] = [{} for _ in colors]
        self.sight = Sight()
        for name in ("on_vertex", "on_edge", "rolled"):
            self.sight[name][:] = 0
        for name in ("longest_road_owner", "largest_army_owner"):
            self.sight[name][:] = NOBODY
        self.update(start)

    @property
    def turn_player(self) -> int:
        """The seat whose turn it is."""
        return int(self.sight["turn_player"][0])

    def update(self, change: Mapping[str, Any]) -> None:
        """Update the state from an event or the first state."""
        for name, update in _UPDATES.items():
            told = change.get(name)
            if told:
                update(self, told)

    def kind_bought(self, told: Mapping[str, Any], seat: int) -> int:
        """The card that a seat bought in a change; 0 for hidden cards."""
        if seat not in self.open:  # cards of others that a file reveals by mistake aren't used
            return 0
        players = told["mechanicDevelopmentCardsState"]["players"].items()
        (cards,) = (one["developmentCards"] for key, one in players if self.by_key[key] == seat)
        return min(Counter(cards["cards"]) - Counter(self.cards[seat]))

    def new_pieces(self, told: Mapping[str, Any]) -> dict[int, list[int]]:
        """Actions that place this event's pieces, by `pieceEnum`."""
        corners = (told.get("tileCornerStates") or {}).items()
        edges = (told.get("tileEdgeStates") or {}).items()
        built = [(self.vertices[key], corner.get("buildingType")) for key, corner in corners]
        return {
            0: [actions.BUILD_ROAD + self.edges[key] for key, edge in edges if "owner" in edge],
            2: [actions.BUILD_SETTLEMENT + vertex for vertex, kind in built if kind == 1],
            3: [actions.BUILD_CITY + vertex for vertex, kind in built if kind == 2],
        }

    def see_map(self, told: Mapping[str, Any]) -> None:
        """Read buildings and roads."""
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
        """Read the bank's cards."""
        for key, n in (told.get("resourceCards") or {}).items():
            self.sight["bank"][RESOURCES[int(key)]] = n

    def see_players(self, told: Mapping[str, Any]) -> None:
        """Read hands and points."""
        for color, player in told.items():
            seat = self.by_key[color]
            if "resourceCards" in player:
                cards = player["resourceCards"]["cards"]
                self.sight["hand_size"][seat] = len(cards)
                self.sight["hand"][seat] = UNTOLD if 0 in cards else bundle(cards)
            if "victoryPointsState" in player:
                points = self._points[seat]
                points |= player["victoryPointsState"]
                self.sight["visible_points"][seat] = points_of(points | {"2": 0})
                if seat in self.open:
                    self.sight["points"][seat] = points_of(points)

    def see_longest_road(self, told: Mapping[str, Any]) -> None:
        """Read road lengths and the card's holder."""
        for color, player in told.items():
            if "longestRoad" in player:
                self.sight["road_length"][self.by_key[color]] = player["longestRoad"]
        self.see_owner(told, "longest_road_owner", "hasLongestRoad")

    def see_owner(self, told: Mapping[str, Any], name: str, key: str) -> None:
        """Read the holder of a special card."""
        owner = self.sight[name]
        for color, player in told.items():
            if player.get(key):
                owner[0] = self.by_key[color]
            elif key in player and owner[0] == self.by_key[color]:
                owner[0] = NOBODY

    def see_robber(self, told: Mapping[str, Any]) -> None:
        """Read the robber's place."""
        if "locationTileIndex" in told:
            self.sight["robber"][0] = self.hexes[str(told["locationTileIndex"])]

    def see_cards(self, told: Mapping[str, Any]) -> None:
        """Read development cards."""
        if "bankDevelopmentCards" in told:
            self.sight["deck_left"][0] = len(told["bankDevelopmentCards"]["cards"])
        for color, player in (told.get("players") or {}).items():
            seat = self.by_key[color]
            if "developmentCards" in player:
                cards = self.cards[seat] = player["developmentCards"]["cards"]
                if seat in self.open:
                    self.sight["cards"][seat] = _kinds(cards)
            if "developmentCardsUsed" in player:
                self.sight["played"][seat] = _kinds(player["developmentCardsUsed"] or ())

    def see_turn(self, told: Mapping[str, Any]) -> None:
        """Read whose turn it is."""
        if "currentTurnPlayerColor" in told:
            self.sight["turn_player"][0] = self.seats[told["currentTurnPlayerColor"]]

    def see_dice(self, told: Mapping[str, Any]) -> None:
        """Read whether the dice were rolled."""
        if "diceThrown" in told:
            self.sight["rolled"][0] = bool(told["diceThrown"])


_UPDATES: Final[dict[str, Callable[[ToldState, Any], None]]] = {
    "mapState": ToldState.see_map,
    "bankState": ToldState.see_bank,
    "playerStates": ToldState.see_players,
    "mechanicLongestRoadState": ToldState.see_longest_road,
    "mechanicLargestArmyState": partial(
        ToldState.see_owner, name="largest_army_owner", key="hasLargestArmy"
    ),
    "mechanicRobberState": ToldState.see_robber,
    "mechanicDevelopmentCardsState": ToldState.see_cards,
    "currentState": ToldState.see_turn,
    "diceState": ToldState.see_dice,
}


def points_of(points: Mapping[str, int | None]) -> int:
    """The points of a `victoryPointsState`."""
    return sum(n * (1 + (key in "134")) for key, n in points.items() if n)


def _kinds(cards: Sequence[int]) -> list[int]:
    """(C,) the number of development cards of each kind in a list."""
    return list(map(cards.count, _KIND_OF))
