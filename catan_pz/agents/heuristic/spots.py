"""Building spots: the worth of vertices, the roads to them, and the plan."""

from typing import NamedTuple

from catan_pz.actions import BUILD_ROAD, BUILD_SETTLEMENT
from catan_pz.agents.heuristic.features import (
    allowed,
    harbor_at,
    has_edge,
    others_buildings,
    others_roads,
    own_buildings,
    own_pips,
    own_roads,
    pips_at,
    points_to_go,
    shares_of,
    shares_with,
)
from catan_pz.agents.heuristic.plan import (
    NO_TIMES,
    Plan,
    Times,
    roads_lacking,
    speed_of,
    times_of,
    worth_of_card,
    worth_of_road,
)
from catan_pz.agents.heuristic.weights import WeightRow
from catan_pz.board.topology import (
    EDGE_VERTICES,
    EDGES_PER_WORD,
    VERTEX_EDGES,
    VERTEX_NEIGHBORS,
    VERTEX_SURROUNDINGS,
)
from catan_pz.engine import bits
from catan_pz.engine.awards import longest_from, longest_trail
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Array
from catan_pz.observation import encode
from catan_pz.terms import MAX_PLAYERS, NUM_EDGES, NUM_VERTICES

POINT = 1000
"""Values are in thousandths of a point."""

SURE_WIN = 40_000
"""Worth of a goal that wins the game."""


class Roads(NamedTuple):
    """Obstacles to the viewer's roads, as edges in two words, and where rivals may build."""

    taken_0: int  # edges with a road
    taken_1: int
    rivals: int  # vertices where others' roads end


NO_ROADS = Roads(0, 0, 0)


class Reach(NamedTuple):
    """The vertices that the viewer's roads can reach, as sets."""

    roads: Roads
    closed: int  # vertices that own roads can't pass
    at_0: int  # vertices reached by 0, 1 and 2 more roads
    at_1: int
    at_2: int
    free: int  # by the distance rule


class Income(NamedTuple):
    """The viewer's income, and the time for which it counts."""

    pips: int
    shares: int
    times: Times
    speed: int
    horizon: int


class Goals(NamedTuple):
    """The best spots 0 to 2 roads away and the best city, each as 64 * worth + vertex."""

    here: int
    there: int
    far: int
    city: int


@kernel
def income_of(obs: Int8Array, weights: WeightRow) -> Income:
    """The viewer's income; it counts for less time as somebody gets closer to winning."""
    lead = 0
    for k in range(1, MAX_PLAYERS):
        lead = max(lead, int(obs[encode.VISIBLE_POINTS + k]))
    lacking = int(obs[encode.POINTS_TO_WIN]) - lead
    horizon = weights.horizon * max(1, min(points_to_go(obs), lacking))
    pips, shares = own_pips(obs), shares_of(obs)
    times = times_of(pips, shares, NO_TIMES)
    return Income(pips, shares, times, speed_of(times, weights), horizon)


@kernel
def worth_with(obs: Int8Array, v: int, shares: int, income: Income, weights: WeightRow) -> int:
    """The worth of a building at a vertex: its point, and its income at some shares."""
    times = times_of(income.pips + pips_at(obs, v), shares, income.times)
    return POINT + (speed_of(times, weights) - income.speed) * income.horizon // 100


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
def one_road_on(vertices: int, roads: Roads, closed: int) -> int:
    """Vertices one free edge away from some that aren't closed."""
    reached = 0
    start = vertices & ~closed
    while start != 0:
        v = bits.first(start)
        for k in range(3):
            e = VERTEX_EDGES[v, k]
            if e >= 0 and not has_edge(roads.taken_0, roads.taken_1, e):
                reached |= 1 << VERTEX_NEIGHBORS[v, k]
        start &= start - 1
    return reached & ~vertices


