"""The state of Gendre and Kaneko, 2020: 17 planes on the brick grid and 45 scalars, unscaled.

Source: Q. Gendre and T. Kaneko, "Playing Catan with Cross-dimensional Neural Network", 2020,
arXiv 2008.07079, in the order of the authors' encoder. Theirs is for two players without trade;
the one for any game is ours. Letters: C planes, H hexes, V vertices, B harbors, R resources;
"..." is any leading axes.
"""

from functools import partial
from typing import Final

import numpy as np

from catan_pz.board.topology import EDGE_POINTS, HEX_POINTS, VERTEX_POINTS
from catan_pz.encoders.arrays import Array, Constant, floats, gather, join, merge, rows
from catan_pz.encoders.base import Encoder, Segment
from catan_pz.encoders.features import vertex_harbors
from catan_pz.encoders.planes import HEIGHT, WIDTH, put_on_grid, sources_of_harbors
from catan_pz.observation.segments import PLACES, SIZE
from catan_pz.terms import (
    GENERIC_HARBOR,
    KNIGHT,
    MAX_PLAYERS,
    NUM_CARD_KINDS,
    NUM_EDGES,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    TERRAIN_COUNTS,
    Resource,
    Terrain,
)

RESOURCES: Final = tuple(Resource[name] for name in ("BRICK", "LUMBER", "ORE", "GRAIN", "WOOL"))
"""The order of the resources."""

_OF_RESOURCES: Final = np.array(RESOURCES)
_OF_HARBORS: Final = np.array((*RESOURCES, GENERIC_HARBOR))
_NUM_TERRAINS: Final = len(TERRAIN_COUNTS)

_TOKENS: Final = SIZE
_PIECES: Final = _TOKENS + NUM_HEXES * NUM_RESOURCES
"""Start indices of the sources of planes: first the observation, then number tokens by resource,
each side's roads, each side's buildings, and a zero."""

_HARBOR_ORDER: Final = Constant(_OF_HARBORS)
_HAND: Final = Constant(PLACES["own_hand"].start + _OF_RESOURCES)
_BANK: Final = Constant(PLACES["bank"].start + _OF_RESOURCES)
_BY_SEAT: Final = np.arange(MAX_PLAYERS)[:, None] * NUM_RESOURCES + _OF_RESOURCES
_GIVEN: Final = Constant(PLACES["offer_give"].start + _BY_SEAT.ravel())
_GOT: Final = Constant(PLACES["offer_get"].start + _BY_SEAT.ravel())


def _sources(sides: int) -> Constant:
    """(C, HEIGHT, WIDTH) the source index of each cell."""
    roads, zero = _PIECES, _PIECES + sides * (NUM_EDGES + NUM_VERTICES)
    buildings = roads + sides * NUM_EDGES
    table = np.full((13 + 2 * sides, HEIGHT, WIDTH), zero, np.int64)
    hexes, edges, vertices = (np.arange(n)[:, None] for n in (NUM_HEXES, NUM_EDGES, NUM_VERTICES))
    tokens = _TOKENS + hexes * NUM_RESOURCES + _OF_RESOURCES
    desert = PLACES["hex_terrain"].start + hexes * _NUM_TERRAINS + Terrain.DESERT
    robber = PLACES["hex_robber"].start + hexes
    of_side = np.arange(sides)
    on_edges = table[7 : 7 + sides]
    harbors, on_vertices = table[7 + sides : 13 + sides], table[13 + sides :]
    put_on_grid(table[:7], HEX_POINTS, np.concatenate([tokens, desert, robber], axis=1))
    put_on_grid(on_edges, EDGE_POINTS, roads + edges + NUM_EDGES * of_side)
    put_on_grid(harbors, *sources_of_harbors(_OF_HARBORS))
    put_on_grid(on_vertices, VERTEX_POINTS, buildings + vertices + NUM_VERTICES * of_side)
    return Constant(table)


def _bytes(array: Array) -> Array:
    """Small integers as int8, which is fast to gather from."""
    return array.astype(np.int8) if isinstance(array, np.ndarray) else array.char()


def _harbor_access(units: Array) -> Array:
    """(..., 6) 1 for each kind of harbor with a building of the viewer."""
    own = rows(units[..., PLACES["vertex_building"]], NUM_VERTICES, MAX_PLAYERS)[..., :1]
    kinds = floats(own).swapaxes(-1, -2) @ floats(vertex_harbors(units))
    return gather(floats(kinds[..., 0, :] > 0), _HARBOR_ORDER)


