"""Observations as tokens for attention: hexes, vertices, edges, seats, and a global token."""

import numpy as np

from catan_pz.encoders import features
from catan_pz.encoders.arrays import Array, Constant, gather, join, scaled, spread
from catan_pz.encoders.base import Encoder, Segment
from catan_pz.terms import MAX_PLAYERS, NUM_EDGES, NUM_HEXES, NUM_VERTICES

_PLACE = "x, y"


def _ones(count: int) -> Constant:
    return Constant(np.ones(count, np.float32))


class TokensEncoder(Encoder):
    """Tokens that say everything of themselves, their place on the board included.

    Tokens of a kind have features of their own, so that a learner embeds each kind by a layer of
    its own and joins them, in this order, to a sequence of 150. The masks, joined likewise, are 1
    for tokens to attend to: 0 for seats that nobody has.
    """

    name = "tokens"
    segments = (
        Segment(
            "hexes",
            (NUM_HEXES, 11),
            f"(H, feature) {features.described(features.OF_HEXES, NUM_HEXES)}, {_PLACE} 9-10",
        ),
        Segment(
            "vertices",
            (NUM_VERTICES, 22),
            "(V, feature) settlement of each seat 0-3, city of each seat 4-7, harbor 8-13, pips "
            f"of the hexes around it by resource 14-18, pips under the robber 19, {_PLACE} 20-21",
        ),
        Segment("edges", (NUM_EDGES, 6), f"(E, feature) road of each seat 0-3, {_PLACE} 4-5"),
        Segment(
            "players",
            features.PLAYER_COLUMNS.values.shape,
            f"(P, feature) {features.described(features.OF_PLAYERS, MAX_PLAYERS)}",
        ),
        Segment(
            "global",
            (1, *features.GAME_COLUMNS.values.shape),
            f"(1, feature) {features.described(features.OF_GAME, 1)}",
        ),
        Segment("hexes_mask", (NUM_HEXES,), "(H) 1"),
        Segment("vertices_mask", (NUM_VERTICES,), "(V) 1"),
        Segment("edges_mask", (NUM_EDGES,), "(E) 1"),
        Segment("players_mask", (MAX_PLAYERS,), "(P) 1 for each seat that plays"),
        Segment("global_mask", (1,), "(1) 1"),
    )

    def __init__(self) -> None:
        self._hexes, self._vertices = _ones(NUM_HEXES), _ones(NUM_VERTICES)
        self._edges, self._game = _ones(NUM_EDGES), _ones(1)

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
            "hexes_mask": spread(self._hexes, flat),
            "vertices_mask": spread(self._vertices, flat),
            "edges_mask": spread(self._edges, flat),
            "players_mask": gather(flat, features.PRESENT_COLUMNS),
            "global_mask": spread(self._game, flat),
        }
