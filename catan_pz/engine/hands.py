"""Resource cards: how they change hands, and what each player knows of the others' hands.

For observer o the hands are a matrix of players and resources whose row sums (hand
sizes) and column sums (19 less the bank) are public. `s.below[o, p, r]` and
`s.above[o, p, r]` say how far the bounds lie from the truth. What comes and goes in
public moves truth and bounds alike, so only what is hidden or revealed needs `note_...`.
"""

import numpy as np

from catan_pz.engine.state import State
from catan_pz.kernels.rule import rule
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
"""(4, R) cards that each purchase costs."""


@rule
def least_held(s: State, o: int, p: int, r: int) -> int:
    """The fewest cards of r that p holds, by what o knows."""
    return int(s.hand[p, r]) - int(s.below[o, p, r])


@rule
def most_held(s: State, o: int, p: int, r: int) -> int:
    """The most cards of r that p holds, by what o knows."""
    return int(s.hand[p, r]) + int(s.above[o, p, r])


@rule
def tighten(s: State, o: int) -> None:
    """Narrow the bounds of observer o until row and column sums give nothing more."""
    changed = True
    while changed:
        changed = False
        for p in range(s.num_players):
            for r in range(NUM_RESOURCES):
                below = int(s.below[o, p, r])
                above = int(s.above[o, p, r])
                if below == 0 and above == 0:
                    continue
                # What one cell has more than is certain, the rest of its row or column lacks.
                row_below, row_above = -below, -above
                for k in range(NUM_RESOURCES):
                    row_below += s.below[o, p, k]
                    row_above += s.above[o, p, k]
                column_below, column_above = -below, -above
                for q in range(s.num_players):
                    column_below += s.below[o, q, r]
                    column_above += s.above[o, q, r]
                if below > min(row_above, column_above):
                    s.below[o, p, r] = min(row_above, column_above)
                    changed = True
                if above > min(row_below, column_below):
                    s.above[o, p, r] = min(row_below, column_below)
                    changed = True


@rule
def note_holding(s: State, p: int, r: int, n: int) -> None:
    """Everybody learns that p holds at least n cards of r."""
    for o in range(s.num_players):
        if s.below[o, p, r] > s.hand[p, r] - n:
            s.below[o, p, r] = s.hand[p, r] - n
            tighten(s, o)


@rule
def bounds_hold(s: State, p: int) -> bool:
    """Whether nobody takes a negative number of cards in the hand of p for possible."""
    least = 0
    for o in range(MAX_PLAYERS):
        for r in range(NUM_RESOURCES):
            least |= least_held(s, o, p, r)  # its sign bit is what counts
    return least >= 0


@rule
def note_payment(s: State, p: int) -> None:
    """Everybody saw what p has just paid: no count known to be possible may be negative."""
    if bounds_hold(s, p):
        return
    for o in range(s.num_players):
        learned = False
        for r in range(NUM_RESOURCES):
            if s.below[o, p, r] > s.hand[p, r]:
                s.below[o, p, r] = s.hand[p, r]
                learned = True
        if learned:
            tighten(s, o)


@rule
def note_count(s: State, p: int, r: int) -> None:
    """Everybody learns how many cards of r player p holds."""
    for o in range(s.num_players):
        if s.below[o, p, r] != 0 or s.above[o, p, r] != 0:
            s.below[o, p, r] = 0
            s.above[o, p, r] = 0
            tighten(s, o)


@rule
def note_hidden_theft(s: State, o: int, thief: int, victim: int, stolen: int) -> None:
    """Observer o sees that a card is stolen but not its type; called before it moves."""
    possible = 0
    for r in range(NUM_RESOURCES):
        if s.hand[victim, r] + s.above[o, victim, r] > 0:
            possible += 1
    if possible == 1:
        return
    for r in range(NUM_RESOURCES):
        most = s.hand[victim, r] + s.above[o, victim, r]
        if most > 0:
            taken = 1 if r == stolen else 0
            least = s.hand[victim, r] - s.below[o, victim, r]
            # The victim has one less at worst, the thief one more at best.
            s.below[o, victim, r] = s.hand[victim, r] - taken - max(least - 1, 0)
            s.above[o, victim, r] += taken
            s.below[o, thief, r] += taken
            s.above[o, thief, r] += 1 - taken
    tighten(s, o)


@rule
def note_theft(s: State, thief: int, victim: int, stolen: int) -> None:
    """Tell the others of a theft; called before the card moves."""
    for o in range(s.num_players):
        if o != thief and o != victim:
            note_hidden_theft(s, o, thief, victim, stolen)


@rule
def gain(s: State, p: int, r: int, n: int) -> None:
    """Player p takes n cards of r from the bank."""
    s.hand[p, r] += n
    s.hand_size[p] += n
    s.bank[r] -= n


@rule
def return_cards(s: State, p: int, r: int, n: int) -> None:
    """Player p gives n cards of r back to the bank."""
    gain(s, p, r, -n)
    note_payment(s, p)


@rule
def move_cards(s: State, giver: int, taker: int, r: int, n: int) -> None:
    """Cards of r pass from one player to another, told to nobody."""
    s.hand[giver, r] -= n
    s.hand_size[giver] -= n
    s.hand[taker, r] += n
    s.hand_size[taker] += n


@rule
def resources_held(s: State, p: int) -> int:
    """Set of the resources of which p holds a card."""
    held = 0
    for r in range(NUM_RESOURCES):
        held |= int(s.hand[p, r] > 0) << r
    return held


@rule
def can_afford(s: State, p: int, purchase: int) -> bool:
    left = 0
    for r in range(NUM_RESOURCES):
        # The sign bit of what is left: set as soon as one resource falls short.
        left |= int(s.hand[p, r]) - COSTS[purchase, r]
    return left >= 0


@rule
def pay(s: State, p: int, purchase: int) -> None:
    for r in range(NUM_RESOURCES):
        gain(s, p, r, -COSTS[purchase, r])
    note_payment(s, p)