class GendreEncoder(Encoder):
    """The board as planes, one per kind of object, and the rest as scalars; nothing is scaled.

    With `table`, as in the encoder `gendre_table`, each opponent has its own planes and scalars,
    and trade between players has scalars; without it opponents' numbers are summed.
    """

    def __init__(self, *, table: bool = False) -> None:
        self.name = "gendre_table" if table else "gendre"
        self._table = table
        self._sides = MAX_PLAYERS if table else 2
        self._sources = _sources(self._sides)
        # The scalar of pending cards of a year of plenty, which the agent writes.
        self.free_resources = 27 + 8 * (self._sides - 1) + 9
        self.segments = _OF_TABLE if table else _OF_TWO

    def encode(self, units: Array) -> dict[str, Array]:
        """The observations (..., N) in natural units as planes and scalars."""
        return {"planes": self._planes(units), "scalars": self._scalars(units)}

    def _by_side(self, of_seats: Array) -> list[Array]:
        """Values (..., k) from (..., k, P): the viewer's, then each opponent's or their sum."""
        if self._table:
            return [of_seats[..., seat] for seat in range(MAX_PLAYERS)]
        return [of_seats[..., 0], of_seats[..., 1:].sum(-1)]

    def _planes(self, units: Array) -> Array:
        """(..., C, HEIGHT, WIDTH) raw numbers."""
        terrain = rows(units[..., PLACES["hex_terrain"]], NUM_HEXES, _NUM_TERRAINS)
        tokens = terrain[..., :NUM_RESOURCES] * units[..., PLACES["hex_number_token"], None]
        roads = self._by_side(rows(units[..., PLACES["edge_road"]], NUM_EDGES, MAX_PLAYERS))
        built = rows(units[..., PLACES["vertex_building"]], NUM_VERTICES, MAX_PLAYERS)
        numbers = [units, merge(tokens), *roads, *self._by_side(built), units[..., :1] * 0]
        return floats(gather(join([_bytes(one) for one in numbers]), self._sources))

    def _scalars(self, units: Array) -> Array:
        """(..., S) raw numbers."""
        sides: list[list[Array]] = [[] for _ in range(self._sides)]
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
            for side, numbers in zip(sides, self._by_side(of_seats.swapaxes(-1, -2)), strict=True):
                side.append(numbers)
        own, *others = sides
        new = units[..., PLACES["own_new_cards"]]
        parts = [
            *(gather(units, _HAND), own[1], own[2], units[..., PLACES["own_cards"]] - new, new),
            *(_harbor_access(units), own[4], own[5]),
            *(numbers for other in others for numbers in other),
            *(gather(units, _BANK), units[..., PLACES["deck_left"]]),
            *(1 - units[..., PLACES["rolled"]], 1 - units[..., PLACES["card_played"]]),
            *(units[..., PLACES["free_roads"]], units[..., :1] * 0),
        ]
        if self._table:
            parts += [
                *(units[..., PLACES["turn_player"]], units[..., PLACES["offers_left"]]),
                *(gather(units, _GIVEN), gather(units, _GOT), units[..., PLACES["answer"]]),
            ]
        return join([floats(part) for part in parts])


for_table = partial(GendreEncoder, table=True)


def _segments(planes: int, scalars: int, on_board: str, beside_it: str) -> tuple[Segment, Segment]:
    """The two arrays, from their sizes and the meanings that follow the common part."""
    hexes = (
        "(plane, y, x) number token of hexes that produce brick 0, lumber 1, ore 2, grain 3, wool "
        "4; desert 5; robber 6; roads own 7, "
    )
    own = (
        "(feature) own hand 0-4 (brick, lumber, ore, grain, wool), roads, settlements, cities left "
        "5-7, knights played 8, development cards held before this turn 9-13 and new ones 14-18 "
        "(in the order of `own_cards`), harbors in use 19-24, longest road 25, largest army 26; "
    )
    return (
        Segment("planes", (planes, HEIGHT, WIDTH), hexes + on_board, high=12.0),
        Segment("scalars", (scalars,), own + beside_it, high=127.0),
    )


_OF_TWO: Final = _segments(
    17,
    45,
    "opponent's 8; vertices of 2:1 harbors in the order of the resources 9-13, of 3:1 harbors 14; "
    "buildings own 15, opponent's 16 (settlement 1, city 2)",
    "opponent's cards in hand 27, roads, settlements, cities left 28-30, knights played 31, "
    "development cards 32, longest road 33, largest army 34; bank 35-39, deck 40; before the roll "
    "41, a card may still be played 42, free roads left 43, free resources left 44 (always 0: "
    "written by what plays)",
)
_OF_TABLE: Final = _segments(
    21,
    122,
    "of each opponent 8-10; vertices of 2:1 harbors in the order of the resources 11-15, of 3:1 "
    "harbors 16; buildings own 17, of each opponent 18-20 (settlement 1, city 2)",
    "for each opponent cards in hand, roads, settlements, cities left, knights played, development "
    "cards, longest road, largest army 27-50; bank 51-55, deck 56; before the roll 57, a card may "
    "still be played 58, free roads left 59, free resources left 60 (always 0: written by what "
    "plays); whose turn it is 61-64, offers left 65; what each seat gives by its offer or "
    "counter-offer 66-85, and gets 86-105, in the order of the hand; answers 106-121 (of each seat "
    "none, accepted, rejected, countered)",
)
