"""How long purchases take: the time until production and trade with the bank pay for them.

Times are in tenths of a roll of the dice, speeds in thousandths of a point in a thousand rolls.
"""

from catan_pz.agents.heuristic.features import BITS_PER_RESOURCE, TWELFTHS, of
from catan_pz.agents.heuristic.weights import CITIES, MIXED, ROADS
from catan_pz.engine.hands import CARD, CITY, COSTS, ROAD, SETTLEMENT
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import ConstInt64Array
from catan_pz.terms import NUM_RESOURCES

NEVER = 3000
"""A time as good as never."""

CARD_UNIT = 360
"""A pip brings 1/360 of a card in a tenth of a roll."""

ROAD_COST, SETTLEMENT_COST, CITY_COST, CARD_COST = (
    sum(int(count) << BITS_PER_RESOURCE * r for r, count in enumerate(COSTS[purchase]))
    for purchase in (ROAD, SETTLEMENT, CITY, CARD)
)
"""Costs as bundles."""

MIXED_BASKET = 2 * ROAD_COST + SETTLEMENT_COST + CITY_COST + CARD_COST
CITIES_BASKET = 2 * CITY_COST + 2 * CARD_COST
ROADS_BASKET = 3 * ROAD_COST + 2 * SETTLEMENT_COST
MIXED_POINTS, CITIES_POINTS, ROADS_POINTS = 2400, 2800, 2400
"""What a player may buy over and over, and the thousandths of a point that it brings."""


@kernel
def time_for(hand: int, cost: int, pips: int, shares: int) -> int:
    """Time until a hand and what comes to it pay a cost, surplus traded with the bank.

    The cards that lack fall ever slower as resources come to be in surplus, so that steps
    along the tangent approach the time from below.
    """
    t = 0
    while t < NEVER:  # two or three rounds
        lacking, slope = 0, 0
        for r in range(NUM_RESOURCES):
            comes = of(pips, r)
            left = (of(hand, r) - of(cost, r)) * CARD_UNIT + comes * t
            share = TWELFTHS
            if left >= 0:
                share = of(shares, r)
            lacking -= left * share
            slope += comes * share
        if lacking <= 0:
            return t
        if slope == 0:
            return NEVER
        t += (lacking + slope - 1) // slope
    return NEVER


@kernel
def speed_of(pips: int, shares: int, weights: ConstInt64Array) -> int:
    """Points that production brings, in a mix of the ways to make use of it."""
    speed = weights[MIXED] * MIXED_POINTS // (time_for(0, MIXED_BASKET, pips, shares) + 1)
    if weights[CITIES] > 0:
        t = time_for(0, CITIES_BASKET, pips, shares)
        speed += weights[CITIES] * CITIES_POINTS // (t + 1)
    if weights[ROADS] > 0:
        t = time_for(0, ROADS_BASKET, pips, shares)
        speed += weights[ROADS] * ROADS_POINTS // (t + 1)
    return speed
