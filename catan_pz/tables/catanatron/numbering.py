"""Places, resources and cards as catanatron numbers and names them, and as we do.

catanatron gives hexes cube coordinates (x, y, z), numbers the vertices ("nodes") in the order
in which its list of hexes comes upon them, and names an edge by its two vertices. Both boards
lie the same way round, and the harbors have the same order.
"""

from collections.abc import Iterable
from typing import Final

from catan_pz.board.topology import EDGE_VERTICES, HEX_POINTS, HEX_VERTICES
from catan_pz.terms import Card, Resource

Coordinate = tuple[int, int, int]
Edge = tuple[int, int]

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
    for e, (v, w) in enumerate(EDGE_VERTICES)
    for pair in (
        (NODE_OF[int(v)], NODE_OF[int(w)]),
        (NODE_OF[int(w)], NODE_OF[int(v)]),
    )
}
"""Our edge between each pair of nodes, given in either order."""

NODES_OF: Final[dict[int, Edge]] = {e: pair for pair, e in EDGE_OF.items() if pair[0] < pair[1]}
"""The nodes of each edge, the smaller one first."""

RESOURCE_NAMES: Final = ("WOOD", "BRICK", "SHEEP", "WHEAT", "ORE")
"""Resources in catanatron's order."""

RESOURCE_OF: Final = {
    "WOOD": Resource.LUMBER,
    "BRICK": Resource.BRICK,
    "SHEEP": Resource.WOOL,
    "WHEAT": Resource.GRAIN,
    "ORE": Resource.ORE,
}
"""Our resource for each of its names."""

NAME_OF: Final = {int(resource): name for name, resource in RESOURCE_OF.items()}
"""The name of each resource."""

CARD_OF: Final = {card.name: card for card in Card}
"""Our development card for each of its names, which are the same."""

COLORS: Final = ("RED", "BLUE", "ORANGE", "WHITE")
"""Colors of players."""


def our_order(counts: Iterable[int]) -> list[int]:
    """(R,) counts of resources in our order, given in catanatron's."""
    given = dict(zip(RESOURCE_NAMES, counts, strict=True))
    return [int(given[NAME_OF[r]]) for r in range(len(RESOURCE_NAMES))]


def their_order(counts: Iterable[int]) -> list[int]:
    """(R,) counts of resources in catanatron's order, given in ours."""
    given = [int(n) for n in counts]
    return [given[RESOURCE_OF[name]] for name in RESOURCE_NAMES]
