"""The set-up: where the first settlements and their roads go."""

from catan_pz.actions import BUILD_ROAD, BUILD_SETTLEMENT
from catan_pz.agents.heuristic.features import allowed, has_edge, pips_of, shares_of
from catan_pz.agents.heuristic.pace import speed_of
from catan_pz.agents.heuristic.spots import best_spot, horizon_of, one_road_on, reach_of
from catan_pz.board.topology import EDGE_VERTICES
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import ConstInt64Array, Int8Array
from catan_pz.observation import encode
from catan_pz.terms import MAX_PLAYERS, NUM_EDGES, NUM_VERTICES


@kernel
def first_settlements(obs: Int8Array, mask: Int8Array, weights: ConstInt64Array) -> int:
    """Where to found: the best spot, given what is earned already."""
    pips, shares = pips_of(obs, 0), shares_of(obs)
    spots = allowed(mask, BUILD_SETTLEMENT, NUM_VERTICES)
    speed = speed_of(pips, shares, weights)
    best = best_spot(obs, spots, 0, 0, pips, shares, speed, horizon_of(obs, weights), weights)
    return BUILD_SETTLEMENT + best % 64


@kernel
def first_roads(obs: Int8Array, mask: Int8Array, weights: ConstInt64Array) -> int:
    """Which way to build from a first settlement: towards the best spot that is free."""
    reach = reach_of(obs)
    taken_0, taken_1, theirs = reach[0], reach[1], reach[2]
    claimed, near, free = reach[6], reach[7], reach[8]
    horizon = horizon_of(obs, weights)
    pips, shares = pips_of(obs, 0), shares_of(obs)
    speed = speed_of(pips, shares, weights)
    most, chosen = -1, -1
    for e in range(NUM_EDGES):
        if mask[BUILD_ROAD + e] == 0 or has_edge(taken_0, taken_1, e):
            continue
        v, w = EDGE_VERTICES[e, 0], EDGE_VERTICES[e, 1]
        if obs[encode.VERTEX_BUILDING + MAX_PLAYERS * v] == 0:
            v, w = w, v
        ways = one_road_on(1 << w, taken_0, taken_1, theirs) & ~(1 << v)
        beyond = one_road_on(ways, taken_0, taken_1, theirs) & ~(1 << w)
        best = best_spot(obs, ways & free, claimed, near, pips, shares, speed, horizon, weights)
        then = best_spot(obs, beyond & free, claimed, near, pips, shares, speed, horizon, weights)
        value = best // 64 + then // 64 // 4
        if value > most:
            most, chosen = value, e
    return BUILD_ROAD + chosen
