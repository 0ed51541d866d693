"""What resampling needs: draws by weight, and rules as entry points, compiled on first use."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from catan_pz.engine.derive import derive
from catan_pz.engine.hands import tighten
from catan_pz.engine.state import States
from catan_pz.engine.trade import can_compose_get, can_compose_give, erase_offer
from catan_pz.kernels.rule import entry
from catan_pz.terms import NUM_RESOURCES


def drawn_by_weight(weights: ArrayLike, count: int, rng: np.random.Generator) -> NDArray[Any]:
    """(count,) indices drawn in proportion to weights, which need not add up to 1."""
    up_to = np.asarray(weights, np.float64).cumsum()
    return up_to.searchsorted(rng.random(count) * up_to[-1], "right")


@entry
def settle(games: States, viewer: int) -> None:
    """Narrow the bounds of all but the viewer in each game, and work out its derived fields."""
    for i in range(len(games)):
        s = games[i]
        for o in range(s.num_players):
            if o != viewer:
                tighten(s, o)
        derive(s)


@entry
def first_cards_to_compose(games: States, i: int, p: int) -> int:
    """Empty the offer that p composes in game i and return the cards with which it may begin.

    Bit r stands for a card to give, bit R + r for a card to get.
    """
    s = games[i]
    erase_offer(s, p)
    cards = 0
    for r in range(NUM_RESOURCES):
        if can_compose_give(s, p, r):
            cards |= 1 << r
        if can_compose_get(s, p, r):
            cards |= 1 << (NUM_RESOURCES + r)
    return cards
