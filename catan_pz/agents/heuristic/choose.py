"""The choice: what the heuristic player does in each phase."""

import numpy as np

from catan_pz.actions import (
    ACCEPT,
    BUILD_CITY,
    BUILD_ROAD,
    BUILD_SETTLEMENT,
    BUY_DEVELOPMENT_CARD,
    COMPOSE_SEND,
    END_TURN,
    NO_ACTION,
    OFFER,
    PLAY_KNIGHT,
    PLAY_ROAD_BUILDING,
    REJECT,
    ROLL,
    WITHDRAW,
)
from catan_pz.agents.heuristic.cards import (
    wants_knight,
    what_to_discard,
    which_monopoly,
    which_plenty,
)
from catan_pz.agents.heuristic.evolved_weights import WEIGHTS_OF_MORE, WEIGHTS_OF_TWO
from catan_pz.agents.heuristic.features import (
    allowed,
    hand_of,
    of,
    phase_of,
    points_to_go,
    rate_of,
    seats_playing,
    some,
    turn_seat,
)
from catan_pz.agents.heuristic.goals import Goals, goals_of, one_road_less, one_trail_less, plan_of
from catan_pz.agents.heuristic.pace import ROAD_COST
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
    worth_of_hand,
)
from catan_pz.agents.heuristic.roads import longest_road_edge, road_towards
from catan_pz.agents.heuristic.robber import where_to_rob, whom_to_rob
from catan_pz.agents.heuristic.spots import Reach, reach_of
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
from catan_pz.agents.heuristic.weights import (
    ANSWERS,
    BANKING,
    CARDS,
    CLAIM,
    DEFAULT_WEIGHTS,
    DISCARDS,
    OFFERS,
    PLACEMENT,
    PLAN,
    PLENTY,
    ROADS_AHEAD,
    ROBBER,
    plays,
)
from catan_pz.agents.policies import random_action, weighted_action
from catan_pz.engine import bits
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import ConstInt64Array, Int8Array
from catan_pz.observation import encode
from catan_pz.terms import NUM_RESOURCES, NUM_VERTICES, Phase


@kernel
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


@kernel
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


@kernel
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


@kernel
def build_now(
    obs: Int8Array,
    mask: Int8Array,
    hand: int,
    now: int,
    goals: Goals,
    reach: Reach,
    plan: Plan,
    limit: int,
    weights: ConstInt64Array,
) -> int:
    """What to build, or to trade with the bank in order to build it, or NO_ACTION."""
    shares = plan[SHARES_PLACE]
    best, chosen = now, -1
    trades_of_best = 0
    for goal in range(GOALS):
        if plan[goal] > 0:
            cost = cost_of(goal, plan)
            trades = trades_to_reach(hand, cost, shares)
            if trades == 0 or (trades > 0 and plays(weights, BANKING)):
                left = hand_left(hand, cost, shares, trades)
                worth = plan[goal] + worth_of_hand(left, plan, limit, weights)
                if worth > best:
                    best, chosen, trades_of_best = worth, goal, trades
    if chosen >= 0:
        a = build_for(obs, mask, chosen, goals, reach)
        if trades_of_best > 0:
            a = swap_towards(hand, cost_of(chosen, plan), shares, mask)
        if a >= 0 and mask[a] != 0:
            return a
    return NO_ACTION


@kernel
def build_road_ahead(
    obs: Int8Array,
    mask: Int8Array,
    hand: int,
    now: int,
    goals: Goals,
    reach: Reach,
    plan: Plan,
    limit: int,
    weights: ConstInt64Array,
) -> int:
    """A road towards a spot or the longest road before the rest is paid for, or NO_ACTION."""
    if not (of(hand, 0) > 0 and of(hand, 1) > 0):
        return NO_ACTION
    best, chosen = now - weights[CLAIM], -1
    left = hand - ROAD_COST
    for away in range(1, 3):
        if plan[away] > 0:
            worth = worth_of_hand(left, one_road_less(plan, away), limit, weights)
            if worth > best:
                best, chosen = worth, away
    if plan[ROAD_GOAL] > 0 and plan[ROADS_PLACE] > 1:
        worth = worth_of_hand(left, one_trail_less(plan), limit, weights)
        if worth > best:
            best, chosen = worth, ROAD_GOAL
    if chosen >= 0:
        a = build_for(obs, mask, chosen, goals, reach)
        if a >= 0 and mask[a] != 0:
            return a
    return NO_ACTION


@kernel
def card_to_play(
    obs: Int8Array,
    mask: Int8Array,
    hand: int,
    now: int,
    plan: Plan,
    limit: int,
    weights: ConstInt64Array,
) -> int:
    """A development card to play after the roll, or NO_ACTION."""
    if mask[PLAY_KNIGHT] != 0 and wants_knight(obs, 0, weights):
        return PLAY_KNIGHT
    if not plays(weights, CARDS):
        return NO_ACTION
    a = which_plenty(hand, now, plan, limit, mask, weights)
    if a == NO_ACTION:
        a = which_monopoly(obs, hand, now, plan, limit, mask, weights)
    if a == NO_ACTION and mask[PLAY_ROAD_BUILDING] != 0:
        for away in range(1, 3):
            nearer = one_road_less(plan, away)
            if away > 1:
                nearer = one_road_less(nearer, away - 1)
            if worth_of_hand(hand, nearer, limit, weights) - now >= weights[PLENTY]:
                return PLAY_ROAD_BUILDING
        if plan[ROAD_GOAL] > 0 and plan[ROADS_PLACE] <= 2:
            return PLAY_ROAD_BUILDING
    return a


