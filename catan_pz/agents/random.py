"""The players that choose at random: equally often, or by weights of the kinds of action."""

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.advice import Advice
from catan_pz.agents.base import BatchAgent
from catan_pz.agents.policies import WEIGHT_OF, random_action, weighted_action
from catan_pz.agents.views import Views
from catan_pz.game.view import View
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Int8Matrix, Int64Array, UInt64Array


@entry
def choose_random(
    observations: Int8Matrix, masks: Int8Matrix, random_bits: UInt64Array, actions: Int64Array
) -> None:
    """Choose in each game as `RandomAgent` does."""
    for i in range(masks.shape[0]):
        actions[i] = random_action(observations[i], masks[i], random_bits[i])


@entry
def choose_weighted(
    observations: Int8Matrix, masks: Int8Matrix, random_bits: UInt64Array, actions: Int64Array
) -> None:
    """Choose in each game as `WeightedAgent` does."""
    for i in range(masks.shape[0]):
        actions[i] = weighted_action(observations[i], masks[i], random_bits[i])


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
    """Plays each legal action with a probability in proportion to its weight, `policies.WEIGHTS`.

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
