"""The state of Gendre and Kaneko, 2020: 17 planes on the brick grid and 45 scalars, all raw.

Source: Q. Gendre and T. Kaneko, "Playing Catan with Cross-dimensional Neural Network", 2020,
arXiv 2008.07079, with the order of the authors' encoder. Letters: C planes, H hexes, V vertices,
B harbors, R resources; "..." any leading axes.
"""

from typing import Final

import numpy as np

from catan_pz.board.topology import EDGE_POINTS, HARBOR_VERTICES, HEX_POINTS, VERTEX_POINTS
from catan_pz.encoders.arrays import Array, Table, floats, gather, join, merge, rows
from catan_pz.encoders.base import Encoder, Segment
from catan_pz.encoders.planes import HEIGHT, WIDTH, put_on_grid, sources_of_harbors
from catan_pz.observation.segments import PLACES, SIZE
from catan_pz.terms import (
    GENERIC_HARBOR,
    HARBOR_COUNTS,
    KNIGHT,
    MAX_PLAYERS,
    NUM_CARD_KINDS,
    NUM_EDGES,
    NUM_HARBORS,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    TERRAIN_COUNTS,
    Resource,
    Terrain,
)

RESOURCES: Final = (
    Resource.BRICK,
    Resource.LUMBER,
    Resource.ORE,
    Resource.GRAIN,
    Resource.WOOL,
)
"""The order of the resources."""

NUM_PLANES: Final = 17
NUM_SCALARS: Final = 45
FREE_RESOURCES: Final = NUM_SCALARS - 1
"""The scalar of the cards that a year of plenty still brings. An observation has no such moment:
what plays by the encoder writes it."""

_OF_RESOURCES: Final = np.array(RESOURCES)
_OF_HARBORS: Final = np.array((*RESOURCES, GENERIC_HARBOR))
_NUM_TERRAINS: Final = len(TERRAIN_COUNTS)
_NUM_KINDS: Final = len(HARBOR_COUNTS)

_TOKENS: Final = SIZE
_ROADS: Final = _TOKENS + NUM_HEXES * NUM_RESOURCES
_BUILDINGS: Final = _ROADS + 2 * NUM_EDGES
_ZERO: Final = _BUILDINGS + 2 * NUM_VERTICES
"""Where the numbers lie that the planes are gathered from: first the observation."""


def _sources() -> Table:
    """(C, HEIGHT, WIDTH) where the number in each cell comes from."""
    table = np.full((NUM_PLANES, HEIGHT, WIDTH), _ZERO, np.int64)
    hexes, edges, vertices = (np.arange(n)[:, None] for n in (NUM_HEXES, NUM_EDGES, NUM_VERTICES))
    tokens = _TOKENS + hexes * NUM_RESOURCES + _OF_RESOURCES
    desert = PLACES["hex_terrain"].start + hexes * _NUM_TERRAINS + Terrain.DESERT
    robber = PLACES["hex_robber"].start + hexes
    put_on_grid(table[:7], HEX_POINTS, np.concatenate([tokens, desert, robber], axis=1))
    put_on_grid(table[7:9], EDGE_POINTS, _ROADS + edges + (0, NUM_EDGES))
    put_on_grid(table[9:15], *sources_of_harbors(_OF_HARBORS))
    put_on_grid(table[15:], VERTEX_POINTS, _BUILDINGS + vertices + (0, NUM_VERTICES))
    return Table(table)


_SOURCES: Final = _sources()
_HARBOR_VERTICES: Final = Table(HARBOR_VERTICES)
_HARBOR_ORDER: Final = Table(_OF_HARBORS)
_HAND: Final = Table(PLACES["own_hand"].start + _OF_RESOURCES)
_BANK: Final = Table(PLACES["bank"].start + _OF_RESOURCES)


def _by_seat(units: Array, name: str, count: int) -> tuple[Array, Array]:
    """(..., count) of the viewer and of all others together."""
    of_seats = rows(units[..., PLACES[name]], count, MAX_PLAYERS)
    return of_seats[..., 0], of_seats[..., 1:].sum(-1)


