"""The player that chooses at random."""

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents import player_calls
from catan_pz.agents.advice import Advice
from catan_pz.agents.batch import BatchAgent
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
