"""The state of Rocco's hierarchical DQN: 675 raw numbers for two players.

Source: G. E. Rocco, "DQN-based approaches for complex board games", master thesis, University of
Trieste, 2023. Letters: V vertices, E edges, R resources; "..." any leading axes.
"""

from functools import partial
from typing import Final

import numpy as np

from catan_pz.board.topology import VERTEX_HARBOR, VERTEX_HEXES
from catan_pz.encoders.arrays import Array, Constant, floats, gather, join, merge, rows
from catan_pz.encoders.base import Encoder, Segment
from catan_pz.encoders.features import padded
from catan_pz.observation.segments import PLACES
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    HARBOR_COUNTS,
    MAX_PLAYERS,
    NUM_CARD_KINDS,
    NUM_EDGES,
    NUM_HARBORS,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    TERRAIN_COUNTS,
    Card,
    Resource,
)

VERTEX_FEATURES: Final = 11
"""Ownership, then resource, number token and robber of three hexes, then the harbor."""

GLOBAL_FEATURES: Final = 9

_BY_ID: Final = (Resource.GRAIN, Resource.ORE, Resource.LUMBER, Resource.BRICK, Resource.WOOL)
"""Resources in the order of their ids, which start at 1."""

_HAND: Final = (Resource.GRAIN, Resource.LUMBER, Resource.ORE, Resource.BRICK, Resource.WOOL)
"""Resources in the order of the hand."""


def _ids(count: int, first: int, others: int) -> Constant:
    """(count) an id for each kind: ascending from `first` for resources, `others` for the rest."""
    ids = np.full(count, float(others))
    ids[list(_BY_ID)] = first + np.arange(NUM_RESOURCES)
    return Constant(ids)


_TERRAIN_IDS: Final = _ids(len(TERRAIN_COUNTS), 1, others=0)
_HARBOR_IDS: Final = _ids(len(HARBOR_COUNTS), 2, others=1)
_HEXES: Final = Constant(np.where(VERTEX_HEXES >= 0, VERTEX_HEXES, NUM_HEXES))
_HARBORS: Final = Constant(np.where(VERTEX_HARBOR >= 0, VERTEX_HARBOR, NUM_HARBORS))
_HAND_COLUMNS: Final = Constant(PLACES["own_hand"].start + np.array(_HAND))
_SIGNS: Final = Constant(np.where(np.arange(MAX_PLAYERS) == 0, 1.0, -1.0))


def _segment(units: Array, name: str) -> Array:
    return floats(units[..., PLACES[name]])


def _vertices(units: Array, cities: bool) -> Array:
    """(..., V, 11) the features of each vertex."""
    built = rows(_segment(units, "vertex_building"), NUM_VERTICES, MAX_PLAYERS)
    if not cities:
        built = floats(built > 0)
    ownership = (built * _SIGNS.beside(built)).sum(-1)[..., None]
    terrain = rows(_segment(units, "hex_terrain"), NUM_HEXES, len(TERRAIN_COUNTS))
    of_hexes = (
        terrain @ _TERRAIN_IDS.beside(terrain),
        _segment(units, "hex_number_token"),
        _segment(units, "hex_robber"),
    )
    around = [gather(padded(one, 1), _HEXES)[..., None] for one in of_hexes]
    harbors = rows(_segment(units, "harbor"), NUM_HARBORS, len(HARBOR_COUNTS))
    harbor = gather(padded(harbors @ _HARBOR_IDS.beside(harbors), 1), _HARBORS)[..., None]
    return join([ownership, merge(join(around)), harbor])


def _edges(units: Array) -> Array:
    """(..., E) 1 for an own road, -1 for an opponent's, 0 for none."""
    roads = rows(_segment(units, "edge_road"), NUM_EDGES, MAX_PLAYERS)
    return (roads * _SIGNS.beside(roads)).sum(-1)


def _globals(units: Array) -> Array:
    """(..., 9) points, hand, knights played, cards ever bought, resources not in the bank."""
    played = rows(_segment(units, "cards_played"), MAX_PLAYERS, NUM_CARD_KINDS)[..., 0, :]
    bought = _segment(units, "card_count")[..., :1] + played.sum(-1)[..., None]
    out = BANK_PER_RESOURCE * NUM_RESOURCES - _segment(units, "bank").sum(-1)[..., None]
    hand = floats(gather(units, _HAND_COLUMNS))
    return join([_segment(units, "own_points"), hand, played[..., Card.KNIGHT, None], bought, out])


_NUMBERS: Final = NUM_VERTICES * VERTEX_FEATURES + NUM_EDGES + GLOBAL_FEATURES


class RoccoEncoder(Encoder):
    """Vertices, edges and nine global numbers as one vector of 675 raw numbers.

    It doesn't contain the opponent's hand, points or cards. Cities may count 2 and -2.
    """

    def __init__(self, cities: bool = False) -> None:
        self.name = "rocco_cities" if cities else "rocco"
        self._cities = cities
        of_cities = "; cities 2 and -2" if cities else ""
        meaning = (
            f"for each vertex ownership 0 (own 1, opponent -1{of_cities}), then resource, number "
            "token and robber of each hex around it 1-9 (grain 1, ore 2, lumber 3, brick 4, wool "
            "5; zeros without a hex), harbor 10 (none 0, 3:1 1, 2:1 by resource 2-6); for each "
            "edge own road 1, opponent's -1; points 0, grain, lumber, ore, brick, wool in hand "
            "1-5, knights played 6, development cards bought 7, resource cards not in the bank 8"
        )
        low, high = -2 if cities else -1, BANK_PER_RESOURCE * NUM_RESOURCES
        self.segments = (Segment(self.name, (_NUMBERS,), meaning, low=low, high=float(high)),)

    def encode(self, units: Array) -> Array:
        """The observations (..., N) in natural units as vectors (..., 675)."""
        return join([merge(_vertices(units, self._cities)), _edges(units), _globals(units)])


with_cities = partial(RoccoEncoder, cities=True)
