"""The players that choose at random: equally often, or by weights of the kinds of action."""

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents import player_calls
from catan_pz.agents.advice import Advice
from catan_pz.agents.base import BatchAgent
from catan_pz.agents.policies import WEIGHT_OF
from catan_pz.agents.views import Views
from catan_pz.game.view import View


class RandomAgent(BatchAgent):
    """Plays each legal action with the same probability."""

    name = "random"

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) legal actions, each with the same probability."""
        chosen = np.empty(len(views), np.int64)
        player_calls.choose_random(views.observations, views.masks, views.random_bits, chosen)
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
        player_calls.choose_weighted(views.observations, views.masks, views.random_bits, chosen)
        return chosen

    def advise(self, view: View) -> Advice:
        """The probabilities of the legal actions."""
        return Advice.of_policy(view.mask * WEIGHT_OF[: len(view.mask)])
