"""Where to build: what vertices are worth, how many roads lead there, and which is the first."""

from typing import Annotated, TypeAlias

from numba import types

from catan_pz.agents.heuristic.features import (
    buildings_of,
    harbor_at,
    has_edge,
    lead_of_others,
    others_buildings,
    others_roads,
    own_roads,
    pips_at,
    points_to_go,
    shares_with,
)
from catan_pz.agents.heuristic.pace import speed_of
from catan_pz.agents.heuristic.weights import CLAIMED, HORIZON, NEAR
from catan_pz.board.topology import (
    EDGE_VERTICES,
    EDGES_PER_WORD,
    VERTEX_EDGES,
    VERTEX_NEIGHBORS,
    VERTEX_SURROUNDINGS,
)
from catan_pz.engine import bits
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import ConstInt64Array, Int8Array
from catan_pz.observation import encode

POINT = 1000
"""Values are in thousandths of a point."""

NO_SPOT = -1


Reach: TypeAlias = Annotated[tuple[int, ...], types.UniTuple(types.int64, 9)]
"""What `reach_of` gives, as rules take it."""


@kernel
def horizon_of(obs: Int8Array, weights: ConstInt64Array) -> int:
    """Time for which production counts: the shorter, the closer somebody is to winning."""
    lacking = int(obs[encode.POINTS_TO_WIN]) - lead_of_others(obs)
    return weights[HORIZON] * max(1, min(points_to_go(obs), lacking))


@kernel
def worth_of_pips(
    pips: int, shares: int, speed: int, horizon: int, weights: ConstInt64Array
) -> int:
    """What it is worth to come to earn some pips, at some shares, instead of the present speed."""
    return (speed_of(pips, shares, weights) - speed) * horizon // 100


@kernel
def worth_of_spot(
    obs: Int8Array,
    v: int,
    pips: int,
    shares: int,
    speed: int,
    horizon: int,
    weights: ConstInt64Array,
) -> int:
    """What a settlement on a vertex is worth: its point and what it brings."""
    better = shares_with(shares, harbor_at(obs, v))
    return POINT + worth_of_pips(pips + pips_at(obs, v, 1), better, speed, horizon, weights)


@kernel
def ends_of(edges: int, word: int) -> int:
    """Vertices at the ends of the edges in one of the two words of a set."""
    vertices = 0
    while edges != 0:
        e = bits.first(edges) + EDGES_PER_WORD * word
        vertices |= 1 << EDGE_VERTICES[e, 0] | 1 << EDGE_VERTICES[e, 1]
        edges &= edges - 1
    return vertices


@kernel
def one_road_on(vertices: int, taken_0: int, taken_1: int, closed: int) -> int:
    """Vertices that one more road reaches from some, past no closed one, on edges not taken."""
    reached = 0
    start = vertices & ~closed
    while start != 0:
        v = bits.first(start)
        for k in range(3):
            e = VERTEX_EDGES[v, k]
            if e >= 0 and not has_edge(taken_0, taken_1, e):
                reached |= 1 << VERTEX_NEIGHBORS[v, k]
        start &= start - 1
    return reached & ~vertices


@kernel
def barred_spots(buildings: int) -> int:
    """Vertices on which the distance rule lets nobody build."""
    barred = 0
    while buildings != 0:
        barred |= VERTEX_SURROUNDINGS[bits.first(buildings)]
        buildings &= buildings - 1
    return barred


@kernel
def reach_of(obs: Int8Array) -> Reach:
    """The viewer's ways: what is where, and the vertices that 0 to 2 more roads reach.

    Returns:
        Edges taken (two words), vertices closed to own roads, those reached by exactly 0, 1
        and 2 more roads, and those where others can build, at once and with a road more.
    """
    mine, theirs = buildings_of(obs, 0, 1), others_buildings(obs)
    own_0, own_1 = own_roads(obs, 0), own_roads(obs, 1)
    their_0, their_1 = others_roads(obs, 0), others_roads(obs, 1)
    taken_0, taken_1 = own_0 | their_0, own_1 | their_1
    at_0 = ends_of(own_0, 0) | ends_of(own_1, 1) | mine
    at_1 = one_road_on(at_0, taken_0, taken_1, theirs)
    seen = at_0 | at_1
    at_2 = one_road_on(at_1, taken_0, taken_1, theirs) & ~seen
    claimed = ends_of(their_0, 0) | ends_of(their_1, 1)
    near = one_road_on(claimed, taken_0, taken_1, mine) & ~claimed
    free = ~barred_spots(mine | theirs)
    return taken_0, taken_1, theirs, at_0, at_1, at_2, claimed & free, near & free, free


@kernel
def best_spot(
    obs: Int8Array,
    spots: int,
    claimed: int,
    near: int,
    pips: int,
    shares: int,
    speed: int,
    horizon: int,
    weights: ConstInt64Array,
) -> int:
    """The best of some vertices and its worth, as one number: 64 * worth + vertex."""
    best = 0
    while spots != 0:
        v = bits.first(spots)
        worth = worth_of_spot(obs, v, pips, shares, speed, horizon, weights)
        if bits.has_vertex(claimed, v):
            worth = worth * weights[CLAIMED] // 100
        elif bits.has_vertex(near, v):
            worth = worth * weights[NEAR] // 100
        best = max(best, 64 * worth + v)
        spots &= spots - 1
    return best


@kernel
def best_city(
    obs: Int8Array,
    spots: int,
    pips: int,
    shares: int,
    speed: int,
    horizon: int,
    weights: ConstInt64Array,
) -> int:
    """The best of own settlements to make a city of, as 64 * worth + vertex."""
    best = 0
    while spots != 0:
        v = bits.first(spots)
        more = pips + pips_at(obs, v, 1)
        worth = POINT + worth_of_pips(more, shares, speed, horizon, weights)
        best = max(best, 64 * worth + v)
        spots &= spots - 1
    return best


@kernel
def edge_back(v: int, level: int, taken_0: int, taken_1: int, closed: int) -> int:
    """A free edge from a vertex back to one of a level from which roads can go on, or -1."""
    for k in range(3):
        e = VERTEX_EDGES[v, k]
        if e >= 0 and not has_edge(taken_0, taken_1, e):
            if bits.has_vertex(level & ~closed, VERTEX_NEIGHBORS[v, k]):
                return e
    return NO_SPOT


@kernel
def first_road_to(
    v: int, away: int, taken_0: int, taken_1: int, closed: int, at_0: int, at_1: int
) -> int:
    """The road to build first towards a vertex that 1 or 2 roads lead to."""
    if away == 2:
        e = edge_back(v, at_1, taken_0, taken_1, closed)
        v = EDGE_VERTICES[e, 0] + EDGE_VERTICES[e, 1] - v
    return edge_back(v, at_0, taken_0, taken_1, closed)
