"""A player's possible buildings, and the cards missing for them, as compiled rules.

They read the state itself, but nothing in it that is hidden from the player.
"""

import numpy as np

from catan_pz.board.topology import VERTEX_HEXES
from catan_pz.engine import bits
from catan_pz.engine.building import (
    cities_left,
    road_spots,
    roads_left,
    settlement_spots,
    settlements_left,
)
from catan_pz.engine.hands import CITY, COSTS, ROAD, SETTLEMENT
from catan_pz.engine.production import pips_of
from catan_pz.engine.state import State
from catan_pz.kernels.rule import kernel
from catan_pz.terms import LONGEST_ROAD_MINIMUM, NOBODY, NUM_RESOURCES, Terrain

WORTH_OF_PIP = np.array([10, 10, 9, 11, 11], np.int64)
"""(R,) worth of a pip of each resource at a future settlement."""
FIRST_OF_ITS_KIND = 12
"""Worth of a resource at a vertex that the player doesn't produce yet."""


@kernel
def worth_of_vertex(s: State, p: int, v: int) -> int:
    """The worth of a settlement of p at a vertex."""
    worth = 0
    kinds = 0
    for k in range(3):
        h = VERTEX_HEXES[v, k]
        if h >= 0 and s.terrain[h] != Terrain.DESERT:
            r = int(s.terrain[h])
            worth += WORTH_OF_PIP[r] * pips_of(int(s.token[h]))
            if s.pips[p, r] == 0 and (kinds >> r) & 1 == 0:
                worth += FIRST_OF_ITS_KIND
            kinds |= 1 << r
    return worth


@kernel
def pips_at(s: State, v: int) -> int:
    """Pips of the hexes at a vertex."""
    pips = 0
    for k in range(3):
        h = VERTEX_HEXES[v, k]
        if h >= 0:
            pips += pips_of(int(s.token[h]))
    return pips


@kernel
def best_city(s: State, p: int) -> int:
    """The settlement of p with the most pips, for a city; or -1."""
    best, most = -1, -1
    vertices = s.settlements[p]
    while vertices != 0:
        v = bits.first(vertices)
        vertices &= vertices - 1
        pips = pips_at(s, v)
        if pips > most:
            best, most = v, pips
    return best


@kernel
def road_needed(s: State) -> int:
    """The length that takes the longest road from its owner, if any."""
    if s.longest_road_owner == NOBODY:
        return LONGEST_ROAD_MINIMUM
    return int(s.road_length[int(s.longest_road_owner)]) + 1


@kernel
def wants_roads(s: State, p: int) -> bool:
    """Whether a road would help p towards a place for a settlement, or the longest road."""
    if settlements_left(s, p) > 0 and settlement_spots(s, p) == 0:
        return True
    if s.longest_road_owner == p:
        return False
    return road_needed(s) - int(s.road_length[p]) <= min(2, roads_left(s, p))


@kernel
def wants(s: State, p: int, purchase: int) -> bool:
    """Whether p has a piece, a place and a use for a purchase."""
    if purchase == SETTLEMENT:
        return settlements_left(s, p) > 0 and settlement_spots(s, p) != 0
    if purchase == CITY:
        return cities_left(s, p) > 0 and s.settlements[p] != 0
    if purchase == ROAD:
        spots = road_spots(s, p, 0) | road_spots(s, p, 1)
        return roads_left(s, p) > 0 and spots != 0 and wants_roads(s, p)
    return s.deck_left > 0


@kernel
def cards_missing(s: State, p: int, purchase: int) -> int:
    """The number of cards that p lacks for a purchase."""
    missing = 0
    for r in range(NUM_RESOURCES):
        missing += max(0, COSTS[purchase, r] - int(s.hand[p, r]))
    return missing
