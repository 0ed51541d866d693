"""Places, resources, cards and moves as catanatron writes them, and as we do.

catanatron gives hexes cube coordinates (x, y, z), numbers the vertices ("nodes") in the order
of first use in its list of hexes, and names an edge by its two vertices. Both boards have the
same orientation, and harbors the same order. A move is a color, a type and a value. For our two
decisions, the robber's hex and the victim, it has one; we discard card by card, version 3.2.1
half of the hand at once.
"""

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any, Final, NamedTuple, Self

from catan_pz import actions as table
from catan_pz.board.topology import EDGE_VERTICES, HEX_POINTS, HEX_VERTICES
from catan_pz.terms import Card, Resource

Coordinate = tuple[int, int, int]
Edge = tuple[int, int]
Actions = tuple[int, ...]

_RINGS: Final = (
    *((0, 0), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)),
    *((2, 0), (1, 1), (0, 2), (-1, 2), (-2, 2), (-2, 1)),
    *((-2, 0), (-1, -1), (0, -2), (1, -2), (2, -2), (2, -1)),
)
"""x and z of the hexes in catanatron's order: the center, the ring around it, the outer ring."""

_HEX_AT: Final = {(int(x), int(y)): h for h, (x, y) in enumerate(HEX_POINTS)}

COORDINATES: Final = tuple((x, -x - z, z) for x, z in _RINGS)
"""Cube coordinates of the hexes, in catanatron's order."""

HEX_OF: Final[dict[Coordinate, int]] = {
    (x, y, z): _HEX_AT[4 * x + 2 * z, 2 * z] for x, y, z in COORDINATES
}
"""Our hex at each coordinate."""

COORDINATE_OF: Final = {h: place for place, h in HEX_OF.items()}
"""The coordinate of each hex."""

VERTEX_OF: Final = tuple(
    dict.fromkeys(int(v) for place in COORDINATES for v in HEX_VERTICES[HEX_OF[place]])
)
"""Our vertex for each node."""

NODE_OF: Final = {v: node for node, v in enumerate(VERTEX_OF)}
"""The node of each vertex."""

EDGE_OF: Final[dict[Edge, int]] = {
    pair: e
    for e, ends in enumerate(EDGE_VERTICES.tolist())
    for pair in permutations((NODE_OF[v] for v in ends), 2)
}
"""Our edge between each pair of nodes, given in either order."""

NODES_OF: Final[dict[int, Edge]] = {e: pair for pair, e in EDGE_OF.items() if pair[0] < pair[1]}
"""The nodes of each edge, the smaller one first."""

RESOURCE_OF: Final = {
    "WOOD": Resource.LUMBER,
    "BRICK": Resource.BRICK,
    "SHEEP": Resource.WOOL,
    "WHEAT": Resource.GRAIN,
    "ORE": Resource.ORE,
}
"""Our resource for each of its names, in its order."""

RESOURCE_NAMES: Final = tuple(RESOURCE_OF)

NAME_OF: Final = {int(resource): name for name, resource in RESOURCE_OF.items()}
"""The name of each resource."""

CARD_OF: Final = {card.name: card for card in Card}
"""Our development card for each of its names, which are the same as ours."""

COLORS: Final = ("RED", "BLUE", "ORANGE", "WHITE")
"""Colors of players."""


def our_order(counts: Iterable[int]) -> list[int]:
    """(R,) counts of resources in our order, from counts in catanatron's."""
    given = dict(zip(RESOURCE_NAMES, counts, strict=True))
    return [int(given[NAME_OF[r]]) for r in range(len(RESOURCE_NAMES))]


def their_order(counts: Iterable[int]) -> list[int]:
    """(R,) counts of resources in catanatron's order, from counts in ours."""
    given = [int(n) for n in counts]
    return [given[RESOURCE_OF[name]] for name in RESOURCE_NAMES]


_SINGLE: Final = {
    "ROLL": table.ROLL,
    "END_TURN": table.END_TURN,
    "BUY_DEVELOPMENT_CARD": table.BUY_DEVELOPMENT_CARD,
    "PLAY_KNIGHT_CARD": table.PLAY_KNIGHT,
    "PLAY_ROAD_BUILDING": table.PLAY_ROAD_BUILDING,
}
"""Moves that are one action each, whatever their value."""


class Move(NamedTuple):
    """A move of one seat."""

    seat: int
    kind: str  # its type in catanatron
    value: Any  # its value, in plain types: None, a name, a number, or tuples of these
    result: Any = None  # the chance outcome, unless it is part of the value

    @classmethod
    def read(cls, colors: Sequence[str], written: Any, result: Any = None) -> Self:
        """A move from its color, type and value, as a list or an `Action` of catanatron."""
        try:
            color, kind, value = map(plain, written)
            return cls(colors.index(color), str(kind), value, plain(result))
        except (TypeError, ValueError):
            raise ValueError(f"{written!r} is no [color, type, value] of a move") from None

    @property
    def brought(self) -> Any:
        """The chance outcome: two dice, or the name of a resource or card; None if it is hidden.

        Version 3.2.1 stores it as the value, or as the third part of a robber move's value.
        """
        if self.result is not None or self.kind != "MOVE_ROBBER":
            return self.result or self.value
        return self.value[2] if len(self.value) > 2 else None


def plain(value: Any) -> Any:
    """A value without lists and enums: tuples, names and numbers."""
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    return getattr(value, "value", value)


def actions_of(move: Move, colors: Sequence[str]) -> Actions | None:
    """The actions of a move, in order; None if there are none.

    The second action of a robber move that steals is only needed if there are several victims.
    Trades between players, and a year of plenty that takes one card, have no actions.
    """
    kind, value = move.kind, move.value
    if kind in _SINGLE:
        return (_SINGLE[kind],)
    try:
        match kind:
            case "BUILD_ROAD":
                return (table.BUILD_ROAD + EDGE_OF[value],)
            case "BUILD_SETTLEMENT":
                return (table.BUILD_SETTLEMENT + VERTEX_OF[value],)
            case "BUILD_CITY":
                return (table.BUILD_CITY + VERTEX_OF[value],)
            case "MOVE_ROBBER":
                action = table.MOVE_ROBBER + HEX_OF[value[0]]
                victim = victim_of(move, colors)
                if victim is None:
                    return (action,)
                return action, table.STEAL + (victim - move.seat) % len(colors) - 1
            case "DISCARD_RESOURCE" | "DISCARD":
                names = value if kind == "DISCARD" else (value,)
                return tuple(table.DISCARD + RESOURCE_OF[name] for name in names)
            case "PLAY_YEAR_OF_PLENTY":
                first, second = (RESOURCE_OF[name] for name in value)
                return (int(table.PLENTY_ACTIONS[first, second]),)
            case "PLAY_MONOPOLY":
                return (table.PLAY_MONOPOLY + RESOURCE_OF[value],)
            case "MARITIME_TRADE":
                give, get = RESOURCE_OF[value[0]], RESOURCE_OF[value[-1]]
                return None if give == get else (int(table.SWAP_ACTIONS[give, get]),)
    except (KeyError, IndexError, TypeError, ValueError):
        pass
    return None


def victim_of(move: Move, colors: Sequence[str]) -> int | None:
    """The seat that a robber move steals from."""
    name = move.value[1]
    return None if name is None else colors.index(name)
