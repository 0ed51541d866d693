"""The plan: building goals, their worth and time; the worth of hands.

Times are in tenths of a roll of the dice, speeds in thousandths of a point in a thousand rolls.
"""

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numba import types

from catan_pz.agents.heuristic.features import (
    TWELFTHS,
    of,
    rate_of,
    size_of,
)
from catan_pz.agents.heuristic.weights import WeightRow
from catan_pz.engine import hands
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Array
from catan_pz.observation import encode
from catan_pz.terms import (
    KNIGHT,
    LARGEST_ARMY_MINIMUM,
    LONGEST_ROAD_MINIMUM,
    MAX_PLAYERS,
    NUM_CARD_KINDS,
    NUM_RESOURCES,
)

NEVER = 3000
"""A time that stands for never."""

CARD_UNIT = 360
"""A pip brings 1/360 of a card in a tenth of a roll."""

ROAD_COST, SETTLEMENT_COST, CITY_COST, CARD_COST = hands.COST_ROWS.tolist()
"""Costs as bundles."""

_road, _settlement, _city, _card = CARD_UNIT * hands.COSTS.astype(np.float64)
BASKETS = np.array(
    [
        2 * _road + _settlement + _city + _card,
        2 * _city + 2 * _card,
        3 * _road + 2 * _settlement,
    ]
)
"""(3, 5) `CARD_UNIT` * costs of ways to use an income: a mix, cities, roads with settlements."""
MIXED_POINTS, CITIES_POINTS, ROADS_POINTS = 2400, 2800, 2400
"""Thousandths of a point from each."""


