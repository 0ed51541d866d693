"""The choice: what the heuristic player does in each phase."""

from typing import Annotated, TypeAlias

import numpy as np
from numba import types

from catan_pz.actions import (
    ACCEPT,
    BUILD_CITY,
    BUILD_ROAD,
    BUILD_SETTLEMENT,
    BUY_DEVELOPMENT_CARD,
    COMPOSE_SEND,
    END_TURN,
    OFFER,
    PLAY_KNIGHT,
    PLAY_ROAD_BUILDING,
    REJECT,
    ROLL,
    WITHDRAW,
)
from catan_pz.agents.heuristic.cards import (
    NO_ACTION,
    wants_knight,
    what_to_discard,
    which_monopoly,
    which_plenty,
)
from catan_pz.agents.heuristic.pace import ROAD_COST, speed_of
from catan_pz.agents.heuristic.placement import first_roads, first_settlements
from catan_pz.agents.heuristic.plan import (
    CARD_GOAL,
    CITY_GOAL,
    GOALS,
    ROAD_GOAL,
    ROADS_PLACE,
    SHARES_PLACE,
    Plan,
    cost_of,
    knights_lacking,
    roads_lacking,
    trades_to_reach,
    worth_of_card,
    worth_of_hand,
    worth_of_road,
)
from catan_pz.agents.heuristic.robber import where_to_rob, whom_to_rob
from catan_pz.agents.heuristic.sight import (
    allowed,
    buildings_of,
    hand_of,
    of,
    others_buildings,
    own_roads,
    phase_of,
    pips_of,
    points_to_go,
    rate_of,
    shares_of,
    some,
    turn_seat,
)
from catan_pz.agents.heuristic.spots import (
    Reach,
    best_city,
    best_spot,
    first_road_to,
    horizon_of,
    reach_of,
)
from catan_pz.agents.heuristic.style import (
    ANSWERS,
    BANKING,
    CARDS,
    CLAIM,
    DISCARDS,
    FULL,
    OFFERS,
    PLACEMENT,
    PLAN,
    PLENTY,
    ROADS_AHEAD,
    ROBBER,
    plays,
)
from catan_pz.agents.heuristic.trade import (
    agrees,
    all_dangerous,
    best_offer,
    best_swap,
    is_dangerous,
    next_card,
    swap_towards,
    whom_to_close_with,
)
from catan_pz.agents.policies import random_action, weighted_action
from catan_pz.board.topology import EDGE_VERTICES, EDGES_PER_WORD
from catan_pz.compiler.rule import rule
from catan_pz.compiler.types import ConstInt64Array, Int8Array
from catan_pz.engine import bits
from catan_pz.engine.awards import longest_trail
from catan_pz.observation import encode
from catan_pz.terms import NUM_EDGES, NUM_RESOURCES, NUM_VERTICES, Phase

SURE_WIN = 40_000
"""Worth of a goal that wins the game."""


Goals: TypeAlias = Annotated[tuple[int, ...], types.UniTuple(types.int64, 4)]
"""What `goals_of` gives, as rules take it."""


@rule
def trail_with(obs: Int8Array, e: int) -> int:
    """Roads in the longest continuous road through an edge, once it is built."""
    own_0, own_1 = own_roads(obs, 0), own_roads(obs, 1)
    if e < EDGES_PER_WORD:
        own_0 |= bits.edge_bit(e)
    else:
        own_1 |= bits.edge_bit(e)
    barred = others_buildings(obs)
    longest = 0
    for word in range(2):
        edges = own_0 if word == 0 else own_1
        while edges != 0:
            k = bits.first(edges) + EDGES_PER_WORD * word
            longest = max(longest, longest_trail(own_0, own_1, EDGE_VERTICES[k, 0], barred))
            longest = max(longest, longest_trail(own_0, own_1, EDGE_VERTICES[k, 1], barred))
            edges &= edges - 1
    return longest


@rule
def longest_road_edge(obs: Int8Array, mask: Int8Array) -> int:
    """A legal road that makes the longest one longer, or -1."""
    best, chosen = int(obs[encode.ROAD_LENGTH]), -1
    for e in range(NUM_EDGES):
        if mask[BUILD_ROAD + e] != 0:
            length = trail_with(obs, e)
            if length > best:
                best, chosen = length, e
    return chosen


@rule
def road_towards(reach: Reach, v: int, away: int) -> int:
    """The road to build first towards a spot."""
    return first_road_to(v, away, reach[0], reach[1], reach[2], reach[3], reach[4])


