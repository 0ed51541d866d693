"""The strong player written by hand, as an agent."""

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import BatchAgent
from catan_pz.agents.heuristic.heuristic_calls import choose_evolved, choose_heuristic
from catan_pz.agents.heuristic.weights import Weights
from catan_pz.agents.views import Views
from catan_pz.checks import not_possible


class HeuristicAgent(BatchAgent):
    """Plays by a plan: what to build next, by what it is worth and how long it takes.

    It reads observation and mask alone, and keeps nothing.

    Args:
        weights: weights; those set by hand where None.

    Raises:
        ValueError: for other weights.
    """

    name = "heuristic"

    def __init__(self, weights: Weights | None = None) -> None:
        if not isinstance(weights, Weights | None):
            raise not_possible("option weights", weights, "None, or `Weights` from Python")
        self.weights = Weights() if weights is None else weights
        self._weights = self.weights.array()

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) the choice in each game."""
        chosen = np.empty(len(views), np.int64)
        choose_heuristic(views.observations, views.masks, views.random_bits, self._weights, chosen)
        return chosen


class EvolvedAgent(BatchAgent):
    """Plays as `HeuristicAgent` with weights that were found by playing against it.

    They differ with the number of players.
    """

    name = "evolved"

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) the choice in each game."""
        chosen = np.empty(len(views), np.int64)
        choose_evolved(views.observations, views.masks, views.random_bits, chosen)
        return chosen
