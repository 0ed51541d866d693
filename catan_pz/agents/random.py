"""The player who chooses at random."""

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent, View


class RandomAgent(Agent):
    """Plays each legal action with the same probability."""

    def act(self, view: View, mask: NDArray[np.int8], rng: np.random.Generator) -> int:
        """A legal action drawn uniformly."""
        legal = mask.nonzero()[0]
        return int(legal[int(rng.random() * len(legal))])
