"""The choice of the heuristic player in each phase."""

from typing import NamedTuple

import numpy as np

from catan_pz import actions
from catan_pz.actions import NO_ACTION
from catan_pz.agents.heuristic import cards, spots
from catan_pz.agents.heuristic.features import (
    allowed,
    first_of,
    hand_limit,
    hand_of,
    of,
    points_to_go,
    rate_of,
    some,
    turn_seat,
)
from catan_pz.agents.heuristic.plan import (
    CARD_GOAL,
    CITY_GOAL,
    GOALS,
    ROAD_COST,
    ROAD_GOAL,
    Outlook,
    Plan,
    cost_of,
    knights_lacking,
    roads_lacking,
    trades_to_reach,
    worth_of_hand,
)
from catan_pz.agents.heuristic.weights import (
    ANSWERS,
    BANK,
    CARDS,
    DEFAULT_WEIGHTS,
    DISCARDS,
    EVOLVED_WEIGHTS,
    OFFERS,
    PLACEMENT,
    PLAN,
    ROADS,
    ROBBER,
    WeightRow,
    WeightRows,
    plays,
)
from catan_pz.agents.random import random_action, weighted_action
from catan_pz.engine import bits
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Array
from catan_pz.observation import encode
from catan_pz.terms import NUM_RESOURCES, NUM_VERTICES, Phase

NUM_PHASES = len(Phase)


class Turn(NamedTuple):
    """The basis of decisions in an own turn after the roll."""

    obs: Int8Array
    mask: Int8Array
    reach: spots.Reach
    goals: spots.Goals
    outlook: Outlook


@kernel
def hand_left(hand: int, cost: int, shares: int, trades: int) -> int:
    """A hand after trades with the bank that make it cover a cost, and paying it."""
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
def build_for(turn: Turn, goal: int) -> int:
    """The next action for a goal, or NO_ACTION."""
    goals = turn.goals
    if goal == 0:
        return actions.BUILD_SETTLEMENT + goals.here % 64
    if goal == 1:
        return actions.BUILD_ROAD + spots.road_towards(turn.reach, goals.there % 64, 1)
    if goal == 2:
        return actions.BUILD_ROAD + spots.road_towards(turn.reach, goals.far % 64, 2)
    if goal == CITY_GOAL:
        return actions.BUILD_CITY + goals.city % 64
    if goal == CARD_GOAL:
        return actions.BUY_DEVELOPMENT_CARD
    e = spots.longest_road_edge(turn.obs, turn.mask)
    return actions.BUILD_ROAD + e if e >= 0 else NO_ACTION


@kernel
def winning_build(obs: Int8Array, mask: Int8Array) -> int:
    """An action that wins at once, or NO_ACTION."""
    lacking = points_to_go(obs)
    if lacking <= 2 and mask[actions.PLAY_KNIGHT] != 0 and knights_lacking(obs) == 1:
        return actions.PLAY_KNIGHT
    if lacking <= 1:
        vertices = allowed(mask, actions.BUILD_SETTLEMENT, NUM_VERTICES)
        if vertices != 0:
            return actions.BUILD_SETTLEMENT + bits.first(vertices)
        vertices = allowed(mask, actions.BUILD_CITY, NUM_VERTICES)
        if vertices != 0:
            return actions.BUILD_CITY + bits.first(vertices)
    if lacking <= 2 and roads_lacking(obs) == 1:
        e = spots.longest_road_edge(obs, mask)
        if e >= 0:
            return actions.BUILD_ROAD + e
    return NO_ACTION


@kernel
def build_now(turn: Turn) -> int:
    """The building to buy now, or a trade with the bank for it, or NO_ACTION."""
    hand, plan, limit, now, weights = turn.outlook
    best, chosen = now, -1
    trades_of_best = 0
    for goal in range(GOALS):
        if plan.worths[goal] > 0:
            cost = cost_of(goal, plan)
            trades = trades_to_reach(hand, cost, plan.shares)
            if trades == 0 or (trades > 0 and plays(weights, BANK)):
                left = hand_left(hand, cost, plan.shares, trades)
                worth = plan.worths[goal] + worth_of_hand(left, plan, limit, weights)
                if worth > best:
                    best, chosen, trades_of_best = worth, goal, trades
    if chosen < 0:
        return NO_ACTION
    a = build_for(turn, chosen)
    if trades_of_best > 0:
        a = cards.swap_towards(hand, cost_of(chosen, plan), plan.shares, turn.mask)
    return a if a >= 0 and turn.mask[a] != 0 else NO_ACTION


