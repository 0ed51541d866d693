"""Features of hexes, vertices, edges and players, as a graph and as tokens."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.board.topology import EDGE_VERTICES, HEX_VERTICES
from catan_pz.encoders import features
from catan_pz.encoders.arrays import Array, Constant, gather, join, scaled, spread
from catan_pz.encoders.base import Encoder, Segment
from catan_pz.terms import MAX_PLAYERS, NUM_EDGES, NUM_HEXES, NUM_VERTICES

Index = NDArray[np.int64]


def _pairs(table: Index) -> Index:
    """(2, rows x columns) row and value of each entry of a table."""
    return np.stack([np.repeat(np.arange(len(table)), table.shape[1]), table.ravel()])


VERTEX_VERTEX: Final = np.concatenate([EDGE_VERTICES.T, EDGE_VERTICES.T[::-1]], axis=1)
"""(2, 144) neighboring vertices, in both directions: pair k lies along edge k % 72."""

EDGE_VERTEX: Final = _pairs(EDGE_VERTICES)
"""(2, 144) each edge with the vertices at its ends."""

HEX_VERTEX: Final = _pairs(HEX_VERTICES)
"""(2, 114) each hex with the vertices at its corners."""

for _edges in (VERTEX_VERTEX, EDGE_VERTEX, HEX_VERTEX):
    _edges.flags.writeable = False


class GraphEncoder(Encoder):
    """Features of vertices, edges, hexes and players, and global features.

    The graph is the same in every game and not part of the observations. `edge_lists` holds it in
    the form of PyTorch Geometric's `edge_index`.
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
        features.PLAYERS,
        features.PLAYERS_MASK,
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


_COUNTS: Final = {"hexes": NUM_HEXES, "vertices": NUM_VERTICES, "edges": NUM_EDGES, "global": 1}
_ONES: Final = {f"{kind}_mask": Constant(np.ones(n)) for kind, n in _COUNTS.items()}
"""The masks, which are the same in every game."""


class TokensEncoder(Encoder):
    """Tokens of hexes, vertices, edges, players and the game, with their places on the board.

    A learner embeds each kind with its own layer and concatenates them, in this order, into a
    sequence of 150. The concatenated masks are 1 for tokens to attend to, 0 for absent seats.
    """

    name = "tokens"
    segments = (
        Segment(
            "hexes",
            (NUM_HEXES, 11),
            f"(H, feature) {features.described(features.OF_HEXES, NUM_HEXES)}, x, y 9-10",
        ),
        Segment(
            "vertices",
            (NUM_VERTICES, 22),
            "(V, feature) settlement of each seat 0-3, city of each seat 4-7, harbor 8-13, pips "
            "of the hexes around it by resource 14-18, pips under the robber 19, x, y 20-21",
        ),
        Segment("edges", (NUM_EDGES, 6), "(E, feature) road of each seat 0-3, x, y 4-5"),
        features.PLAYERS,
        Segment(
            "global",
            (1, *features.GAME_COLUMNS.values.shape),
            f"(1, feature) {features.described(features.OF_GAME, 1)}",
        ),
        Segment("hexes_mask", (NUM_HEXES,), "(H) 1"),
        Segment("vertices_mask", (NUM_VERTICES,), "(V) 1"),
        Segment("edges_mask", (NUM_EDGES,), "(E) 1"),
        features.PLAYERS_MASK,
        Segment("global_mask", (1,), "(1) 1"),
    )

    def encode(self, units: Array) -> dict[str, Array]:
        """The observations (..., N) in natural units as tokens and masks."""
        flat = scaled(units)
        hexes = [gather(flat, features.HEX_COLUMNS), spread(features.HEX_PLACES, flat)]
        vertices = [
            features.buildings(units),
            features.vertex_harbors(flat),
            features.vertex_yields(flat),
            spread(features.VERTEX_PLACES, flat),
        ]
        edges = [gather(flat, features.EDGE_COLUMNS), spread(features.EDGE_PLACES, flat)]
        return {
            "hexes": join(hexes),
            "vertices": join(vertices),
            "edges": join(edges),
            "players": gather(flat, features.PLAYER_COLUMNS),
            "global": gather(flat, features.GAME_COLUMNS)[..., None, :],
            "hexes_mask": spread(_ONES["hexes_mask"], flat),
            "vertices_mask": spread(_ONES["vertices_mask"], flat),
            "edges_mask": spread(_ONES["edges_mask"], flat),
            "players_mask": gather(flat, features.PRESENT_COLUMNS),
            "global_mask": spread(_ONES["global_mask"], flat),
        }
