"""The set-up: where the first settlements and their roads go."""

from catan_pz.agents.heuristic.sight import allowed, has_edge, pips_of, rates_of
from catan_pz.agents.heuristic.spots import (
    best_spot,
    horizon_of,
    one_road_on,
    reach_of,
    worth_of_spot,
)
from catan_pz.agents.heuristic.style import GROWTH
from catan_pz.board.topology import EDGE_VERTICES, VERTEX_SURROUNDINGS
from catan_pz.engine import bits
from catan_pz.engine.actions import BUILD_ROAD, BUILD_SETTLEMENT
from catan_pz.engine.rule import rule
from catan_pz.observation import encode
from catan_pz.terms import MAX_PLAYERS, NUM_EDGES, NUM_VERTICES


@rule
def growth_from(obs, v, taken_0, taken_1, theirs, free, claimed, near, horizon, style):
    """The best spot that two roads from a vertex lead to, with what is earned there."""
    at_0 = 1 << v
    at_1 = one_road_on(at_0, taken_0, taken_1, theirs)
    at_2 = one_road_on(at_1, taken_0, taken_1, theirs) & ~at_0
    spots = at_2 & free & ~VERTEX_SURROUNDINGS[v]
    pips, rates = pips_of(obs, 0), rates_of(obs, 0)
    return best_spot(obs, spots, claimed, near, pips, rates, horizon, style) // 64


@rule
def first_settlements(obs, mask, style):
    """Where to found: the worth of the spot, and of what can be reached from there."""
    reach = reach_of(obs)
    taken_0, taken_1, theirs = reach[0], reach[1], reach[2]
    claimed, near, free = reach[7], reach[8], reach[9]
    horizon = horizon_of(obs, style)
    pips, rates = pips_of(obs, 0), rates_of(obs, 0)
    spots = allowed(mask, BUILD_SETTLEMENT, NUM_VERTICES)
    best, chosen, most = 0, -1, 0
    while spots != 0:
        v = bits.first(spots)
        worth = worth_of_spot(obs, v, pips, rates, horizon, style)
        most = max(most, worth)
        if style[GROWTH] > 0 and 4 * worth >= 3 * most:
            further = growth_from(
                obs, v, taken_0, taken_1, theirs, free, claimed, near, horizon, style
            )
            worth += further * style[GROWTH] // 100
        if worth > best:
            best, chosen = worth, v
        spots &= spots - 1
    return BUILD_SETTLEMENT + chosen


@rule
def first_roads(obs, mask, style):
    """Which way to build from a first settlement: towards the best spot that is free."""
    reach = reach_of(obs)
    taken_0, taken_1, theirs = reach[0], reach[1], reach[2]
    claimed, near, free = reach[7], reach[8], reach[9]
    horizon = horizon_of(obs, style)
    pips, rates = pips_of(obs, 0), rates_of(obs, 0)
    best, chosen = -1, -1
    for e in range(NUM_EDGES):
        if mask[BUILD_ROAD + e] == 0 or has_edge(taken_0, taken_1, e):
            continue
        v, w = EDGE_VERTICES[e, 0], EDGE_VERTICES[e, 1]
        if obs[encode.VERTEX_BUILDING + MAX_PLAYERS * v] == 0:
            v, w = w, v
        ways = one_road_on(1 << w, taken_0, taken_1, theirs) & ~(1 << v)
        value = best_spot(obs, ways & free, claimed, near, pips, rates, horizon, style) // 64
        beyond = one_road_on(ways, taken_0, taken_1, theirs) & ~(1 << w)
        then = best_spot(obs, beyond & free, claimed, near, pips, rates, horizon, style) // 64
        value += then // 4
        if value > best:
            best, chosen = value, e
    return BUILD_ROAD + chosen
