"""The player who chooses at random."""

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents import player_calls
from catan_pz.agents.batch import BatchAgent


class RandomAgent(BatchAgent):
    """Plays each legal action with the same probability."""

    name = "random"

    def act_batch(
        self,
        observations: NDArray[np.int8],
        masks: NDArray[np.int8],
        draws: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """(K,) legal actions drawn uniformly."""
        chosen = np.empty(len(masks), np.int64)
        player_calls.choose_random(observations, masks, draws, chosen)
        return chosen
