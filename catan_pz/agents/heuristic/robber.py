"""The robber: where it goes, from whom it steals, and when a knight is worth playing."""

from catan_pz.actions import MOVE_ROBBER, STEAL
from catan_pz.agents.heuristic.features import robber_hex
from catan_pz.agents.heuristic.weights import DANGER, VICTIM
from catan_pz.board.topology import HEX_VERTICES
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import ConstInt64Array, Int8Array
from catan_pz.observation import encode
from catan_pz.terms import MAX_PLAYERS, NUM_HEXES


@kernel
def buildings_on(obs: Int8Array, h: int, k: int) -> int:
    """What a hex brings the seat k places away: 1 for each settlement, 2 for each city."""
    n = 0
    for c in range(6):
        n += int(obs[encode.VERTEX_BUILDING + MAX_PLAYERS * HEX_VERTICES[h, c] + k])
    return n


@kernel
def danger_of(obs: Int8Array, k: int, weights: ConstInt64Array) -> int:
    """How much it matters to hold back the seat k places away."""
    points = int(obs[encode.VISIBLE_POINTS + k]) + int(obs[encode.CARD_COUNT + k]) // 3
    lacking = max(1, int(obs[encode.POINTS_TO_WIN]) - points)
    return 100 + weights[DANGER] // lacking


@kernel
def harm_of_robber(obs: Int8Array) -> int:
    """Own pips that the robber takes."""
    h = robber_hex(obs)
    return buildings_on(obs, h, 0) * int(obs[encode.HEX_PIPS + h])


@kernel
def worth_of_theft(obs: Int8Array, k: int, weights: ConstInt64Array) -> int:
    """What it is worth to steal from the seat k places away."""
    cards = int(obs[encode.HAND_SIZE + k])
    if cards == 0:
        return 0
    return weights[VICTIM] * danger_of(obs, k, weights) // 10 + 10 * min(cards, 8)


@kernel
def where_to_rob(obs: Int8Array, mask: Int8Array, weights: ConstInt64Array) -> int:
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
def whom_to_rob(obs: Int8Array, mask: Int8Array, weights: ConstInt64Array) -> int:
    """The player from whom a card is worth most."""
    best, chosen = -1, -1
    for k in range(1, MAX_PLAYERS):
        if mask[STEAL + k - 1] != 0:
            worth = worth_of_theft(obs, k, weights)
            if worth > best:
                best, chosen = worth, k
    return STEAL + chosen - 1
