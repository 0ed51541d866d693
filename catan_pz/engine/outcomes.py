"""The chance outcomes of an action."""

from typing import Final

from catan_pz.actions import BUY_DEVELOPMENT_CARD, DISCARD, MOVE_ROBBER, ROLL, STEAL
from catan_pz.engine import bits
from catan_pz.engine.chance import ROLLS_OF_SUM, rolls_left, weight_of_sum
from catan_pz.engine.hands import resources_held
from catan_pz.engine.robber import victims
from catan_pz.engine.state import State, seat_after
from catan_pz.kernels.rule import rule
from catan_pz.terms import DECK_SIZE

NUM_OUTCOMES: Final = 36
"""The most outcomes of an action: the rolls of two dice."""


@rule
def kinds_in_deck(s: State) -> int:
    cards = 0
    for place in range(DECK_SIZE - int(s.deck_left), DECK_SIZE):
        cards |= 1 << int(s.deck[place])
    return cards


@rule
def victim_of(s: State, a: int) -> int:
    """The seat that an action of the player to move steals from at once, -1 for none."""
    p = int(s.player)
    if MOVE_ROBBER <= a < STEAL:
        seats = victims(s, p, a - MOVE_ROBBER)
        return bits.first(seats) if bits.count(seats) == 1 else -1
    if STEAL <= a < DISCARD:
        return seat_after(s, p, a - STEAL + 1)
    return -1


@rule
def possible_rolls(s: State) -> int:
    """The set of rolls left with a positive weight."""
    rolls = rolls_left(s)
    if s.dice_memory:
        for total in range(2, 13):
            if weight_of_sum(s, total) == 0:
                rolls &= ~ROLLS_OF_SUM[total]
    return rolls


@rule
def outcomes_of(s: State, a: int) -> int:
    """The set of codes of an action's chance outcomes; empty if it has none.

    `engine.chance` defines the codes. Scripted dice leave all rolls possible.
    """
    if a == ROLL:
        return possible_rolls(s)
    if a == BUY_DEVELOPMENT_CARD:
        return kinds_in_deck(s)
    victim = victim_of(s, a)
    return resources_held(s, victim) if victim >= 0 else 0


@rule
def ways_of(s: State, a: int, code: int) -> int:
    """The number of equally likely draws that give an outcome of an action."""
    if a == ROLL:
        return weight_of_sum(s, code // 6 + code % 6 + 2)
    if a == BUY_DEVELOPMENT_CARD:
        ways = 0
        for place in range(DECK_SIZE - int(s.deck_left), DECK_SIZE):
            ways += int(s.deck[place] == code)
        return ways
    return int(s.hand[victim_of(s, a), code])
