"""The board as a heterogeneous graph: features of its parts, and fixed lists of its edges."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.board.topology import EDGE_VERTICES, HEX_VERTICES
from catan_pz.encoders import features
from catan_pz.encoders.arrays import Array, gather, join, scaled
from catan_pz.encoders.base import Encoder, Segment
from catan_pz.terms import MAX_PLAYERS, NUM_EDGES, NUM_HEXES, NUM_VERTICES

Index = NDArray[np.int64]


def _pairs(table: Index) -> Index:
    """(2, rows x columns) row and entry of each entry of a table."""
    row = np.repeat(np.arange(len(table)), table.shape[1])
    return _frozen(np.stack([row, table.ravel()]))


def _frozen(array: Index) -> Index:
    array.flags.writeable = False
    return array


VERTEX_VERTEX: Final = _frozen(
    np.concatenate([EDGE_VERTICES.T, EDGE_VERTICES.T[::-1]], axis=1).astype(np.int64)
)
"""(2, 144) neighboring vertices, in both directions: pair k lies along edge k % 72."""

EDGE_VERTEX: Final = _pairs(EDGE_VERTICES)
"""(2, 144) each edge with the vertices at its ends."""

HEX_VERTEX: Final = _pairs(HEX_VERTICES)
"""(2, 114) each hex with the vertices at its corners."""


class GraphEncoder(Encoder):
    """Features of vertices, edges, hexes and players, and global features.

    The graph is the same in every game, so it is no part of the observations: `edge_lists` has
    it, in the form of PyTorch Geometric's `edge_index`.
    """

    name = "graph"
    edge_lists: Final = {
        ("vertex", "road", "vertex"): VERTEX_VERTEX,
        ("edge", "ends", "vertex"): EDGE_VERTEX,
        ("hex", "corner", "vertex"): HEX_VERTEX,
    }
    """(2, n) int64 for each relation: from, to."""

    segments = (
        Segment(
            "vertices",
            (NUM_VERTICES, 14),
            "(V, feature) settlement of each seat 0-3, city of each seat 4-7, harbor 8-13",
        ),
        Segment("edges", (NUM_EDGES, MAX_PLAYERS), "(E, P) road of each seat"),
        Segment(
            "hexes",
            features.HEX_COLUMNS.values.shape,
            f"(H, feature) {features.described(features.OF_HEXES, NUM_HEXES)}",
        ),
        Segment(
            "players",
            features.PLAYER_COLUMNS.values.shape,
            f"(P, feature) {features.described(features.OF_PLAYERS, MAX_PLAYERS)}",
        ),
        Segment("players_mask", (MAX_PLAYERS,), "(P) 1 for each seat that plays"),
        Segment(
            "global",
            features.GAME_COLUMNS.values.shape,
            f"(feature) {features.described(features.OF_GAME, 1)}",
        ),
    )

    def encode(self, units: Array) -> dict[str, Array]:
        """The observations (..., N) in natural units as features of the graph."""
        flat = scaled(units)
        return {
            "vertices": join([features.buildings(units), features.vertex_harbors(flat)]),
            "edges": gather(flat, features.EDGE_COLUMNS),
            "hexes": gather(flat, features.HEX_COLUMNS),
            "players": gather(flat, features.PLAYER_COLUMNS),
            "players_mask": gather(flat, features.PRESENT_COLUMNS),
            "global": gather(flat, features.GAME_COLUMNS),
        }
