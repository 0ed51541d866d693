"""Development cards: when to play them, and for what; and which resource cards to discard."""

from catan_pz.actions import DISCARD, NO_ACTION, PLAY_MONOPOLY, PLAY_YEAR_OF_PLENTY, PLENTY_PAIRS
from catan_pz.agents.heuristic.features import least_of, most_of, of, some
from catan_pz.agents.heuristic.plan import Plan, knights_held, knights_lacking, worth_of_hand
from catan_pz.agents.heuristic.robber import harm_of_robber
from catan_pz.agents.heuristic.weights import KNIGHT as KNIGHT_WEIGHT
from catan_pz.agents.heuristic.weights import KNIGHTS, PLENTY, plays
from catan_pz.agents.heuristic.weights import MONOPOLY as MONOPOLY_WEIGHT
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import ConstInt64Array, Int8Array
from catan_pz.terms import MAX_PLAYERS, NUM_RESOURCES


@kernel
def wants_knight(obs: Int8Array, before_roll: int, weights: ConstInt64Array) -> bool:
    """Whether to play a knight now."""
    if knights_lacking(obs) == 1:
        return True
    if not plays(weights, KNIGHTS):
        return False
    harm = harm_of_robber(obs)
    if before_roll:
        return harm > 0
    return harm >= weights[KNIGHT_WEIGHT] or knights_held(obs) > 1


@kernel
def which_plenty(
    hand: int, now: int, plan: Plan, limit: int, mask: Int8Array, weights: ConstInt64Array
) -> int:
    """The year of plenty that helps the plan most, if it helps enough.

    The hand is worth `now` as it is.
    """
    best, chosen = now + weights[PLENTY], NO_ACTION
    for k in range(PLENTY_PAIRS.shape[0]):
        if mask[PLAY_YEAR_OF_PLENTY + k] != 0:
            more = hand + some(PLENTY_PAIRS[k, 0], 1) + some(PLENTY_PAIRS[k, 1], 1)
            worth = worth_of_hand(more, plan, limit, weights)
            if worth > best:
                best, chosen = worth, PLAY_YEAR_OF_PLENTY + k
    return chosen


@kernel
def which_monopoly(
    obs: Int8Array,
    hand: int,
    now: int,
    plan: Plan,
    limit: int,
    mask: Int8Array,
    weights: ConstInt64Array,
) -> int:
    """The monopoly that helps the plan most, by what the others hold on average."""
    best, chosen = now + weights[MONOPOLY_WEIGHT], NO_ACTION
    for r in range(NUM_RESOURCES):
        if mask[PLAY_MONOPOLY + r] != 0:
            twice = 0
            for k in range(1, MAX_PLAYERS):
                twice += of(least_of(obs, k), r) + of(most_of(obs, k), r)
            worth = worth_of_hand(hand + some(r, twice // 2), plan, limit, weights)
            if worth > best:
                best, chosen = worth, PLAY_MONOPOLY + r
    return chosen


@kernel
def what_to_discard(hand: int, plan: Plan, mask: Int8Array, weights: ConstInt64Array) -> int:
    """The card that the plan misses least."""
    best, chosen = -(1 << 40), 0
    for r in range(NUM_RESOURCES):
        if mask[DISCARD + r] != 0:
            worth = worth_of_hand(hand - some(r, 1), plan, 1 << 20, weights)
            if worth > best:
                best, chosen = worth, r
    return DISCARD + chosen
