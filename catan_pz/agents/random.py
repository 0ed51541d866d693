"""Random agents: uniform, or with weights by kind of action.

Like all compiled players their rules take the observation (N,) in natural units, the mask (A,) and
64 random bits, the only source of randomness for the choice.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz import actions
from catan_pz.actions import NO_ACTION
from catan_pz.agents.advice import Advice
from catan_pz.agents.base import BatchAgent, Views
from catan_pz.engine import chance
from catan_pz.game.view import View
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Int8Array, Int8Matrix, Int64Array, UInt64Array

RANDOM, WEIGHTED, HEURISTIC, EVOLVED, VALUE = 0, 1, 2, 3, 4
"""Numbers of compiled players, passed as `policy` to compiled calls."""

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
"""The weight of each action, by its kind."""


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
    """A legal action, each equally likely; NO_ACTION if there is none."""
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
    """A legal action, with probability in proportion to its weight; NO_ACTION if there is none."""
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


@entry
def choose_random(
    observations: Int8Matrix, masks: Int8Matrix, random_bits: UInt64Array, chosen: Int64Array
) -> None:
    """Choose in each game as `RandomAgent` does."""
    for i in range(masks.shape[0]):
        chosen[i] = random_action(observations[i], masks[i], random_bits[i])


@entry
def choose_weighted(
    observations: Int8Matrix, masks: Int8Matrix, random_bits: UInt64Array, chosen: Int64Array
) -> None:
    """Choose in each game as `WeightedAgent` does."""
    for i in range(masks.shape[0]):
        chosen[i] = weighted_action(observations[i], masks[i], random_bits[i])


class RandomAgent(BatchAgent):
    """Plays each legal action with the same probability."""

    name = "random"

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) legal actions, each with the same probability."""
        chosen = np.empty(len(views), np.int64)
        choose_random(views.observations, views.masks, views.random_bits, chosen)
        return chosen

    def advise(self, view: View) -> Advice:
        """The same probability for each legal action."""
        return Advice.of_policy(view.mask)


class WeightedAgent(BatchAgent):
    """Plays each legal action with a probability in proportion to its weight, `WEIGHTS`.

    Settlements and cities come first, then development cards and the playing of cards; roads,
    trades and the end of the turn come last.
    """

    name = "weighted"

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) legal actions, with probabilities in proportion to their weights."""
        chosen = np.empty(len(views), np.int64)
        choose_weighted(views.observations, views.masks, views.random_bits, chosen)
        return chosen

    def advise(self, view: View) -> Advice:
        """The probabilities of the legal actions."""
        return Advice.of_policy(view.mask * WEIGHT_OF[: len(view.mask)])