@kernel
def build_road_ahead(turn: Turn) -> int:
    """A road towards a spot or the longest road, before the rest is affordable; or NO_ACTION."""
    hand, plan, limit, now, weights = turn.outlook
    if not (of(hand, 0) > 0 and of(hand, 1) > 0):
        return NO_ACTION
    best, chosen = now - weights.claim, -1
    left = hand - ROAD_COST
    for away in range(1, 3):
        if plan.worths[away] > 0:
            worth = worth_of_hand(left, spots.one_road_less(plan, away), limit, weights)
            if worth > best:
                best, chosen = worth, away
    if plan.worths[ROAD_GOAL] > 0 and plan.roads > 1:
        shorter = Plan(plan.worths, plan.roads - 1, plan.pips, plan.shares)
        if worth_of_hand(left, shorter, limit, weights) > best:
            chosen = ROAD_GOAL
    if chosen < 0:
        return NO_ACTION
    a = build_for(turn, chosen)
    return a if a >= 0 and turn.mask[a] != 0 else NO_ACTION


@kernel
def road_building_helps(outlook: Outlook) -> bool:
    """Whether two free roads help the plan enough."""
    hand, plan, limit, now, weights = outlook
    for away in range(1, 3):
        nearer = spots.one_road_less(plan, away)
        if away > 1:
            nearer = spots.one_road_less(nearer, away - 1)
        if worth_of_hand(hand, nearer, limit, weights) - now >= weights.plenty:
            return True
    return plan.worths[ROAD_GOAL] > 0 and plan.roads <= 2


@kernel
def card_to_play(turn: Turn) -> int:
    """A development card to play after the roll, or NO_ACTION."""
    obs, mask, outlook = turn.obs, turn.mask, turn.outlook
    if mask[actions.PLAY_KNIGHT] != 0 and cards.wants_knight(obs, 0, outlook.weights):
        return actions.PLAY_KNIGHT
    if not plays(outlook.weights, CARDS):
        return NO_ACTION
    a = cards.which_plenty(mask, outlook)
    if a == NO_ACTION:
        a = cards.which_monopoly(obs, mask, outlook)
    if a == NO_ACTION and mask[actions.PLAY_ROAD_BUILDING] != 0 and road_building_helps(outlook):
        return actions.PLAY_ROAD_BUILDING
    return a


@kernel
def offer_to_make(turn: Turn, random_bits: np.uint64) -> int:
    """An offer, or the first card of one, or NO_ACTION."""
    obs, mask, outlook = turn.obs, turn.mask, turn.outlook
    if mask.shape[0] <= actions.OFFER or obs[encode.OFFERS_LEFT] <= 0:
        return NO_ACTION
    if not plays(outlook.weights, OFFERS) or cards.all_dangerous(obs, outlook.weights):
        return NO_ACTION
    a = cards.best_offer(obs, mask, random_bits, outlook)
    return a if a != NO_ACTION else cards.next_card(obs, mask, outlook)


@kernel
def in_turn(obs: Int8Array, mask: Int8Array, random_bits: np.uint64, weights: WeightRow) -> int:
    """The action in the own turn after the roll."""
    a = winning_build(obs, mask)
    if a != NO_ACTION:
        return a
    reach = spots.reach_of(obs)
    goals = spots.goals_of(obs, reach, weights)
    plan = spots.plan_for(obs, goals, weights)
    hand, limit = hand_of(obs), hand_limit(obs)
    outlook = Outlook(hand, plan, limit, worth_of_hand(hand, plan, limit, weights), weights)
    turn = Turn(obs, mask, reach, goals, outlook)
    a = card_to_play(turn)
    if a == NO_ACTION:
        a = build_now(turn)
    if a == NO_ACTION and plays(weights, ROADS):
        a = build_road_ahead(turn)
    if a == NO_ACTION and plays(weights, BANK):
        a = cards.best_swap(mask, outlook)
    if a == NO_ACTION:
        a = offer_to_make(turn, random_bits)
    return a if a != NO_ACTION else actions.END_TURN