@kernel
def in_turn(
    obs: Int8Array, mask: Int8Array, random_bits: np.uint64, weights: ConstInt64Array
) -> int:
    """What to do in the own turn after the roll."""
    a = winning_build(obs, mask)
    if a != NO_ACTION:
        return a
    hand, limit = hand_of(obs), int(obs[encode.DISCARD_LIMIT])
    reach = reach_of(obs)
    goals = goals_of(obs, reach, weights)
    plan = plan_of(obs, goals, weights)
    now = worth_of_hand(hand, plan, limit, weights)
    a = card_to_play(obs, mask, hand, now, plan, limit, weights)
    if a == NO_ACTION:
        a = build_now(obs, mask, hand, now, goals, reach, plan, limit, weights)
    if a == NO_ACTION and plays(weights, ROADS_AHEAD):
        a = build_road_ahead(obs, mask, hand, now, goals, reach, plan, limit, weights)
    if a == NO_ACTION and plays(weights, BANKING):
        a = best_swap(hand, now, plan, limit, mask, weights)
    if a == NO_ACTION and mask.shape[0] > OFFER and obs[encode.OFFERS_LEFT] > 0:
        if plays(weights, OFFERS) and not all_dangerous(obs, weights):
            a = best_offer(obs, hand, now, plan, limit, mask, random_bits, weights)
            if a == NO_ACTION:
                a = next_card(obs, hand, now, plan, limit, mask, weights)
    return a if a != NO_ACTION else END_TURN


@kernel
def free_road(obs: Int8Array, mask: Int8Array, weights: ConstInt64Array) -> int:
    """Where to place a road for nothing."""
    lacking = roads_lacking(obs)
    if 0 < lacking <= 2:
        e = longest_road_edge(obs, mask)
        if e >= 0:
            return BUILD_ROAD + e
    reach = reach_of(obs)
    goals = goals_of(obs, reach, weights)
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


@kernel
def in_trade(obs: Int8Array, mask: Int8Array, phase: int, weights: ConstInt64Array) -> int:
    """What to do while an offer is composed, answered or closed."""
    if phase == Phase.ANSWER:
        if mask[ACCEPT] == 0 or not plays(weights, ANSWERS):
            return REJECT
        if is_dangerous(obs, turn_seat(obs), weights):
            return REJECT
    hand, limit = hand_of(obs), int(obs[encode.DISCARD_LIMIT])
    plan = plan_of(obs, goals_of(obs, reach_of(obs), weights), weights)
    now = worth_of_hand(hand, plan, limit, weights)
    if phase == Phase.ANSWER:
        return ACCEPT if agrees(obs, hand, now, plan, limit, weights) else REJECT
    if phase == Phase.CLOSE:
        return whom_to_close_with(obs, hand, now, plan, limit, mask, weights)
    if mask[COMPOSE_SEND] != 0:
        return COMPOSE_SEND
    a = next_card(obs, hand, now, plan, limit, mask, weights)
    return a if a != NO_ACTION else WITHDRAW


@kernel
def wanted_action(
    obs: Int8Array, mask: Int8Array, random_bits: np.uint64, weights: ConstInt64Array
) -> int:
    """The choice by phase, which may be NO_ACTION."""
    phase = phase_of(obs)
    if phase == Phase.ROLL:
        if mask[PLAY_KNIGHT] != 0 and wants_knight(obs, 1, weights):
            return PLAY_KNIGHT
        return ROLL
    if phase == Phase.MAIN:
        if not plays(weights, PLAN):
            return weighted_action(obs, mask, random_bits)
        return in_turn(obs, mask, random_bits, weights)
    if phase == Phase.ANSWER or phase == Phase.CLOSE or phase == Phase.COMPOSE:
        return in_trade(obs, mask, phase, weights)
    if phase == Phase.MOVE_ROBBER and plays(weights, ROBBER):
        return where_to_rob(obs, mask, weights)
    if phase == Phase.STEAL and plays(weights, ROBBER):
        return whom_to_rob(obs, mask, weights)
    if phase == Phase.DISCARD and plays(weights, DISCARDS):
        plan = plan_of(obs, goals_of(obs, reach_of(obs), weights), weights)
        return what_to_discard(hand_of(obs), plan, mask, weights)
    if phase == Phase.FREE_ROAD:
        return free_road(obs, mask, weights)
    if phase == Phase.SETUP_SETTLEMENT and plays(weights, PLACEMENT):
        return first_settlements(obs, mask, weights)
    if phase == Phase.SETUP_ROAD and plays(weights, PLACEMENT):
        return first_roads(obs, mask, weights)
    return NO_ACTION


@kernel
def action_by_weights(
    obs: Int8Array, mask: Int8Array, random_bits: np.uint64, weights: ConstInt64Array
) -> int:
    """A legal action in some weights."""
    a = wanted_action(obs, mask, random_bits, weights)
    if 0 <= a < mask.shape[0] and mask[a] != 0:
        return a
    return random_action(obs, mask, random_bits)


@kernel
def heuristic_action(obs: Int8Array, mask: Int8Array, random_bits: np.uint64) -> int:
    """A legal action of the heuristic player."""
    return action_by_weights(obs, mask, random_bits, DEFAULT_WEIGHTS)


@kernel
def evolved_action(obs: Int8Array, mask: Int8Array, random_bits: np.uint64) -> int:
    """A legal action of the evolved player."""
    if seats_playing(obs) == 2:
        return action_by_weights(obs, mask, random_bits, WEIGHTS_OF_TWO)
    return action_by_weights(obs, mask, random_bits, WEIGHTS_OF_MORE)
