"""Agents that decide in many games by one call."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent
from catan_pz.agents.views import Views
from catan_pz.checks import quoted
from catan_pz.game.view import View


class BatchAgent(Agent):
    """An agent that decides in many games by one call, and keeps nothing of any game.

    It plays single games as well, by the same choices.
    """

    stateless = True

    @abstractmethod
    def act_batch(self, views: Views) -> NDArray[np.integer[Any]]:
        """Choose an action in each of K games.

        The choice in a game must depend on its own row alone.

        Args:
            views: observations (K, N), masks (K, A), and 64 random bits for each game.

        Returns:
            (K,) legal actions, of any integer type.
        """

    def act(self, view: View) -> int:
        """`act_batch` in one game, by the next number of the random stream."""
        random = self.random
        views = Views(
            view.observation[None],
            view.mask[None],
            np.array((random.seed,), np.uint64),
            np.array((random.next(),), np.uint64),
        )
        chosen: Any = only_choice(self.act_batch(views))
        return int(chosen) if isinstance(chosen, np.integer) else chosen  # for the host to check


def only_choice(given: Any) -> Any:
    """What `act_batch` chose in a single game, still to be checked.

    Raises:
        ValueError: if it gave anything but one choice.
    """
    try:
        is_one = np.shape(given) == (1,)
    except ValueError:  # a list of lists of several lengths
        is_one = False
    if not is_one:
        raise ValueError(f"act_batch gave {quoted(given)} for one game, must give a (1,) array")
    return given[0]