@kernel
def time_from(t: int, hand: int, cost: int, pips: int, shares: int) -> int:
    """Time until a hand and its income pay a cost, by the surplus at a time t.

    Surplus is traded with the bank. The shortage is a convex function of time, and this is the
    zero of its tangent at t, at or before the true time.
    """
    lacking, slope = 0, 0
    for r in range(NUM_RESOURCES):
        comes, lacks = of(pips, r), (of(cost, r) - of(hand, r)) * CARD_UNIT
        share = TWELFTHS
        if comes * t >= lacks:
            share = of(shares, r)
        lacking += lacks * share
        slope += comes * share
    if lacking <= 0:
        return 0
    if slope == 0:
        return NEVER
    return min(NEVER, (lacking + slope - 1) // slope)


@kernel
def time_for(hand: int, cost: int, pips: int, shares: int) -> int:
    """Time until a hand and its income pay a cost."""
    t, then = 0, time_from(0, hand, cost, pips, shares)
    while then > t:  # two or three iterations
        t, then = then, time_from(then, hand, cost, pips, shares)
    return t


class Times(NamedTuple):
    """Times from an empty hand for each of `BASKETS`: whole numbers, as floats divide faster."""

    mixed: float
    cities: float
    roads: float


NO_TIMES = Times(0.0, 0.0, 0.0)


@kernel
def basket_from(t: float, basket: int, pips: int, shares: int) -> float:
    """`time_from` for a basket and an empty hand, given any income."""
    lacking, slope = 0.0, 0.0
    for r in range(NUM_RESOURCES):
        comes, share = float(of(pips, r)), float(TWELFTHS)
        if comes * t >= BASKETS[basket, r]:
            share = float(of(shares, r))
        lacking += BASKETS[basket, r] * share
        slope += comes * share
    return min(np.ceil(lacking / slope), float(NEVER))


@kernel
def times_of(pips: int, shares: int, guess: Times) -> Times:
    """The times for an income, found faster from a close guess."""
    if pips == 0:
        return Times(float(NEVER), float(NEVER), float(NEVER))
    mixed = basket_from(guess.mixed, 0, pips, shares)
    cities = basket_from(guess.cities, 1, pips, shares)
    roads = basket_from(guess.roads, 2, pips, shares)
    while True:  # all three together, which a processor computes in parallel
        a = basket_from(mixed, 0, pips, shares)
        b = basket_from(cities, 1, pips, shares)
        c = basket_from(roads, 2, pips, shares)
        if a <= mixed and b <= cities and c <= roads:
            return Times(mixed, cities, roads)
        mixed, cities, roads = max(mixed, a), max(cities, b), max(roads, c)


@kernel
def speed_of(times: Times, weights: WeightRow) -> int:
    """Points from an income, in a mix of the ways to use it."""
    mixed = np.floor(weights.mixed * MIXED_POINTS / (times.mixed + 1))
    cities = np.floor(weights.cities * CITIES_POINTS / (times.cities + 1))
    return int(mixed + cities + np.floor(weights.roads * ROADS_POINTS / (times.roads + 1)))


GOALS = 6
"""Settlements 0 to 2 roads away, city, development card, longest road."""

CITY_GOAL, CARD_GOAL, ROAD_GOAL = 3, 4, 5

Worths: TypeAlias = Annotated[tuple[int, ...], types.UniTuple(types.int64, GOALS)]


class Plan(NamedTuple):
    """The next goals, and the income that pays for them."""

    worths: Worths  # of each goal
    roads: int  # missing for the longest road
    pips: int  # own pips by resource, a bundle
    shares: int  # trade rates by resource, a bundle


class Outlook(NamedTuple):
    """A hand and the plan that evaluates its changes."""

    hand: int
    plan: Plan
    limit: int  # most cards without a discard at a 7
    now: int  # worth of the hand
    weights: WeightRow


@kernel
def cost_of(goal: int, plan: Plan) -> int:
    """The whole cost of a goal."""
    if goal < CITY_GOAL:
        return SETTLEMENT_COST + goal * ROAD_COST
    if goal == CITY_GOAL:
        return CITY_COST
    if goal == CARD_GOAL:
        return CARD_COST
    return plan.roads * ROAD_COST


@kernel
def worth_after(hand: int, spent: int, plan: Plan, weights: WeightRow) -> int:
    """The goal with the largest worth after paying `spent`, as 8 * worth by then + goal."""
    best, patience = 0, weights.patience
    for goal in range(GOALS):
        if 8 * plan.worths[goal] > best:
            worth = plan.worths[goal] * patience
            cost = spent + cost_of(goal, plan)
            least = (best - goal) // 8 + 1
            t, then = 0, time_from(0, hand, cost, plan.pips, plan.shares)
            while t < then < NEVER and least * (patience + then) <= worth:  # may be the best yet
                t, then = then, time_from(then, hand, cost, plan.pips, plan.shares)
            if then <= t:
                best = max(best, 8 * (worth // (patience + t)) + goal)
    return best


@kernel
def worth_of_hand(hand: int, plan: Plan, limit: int, weights: WeightRow) -> int:
    """The worth of a hand: the next goal, the one after it, minus the risk of a 7."""
    first = worth_after(hand, 0, plan, weights)
    worth = first // 8
    if weights.second > 0 and first > 0:
        then = worth_after(hand, cost_of(first % 8, plan), plan, weights)
        worth += then // 8 * weights.second // 100
    cards = size_of(hand)
    worth += weights.held * cards
    if cards > limit:
        worth -= weights.seven * (cards // 2)
    return worth


@kernel
def gain_of(hand: int, outlook: Outlook) -> int:
    """The increase in value from the present hand to another one."""
    worth = worth_of_hand(hand, outlook.plan, outlook.limit, outlook.weights)
    return worth - outlook.now


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
    """Knights still needed for the largest army; 0 for its holder."""
    if obs[encode.LARGEST_ARMY] != 0:
        return 0
    needed = LARGEST_ARMY_MINIMUM
    for k in range(1, MAX_PLAYERS):
        if obs[encode.LARGEST_ARMY + k] != 0:
            needed = knights_played(obs, k) + 1
    return needed - knights_played(obs, 0)


@kernel
def worth_of_card(obs: Int8Array, weights: WeightRow) -> int:
    """The worth of buying a development card."""
    if obs[encode.DECK_LEFT] == 0:
        return 0
    worth = weights.card
    lacking = knights_lacking(obs) - knights_held(obs)
    if lacking > 0:
        worth += weights.army // (2 * lacking)
    return worth


@kernel
def roads_lacking(obs: Int8Array) -> int:
    """Roads missing for the longest road, if each extends the own one; 0 for its holder."""
    if obs[encode.LONGEST_ROAD] != 0:
        return 0
    needed = LONGEST_ROAD_MINIMUM
    for k in range(1, MAX_PLAYERS):
        if obs[encode.LONGEST_ROAD + k] != 0:
            needed = int(obs[encode.ROAD_LENGTH + k]) + 1
    return needed - int(obs[encode.ROAD_LENGTH])


@kernel
def worth_of_road(obs: Int8Array, weights: WeightRow) -> int:
    """The worth of the longest road."""
    lacking = roads_lacking(obs)
    if lacking <= 0 or lacking > 4 or lacking > obs[encode.PIECES_LEFT]:
        return 0
    return weights.road
