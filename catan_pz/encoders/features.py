"""Features of hexes, vertices, edges, players and the game, shared by several encoders.

Letters: H hexes, V vertices, E edges, P seats relative to the viewer, R resources; "..." is
any leading axes.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.board.topology import (
    EDGE_POINTS,
    HEX_POINTS,
    VERTEX_HARBOR,
    VERTEX_HEXES,
    VERTEX_POINTS,
)
from catan_pz.encoders.arrays import Array, Constant, floats, gather, join, merge, rows
from catan_pz.encoders.base import Segment
from catan_pz.observation.segments import PLACES, SEGMENTS
from catan_pz.terms import (
    HARBOR_COUNTS,
    MAX_PLAYERS,
    NUM_EDGES,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    TERRAIN_COUNTS,
)

OF_HEXES: Final = ("hex_terrain", "hex_number_token", "hex_pips", "hex_robber")
OF_EDGES: Final = ("edge_road",)
OF_PLAYERS: Final = (
    *("present", "visible_points", "hand_size", "hand_min", "hand_max", "card_count"),
    *("cards_played", "road_length", "longest_road", "largest_army", "pieces_left"),
    *("trade_rate", "production", "turn_player", "player_to_move", "to_discard"),
    *("offer_give", "offer_get", "answer"),
)
OF_VERTICES: Final = ("vertex_building", "harbor")
OF_GAME: Final = tuple(
    segment.name
    for segment in SEGMENTS
    if segment.name not in (*OF_HEXES, *OF_VERTICES, *OF_EDGES, *OF_PLAYERS)
)
"""Segments of observations by what they describe; each segment belongs to one of these."""

_NUM_HARBOR_KINDS: Final = len(HARBOR_COUNTS)
_NUM_TERRAINS: Final = len(TERRAIN_COUNTS)


def columns_of(names: tuple[str, ...], count: int) -> Constant:
    """(count, F) indices in the flat vector of the numbers that describe each of `count` things."""
    parts = [np.arange(PLACES[name].start, PLACES[name].stop).reshape(count, -1) for name in names]
    return Constant(np.concatenate(parts, axis=1))


HEX_COLUMNS: Final = columns_of(OF_HEXES, NUM_HEXES)
EDGE_COLUMNS: Final = columns_of(OF_EDGES, NUM_EDGES)
PLAYER_COLUMNS: Final = columns_of(OF_PLAYERS, MAX_PLAYERS)
GAME_COLUMNS: Final = Constant(columns_of(OF_GAME, 1).values[0])
PRESENT_COLUMNS: Final = Constant(np.arange(PLACES["present"].start, PLACES["present"].stop))


def _vertex_harbors() -> Constant:
    kinds = np.arange(_NUM_HARBOR_KINDS)
    start = PLACES["harbor"].start
    none = PLACES["harbor"].stop - start
    table = VERTEX_HARBOR[:, None] * _NUM_HARBOR_KINDS + kinds
    return Constant(np.where(VERTEX_HARBOR[:, None] >= 0, table, none))


_VERTEX_HARBORS: Final = _vertex_harbors()
_VERTEX_YIELDS: Final = Constant(
    np.where(VERTEX_HEXES[:, None] >= 0, VERTEX_HEXES[:, None], NUM_HEXES) * NUM_RESOURCES
    + np.arange(NUM_RESOURCES)[:, None]
)
_VERTEX_HEXES: Final = Constant(np.where(VERTEX_HEXES >= 0, VERTEX_HEXES, NUM_HEXES))


def _places(points: NDArray[np.int64]) -> Constant:
    middle, most = np.array((10, 5)), np.array((20, 10))
    return Constant((points + middle) / most)


HEX_PLACES: Final = _places(HEX_POINTS)
VERTEX_PLACES: Final = _places(VERTEX_POINTS)
EDGE_PLACES: Final = _places(EDGE_POINTS)
"""(places, 2) x and y of each hex, vertex and edge, in [0, 1]."""


def padded(array: Array, count: int) -> Array:
    """The array with zeros appended to its last axis."""
    return join([array, array[..., :count] * 0])


def buildings(units: Array) -> Array:
    """(..., V, 2P) 1 where a seat has a settlement, then 1 where it has a city."""
    building = rows(units[..., PLACES["vertex_building"]], NUM_VERTICES, MAX_PLAYERS)
    return floats(join([building == 1, building == 2]))


def vertex_harbors(flat: Array) -> Array:
    """(..., V, kind) one-hot harbor of each vertex, zeros without one."""
    return gather(padded(flat[..., PLACES["harbor"]], 1), _VERTEX_HARBORS)


def hex_yields(flat: Array) -> Array:
    """(..., H, R) pips in the column of the resource that each hex produces."""
    terrain = rows(flat[..., PLACES["hex_terrain"]], NUM_HEXES, _NUM_TERRAINS)
    return terrain[..., :NUM_RESOURCES] * flat[..., PLACES["hex_pips"], None]


def vertex_yields(flat: Array) -> Array:
    """(..., V, R + 1) pips around each vertex by resource, then those under the robber."""
    yields = padded(merge(hex_yields(flat)), NUM_RESOURCES)
    blocked = padded(flat[..., PLACES["hex_pips"]] * flat[..., PLACES["hex_robber"]], 1)
    by_resource = gather(yields, _VERTEX_YIELDS).sum(-1) * (1 / 3)
    return join([by_resource, gather(blocked, _VERTEX_HEXES).sum(-1)[..., None]])


def described(names: tuple[str, ...], count: int) -> str:
    """The columns of each segment along the last axis, as in "`present` 0, `hand_min` 1-5"."""
    sizes = {segment.name: segment.size // count for segment in SEGMENTS}
    words, start = [], 0
    for name in names:
        last = start + sizes[name] - 1
        words.append(f"`{name}` {start}" + (f"-{last}" if last > start else ""))
        start = last + 1
    return ", ".join(words)


PLAYERS: Final = Segment(
    "players",
    PLAYER_COLUMNS.values.shape,
    f"(P, feature) {described(OF_PLAYERS, MAX_PLAYERS)}",
)
PLAYERS_MASK: Final = Segment("players_mask", (MAX_PLAYERS,), "(P) 1 for each seat that plays")
