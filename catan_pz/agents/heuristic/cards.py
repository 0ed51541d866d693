"""Robber, cards and trade: victims, cards to play and discard, trades."""

import numpy as np

from catan_pz import actions
from catan_pz.actions import NO_ACTION
from catan_pz.agents.heuristic.features import (
    BITS_PER_RESOURCE,
    bundle_at,
    first_of,
    hand_of,
    of,
    rate_of,
    some,
)
from catan_pz.agents.heuristic.plan import (
    Outlook,
    Plan,
    gain_of,
    knights_held,
    knights_lacking,
    worth_of_hand,
)
from catan_pz.agents.heuristic.weights import KNIGHTS, WeightRow, plays
from catan_pz.board.topology import HEX_VERTICES
from catan_pz.engine.hands import is_covered
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Array
from catan_pz.observation import encode
from catan_pz.terms import MAX_PLAYERS, NUM_HEXES, NUM_RESOURCES

SWAPS = actions.MARITIME_SWAPS.shape[0]
FIRST_DOUBLE = int((actions.OFFER_GIVE.sum(1) == 2).argmax())
FIRST_HALF = int((actions.OFFER_GET.sum(1) == 2).argmax())
"""The first templates with two cards for one, and one for two; before them are one for one."""
OFFER_GAINS = (actions.OFFER_GET.astype(np.int64) - actions.OFFER_GIVE) @ (
    1 << BITS_PER_RESOURCE * np.arange(NUM_RESOURCES)
)
"""The net cards of each template, as bundles."""


@kernel
def buildings_on(obs: Int8Array, h: int, k: int) -> int:
    """Cards that a hex produces for the seat k places away: 1 a settlement, 2 a city."""
    n = 0
    for c in range(6):
        n += int(obs[encode.VERTEX_BUILDING + MAX_PLAYERS * HEX_VERTICES[h, c] + k])
    return n


@kernel
def danger_of(obs: Int8Array, k: int, weights: WeightRow) -> int:
    """The importance of holding back the seat k places away."""
    points = int(obs[encode.VISIBLE_POINTS + k]) + int(obs[encode.CARD_COUNT + k]) // 3
    lacking = max(1, int(obs[encode.POINTS_TO_WIN]) - points)
    return 100 + weights.danger // lacking


@kernel
def worth_of_theft(obs: Int8Array, k: int, weights: WeightRow) -> int:
    """The worth of a theft from the seat k places away."""
    cards = int(obs[encode.HAND_SIZE + k])
    if cards == 0:
        return 0
    return weights.victim * danger_of(obs, k, weights) // 10 + 10 * min(cards, 8)


@kernel
def where_to_rob(obs: Int8Array, mask: Int8Array, weights: WeightRow) -> int:
    """The robber hex that costs the others most, an own one only if there is no other."""
    best, chosen = -(1 << 40), -1
    for h in range(NUM_HEXES):
        if mask[actions.MOVE_ROBBER + h] == 0:
            continue
        pips = int(obs[encode.HEX_PIPS + h])
        value = -1000 * pips * buildings_on(obs, h, 0)
        theft = 0
        for k in range(1, MAX_PLAYERS):
            n = buildings_on(obs, h, k)
            if n > 0:
                value += pips * n * danger_of(obs, k, weights)
                theft = max(theft, worth_of_theft(obs, k, weights))
        if value + theft > best:
            best, chosen = value + theft, h
    return actions.MOVE_ROBBER + chosen


@kernel
def whom_to_rob(obs: Int8Array, mask: Int8Array, weights: WeightRow) -> int:
    """The victim whose card is worth most."""
    best, chosen = -1, -1
    for k in range(1, MAX_PLAYERS):
        if mask[actions.STEAL + k - 1] != 0:
            worth = worth_of_theft(obs, k, weights)
            if worth > best:
                best, chosen = worth, k
    return actions.STEAL + chosen - 1


