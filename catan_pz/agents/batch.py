"""What a player program must do that decides in many games at once."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent
from catan_pz.runtime.view import View


class BatchAgent(Agent):
    """A player program that decides in many games by one call, and keeps nothing of any game.

    It plays single games as well, by the same choices. Letters: K games, N numbers of an
    observation, A actions.
    """

    @abstractmethod
    def act_batch(
        self,
        observations: NDArray[np.int8],
        masks: NDArray[np.int8],
        draws: NDArray[np.uint64],
    ) -> NDArray[np.integer[Any]]:
        """Choose an action in each game.

        The choice in a game must rest on its own row alone.

        Args:
            observations: (K, N) int8, what the player to move may know, in the natural units
                of `observation.segments`, relative to its seat.
            masks: (K, A) int8, 1 for each legal action.
            draws: (K,) uint64, a random number for each game, where all chance in the choice
                must come from.

        Returns:
            (K,) legal actions, of any integer type.
        """

    def act(self, view: View, mask: NDArray[np.int8]) -> int:
        """`act_batch` in one game, by the next draw."""
        draws = np.array((self.draws.next(),), np.uint64)
        return int(self.act_batch(view.observation[None], mask[None], draws)[0])
