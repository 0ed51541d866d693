"""Robber and cards: whom to rob, which development cards to play, what to discard."""

from catan_pz.actions import (
    DISCARD,
    MOVE_ROBBER,
    NO_ACTION,
    PLAY_MONOPOLY,
    PLAY_YEAR_OF_PLENTY,
    PLENTY_PAIRS,
    STEAL,
)
from catan_pz.agents.heuristic.features import hand_of, least_of, most_of, of, robber_hex, some
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
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Array
from catan_pz.observation import encode
from catan_pz.terms import MAX_PLAYERS, NUM_HEXES, NUM_RESOURCES


@kernel
def buildings_on(obs: Int8Array, h: int, k: int) -> int:
    """What a hex brings the seat k places away: 1 for each settlement, 2 for each city."""
    n = 0
    for c in range(6):
        n += int(obs[encode.VERTEX_BUILDING + MAX_PLAYERS * HEX_VERTICES[h, c] + k])
    return n


@kernel
def danger_of(obs: Int8Array, k: int, weights: WeightRow) -> int:
    """How much it matters to hold back the seat k places away."""
    points = int(obs[encode.VISIBLE_POINTS + k]) + int(obs[encode.CARD_COUNT + k]) // 3
    lacking = max(1, int(obs[encode.POINTS_TO_WIN]) - points)
    return 100 + weights.danger // lacking


@kernel
def harm_of_robber(obs: Int8Array) -> int:
    """Own pips that the robber takes."""
    h = robber_hex(obs)
    return buildings_on(obs, h, 0) * int(obs[encode.HEX_PIPS + h])


@kernel
def worth_of_theft(obs: Int8Array, k: int, weights: WeightRow) -> int:
    """What it is worth to steal from the seat k places away."""
    cards = int(obs[encode.HAND_SIZE + k])
    if cards == 0:
        return 0
    return weights.victim * danger_of(obs, k, weights) // 10 + 10 * min(cards, 8)


@kernel
def where_to_rob(obs: Int8Array, mask: Int8Array, weights: WeightRow) -> int:
    """The hex that costs the others most, and never one of ours if there is another."""
    best, chosen = -(1 << 40), -1
    for h in range(NUM_HEXES):
        if mask[MOVE_ROBBER + h] == 0:
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
    return MOVE_ROBBER + chosen


@kernel
def whom_to_rob(obs: Int8Array, mask: Int8Array, weights: WeightRow) -> int:
    """The player from whom a card is worth most."""
    best, chosen = -1, -1
    for k in range(1, MAX_PLAYERS):
        if mask[STEAL + k - 1] != 0:
            worth = worth_of_theft(obs, k, weights)
            if worth > best:
                best, chosen = worth, k
    return STEAL + chosen - 1


@kernel
def wants_knight(obs: Int8Array, before_roll: int, weights: WeightRow) -> bool:
    """Whether to play a knight now."""
    if knights_lacking(obs) == 1:
        return True
    if not plays(weights, KNIGHTS):
        return False
    harm = harm_of_robber(obs)
    if before_roll:
        return harm > 0
    return harm >= weights.knight or knights_held(obs) > 1


@kernel
def which_plenty(mask: Int8Array, outlook: Outlook) -> int:
    """The year of plenty that helps the plan most, if it helps enough."""
    best, chosen = outlook.weights.plenty, NO_ACTION
    for k in range(PLENTY_PAIRS.shape[0]):
        if mask[PLAY_YEAR_OF_PLENTY + k] != 0:
            more = some(PLENTY_PAIRS[k, 0], 1) + some(PLENTY_PAIRS[k, 1], 1)
            gain = gain_of(outlook.hand + more, outlook)
            if gain > best:
                best, chosen = gain, PLAY_YEAR_OF_PLENTY + k
    return chosen


@kernel
def which_monopoly(obs: Int8Array, mask: Int8Array, outlook: Outlook) -> int:
    """The monopoly that helps the plan most, by what the others hold on average."""
    best, chosen = outlook.weights.monopoly, NO_ACTION
    for r in range(NUM_RESOURCES):
        if mask[PLAY_MONOPOLY + r] != 0:
            twice = 0
            for k in range(1, MAX_PLAYERS):
                twice += of(least_of(obs, k), r) + of(most_of(obs, k), r)
            gain = gain_of(outlook.hand + some(r, twice // 2), outlook)
            if gain > best:
                best, chosen = gain, PLAY_MONOPOLY + r
    return chosen


@kernel
def what_to_discard(obs: Int8Array, mask: Int8Array, plan: Plan, weights: WeightRow) -> int:
    """The card that the plan misses least; a 7 takes no more."""
    hand = hand_of(obs)
    outlook = Outlook(hand, plan, 1 << 20, worth_of_hand(hand, plan, 1 << 20, weights), weights)
    best, chosen = -(1 << 40), 0
    for r in range(NUM_RESOURCES):
        if mask[DISCARD + r] != 0:
            gain = gain_of(hand - some(r, 1), outlook)
            if gain > best:
                best, chosen = gain, r
    return DISCARD + chosen