@rule
def goals_of(obs: Int8Array, reach: Reach, style: ConstInt64Array) -> Goals:
    """The best spots 0 to 2 roads away and the best city, each as 64 * worth + vertex."""
    pips, shares = pips_of(obs, 0), shares_of(obs)
    speed, horizon = speed_of(pips, shares, style), horizon_of(obs, style)
    claimed, near, free = reach[6], reach[7], reach[8]
    here = there = far = city = 0
    if obs[encode.PIECES_LEFT + 1] > 0:
        here = best_spot(obs, reach[3] & free, 0, 0, pips, shares, speed, horizon, style)
        there = best_spot(obs, reach[4] & free, claimed, near, pips, shares, speed, horizon, style)
        far = best_spot(obs, reach[5] & free, claimed, near, pips, shares, speed, horizon, style)
    if obs[encode.PIECES_LEFT + 2] > 0:
        settlements = buildings_of(obs, 0, 1) & ~buildings_of(obs, 0, 2)
        city = best_city(obs, settlements, pips, shares, speed, horizon, style)
    return here, there, far, city


@rule
def plan_of(obs: Int8Array, goals: Goals, style: ConstInt64Array) -> Plan:
    """The plan: `heuristic.plan` says what is in it."""
    lacking = points_to_go(obs)
    here, there, far = goals[0] // 64, goals[1] // 64, goals[2] // 64
    city = goals[3] // 64
    card, road = worth_of_card(obs, style), worth_of_road(obs, style)
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


@rule
def one_road_less(plan: Plan, away: int) -> Plan:
    """The plan once a road is built towards the spot that is so many roads away."""
    here, there, far = plan[0], plan[1], plan[2]
    if away == 1:
        here, there = max(here, there), 0
    else:
        there, far = max(there, far), 0
    return here, there, far, plan[3], plan[4], plan[5], plan[6], plan[7], plan[8]


@rule
def one_trail_less(plan: Plan) -> Plan:
    """The plan once a road is built for the longest road."""
    roads = plan[ROADS_PLACE] - 1
    return plan[0], plan[1], plan[2], plan[3], plan[4], plan[5], roads, plan[7], plan[8]


@rule
def hand_left(hand: int, cost: int, shares: int, trades: int) -> int:
    """A hand after some trades with the bank and paying a cost that they make it cover."""
    left = 0
    for r in range(NUM_RESOURCES):
        left |= some(r, max(0, of(hand, r) - of(cost, r)))
    for _ in range(trades):
        most, given = -1, 0
        for r in range(NUM_RESOURCES):
            spare = of(left, r) - rate_of(shares, r)
            if spare > most:
                most, given = spare, r
        left -= some(given, rate_of(shares, given))
    return left


@rule
def build_for(obs: Int8Array, mask: Int8Array, goal: int, goals: Goals, reach: Reach) -> int:
    """The action that is next for a goal, or NO_ACTION."""
    if goal == 0:
        return BUILD_SETTLEMENT + goals[0] % 64
    if goal == 1:
        return BUILD_ROAD + road_towards(reach, goals[1] % 64, 1)
    if goal == 2:
        return BUILD_ROAD + road_towards(reach, goals[2] % 64, 2)
    if goal == CITY_GOAL:
        return BUILD_CITY + goals[3] % 64
    if goal == CARD_GOAL:
        return BUY_DEVELOPMENT_CARD
    e = longest_road_edge(obs, mask)
    return BUILD_ROAD + e if e >= 0 else NO_ACTION


@rule
def winning_build(obs: Int8Array, mask: Int8Array) -> int:
    """An action that wins the game at once, or NO_ACTION."""
    lacking = points_to_go(obs)
    if lacking <= 2 and mask[PLAY_KNIGHT] != 0 and knights_lacking(obs) == 1:
        return PLAY_KNIGHT
    if lacking <= 1:
        spots = allowed(mask, BUILD_SETTLEMENT, NUM_VERTICES)
        if spots != 0:
            return BUILD_SETTLEMENT + bits.first(spots)
        spots = allowed(mask, BUILD_CITY, NUM_VERTICES)
        if spots != 0:
            return BUILD_CITY + bits.first(spots)
    if lacking <= 2 and roads_lacking(obs) == 1:
        e = longest_road_edge(obs, mask)
        if e >= 0:
            return BUILD_ROAD + e
    return NO_ACTION


