"""The board from coordinates only, as a check of the package's tables.

Hex centers lie in rows r = -2..2 of n = 5 - |r| at y = 2r, x = -2(n - 1) + 4j. A hex at (x, y)
has its edges at (x±2, y) and (x±1, y±1) and its vertices at (x, y±1) and (x±2, y±1).
Everything is a dict or a set; vertices and edges are numbered by (y, x).
"""

HEXES = [
    (-2 * (n - 1) + 4 * j, 2 * r) for r in range(-2, 3) for n in [5 - abs(r)] for j in range(n)
]


def _around(x, y, steps):
    return {(x + dx, y + dy) for dx, dy in steps}


_TO_VERTICES = [(0, -1), (0, 1), (-2, -1), (-2, 1), (2, -1), (2, 1)]
_TO_EDGES = [(-2, 0), (2, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def _by_row(points):
    return sorted(points, key=lambda point: (point[1], point[0]))


VERTICES = _by_row(set().union(*(_around(x, y, _TO_VERTICES) for x, y in HEXES)))
EDGES = _by_row(set().union(*(_around(x, y, _TO_EDGES) for x, y in HEXES)))

HEX_VERTICES = [{VERTICES.index(v) for v in _around(x, y, _TO_VERTICES)} for x, y in HEXES]
HEX_EDGES = [{EDGES.index(e) for e in _around(x, y, _TO_EDGES)} for x, y in HEXES]


def _ends(x, y):
    """An edge's ends are one step left and right of it, or one step up and down."""
    near = _around(x, y, [(-1, 0), (1, 0)] if y % 2 else [(0, -1), (0, 1)])
    return {VERTICES.index(v) for v in near}


ENDS = [_ends(*e) for e in EDGES]
VERTEX_EDGES = [{e for e, ends in enumerate(ENDS) if v in ends} for v in range(len(VERTICES))]
VERTEX_HEXES = [{h for h, corners in enumerate(HEX_VERTICES) if v in corners} for v in range(54)]
NEIGHBORS = [set().union(*(ENDS[e] for e in VERTEX_EDGES[v])) - {v} for v in range(54)]

_HARBORS = [(10, 0), (7, 3), (1, 5), (-5, 5), (-8, 2), (-8, -2), (-5, -5), (1, -5), (7, -3)]
HARBOR_EDGES = [EDGES.index(point) for point in _HARBORS]
"""Coastal edges that carry the harbors."""
