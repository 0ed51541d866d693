"""Resource cards: their movements, and what each player knows about the others' hands.

To observer o the hands are a matrix of players and resources with public row sums (hand
sizes) and column sums (19 less the bank). `s.below[o, p, r]` and `s.above[o, p, r]` are the
distances of the bounds from the truth. Public movements shift truth and bounds alike, so only
hidden or revealed cards need `note_...`.
"""

import numpy as np

from catan_pz.engine.state import State
from catan_pz.kernels.rule import rule
from catan_pz.kernels.types import Int8Array
from catan_pz.terms import (
    CARD_COST,
    CITY_COST,
    MAX_PLAYERS,
    NUM_RESOURCES,
    ROAD_COST,
    SETTLEMENT_COST,
)

ROAD, SETTLEMENT, CITY, CARD = 0, 1, 2, 3
COSTS = np.array([ROAD_COST, SETTLEMENT_COST, CITY_COST, CARD_COST], np.int64)
"""(4, R) the cost of each purchase in cards."""

ALL_RESOURCES = (1 << NUM_RESOURCES) - 1
ONES = sum(1 << 8 * r for r in range(NUM_RESOURCES))
TOP_BITS = ONES << 7
"""The lowest and the highest bit of each byte of a row."""

_GATHER = sum(1 << 7 * r for r in range(NUM_RESOURCES)) << 4
"""A factor that collects the lowest bits of all bytes of a row, from bit 32 on."""

COST_ROWS = np.array([[int(n) << 8 * r for r, n in enumerate(cost)] for cost in COSTS]).sum(1)
"""(4,) the costs as rows."""


@rule
def least_held(s: State, o: int, p: int, r: int) -> int:
    """The fewest cards of r that p can hold, as far as o knows."""
    return int(s.hand[p, r]) - int(s.below[o, p, r])


@rule
def most_held(s: State, o: int, p: int, r: int) -> int:
    """The most cards of r that p can hold, as far as o knows."""
    return int(s.hand[p, r]) + int(s.above[o, p, r])


@rule
def packed(counts: Int8Array) -> int:
    """Pack counts (R,) from 0 to 127 into a row: one byte of an integer each."""
    row = 0
    for r in range(NUM_RESOURCES):
        row |= (int(counts[r]) & 255) << 8 * r
    return row


@rule
def unpack(row: int, counts: Int8Array) -> None:
    for r in range(NUM_RESOURCES):
        counts[r] = (row >> 8 * r) & 255


@rule
def is_covered(row: int, other: int) -> bool:
    """Whether no count of a row exceeds that of the other."""
    return ((other | TOP_BITS) - row) & TOP_BITS == TOP_BITS


@rule
def resources_covered(row: int, other: int) -> int:
    """The set of resources whose count in a row doesn't exceed that in the other."""
    covered = (((other | TOP_BITS) - row) & TOP_BITS) >> 7
    return (covered * _GATHER >> 32) & ALL_RESOURCES


@rule
def lesser(row: int, other: int) -> int:
    """The smaller count of each resource in two rows."""
    own = ((((other | TOP_BITS) - row) & TOP_BITS) >> 7) * 255
    return other ^ ((row ^ other) & own)


@rule
def narrowed(row: int, opposite: int, column: int) -> int:
    """One side of the bounds on a hand, narrowed by the other side and its sums over players.

    A surplus of one cell over its bound is missing from the rest of its row or column.
    """
    row_sum = (opposite * ONES >> 8 * (NUM_RESOURCES - 1)) & 255
    return lesser(lesser(row, row_sum * ONES - opposite), column - opposite)


