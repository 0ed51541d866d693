"""The heuristic player, and the evolved one, as agents."""

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import BatchAgent, Views
from catan_pz.agents.heuristic.choose import action_by_rows
from catan_pz.agents.heuristic.weights import EVOLVED_WEIGHTS, WeightRows, Weights, rows_of
from catan_pz.checks import not_possible
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Int8Matrix, Int64Array, UInt64Array


@entry
def choose_heuristic(
    observations: Int8Matrix,
    masks: Int8Matrix,
    random_bits: UInt64Array,
    weights: WeightRows,
    actions: Int64Array,
) -> None:
    """Choose in each game as `HeuristicAgent` does."""
    for i in range(masks.shape[0]):
        actions[i] = action_by_rows(observations[i], masks[i], random_bits[i], weights)


class HeuristicAgent(BatchAgent):
    """Plays by a plan for its next building, from worth and time.

    Its weights were set by hand by default. `rows` (2,) holds them for games of two players and of
    more.
    """

    name = "heuristic"

    def __init__(self, weights: Weights | None = None) -> None:
        if not isinstance(weights, Weights | None):
            raise not_possible("weights", weights, "None, or `Weights` from Python")
        self.weights = Weights() if weights is None else weights
        self.rows = rows_of(self.weights, self.weights)

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) the choice in each game."""
        chosen = np.empty(len(views), np.int64)
        choose_heuristic(views.observations, views.masks, views.random_bits, self.rows, chosen)
        return chosen


class EvolvedAgent(HeuristicAgent):
    """Plays as `HeuristicAgent`, with weights that were optimized by playing against it."""

    name = "evolved"

    def __init__(self) -> None:
        self.rows = EVOLVED_WEIGHTS
