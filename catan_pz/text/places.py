"""Names of places and seats that stay fixed during a game, with their surroundings."""

from collections.abc import Mapping
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.board.topology import EDGE_VERTICES, HEX_VERTICES
from catan_pz.render.words import around_vertex, beside_edge
from catan_pz.terms import GENERIC_HARBOR, Terrain

Segments = Mapping[str, NDArray[np.int8]]
"""An observation's segments by name."""

SEATS: Final = ("you", "P1", "P2", "P3")
"""Names of the seats in turn order from the viewer."""

LETTERS: Final = {"hex": "H", "vertex": "V", "edge": "E"}
"""The letter before the number of a place."""


def hex_words(seen: Segments, hex_id: int) -> str:
    """The resource and number token of a hex: "grain 6", "desert"."""
    terrain = int(seen["hex_terrain"][hex_id].argmax())
    if terrain == Terrain.DESERT:
        return "desert"
    return f"{RESOURCE_NAMES[terrain]} {seen['hex_number_token'][hex_id]}"


def harbor_words(seen: Segments, harbor: int) -> str:
    """A harbor's rate: "3:1 harbor", "2:1 ore harbor"."""
    kind = int(seen["harbor"][harbor].argmax())
    return "3:1 harbor" if kind == GENERIC_HARBOR else f"2:1 {RESOURCE_NAMES[kind]} harbor"


def yield_words(seen: Segments, hex_id: int) -> str:
    """What a hex produces and for whom, in cards: "grain 6: 1 for you, 3 for P2"."""
    words = hex_words(seen, hex_id)
    cards = seen["vertex_building"][HEX_VERTICES[hex_id]].sum(axis=0).tolist()
    taken = [f"{n} for {seat}" for n, seat in zip(cards, SEATS, strict=True) if n]
    return f"{words}: {', '.join(taken)}" if taken and words != "desert" else words


def vertex_words(seen: Segments, vertex: int) -> str:
    """The hexes and the harbor at a vertex: "grain 6/ore 8/3:1 harbor"."""
    return "/".join(around_vertex(vertex, partial(hex_words, seen), partial(harbor_words, seen)))


def edge_words(seen: Segments, edge: int) -> str:
    """The hexes beside an edge: "grain 6/ore 8", "grain 6/sea"."""
    return "/".join(beside_edge(edge, partial(hex_words, seen)))


def edge_ends(edge: int) -> str:
    """The vertices that an edge joins: "V12-V17"."""
    return "-".join(f"V{v}" for v in EDGE_VERTICES[edge].tolist())


def place_words(seen: Segments, kind: str, place: int) -> str:
    """The name of a "hex", "vertex" or "edge" and its surroundings: "V12 (grain 6/ore 8)"."""
    if kind == "edge":
        return f"E{place} {edge_ends(place)} ({edge_words(seen, place)})"
    around = yield_words(seen, place) if kind == "hex" else vertex_words(seen, place)
    return f"{LETTERS[kind]}{place} ({around})"
