"""The 72 trade actions of Xenou et al., and which of them are legal when.

The first 70 are offers: 20 of one card for one, 20 of two alike for one, 30 of two different ones
for a third; they are the first templates of the action table. Then accept and reject.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import (
    ACCEPT,
    CLOSE_WITH,
    NUM_OPPONENTS,
    OFFER,
    OFFER_GET,
    REJECT,
    WITHDRAW,
)
from catan_pz.game.view import View
from catan_pz.observation.segments import PLACES
from catan_pz.terms import Phase

NUM_OFFERS: Final = int((OFFER_GET.sum(1) == 1).sum())
"""Offers that ask for one card."""

TRADES: Final = np.array([*range(OFFER, OFFER + NUM_OFFERS), ACCEPT, REJECT])
"""(72,) the flat id of each trade action."""
TRADES.flags.writeable = False

NUM_TRADES: Final = len(TRADES)
YES: Final = NUM_OFFERS
NO: Final = NUM_OFFERS + 1
"""Accept and reject among the trade actions."""

_ANSWERS: Final = PLACES["answer"]
_ACCEPTED: Final = 1
_COUNTERED: Final = 3


def legal_trades(view: View, phase: int, counters: bool = True) -> NDArray[np.bool_]:
    """(72,) which trade actions are legal.

    Args:
        view: what the seat may know.
        phase: MAIN in the own turn, where rejecting stands for no offer; ANSWER to an offer; or
            CLOSE, where accepting and rejecting answer the counter-offers to an own offer.
        counters: whether counter-offers count as legal.
    """
    legal = view.mask[TRADES] != 0
    legal[NO] = True
    if phase == Phase.CLOSE:
        legal[YES] = view.mask[CLOSE_WITH : CLOSE_WITH + NUM_OPPONENTS].any()
    elif phase == Phase.ANSWER and not counters:
        legal[:NUM_OFFERS] = False
    return np.asarray(legal)


def partner(view: View) -> int | None:
    """The action that closes with the first who accepted, None if nobody did."""
    return _first_with(view, _ACCEPTED)


def closing_action(view: View, trade: int) -> int:
    """The action by which counter-offers are accepted, the first of them, or rejected."""
    if trade != YES:
        return WITHDRAW
    first = _first_with(view, _COUNTERED)
    return WITHDRAW if first is None else first


def _first_with(view: View, answer: int) -> int | None:
    """The legal action of closing with the first, in turn order, who gave an answer."""
    answers = view.observation[_ANSWERS].reshape(NUM_OPPONENTS + 1, -1)
    for k in range(1, NUM_OPPONENTS + 1):
        action = CLOSE_WITH + k - 1
        if answers[k, answer] and view.mask[action]:
            return action
    return None
