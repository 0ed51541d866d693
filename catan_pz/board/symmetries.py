"""Rotations and reflections of the island that preserve the harbors' edges.

A rotated game is the same game with other numbers for its places. The frame fixes the harbor
edges, so only those of the twelve symmetries of the hexes remain that map these edges onto each
other.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.board.topology import (
    EDGE_VERTICES,
    HEX_NEIGHBORS,
    HEX_POINTS,
    HEX_VERTICES,
    VERTEX_POINTS,
)
from catan_pz.terms import HARBOR_EDGES

Permutation = NDArray[np.int64]

_CENTER: Final = int(np.flatnonzero((HEX_POINTS == 0).all(1))[0])
_SIDES: Final = 6


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A permutation of the places of the board.

    Attributes:
        hexes: (H,) the new number of each hex.
        vertices: (V,) the new number of each vertex.
        edges: (E,) the new number of each edge.
        harbors: (B,) the new number of each harbor.
    """

    hexes: Permutation
    vertices: Permutation
    edges: Permutation
    harbors: Permutation


def _moved_hexes(shift: int, step: int) -> Permutation:
    """(H,) new numbers of hexes if side k of the central hex becomes side shift + step * k."""
    ring = HEX_POINTS[HEX_NEIGHBORS[_CENTER]].T
    move = ring[:, [shift, (shift + step) % _SIDES]] @ np.linalg.inv(ring[:, [0, 1]])
    moved = np.rint(HEX_POINTS @ move.T).astype(np.int64)
    places = {tuple(point): h for h, point in enumerate(HEX_POINTS.tolist())}
    return np.array([places[tuple(point)] for point in moved.tolist()])


def _symmetry(shift: int, step: int) -> Symmetry | None:
    hexes = _moved_hexes(shift, step)
    # Side k of a hex lies between corners k and k + 1.
    corners = (shift + step * np.arange(_SIDES) + (step < 0)) % _SIDES
    vertices = np.empty(len(VERTEX_POINTS), np.int64)
    vertices[HEX_VERTICES] = HEX_VERTICES[hexes][:, corners]
    edge_between = {frozenset(ends): e for e, ends in enumerate(EDGE_VERTICES.tolist())}
    moved = vertices[EDGE_VERTICES].tolist()
    edges = np.array([edge_between[frozenset(ends)] for ends in moved])
    harbor_at = {edge: b for b, edge in enumerate(HARBOR_EDGES)}
    harbors = [harbor_at.get(int(edges[edge])) for edge in HARBOR_EDGES]
    if None in harbors:
        return None
    return Symmetry(hexes, vertices, edges, np.array(harbors, np.int64))


def _symmetries() -> tuple[Symmetry, ...]:
    found = [_symmetry(shift, step) for step in (1, -1) for shift in range(_SIDES)]
    return tuple(symmetry for symmetry in found if symmetry is not None)


SYMMETRIES: Final = _symmetries()
"""All symmetries of the board; the first is the identity."""
