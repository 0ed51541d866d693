"""Compiled players that look at the mask alone: rules from a mask to one of its actions.

Like all compiled players they take the observation (N,) in natural units, the mask (A,) and
64 random bits, from which all randomness in the choice comes.
"""

from typing import Final

import numpy as np

from catan_pz import actions
from catan_pz.actions import NO_ACTION
from catan_pz.engine import chance
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Array

RANDOM, WEIGHTED, HEURISTIC, EVOLVED, VALUE, GREEDY = 0, 1, 2, 3, 4, 5
"""Compiled players by number, as `policy` tells them to compiled calls."""

WEIGHTS: Final = {
    "roll": 100,
    "end_turn": 1,
    "build_road": 10,
    "build_settlement": 1000,
    "build_city": 1000,
    "buy_development_card": 50,
    "play_knight": 100,
    "play_road_building": 100,
    "play_year_of_plenty": 10,
    "play_monopoly": 20,
    "move_robber": 1,
    "steal": 1,
    "discard": 1,
    "maritime_trade": 2,
    "offer": 1,
    "compose_give": 1,
    "compose_get": 1,
    "compose_send": 20,
    "accept": 20,
    "reject": 100,
    "close_with": 20,
    "withdraw": 20,
}
"""For each kind of action the weight of each action of that kind."""


def _weight_of_each() -> np.ndarray:
    weights = np.zeros(actions.NUM_ACTIONS, np.int64)
    for kind in actions.ACTION_KINDS:
        weights[kind.ids] = WEIGHTS[kind.name]
    weights.flags.writeable = False
    return weights


WEIGHT_OF = _weight_of_each()
"""(A,) weight of each action."""


@kernel
def random_action(obs: Int8Array, mask: Int8Array, random_bits: np.uint64) -> int:
    """A legal action, each equally likely; NO_ACTION where there is none."""
    legal = 0
    for a in range(mask.shape[0]):
        legal += int(mask[a])
    left = chance.number_below(random_bits, legal)
    for a in range(mask.shape[0]):
        if mask[a] != 0:
            if left == 0:
                return a
            left -= 1
    return NO_ACTION


@kernel
def weighted_action(obs: Int8Array, mask: Int8Array, random_bits: np.uint64) -> int:
    """A legal action, each as likely as its weight says; NO_ACTION where there is none."""
    total = 0
    for a in range(mask.shape[0]):
        total += WEIGHT_OF[a] * int(mask[a])
    left = chance.number_below(random_bits, total)
    for a in range(mask.shape[0]):
        if mask[a] != 0:
            left -= WEIGHT_OF[a]
            if left < 0:
                return a
    return NO_ACTION
