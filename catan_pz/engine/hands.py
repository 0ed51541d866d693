"""Resource cards that change hands, all of it in public unless said otherwise."""

import numpy as np

from catan_pz.engine.knowledge import note_payment
from catan_pz.engine.state import State
from catan_pz.kernels.rule import rule
from catan_pz.terms import CARD_COST, CITY_COST, NUM_RESOURCES, ROAD_COST, SETTLEMENT_COST

ROAD, SETTLEMENT, CITY, CARD = 0, 1, 2, 3
COSTS = np.array([ROAD_COST, SETTLEMENT_COST, CITY_COST, CARD_COST], np.int64)
"""(4, R) cards that each purchase costs."""


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
def can_afford(s: State, p: int, purchase: int) -> bool:
    """Whether p holds the cards that a purchase costs."""
    left = 0
    for r in range(NUM_RESOURCES):
        # The sign bit of what is left: set as soon as one resource falls short.
        left |= int(s.hand[p, r]) - COSTS[purchase, r]
    return left >= 0


@rule
def pay(s: State, p: int, purchase: int) -> None:
    """Player p pays the bank for a purchase."""
    for r in range(NUM_RESOURCES):
        gain(s, p, r, -COSTS[purchase, r])
    note_payment(s, p)