@rule
def build_now(
    obs: Int8Array,
    mask: Int8Array,
    hand: int,
    now: int,
    goals: Goals,
    reach: Reach,
    plan: Plan,
    limit: int,
    style: ConstInt64Array,
) -> int:
    """What to build, or to trade with the bank in order to build it, or NO_ACTION."""
    shares = plan[SHARES_PLACE]
    best, chosen = now, -1
    trades_of_best = 0
    for goal in range(GOALS):
        if plan[goal] > 0:
            cost = cost_of(goal, plan)
            trades = trades_to_reach(hand, cost, shares)
            if trades == 0 or (trades > 0 and plays(style, BANKING)):
                left = hand_left(hand, cost, shares, trades)
                worth = plan[goal] + worth_of_hand(left, plan, limit, style)
                if worth > best:
                    best, chosen, trades_of_best = worth, goal, trades
    if chosen >= 0:
        a = build_for(obs, mask, chosen, goals, reach)
        if trades_of_best > 0:
            a = swap_towards(hand, cost_of(chosen, plan), shares, mask)
        if a >= 0 and mask[a] != 0:
            return a
    return NO_ACTION


@rule
def build_road_ahead(
    obs: Int8Array,
    mask: Int8Array,
    hand: int,
    now: int,
    goals: Goals,
    reach: Reach,
    plan: Plan,
    limit: int,
    style: ConstInt64Array,
) -> int:
    """A road towards a spot or the longest road before the rest is paid for, or NO_ACTION."""
    if not (of(hand, 0) > 0 and of(hand, 1) > 0):
        return NO_ACTION
    best, chosen = now - style[CLAIM], -1
    left = hand - ROAD_COST
    for away in range(1, 3):
        if plan[away] > 0:
            worth = worth_of_hand(left, one_road_less(plan, away), limit, style)
            if worth > best:
                best, chosen = worth, away
    if plan[ROAD_GOAL] > 0 and plan[ROADS_PLACE] > 1:
        worth = worth_of_hand(left, one_trail_less(plan), limit, style)
        if worth > best:
            best, chosen = worth, ROAD_GOAL
    if chosen >= 0:
        a = build_for(obs, mask, chosen, goals, reach)
        if a >= 0 and mask[a] != 0:
            return a
    return NO_ACTION


@rule
def card_to_play(
    obs: Int8Array,
    mask: Int8Array,
    hand: int,
    now: int,
    plan: Plan,
    limit: int,
    style: ConstInt64Array,
) -> int:
    """A development card to play after the roll, or NO_ACTION."""
    if mask[PLAY_KNIGHT] != 0 and wants_knight(obs, 0, style):
        return PLAY_KNIGHT
    if not plays(style, CARDS):
        return NO_ACTION
    a = which_plenty(hand, now, plan, limit, mask, style)
    if a == NO_ACTION:
        a = which_monopoly(obs, hand, now, plan, limit, mask, style)
    if a == NO_ACTION and mask[PLAY_ROAD_BUILDING] != 0:
        for away in range(1, 3):
            nearer = one_road_less(plan, away)
            if away > 1:
                nearer = one_road_less(nearer, away - 1)
            if worth_of_hand(hand, nearer, limit, style) - now >= style[PLENTY]:
                return PLAY_ROAD_BUILDING
        if plan[ROAD_GOAL] > 0 and plan[ROADS_PLACE] <= 2:
            return PLAY_ROAD_BUILDING
    return a


@rule
def in_turn(obs: Int8Array, mask: Int8Array, random_bits: np.uint64, style: ConstInt64Array) -> int:
    """What to do in the own turn after the roll."""
    a = winning_build(obs, mask)
    if a != NO_ACTION:
        return a
    hand, limit = hand_of(obs), int(obs[encode.DISCARD_LIMIT])
    reach = reach_of(obs)
    goals = goals_of(obs, reach, style)
    plan = plan_of(obs, goals, style)
    now = worth_of_hand(hand, plan, limit, style)
    a = card_to_play(obs, mask, hand, now, plan, limit, style)
    if a == NO_ACTION:
        a = build_now(obs, mask, hand, now, goals, reach, plan, limit, style)
    if a == NO_ACTION and plays(style, ROADS_AHEAD):
        a = build_road_ahead(obs, mask, hand, now, goals, reach, plan, limit, style)
    if a == NO_ACTION and plays(style, BANKING):
        a = best_swap(hand, now, plan, limit, mask, style)
    if a == NO_ACTION and mask.shape[0] > OFFER and obs[encode.OFFERS_LEFT] > 0:
        if plays(style, OFFERS) and not all_dangerous(obs, style):
            a = best_offer(obs, hand, now, plan, limit, mask, random_bits, style)
            if a == NO_ACTION:
                a = next_card(obs, hand, now, plan, limit, mask, style)
    return a if a != NO_ACTION else END_TURN