@kernel
def reach_of(obs: Int8Array) -> Reach:
    """Find the vertices that the viewer's roads can reach."""
    mine, theirs = own_buildings(obs, 1), others_buildings(obs)
    own_0, own_1 = own_roads(obs, 0), own_roads(obs, 1)
    their_0, their_1 = others_roads(obs, 0), others_roads(obs, 1)
    rivals = ends_of(their_0, 0) | ends_of(their_1, 1)
    roads = Roads(own_0 | their_0, own_1 | their_1, rivals)
    at_0 = ends_of(own_0, 0) | ends_of(own_1, 1) | mine
    at_1 = one_road_on(at_0, roads, theirs)
    seen = at_0 | at_1
    at_2 = one_road_on(at_1, roads, theirs) & ~seen
    free, buildings = -1, mine | theirs
    while buildings != 0:
        free &= ~VERTEX_SURROUNDINGS[bits.first(buildings)]
        buildings &= buildings - 1
    return Reach(roads, theirs, at_0, at_1, at_2, free)


@kernel
def best_spot(obs: Int8Array, spots: int, roads: Roads, income: Income, weights: WeightRow) -> int:
    """The best of some vertices, as 64 * worth + vertex."""
    best = 0
    while spots != 0:
        v = bits.first(spots)
        worth = worth_with(obs, v, shares_with(income.shares, harbor_at(obs, v)), income, weights)
        if bits.has_vertex(roads.rivals, v):
            worth = worth * weights.claimed // 100
        elif one_road_on(1 << v, roads, 0) & roads.rivals != 0:
            worth = worth * weights.near // 100
        best = max(best, 64 * worth + v)
        spots &= spots - 1
    return best


@kernel
def best_city(obs: Int8Array, spots: int, income: Income, weights: WeightRow) -> int:
    """The best of some own settlements for a city, as 64 * worth + vertex."""
    best = 0
    while spots != 0:
        v = bits.first(spots)
        best = max(best, 64 * worth_with(obs, v, income.shares, income, weights) + v)
        spots &= spots - 1
    return best


@kernel
def goals_of(obs: Int8Array, reach: Reach, weights: WeightRow) -> Goals:
    """The best places to build."""
    income = income_of(obs, weights)
    here = there = far = city = 0
    if obs[encode.PIECES_LEFT + 1] > 0:
        here = best_spot(obs, reach.at_0 & reach.free, NO_ROADS, income, weights)
        there = best_spot(obs, reach.at_1 & reach.free, reach.roads, income, weights)
        far = best_spot(obs, reach.at_2 & reach.free, reach.roads, income, weights)
    if obs[encode.PIECES_LEFT + 2] > 0:
        settlements = own_buildings(obs, 1) & ~own_buildings(obs, 2)
        city = best_city(obs, settlements, income, weights)
    return Goals(here, there, far, city)


@kernel
def plan_for(obs: Int8Array, goals: Goals, weights: WeightRow) -> Plan:
    """The plan for these goals."""
    lacking = points_to_go(obs)
    here, there, far = goals.here // 64, goals.there // 64, goals.far // 64
    city = goals.city // 64
    card, road = worth_of_card(obs, weights), worth_of_road(obs, weights)
    if lacking <= 1:
        here = SURE_WIN if here > 0 else 0
        there = SURE_WIN if there > 0 else 0
        far = SURE_WIN if far > 0 else 0
        city = SURE_WIN if city > 0 else 0
        card = SURE_WIN // 5 if card > 0 else 0
    if lacking <= 2:
        road = SURE_WIN if road > 0 else 0
    worths = here, there, far, city, card, road
    return Plan(worths, roads_lacking(obs), own_pips(obs), shares_of(obs))


@kernel
def plan_of(obs: Int8Array, weights: WeightRow) -> Plan:
    """The plan."""
    return plan_for(obs, goals_of(obs, reach_of(obs), weights), weights)


