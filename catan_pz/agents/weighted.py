"""The player who chooses at random, but would rather build."""

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents import player_calls
from catan_pz.agents.batch import BatchAgent


class WeightedAgent(BatchAgent):
    """Plays each legal action as often as the weight of its kind in `policies.WEIGHTS` says.

    Settlements and cities come first, then development cards and the playing of cards; roads,
    trades and the end of the turn come last.
    """

    name = "weighted"

    def act_batch(
        self,
        observations: NDArray[np.int8],
        masks: NDArray[np.int8],
        draws: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """(K,) legal actions drawn by their weights."""
        chosen = np.empty(len(masks), np.int64)
        player_calls.choose_weighted(observations, masks, draws, chosen)
        return chosen