@rule
def free_road(obs: Int8Array, mask: Int8Array, style: ConstInt64Array) -> int:
    """Where to place a road for nothing."""
    lacking = roads_lacking(obs)
    if 0 < lacking <= 2:
        e = longest_road_edge(obs, mask)
        if e >= 0:
            return BUILD_ROAD + e
    reach = reach_of(obs)
    goals = goals_of(obs, reach, style)
    best, chosen = 0, -1
    for away in range(1, 3):
        value = goals[away] // 64 * (6 - away)
        if value > best:
            e = road_towards(reach, goals[away] % 64, away)
            if e >= 0 and mask[BUILD_ROAD + e] != 0:
                best, chosen = value, e
    if chosen < 0:
        chosen = longest_road_edge(obs, mask)
    return BUILD_ROAD + chosen if chosen >= 0 else NO_ACTION


@rule
def in_trade(obs: Int8Array, mask: Int8Array, phase: int, style: ConstInt64Array) -> int:
    """What to do while an offer is composed, answered or closed."""
    if phase == Phase.ANSWER:
        if mask[ACCEPT] == 0 or not plays(style, ANSWERS):
            return REJECT
        if is_dangerous(obs, turn_seat(obs), style):
            return REJECT
    hand, limit = hand_of(obs), int(obs[encode.DISCARD_LIMIT])
    plan = plan_of(obs, goals_of(obs, reach_of(obs), style), style)
    now = worth_of_hand(hand, plan, limit, style)
    if phase == Phase.ANSWER:
        return ACCEPT if agrees(obs, hand, now, plan, limit, style) else REJECT
    if phase == Phase.CLOSE:
        return whom_to_close_with(obs, hand, now, plan, limit, mask, style)
    if mask[COMPOSE_SEND] != 0:
        return COMPOSE_SEND
    a = next_card(obs, hand, now, plan, limit, mask, style)
    return a if a != NO_ACTION else WITHDRAW


@rule
def wanted_action(
    obs: Int8Array, mask: Int8Array, random_bits: np.uint64, style: ConstInt64Array
) -> int:
    """The choice by phase, which may be NO_ACTION."""
    phase = phase_of(obs)
    if phase == Phase.ROLL:
        if mask[PLAY_KNIGHT] != 0 and wants_knight(obs, 1, style):
            return PLAY_KNIGHT
        return ROLL
    if phase == Phase.MAIN:
        if not plays(style, PLAN):
            return weighted_action(obs, mask, random_bits)
        return in_turn(obs, mask, random_bits, style)
    if phase == Phase.ANSWER or phase == Phase.CLOSE or phase == Phase.COMPOSE:
        return in_trade(obs, mask, phase, style)
    if phase == Phase.MOVE_ROBBER and plays(style, ROBBER):
        return where_to_rob(obs, mask, style)
    if phase == Phase.STEAL and plays(style, ROBBER):
        return whom_to_rob(obs, mask, style)
    if phase == Phase.DISCARD and plays(style, DISCARDS):
        plan = plan_of(obs, goals_of(obs, reach_of(obs), style), style)
        return what_to_discard(hand_of(obs), plan, mask, style)
    if phase == Phase.FREE_ROAD:
        return free_road(obs, mask, style)
    if phase == Phase.SETUP_SETTLEMENT and plays(style, PLACEMENT):
        return first_settlements(obs, mask, style)
    if phase == Phase.SETUP_ROAD and plays(style, PLACEMENT):
        return first_roads(obs, mask, style)
    return NO_ACTION


@rule
def styled_action(
    obs: Int8Array, mask: Int8Array, random_bits: np.uint64, style: ConstInt64Array
) -> int:
    """A legal action in some style."""
    a = wanted_action(obs, mask, random_bits, style)
    if 0 <= a < mask.shape[0] and mask[a] != 0:
        return a
    return random_action(obs, mask, random_bits)


@rule
def heuristic_action(obs: Int8Array, mask: Int8Array, random_bits: np.uint64) -> int:
    """A legal action of the heuristic player."""
    return styled_action(obs, mask, random_bits, FULL)