@kernel
def free_road(obs: Int8Array, mask: Int8Array, weights: WeightRow) -> int:
    """The edge for a free road."""
    lacking = roads_lacking(obs)
    if 0 < lacking <= 2:
        e = spots.longest_road_edge(obs, mask)
        if e >= 0:
            return actions.BUILD_ROAD + e
    reach = spots.reach_of(obs)
    goals = spots.goals_of(obs, reach, weights)
    best, chosen = 0, -1
    for away in range(1, 3):
        goal = goals.there if away == 1 else goals.far
        value = goal // 64 * (6 - away)
        if value > best:
            e = spots.road_towards(reach, goal % 64, away)
            if e >= 0 and mask[actions.BUILD_ROAD + e] != 0:
                best, chosen = value, e
    if chosen < 0:
        chosen = spots.longest_road_edge(obs, mask)
    return actions.BUILD_ROAD + chosen if chosen >= 0 else NO_ACTION


@kernel
def in_trade(obs: Int8Array, mask: Int8Array, phase: int, weights: WeightRow) -> int:
    """The action in composing, answering or closing an offer."""
    if phase == Phase.ANSWER:
        if mask[actions.ACCEPT] == 0 or not plays(weights, ANSWERS):
            return actions.REJECT
        if cards.is_dangerous(obs, turn_seat(obs), weights):
            return actions.REJECT
    plan = spots.plan_of(obs, weights)
    hand, limit = hand_of(obs), hand_limit(obs)
    outlook = Outlook(hand, plan, limit, worth_of_hand(hand, plan, limit, weights), weights)
    if phase == Phase.ANSWER:
        gain = cards.gain_of_offer(obs, turn_seat(obs), outlook)
        return actions.ACCEPT if gain >= weights.accept else actions.REJECT
    if phase == Phase.CLOSE:
        return cards.whom_to_close_with(obs, mask, outlook)
    if mask[actions.COMPOSE_SEND] != 0:
        return actions.COMPOSE_SEND
    a = cards.next_card(obs, mask, outlook)
    return a if a != NO_ACTION else actions.WITHDRAW


@kernel
def wanted_action(
    obs: Int8Array, mask: Int8Array, random_bits: np.uint64, weights: WeightRow
) -> int:
    """The choice by phase, which may be NO_ACTION."""
    phase = first_of(obs, encode.PHASE, NUM_PHASES)
    if phase == Phase.ROLL:
        if mask[actions.PLAY_KNIGHT] != 0 and cards.wants_knight(obs, 1, weights):
            return actions.PLAY_KNIGHT
        return actions.ROLL
    if phase == Phase.MAIN:
        if not plays(weights, PLAN):
            return weighted_action(obs, mask, random_bits)
        return in_turn(obs, mask, random_bits, weights)
    if phase == Phase.ANSWER or phase == Phase.CLOSE or phase == Phase.COMPOSE:
        return in_trade(obs, mask, phase, weights)
    if phase == Phase.MOVE_ROBBER and plays(weights, ROBBER):
        return cards.where_to_rob(obs, mask, weights)
    if phase == Phase.STEAL and plays(weights, ROBBER):
        return cards.whom_to_rob(obs, mask, weights)
    if phase == Phase.DISCARD and plays(weights, DISCARDS):
        return cards.what_to_discard(obs, mask, spots.plan_of(obs, weights), weights)
    if phase == Phase.FREE_ROAD:
        return free_road(obs, mask, weights)
    if phase == Phase.SETUP_SETTLEMENT and plays(weights, PLACEMENT):
        return spots.first_settlements(obs, mask, weights)
    if phase == Phase.SETUP_ROAD and plays(weights, PLACEMENT):
        return spots.first_roads(obs, mask, weights)
    return NO_ACTION


@kernel
def action_by_weights(
    obs: Int8Array, mask: Int8Array, random_bits: np.uint64, weights: WeightRow
) -> int:
    """A legal action by some weights; a random one if they choose none."""
    a = wanted_action(obs, mask, random_bits, weights)
    if 0 <= a < mask.shape[0] and mask[a] != 0:
        return a
    return random_action(obs, mask, random_bits)


@kernel
def action_by_rows(
    obs: Int8Array, mask: Int8Array, random_bits: np.uint64, weights: WeightRows
) -> int:
    """A legal action by the first weights in a game of two players, by the second in others."""
    row = 0 if obs[encode.PRESENT + 2] == 0 else 1
    return action_by_weights(obs, mask, random_bits, weights[row])


@kernel
def heuristic_action(obs: Int8Array, mask: Int8Array, random_bits: np.uint64) -> int:
    """A legal action of the heuristic player."""
    return action_by_weights(obs, mask, random_bits, DEFAULT_WEIGHTS[0])


@kernel
def evolved_action(obs: Int8Array, mask: Int8Array, random_bits: np.uint64) -> int:
    """A legal action of the evolved player."""
    return action_by_rows(obs, mask, random_bits, EVOLVED_WEIGHTS)
