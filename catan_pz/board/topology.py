"""Adjacency of hexes, vertices and edges: constant tables of the 19-hex board.

Positions are brick coordinates (x to the right, y downwards). A hex at (x, y) has
its edges at (x±2, y) and (x±1, y±1) and its vertices at (x, y±1) and (x±2, y±1).
Hexes are numbered row by row; vertices and edges by (y, x). All tables are int64,
with -1 for none. Letters: H hexes, V vertices, E edges, B harbors.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.terms import HARBOR_EDGES, NUM_HARBORS

Table = NDArray[np.int64]
Point = tuple[int, int]


def _hex_points() -> list[Point]:
    points = []
    for row in range(-2, 3):
        length = 5 - abs(row)
        points += [(-2 * (length - 1) + 4 * j, 2 * row) for j in range(length)]
    return points


def _vertex_points_of(x: int, y: int) -> list[Point]:
    """Corners of the hex at (x, y), clockwise from the top."""
    return [(x, y - 1), (x + 2, y - 1), (x + 2, y + 1), (x, y + 1), (x - 2, y + 1), (x - 2, y - 1)]


def _edge_points_of(x: int, y: int) -> list[Point]:
    """Sides of the hex at (x, y), clockwise from the upper right."""
    return [(x + 1, y - 1), (x + 2, y), (x + 1, y + 1), (x - 1, y + 1), (x - 2, y), (x - 1, y - 1)]


def _numbered(points: set[Point]) -> dict[Point, int]:
    return {p: i for i, p in enumerate(sorted(points, key=lambda p: (p[1], p[0])))}


def _table(rows: list[list[int]], width: int) -> Table:
    table = np.full((len(rows), width), -1, np.int64)
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    table.flags.writeable = False
    return table


_HEXES = _hex_points()
_VERTICES = _numbered({v for h in _HEXES for v in _vertex_points_of(*h)})
_EDGES = _numbered({e for h in _HEXES for e in _edge_points_of(*h)})


def _ends(point: Point) -> list[int]:
    """The two vertices of the edge at a point: one unit left and right, or up and down."""
    x, y = point
    sideways = [(x - 1, y), (x + 1, y)]
    upright = [(x, y - 1), (x, y + 1)]
    return [_VERTICES[p] for p in (sideways if y % 2 else upright)]


HEX_POINTS: Final = _table([list(p) for p in _HEXES], 2)
"""(H, 2) x and y of each hex."""

VERTEX_POINTS: Final = _table([list(p) for p in _VERTICES], 2)
"""(V, 2) x and y of each vertex."""

EDGE_POINTS: Final = _table([list(p) for p in _EDGES], 2)
"""(E, 2) x and y of each edge's middle."""

HEX_VERTICES: Final = _table([[_VERTICES[p] for p in _vertex_points_of(*h)] for h in _HEXES], 6)
"""(H, 6) corners of each hex, clockwise from the top."""

HEX_EDGES: Final = _table([[_EDGES[p] for p in _edge_points_of(*h)] for h in _HEXES], 6)
"""(H, 6) sides of each hex, clockwise from the upper right."""

EDGE_VERTICES: Final = _table([_ends(p) for p in _EDGES], 2)
"""(E, 2) ends of each edge."""

VERTEX_HEXES: Final = _table(
    [[h for h in range(len(_HEXES)) if v in HEX_VERTICES[h]] for v in range(len(_VERTICES))], 3
)
"""(V, 3) hexes that meet at each vertex."""

VERTEX_EDGES: Final = _table(
    [[e for e in range(len(_EDGES)) if v in EDGE_VERTICES[e]] for v in range(len(_VERTICES))], 3
)
"""(V, 3) edges that meet at each vertex."""

VERTEX_NEIGHBORS: Final = _table(
    [
        [int(EDGE_VERTICES[e].sum()) - v for e in VERTEX_EDGES[v] if e >= 0]
        for v in range(len(_VERTICES))
    ],
    3,
)
"""(V, 3) vertex at the far end of each edge of `VERTEX_EDGES`."""

HARBOR_VERTICES: Final = _table([list(EDGE_VERTICES[e]) for e in HARBOR_EDGES], 2)
"""(B, 2) vertices that each harbor serves."""

VERTEX_HARBOR: Final = _table(
    [
        [b for b in range(NUM_HARBORS) if v in HARBOR_VERTICES[b]] or [-1]
        for v in range(len(_VERTICES))
    ],
    1,
)[:, 0]
"""(V,) harbor that serves each vertex."""

HEX_NEIGHBORS: Final = _table(
    [
        [
            _HEXES.index(p)
            for dx, dy in [(2, -2), (4, 0), (2, 2), (-2, 2), (-4, 0), (-2, -2)]
            if (p := (x + dx, y + dy)) in _HEXES
        ]
        for x, y in _HEXES
    ],
    6,
)
"""(H, 6) hexes beside each hex, clockwise from the upper right."""

EDGES_PER_WORD: Final = 36
"""A set of edges is two int64 words: edge e is bit e % 36 of word e // 36."""


def _vertex_set(vertices: Table) -> int:
    return sum(1 << int(v) for v in vertices if v >= 0)


def _edge_set(edges: Table) -> list[int]:
    words = [0, 0]
    for e in edges:
        if e >= 0:
            words[int(e) // EDGES_PER_WORD] |= 1 << int(e) % EDGES_PER_WORD
    return words


HEX_VERTEX_SET: Final = _table([[_vertex_set(row)] for row in HEX_VERTICES], 1)[:, 0]
"""(H,) corners of each hex, vertex v as bit v."""

VERTEX_SURROUNDINGS: Final = _table(
    [[1 << v | _vertex_set(VERTEX_NEIGHBORS[v])] for v in range(len(_VERTICES))], 1
)[:, 0]
"""(V,) each vertex with its neighbors, where a building there bars others; vertex v as bit v."""

VERTEX_EDGE_SET: Final = _table([_edge_set(row) for row in VERTEX_EDGES], 2)
"""(V, 2) edges that meet at each vertex, as two words of 36 bits."""

SLOT_EDGE_SET: Final = _table(
    [[word for k in range(3) for word in _edge_set(row[k : k + 1])] for row in VERTEX_EDGES], 6
).reshape(-1, 3, 2)
"""(V, 3, 2) each edge of `VERTEX_EDGES` as a set, empty for -1."""

RETURN_SLOT: Final = _table(
    [
        [
            list(VERTEX_EDGES[VERTEX_NEIGHBORS[v, k]]).index(VERTEX_EDGES[v, k])
            if VERTEX_EDGES[v, k] >= 0
            else -1
            for k in range(3)
        ]
        for v in range(len(_VERTICES))
    ],
    3,
)
"""(V, 3) the index of the edge `VERTEX_EDGES[v, k]` in the list of its other end."""

# Corner hexes counter-clockwise from the upper left, and the ring inside them.
_OUTER_RING = (0, 3, 7, 12, 16, 17, 18, 15, 11, 6, 2, 1)
_INNER_RING = (4, 8, 13, 14, 10, 5)
_CENTER = 9

SPIRALS: Final = _table(
    [
        [_OUTER_RING[(2 * c + k) % 12] for k in range(12)]
        + [_INNER_RING[(c + k) % 6] for k in range(6)]
        + [_CENTER]
        for c in range(6)
    ],
    19,
)
"""(6, H) hexes along the counter-clockwise spiral from each corner to the center."""
