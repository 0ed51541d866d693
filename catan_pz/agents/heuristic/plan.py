"""The plan: what there is to build next, what each is worth, and what a hand is good for.

A plan is a tuple of nine numbers: the worth of settlements that 0, 1 and 2 roads lead to,
of a city, of a development card, of the longest road, the roads which that takes, own pips
and what the bank gives for each resource.
"""

from typing import Annotated, TypeAlias

from numba import types

from catan_pz.agents.heuristic.features import of, rate_of, size_of
from catan_pz.agents.heuristic.pace import (
    CARD_COST,
    CITY_COST,
    NEVER,
    ROAD_COST,
    SETTLEMENT_COST,
    time_for,
)
from catan_pz.agents.heuristic.weights import ARMY, CARD, HELD, PATIENCE, ROAD, SECOND, SEVEN
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import ConstInt64Array, Int8Array
from catan_pz.observation import encode
from catan_pz.terms import (
    KNIGHT,
    LARGEST_ARMY_MINIMUM,
    LONGEST_ROAD_MINIMUM,
    MAX_PLAYERS,
    NUM_CARD_KINDS,
    NUM_RESOURCES,
)

Plan: TypeAlias = Annotated[tuple[int, ...], types.UniTuple(types.int64, 9)]
"""A plan, as rules take it."""

GOALS = 6
"""Settlements 0 to 2 roads away, city, development card, longest road."""

CITY_GOAL, CARD_GOAL, ROAD_GOAL = 3, 4, 5
ROADS_PLACE, PIPS_PLACE, SHARES_PLACE = 6, 7, 8


@kernel
def cost_of(goal: int, plan: Plan) -> int:
    """What a goal costs in all."""
    if goal < CITY_GOAL:
        return SETTLEMENT_COST + goal * ROAD_COST
    if goal == CITY_GOAL:
        return CITY_COST
    if goal == CARD_GOAL:
        return CARD_COST
    return plan[ROADS_PLACE] * ROAD_COST


@kernel
def worth_after(hand: int, spent: int, plan: Plan, weights: ConstInt64Array) -> int:
    """The goal that is worth most once others are paid, by its worth and the time it takes.

    Returns:
        8 times that worth, and the goal.
    """
    best = 0
    for goal in range(GOALS):
        if 8 * plan[goal] > best:
            t = time_for(hand, spent + cost_of(goal, plan), plan[PIPS_PLACE], plan[SHARES_PLACE])
            if t < NEVER:
                worth = plan[goal] * weights[PATIENCE] // (weights[PATIENCE] + t)
                best = max(best, 8 * worth + goal)
    return best


@kernel
def worth_of_hand(hand: int, plan: Plan, limit: int, weights: ConstInt64Array) -> int:
    """What a hand is good for: the next goal, the one after it, and the risk of a 7."""
    first = worth_after(hand, 0, plan, weights)
    worth = first // 8
    if weights[SECOND] > 0 and first > 0:
        then = worth_after(hand, cost_of(first % 8, plan), plan, weights)
        worth += then // 8 * weights[SECOND] // 100
    cards = size_of(hand)
    worth += weights[HELD] * cards
    if cards > limit:
        worth -= weights[SEVEN] * (cards // 2)
    return worth


@kernel
def trades_to_reach(hand: int, cost: int, shares: int) -> int:
    """Trades with the bank that make a hand cover a cost now; -1 if it can't."""
    lacking, possible = 0, 0
    for r in range(NUM_RESOURCES):
        left = of(hand, r) - of(cost, r)
        if left < 0:
            lacking -= left
        else:
            possible += left // rate_of(shares, r)
    return lacking if possible >= lacking else -1


@kernel
def knights_held(obs: Int8Array) -> int:
    """Own knights in hand."""
    return int(obs[encode.OWN_CARDS + KNIGHT])


@kernel
def knights_played(obs: Int8Array, k: int) -> int:
    """Knights that the seat k places away has played."""
    return int(obs[encode.CARDS_PLAYED + NUM_CARD_KINDS * k + KNIGHT])


@kernel
def knights_lacking(obs: Int8Array) -> int:
    """Knights that must still be played for the largest army; 0 for its holder."""
    if obs[encode.LARGEST_ARMY] != 0:
        return 0
    needed = LARGEST_ARMY_MINIMUM
    for k in range(1, MAX_PLAYERS):
        if obs[encode.LARGEST_ARMY + k] != 0:
            needed = knights_played(obs, k) + 1
    return needed - knights_played(obs, 0)


@kernel
def worth_of_card(obs: Int8Array, weights: ConstInt64Array) -> int:
    """What a development card is worth unseen."""
    if obs[encode.DECK_LEFT] == 0:
        return 0
    worth = weights[CARD]
    lacking = knights_lacking(obs) - knights_held(obs)
    if lacking > 0:
        worth += weights[ARMY] // (2 * lacking)
    return worth


@kernel
def roads_lacking(obs: Int8Array) -> int:
    """Roads that the longest road takes, if each makes the own one longer; 0 for its holder."""
    if obs[encode.LONGEST_ROAD] != 0:
        return 0
    needed = LONGEST_ROAD_MINIMUM
    for k in range(1, MAX_PLAYERS):
        if obs[encode.LONGEST_ROAD + k] != 0:
            needed = int(obs[encode.ROAD_LENGTH + k]) + 1
    return needed - int(obs[encode.ROAD_LENGTH])


@kernel
def worth_of_road(obs: Int8Array, weights: ConstInt64Array) -> int:
    """What the longest road is worth."""
    lacking = roads_lacking(obs)
    if lacking <= 0 or lacking > 4 or lacking > obs[encode.PIECES_LEFT]:
        return 0
    return weights[ROAD]