@kernel
def one_road_less(plan: Plan, away: int) -> Plan:
    """The plan after building a road towards the spot 1 or 2 roads away."""
    here, there, far, city, card, road = plan.worths
    if away == 1:
        here, there = max(here, there), 0
    else:
        there, far = max(there, far), 0
    return Plan((here, there, far, city, card, road), plan.roads, plan.pips, plan.shares)


@kernel
def edge_back(reach: Reach, v: int, level: int) -> int:
    """A free edge from a vertex back to an open one of `level`, or -1."""
    for k in range(3):
        e = VERTEX_EDGES[v, k]
        if e >= 0 and not has_edge(reach.roads.taken_0, reach.roads.taken_1, e):
            if bits.has_vertex(level & ~reach.closed, VERTEX_NEIGHBORS[v, k]):
                return e
    return -1


@kernel
def road_towards(reach: Reach, v: int, away: int) -> int:
    """The first road towards a vertex 1 or 2 roads away."""
    if away == 2:
        e = edge_back(reach, v, reach.at_1)
        v = EDGE_VERTICES[e, 0] + EDGE_VERTICES[e, 1] - v
    return edge_back(reach, v, reach.at_0)


@kernel
def trail_with(own_0: int, own_1: int, e: int, barred: int) -> int:
    """The length of the longest road after building on an edge."""
    if e < EDGES_PER_WORD:
        own_0 |= bits.edge_bit(e)
    else:
        own_1 |= bits.edge_bit(e)
    return longest_from(own_0, own_1, ends_of(own_0, 0) | ends_of(own_1, 1), barred)


@kernel
def longest_road_edge(obs: Int8Array, mask: Int8Array) -> int:
    """A legal road that extends the longest one, or -1."""
    best, chosen = int(obs[encode.ROAD_LENGTH]), -1
    own_0, own_1, barred = own_roads(obs, 0), own_roads(obs, 1), others_buildings(obs)
    for e in range(NUM_EDGES):
        if mask[BUILD_ROAD + e] != 0:
            # A road through it is at most itself plus the roads from its two ends.
            length = 1 + longest_trail(own_0, own_1, EDGE_VERTICES[e, 0], barred)
            length += longest_trail(own_0, own_1, EDGE_VERTICES[e, 1], barred)
            if length > best:
                length = trail_with(own_0, own_1, e, barred)
            if length > best:
                best, chosen = length, e
    return chosen


@kernel
def first_settlements(obs: Int8Array, mask: Int8Array, weights: WeightRow) -> int:
    """The best spot for a first settlement, given the income so far."""
    spots = allowed(mask, BUILD_SETTLEMENT, NUM_VERTICES)
    best = best_spot(obs, spots, NO_ROADS, income_of(obs, weights), weights)
    return BUILD_SETTLEMENT + best % 64


@kernel
def first_roads(obs: Int8Array, mask: Int8Array, weights: WeightRow) -> int:
    """The road from a first settlement: towards the best free spot."""
    reach, income = reach_of(obs), income_of(obs, weights)
    roads, theirs = reach.roads, reach.closed
    most, chosen = -1, -1
    for e in range(NUM_EDGES):
        if mask[BUILD_ROAD + e] == 0 or has_edge(roads.taken_0, roads.taken_1, e):
            continue
        v, w = EDGE_VERTICES[e, 0], EDGE_VERTICES[e, 1]
        if obs[encode.VERTEX_BUILDING + MAX_PLAYERS * v] == 0:
            v, w = w, v
        ways = one_road_on(1 << w, roads, theirs) & ~(1 << v)
        beyond = one_road_on(ways, roads, theirs) & ~(1 << w)
        best = best_spot(obs, ways & reach.free, roads, income, weights)
        then = best_spot(obs, beyond & reach.free, roads, income, weights)
        value = best // 64 + then // 64 // 4
        if value > most:
            most, chosen = value, e
    return BUILD_ROAD + chosen