@kernel
def wants_knight(obs: Int8Array, before_roll: int, weights: WeightRow) -> bool:
    """Whether to play a knight now."""
    if knights_lacking(obs) == 1:
        return True
    if not plays(weights, KNIGHTS):
        return False
    h = first_of(obs, encode.HEX_ROBBER, NUM_HEXES)
    harm = buildings_on(obs, h, 0) * int(obs[encode.HEX_PIPS + h])  # own blocked pips
    if before_roll:
        return harm > 0
    return harm >= weights.knight or knights_held(obs) > 1


@kernel
def which_plenty(mask: Int8Array, outlook: Outlook) -> int:
    """The year of plenty that helps the plan most, if enough; or NO_ACTION."""
    best, chosen = outlook.weights.plenty, NO_ACTION
    for k in range(actions.PLENTY_PAIRS.shape[0]):
        if mask[actions.PLAY_YEAR_OF_PLENTY + k] != 0:
            more = some(actions.PLENTY_PAIRS[k, 0], 1) + some(actions.PLENTY_PAIRS[k, 1], 1)
            gain = gain_of(outlook.hand + more, outlook)
            if gain > best:
                best, chosen = gain, actions.PLAY_YEAR_OF_PLENTY + k
    return chosen


@kernel
def which_monopoly(obs: Int8Array, mask: Int8Array, outlook: Outlook) -> int:
    """The monopoly that helps the plan most by the middle of the others' bounds; or NO_ACTION."""
    best, chosen = outlook.weights.monopoly, NO_ACTION
    for r in range(NUM_RESOURCES):
        if mask[actions.PLAY_MONOPOLY + r] != 0:
            twice = 0
            for k in range(1, MAX_PLAYERS):
                place = NUM_RESOURCES * k + r
                twice += int(obs[encode.HAND_MIN + place]) + int(obs[encode.HAND_MAX + place])
            gain = gain_of(outlook.hand + some(r, twice // 2), outlook)
            if gain > best:
                best, chosen = gain, actions.PLAY_MONOPOLY + r
    return chosen


@kernel
def what_to_discard(obs: Int8Array, mask: Int8Array, plan: Plan, weights: WeightRow) -> int:
    """The card that the plan needs least, apart from the risk of another 7."""
    hand = hand_of(obs)
    outlook = Outlook(hand, plan, 1 << 20, worth_of_hand(hand, plan, 1 << 20, weights), weights)
    best, chosen = -(1 << 40), 0
    for r in range(NUM_RESOURCES):
        if mask[actions.DISCARD + r] != 0:
            gain = gain_of(hand - some(r, 1), outlook)
            if gain > best:
                best, chosen = gain, r
    return actions.DISCARD + chosen


@kernel
def swap_towards(hand: int, cost: int, shares: int, mask: Int8Array) -> int:
    """The trade with the bank towards a cost: the largest surplus for the largest shortage."""
    best, chosen = 0, NO_ACTION
    for k in range(SWAPS):
        if mask[actions.MARITIME_TRADE + k] != 0:
            give, get = actions.MARITIME_SWAPS[k, 0], actions.MARITIME_SWAPS[k, 1]
            spare = of(hand, give) - of(cost, give)
            lacking = of(cost, get) - of(hand, get)
            rate = rate_of(shares, give)
            if lacking > 0 and spare >= rate:
                value = 64 * (spare - rate) + 16 * (5 - rate) + lacking
                if value > best:
                    best, chosen = value, actions.MARITIME_TRADE + k
    return chosen


@kernel
def best_swap(mask: Int8Array, outlook: Outlook) -> int:
    """The trade with the bank that gains most, if enough; or NO_ACTION."""
    best, chosen = outlook.weights.bank, NO_ACTION
    for k in range(SWAPS):
        if mask[actions.MARITIME_TRADE + k] != 0:
            give, get = actions.MARITIME_SWAPS[k, 0], actions.MARITIME_SWAPS[k, 1]
            paid = some(give, rate_of(outlook.plan.shares, give))
            gain = gain_of(outlook.hand - paid + some(get, 1), outlook)
            if gain > best:
                best, chosen = gain, actions.MARITIME_TRADE + k
    return chosen


@kernel
def is_dangerous(obs: Int8Array, k: int, weights: WeightRow) -> bool:
    """Whether the seat k places away is too close to winning for trades."""
    points = int(obs[encode.VISIBLE_POINTS + k])
    return int(obs[encode.POINTS_TO_WIN]) - points <= weights.close


@kernel
def all_dangerous(obs: Int8Array, weights: WeightRow) -> bool:
    """Whether nobody is left to trade with."""
    for k in range(1, MAX_PLAYERS):
        if obs[encode.PRESENT + k] != 0 and not is_dangerous(obs, k, weights):
            return False
    return True


@kernel
def best_offer(obs: Int8Array, mask: Int8Array, random_bits: np.uint64, outlook: Outlook) -> int:
    """The best offer of one card for one, then the next best, then the best of two for one.

    Earlier offers aren't remembered: the number left determines the next one. With many left, the
    sequence ends by chance.
    """
    left = int(obs[encode.OFFERS_LEFT])
    if left > 3 and random_bits & 1 == 1:
        return NO_ACTION
    first, beyond = 0, FIRST_DOUBLE
    rank = (3 - left) % 3
    if rank == 2:
        first, beyond, rank = FIRST_DOUBLE, FIRST_HALF, 0
    best = second = outlook.weights.offer
    chosen = next_best = NO_ACTION
    for k in range(first, beyond):
        if mask[actions.OFFER + k] != 0:
            gain = gain_of(outlook.hand + OFFER_GAINS[k], outlook)
            if gain > best:
                second, next_best = best, chosen
                best, chosen = gain, actions.OFFER + k
            elif second < gain < best:
                second, next_best = gain, actions.OFFER + k
    return chosen if rank == 0 else next_best


@kernel
def gain_of_offer(obs: Int8Array, k: int, outlook: Outlook) -> int:
    """The gain from the offer of the seat k places away."""
    given = bundle_at(obs, encode.OFFER_GIVE + NUM_RESOURCES * k)
    got = bundle_at(obs, encode.OFFER_GET + NUM_RESOURCES * k)
    if not is_covered(got, outlook.hand):
        return -(1 << 40)
    return gain_of(outlook.hand - got + given, outlook)


@kernel
def whom_to_close_with(obs: Int8Array, mask: Int8Array, outlook: Outlook) -> int:
    """The partner with the best terms, the weakest if they are equal; or withdraw."""
    best, chosen = 0, actions.WITHDRAW
    for k in range(1, MAX_PLAYERS):
        if mask[actions.CLOSE_WITH + k - 1] != 0 and not is_dangerous(obs, k, outlook.weights):
            if obs[encode.ANSWER + 4 * k + 3] != 0:
                gain = gain_of_offer(obs, k, outlook)
            else:
                given = bundle_at(obs, encode.OFFER_GIVE)
                got = bundle_at(obs, encode.OFFER_GET)
                gain = gain_of(outlook.hand - given + got, outlook)
            value = 64 * gain - int(obs[encode.VISIBLE_POINTS + k])
            if gain >= outlook.weights.accept and value > best:
                best, chosen = value, actions.CLOSE_WITH + k - 1
    return chosen


@kernel
def next_card(obs: Int8Array, mask: Int8Array, outlook: Outlook) -> int:
    """The card to add to a one-for-one offer in composition; or NO_ACTION."""
    given = bundle_at(obs, encode.OFFER_GIVE)
    got = bundle_at(obs, encode.OFFER_GET)
    best, chosen = outlook.weights.offer, NO_ACTION
    for k in range(SWAPS):
        give, get = actions.MARITIME_SWAPS[k, 0], actions.MARITIME_SWAPS[k, 1]
        fits = (given == 0 or given == some(give, 1)) and (got == 0 or got == some(get, 1))
        first = actions.COMPOSE_GIVE + give if given == 0 else actions.COMPOSE_GET + get
        if fits and of(outlook.hand, give) > 0 and mask[first] != 0:
            gain = gain_of(outlook.hand - some(give, 1) + some(get, 1), outlook)
            if gain > best:
                best, chosen = gain, first
    return chosen
