"""Compiled players that look at the mask alone: rules from a mask to one of its actions.

Like all compiled players they take the observation (N,) in natural units, the mask (A,) and
one random number of 64 bits, where all chance in the choice comes from.
"""

from typing import Final

import numpy as np

from catan_pz import actions
from catan_pz.compiler.rule import rule
from catan_pz.compiler.types import Int8Array
from catan_pz.engine import chance

WEIGHTS: Final = {
    "roll": (actions.ROLL, 1, 100),
    "end_turn": (actions.END_TURN, 1, 1),
    "build_road": (actions.BUILD_ROAD, 72, 10),
    "build_settlement": (actions.BUILD_SETTLEMENT, 54, 1000),
    "build_city": (actions.BUILD_CITY, 54, 1000),
    "buy_development_card": (actions.BUY_DEVELOPMENT_CARD, 1, 50),
    "play_knight": (actions.PLAY_KNIGHT, 1, 100),
    "play_road_building": (actions.PLAY_ROAD_BUILDING, 1, 100),
    "play_year_of_plenty": (actions.PLAY_YEAR_OF_PLENTY, 15, 10),
    "play_monopoly": (actions.PLAY_MONOPOLY, 5, 20),
    "move_robber": (actions.MOVE_ROBBER, 19, 1),
    "steal": (actions.STEAL, 3, 1),
    "discard": (actions.DISCARD, 5, 1),
    "maritime_trade": (actions.MARITIME_TRADE, 20, 2),
    "offer": (actions.OFFER, 120, 1),
    "compose_give": (actions.COMPOSE_GIVE, 5, 1),
    "compose_get": (actions.COMPOSE_GET, 5, 1),
    "compose_send": (actions.COMPOSE_SEND, 1, 20),
    "accept": (actions.ACCEPT, 1, 20),
    "reject": (actions.REJECT, 1, 100),
    "close_with": (actions.CLOSE_WITH, 3, 20),
    "withdraw": (actions.WITHDRAW, 1, 20),
}
"""For each kind of action the first id, how many there are, and the weight of each of them."""


def _weight_of_each() -> np.ndarray:
    weights = np.zeros(actions.NUM_ACTIONS, np.int64)
    for first, count, weight in WEIGHTS.values():
        weights[first : first + count] = weight
    weights.flags.writeable = False
    return weights


WEIGHT_OF = _weight_of_each()
"""(A,) weight of each action."""


@rule
def random_action(obs: Int8Array, mask: Int8Array, draw: np.uint64) -> int:
    """A legal action, each equally likely; -1 where there is none."""
    legal = 0
    for a in range(mask.shape[0]):
        legal += int(mask[a])
    left = chance.number_below(draw, legal)
    for a in range(mask.shape[0]):
        if mask[a] != 0:
            if left == 0:
                return a
            left -= 1
    return -1


@rule
def weighted_action(obs: Int8Array, mask: Int8Array, draw: np.uint64) -> int:
    """A legal action, each as likely as its weight says; -1 where there is none."""
    total = 0
    for a in range(mask.shape[0]):
        total += WEIGHT_OF[a] * int(mask[a])
    left = chance.number_below(draw, total)
    for a in range(mask.shape[0]):
        if mask[a] != 0:
            left -= WEIGHT_OF[a]
            if left < 0:
                return a
    return -1
