"""Observations as planes on the brick grid, for convolutions, and scalars for the rest."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.board.topology import EDGE_POINTS, HEX_POINTS, VERTEX_HARBOR, VERTEX_POINTS
from catan_pz.encoders import features
from catan_pz.encoders.arrays import Array, Constant, gather, join, merge, scaled, spread
from catan_pz.encoders.base import Encoder, Segment
from catan_pz.observation.segments import PLACES, SIZE
from catan_pz.terms import HARBOR_COUNTS, MAX_PLAYERS, NUM_HEXES, NUM_RESOURCES, NUM_VERTICES

HEIGHT: Final = 11
WIDTH: Final = 21
"""Size of the grid: cell (y + 5, x + 10) is the hex, vertex or edge at (x, y)."""

PLANES: Final = (
    *(f"pips of {name} hexes" for name in ("hills", "forest", "pasture", "fields", "mountains")),
    "number token",
    "desert",
    "robber",
    *(f"2:1 harbor for {name}" for name in ("brick", "lumber", "wool", "grain", "ore")),
    "3:1 harbor",
    *(f"road of seat {seat}" for seat in range(MAX_PLAYERS)),
    *(f"settlement of seat {seat}" for seat in range(MAX_PLAYERS)),
    *(f"city of seat {seat}" for seat in range(MAX_PLAYERS)),
    "cell of a hex",
    "cell of a vertex",
    "cell of an edge",
)
"""The meaning of each plane."""

_NUM_KINDS: Final = len(HARBOR_COUNTS)
_YIELDS: Final = SIZE
_BUILDINGS: Final = _YIELDS + NUM_HEXES * NUM_RESOURCES
_ZERO: Final = _BUILDINGS + NUM_VERTICES * 2 * MAX_PLAYERS
_ONE: Final = _ZERO + 1
"""Start indices of the sources that follow the flat vector."""


def put_on_grid(
    planes: NDArray[np.int64], points: NDArray[np.int64], sources: NDArray[np.int64]
) -> None:
    """Write sources (points, C) into the cells of some points of planes (C, HEIGHT, WIDTH)."""
    planes[:, points[:, 1] + HEIGHT // 2, points[:, 0] + WIDTH // 2] = sources.T


def _numbered(start: int, rows: int, columns: int) -> NDArray[np.int64]:
    """(rows, columns) consecutive numbers from `start` on."""
    return start + np.arange(rows * columns).reshape(rows, columns)


def sources_of_harbors(
    kinds: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Points (n, 2) of harbor vertices, and (n, k) indices of kinds (k,) of harbor."""
    served = VERTEX_HARBOR >= 0
    harbors = PLACES["harbor"].start + VERTEX_HARBOR[served, None] * _NUM_KINDS
    return VERTEX_POINTS[served], harbors + kinds


def _sources() -> NDArray[np.int64]:
    """(C, HEIGHT, WIDTH) index of the number in each cell."""
    table = np.full((len(PLANES), HEIGHT, WIDTH), _ZERO, np.int64)

    desert = PLACES["hex_terrain"].start + _numbered(0, NUM_HEXES, NUM_RESOURCES + 1)[:, -1:]
    token, robber = (
        _numbered(PLACES[name].start, NUM_HEXES, 1) for name in ("hex_number_token", "hex_robber")
    )
    yields = _numbered(_YIELDS, NUM_HEXES, NUM_RESOURCES)
    put_on_grid(table[:8], HEX_POINTS, np.concatenate([yields, token, desert, robber], axis=1))
    put_on_grid(table[8:14], *sources_of_harbors(np.arange(_NUM_KINDS)))
    put_on_grid(
        table[14:18],
        EDGE_POINTS,
        _numbered(PLACES["edge_road"].start, len(EDGE_POINTS), MAX_PLAYERS),
    )
    put_on_grid(table[18:26], VERTEX_POINTS, _numbered(_BUILDINGS, NUM_VERTICES, 2 * MAX_PLAYERS))
    for plane, points in zip(table[26:], (HEX_POINTS, VERTEX_POINTS, EDGE_POINTS), strict=True):
        put_on_grid(plane[None], points, np.full((len(points), 1), _ONE))
    return table


_BEYOND: Final = Constant(np.array([0, 1], np.float32))


class PlanesEncoder(Encoder):
    """The board on the brick grid, and scalars for the rest.

    A kernel five wide and three high on a hex covers exactly its six edges and six vertices.
    """

    name = "planes"
    segments = (
        Segment(
            "planes",
            (len(PLANES), HEIGHT, WIDTH),
            "(plane, y, x) " + ", ".join(f"{name} {k}" for k, name in enumerate(PLANES)),
        ),
        Segment(
            "scalars",
            (features.PLAYER_COLUMNS.values.size + features.GAME_COLUMNS.values.size,),
            f"(feature) for each seat {features.described(features.OF_PLAYERS, MAX_PLAYERS)}; "
            f"then {features.described(features.OF_GAME, 1)}",
        ),
    )

    def __init__(self) -> None:
        self._sources = Constant(_sources())
        players, game = features.PLAYER_COLUMNS.values, features.GAME_COLUMNS.values
        self._scalars = Constant(np.concatenate([players.ravel(), game]))

    def encode(self, units: Array) -> dict[str, Array]:
        """The observations (..., N) in natural units as planes and scalars."""
        flat = scaled(units)
        yields, buildings = merge(features.hex_yields(flat)), merge(features.buildings(units))
        numbers = join([flat, yields, buildings, spread(_BEYOND, flat)])
        return {"planes": gather(numbers, self._sources), "scalars": gather(flat, self._scalars)}
