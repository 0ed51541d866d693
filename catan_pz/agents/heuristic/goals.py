"""The goals: the best vertices and the best city, and the plan that follows from them."""

from typing import Annotated, TypeAlias

from numba import types

from catan_pz.agents.heuristic.features import buildings_of, pips_of, points_to_go, shares_of
from catan_pz.agents.heuristic.pace import speed_of
from catan_pz.agents.heuristic.plan import (
    ROADS_PLACE,
    Plan,
    roads_lacking,
    worth_of_card,
    worth_of_road,
)
from catan_pz.agents.heuristic.spots import Reach, best_city, best_spot, horizon_of
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import ConstInt64Array, Int8Array
from catan_pz.observation import encode

SURE_WIN = 40_000
"""Worth of a goal that wins the game."""

Goals: TypeAlias = Annotated[tuple[int, ...], types.UniTuple(types.int64, 4)]
"""What `goals_of` gives, as rules take it."""


@kernel
def goals_of(obs: Int8Array, reach: Reach, weights: ConstInt64Array) -> Goals:
    """The best spots 0 to 2 roads away and the best city, each as 64 * worth + vertex."""
    pips, shares = pips_of(obs, 0), shares_of(obs)
    speed, horizon = speed_of(pips, shares, weights), horizon_of(obs, weights)
    claimed, near, free = reach[6], reach[7], reach[8]
    here = there = far = city = 0
    if obs[encode.PIECES_LEFT + 1] > 0:
        here = best_spot(obs, reach[3] & free, 0, 0, pips, shares, speed, horizon, weights)
        there = best_spot(
            obs, reach[4] & free, claimed, near, pips, shares, speed, horizon, weights
        )
        far = best_spot(obs, reach[5] & free, claimed, near, pips, shares, speed, horizon, weights)
    if obs[encode.PIECES_LEFT + 2] > 0:
        settlements = buildings_of(obs, 0, 1) & ~buildings_of(obs, 0, 2)
        city = best_city(obs, settlements, pips, shares, speed, horizon, weights)
    return here, there, far, city


@kernel
def plan_of(obs: Int8Array, goals: Goals, weights: ConstInt64Array) -> Plan:
    """The plan: `heuristic.plan` says what is in it."""
    lacking = points_to_go(obs)
    here, there, far = goals[0] // 64, goals[1] // 64, goals[2] // 64
    city = goals[3] // 64
    card, road = worth_of_card(obs, weights), worth_of_road(obs, weights)
    if lacking <= 1:
        here = SURE_WIN if here > 0 else 0
        there = SURE_WIN if there > 0 else 0
        far = SURE_WIN if far > 0 else 0
        city = SURE_WIN if city > 0 else 0
        card = SURE_WIN // 5 if card > 0 else 0
    if lacking <= 2:
        road = SURE_WIN if road > 0 else 0
    roads = roads_lacking(obs)
    pips, shares = pips_of(obs, 0), shares_of(obs)
    return here, there, far, city, card, road, roads, pips, shares


@kernel
def one_road_less(plan: Plan, away: int) -> Plan:
    """The plan once a road is built towards the spot that is so many roads away."""
    here, there, far = plan[0], plan[1], plan[2]
    if away == 1:
        here, there = max(here, there), 0
    else:
        there, far = max(there, far), 0
    return here, there, far, plan[3], plan[4], plan[5], plan[6], plan[7], plan[8]


@kernel
def one_trail_less(plan: Plan) -> Plan:
    """The plan once a road is built for the longest road."""
    roads = plan[ROADS_PLACE] - 1
    return plan[0], plan[1], plan[2], plan[3], plan[4], plan[5], roads, plan[7], plan[8]