@rule
def tighten(s: State, o: int) -> None:
    """Narrow the bounds of observer o until row and column sums give no more."""
    below, above = s.below[o], s.above[o]
    # Rows of the other players; o knows its own hand.
    p, q, r = (o + 1) % MAX_PLAYERS, (o + 2) % MAX_PLAYERS, (o + 3) % MAX_PLAYERS
    below_p, below_q, below_r = packed(below[p]), packed(below[q]), packed(below[r])
    above_p, above_q, above_r = packed(above[p]), packed(above[q]), packed(above[r])
    before, column = -1, above_p + above_q + above_r
    while column != before:
        before = column
        below_p = narrowed(below_p, above_p, column)
        below_q = narrowed(below_q, above_q, column)
        below_r = narrowed(below_r, above_r, column)
        column = below_p + below_q + below_r
        above_p = narrowed(above_p, below_p, column)
        above_q = narrowed(above_q, below_q, column)
        above_r = narrowed(above_r, below_r, column)
        column = above_p + above_q + above_r
    unpack(below_p, below[p])
    unpack(below_q, below[q])
    unpack(below_r, below[r])
    unpack(above_p, above[p])
    unpack(above_q, above[q])
    unpack(above_r, above[r])


@rule
def note_holding(s: State, p: int, r: int, n: int) -> None:
    """Tell all players that p holds at least n cards of r."""
    for o in range(s.num_players):
        if s.below[o, p, r] > s.hand[p, r] - n:
            s.below[o, p, r] = s.hand[p, r] - n
            tighten(s, o)


@rule
def note_payment(s: State, p: int) -> None:
    """Raise negative lower bounds to zero, after p paid in public."""
    hand = packed(s.hand[p])
    for o in range(s.num_players):
        below = packed(s.below[o, p])
        if not is_covered(below, hand):
            unpack(lesser(below, hand), s.below[o, p])
            tighten(s, o)


@rule
def note_count(s: State, p: int, r: int) -> None:
    """Tell all players how many cards of r player p holds."""
    for o in range(s.num_players):
        if s.below[o, p, r] != 0 or s.above[o, p, r] != 0:
            s.below[o, p, r] = 0
            s.above[o, p, r] = 0
            tighten(s, o)


@rule
def note_hidden_theft(s: State, o: int, thief: int, victim: int, stolen: int) -> None:
    """Update observer o for a theft whose resource o doesn't see; call before the card moves."""
    possible = 0
    for r in range(NUM_RESOURCES):
        possible += int(most_held(s, o, victim, r) > 0)
    if possible == 1:
        return
    # At the extremes the victim has one card fewer and the thief one more.
    for r in range(NUM_RESOURCES):
        s.above[o, thief, r] += int(most_held(s, o, victim, r) > 0)
        s.below[o, victim, r] += int(least_held(s, o, victim, r) > 0)
    s.above[o, thief, stolen] -= 1
    s.below[o, thief, stolen] += 1
    s.above[o, victim, stolen] += 1
    s.below[o, victim, stolen] -= 1
    tighten(s, o)


@rule
def note_theft(s: State, thief: int, victim: int, stolen: int) -> None:
    """Update the other observers for a theft; call before the card moves."""
    for o in range(s.num_players):
        if o != thief and o != victim:
            note_hidden_theft(s, o, thief, victim, stolen)


@rule
def gain(s: State, p: int, r: int, n: int) -> None:
    """Move n cards of r from the bank to player p."""
    s.hand[p, r] += n
    s.hand_size[p] += n
    s.bank[r] -= n


@rule
def return_cards(s: State, p: int, r: int, n: int) -> None:
    """Move n cards of r from player p to the bank."""
    gain(s, p, r, -n)
    note_payment(s, p)


@rule
def move_cards(s: State, giver: int, taker: int, r: int, n: int) -> None:
    """Move cards of r from one player to another, without updating what others know."""
    s.hand[giver, r] -= n
    s.hand_size[giver] -= n
    s.hand[taker, r] += n
    s.hand_size[taker] += n


@rule
def resources_held(s: State, p: int) -> int:
    """The set of resources that p holds a card of."""
    return resources_covered(ONES, packed(s.hand[p]))


@rule
def can_afford(s: State, p: int, purchase: int) -> bool:
    return is_covered(COST_ROWS[purchase], packed(s.hand[p]))


@rule
def pay(s: State, p: int, purchase: int) -> None:
    for r in range(NUM_RESOURCES):
        gain(s, p, r, -COSTS[purchase, r])
    note_payment(s, p)