def _planes(units: Array) -> Array:
    """(..., C, HEIGHT, WIDTH) raw numbers."""
    terrain = rows(units[..., PLACES["hex_terrain"]], NUM_HEXES, _NUM_TERRAINS)
    tokens = terrain[..., :NUM_RESOURCES] * units[..., PLACES["hex_number_token"], None]
    roads = _by_seat(units, "edge_road", NUM_EDGES)
    buildings = _by_seat(units, "vertex_building", NUM_VERTICES)
    numbers = [units, merge(tokens), *roads, *buildings, units[..., :1] * 0]
    return floats(gather(join([_bytes(one) for one in numbers]), _SOURCES))


def _bytes(array: Array) -> Array:
    """An array of small integers as int8, which is quick to gather from."""
    return array.astype(np.int8) if isinstance(array, np.ndarray) else array.char()


def _harbor_access(units: Array) -> Array:
    """(..., 6) 1 for each kind of harbor that the viewer has a building at."""
    own, _ = _by_seat(units, "vertex_building", NUM_VERTICES)
    served = floats(gather(own, _HARBOR_VERTICES).sum(-1) > 0)
    kinds = floats(rows(units[..., PLACES["harbor"]], NUM_HARBORS, _NUM_KINDS))
    return gather(floats((kinds * served[..., None]).sum(-2) > 0), _HARBOR_ORDER)


def _scalars(units: Array) -> Array:
    """(..., 45) raw numbers."""
    own, others = [], []
    for name, count in (
        ("hand_size", 1),
        ("pieces_left", 3),
        ("cards_played", NUM_CARD_KINDS),
        ("card_count", 1),
        ("longest_road", 1),
        ("largest_army", 1),
    ):
        of_seats = floats(rows(units[..., PLACES[name]], MAX_PLAYERS, count))
        if name == "cards_played":
            of_seats = of_seats[..., KNIGHT, None]
        own.append(of_seats[..., 0, :])
        others.append(of_seats[..., 1:, :].sum(-2))
    new = units[..., PLACES["own_new_cards"]]
    parts = [
        *(gather(units, _HAND), own[1], own[2], units[..., PLACES["own_cards"]] - new, new),
        *(_harbor_access(units), own[4], own[5]),
        *others,
        *(gather(units, _BANK), units[..., PLACES["deck_left"]]),
        *(1 - units[..., PLACES["rolled"]], 1 - units[..., PLACES["card_played"]]),
        *(units[..., PLACES["free_roads"]], units[..., :1] * 0),
    ]
    return join([floats(part) for part in parts])


class GendreEncoder(Encoder):
    """The board as planes, one for each kind of thing, and all else as scalars; nothing is scaled.

    Made for two players; with more the opponents' pieces and counts are added up.
    """

    name = "gendre"
    segments = (
        Segment(
            "planes",
            (NUM_PLANES, HEIGHT, WIDTH),
            "(plane, y, x) number token of hexes that produce brick 0, lumber 1, ore 2, grain 3, "
            "wool 4; desert 5; robber 6; roads own 7, opponent's 8; vertices of 2:1 harbors in the "
            "order of the resources 9-13, of 3:1 harbors 14; buildings own 15, opponent's 16 "
            "(settlement 1, city 2)",
            high=12.0,
        ),
        Segment(
            "scalars",
            (NUM_SCALARS,),
            "(feature) own hand 0-4 (brick, lumber, ore, grain, wool), roads, settlements, cities "
            "left 5-7, knights played 8, development cards held before this turn 9-13 and new "
            "ones 14-18 (in the order of `own_cards`), harbors in use 19-24, longest road 25, "
            "largest army 26; opponent's cards in hand 27, roads, settlements, cities left 28-30, "
            "knights played 31, development cards 32, longest road 33, largest army 34; bank "
            "35-39, deck 40; before the roll 41, a card may still be played 42, free roads left "
            "43, free resources left 44 (always 0: written by what plays)",
            high=127.0,
        ),
    )

    def encode(self, units: Array) -> dict[str, Array]:
        """The observations (..., N) in natural units as planes and scalars."""
        return {"planes": _planes(units), "scalars": _scalars(units)}
