"""Coordinates of the drawn board: SVG units, x to the right, y downwards, centre (0, 0).

Hexes have a corner at the top and side length `SIDE`.
"""

from math import hypot, sqrt
from typing import Final

from catan_pz.board.topology import EDGE_VERTICES, HEX_EDGES, HEX_POINTS, HEX_VERTICES, VERTEX_EDGES
from catan_pz.terms import NUM_VERTICES

Point = tuple[float, float]

SIDE: Final = 60.0
HALF_WIDTH: Final = SIDE * sqrt(3) / 2

HEX_POSITIONS: Final[tuple[Point, ...]] = tuple(
    (float(x) * HALF_WIDTH / 2, float(y) * SIDE * 0.75) for x, y in HEX_POINTS
)
"""(H,) centre of each hex."""

CORNERS: Final[tuple[Point, ...]] = (
    (0.0, -SIDE),
    (HALF_WIDTH, -SIDE / 2),
    (HALF_WIDTH, SIDE / 2),
    (0.0, SIDE),
    (-HALF_WIDTH, SIDE / 2),
    (-HALF_WIDTH, -SIDE / 2),
)
"""(6,) corners from a hex's centre, clockwise from the top, as in `HEX_VERTICES`."""


_AT_CORNERS: Final = {
    int(vertex): (x + dx, y + dy)
    for (x, y), vertices in zip(HEX_POSITIONS, HEX_VERTICES, strict=True)
    for (dx, dy), vertex in zip(CORNERS, vertices, strict=True)
}
VERTEX_POSITIONS: Final = tuple(_AT_CORNERS[v] for v in range(NUM_VERTICES))
"""(V,) position of each vertex."""


def edge_ends(edge: int) -> tuple[Point, Point]:
    """The positions of an edge's two vertices."""
    first, second = EDGE_VERTICES[edge]
    return VERTEX_POSITIONS[first], VERTEX_POSITIONS[second]


def edge_middle(edge: int) -> Point:
    """The middle of an edge."""
    (x1, y1), (x2, y2) = edge_ends(edge)
    return (x1 + x2) / 2, (y1 + y2) / 2


def seaward(edge: int, distance: float) -> Point:
    """The point `distance` SVG units out to sea from the middle of a coastal edge."""
    hex_id = next(h for h, edges in enumerate(HEX_EDGES) if edge in edges)
    hex_x, hex_y = HEX_POSITIONS[hex_id]
    x, y = edge_middle(edge)
    length = hypot(x - hex_x, y - hex_y)
    return x + (x - hex_x) / length * distance, y + (y - hex_y) / length * distance


def shortened(start: Point, end: Point, gap: float) -> tuple[Point, Point]:
    """A line cut by `gap` SVG units at both ends."""
    (x1, y1), (x2, y2) = start, end
    length = hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / length * gap, (y2 - y1) / length * gap
    return (x1 + dx, y1 + dy), (x2 - dx, y2 - dy)


def trail(roads: tuple[int, ...], blocked: frozenset[int], length: int) -> tuple[int, ...]:
    """Roads of one continuous trail of a given length, to be marked in the picture.

    `blocked` are the vertices with an opponent's building, where a trail ends. Empty if there is
    no such trail; the rules compute the length itself.
    """
    own = frozenset(roads)

    def extend(vertex: int, used: tuple[int, ...]) -> tuple[int, ...]:
        if len(used) == length:
            return used
        if vertex in blocked and used:
            return ()
        for edge in map(int, VERTEX_EDGES[vertex]):
            if edge in own and edge not in used:
                found = extend(int(EDGE_VERTICES[edge].sum()) - vertex, (*used, edge))
                if found:
                    return found
        return ()

    starts = sorted({int(v) for edge in own for v in EDGE_VERTICES[edge]})
    return next(filter(None, (extend(vertex, ()) for vertex in starts)), ())
