"""What a player program must do that decides in many games at once."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent, View


class BatchAgent(ABC):
    """A player program that decides in many games by one call, and keeps nothing of any game.

    Letters: K games, N numbers of an observation, A actions.
    """

    @abstractmethod
    def act_batch(
        self,
        observations: NDArray[np.int8],
        masks: NDArray[np.int8],
        rng: np.random.Generator,
    ) -> NDArray[np.integer[Any]]:
        """Choose an action in each game.

        Args:
            observations: (K, N) int8, what the player to move may know, in the natural units
                of `observation.segments`, relative to its seat.
            masks: (K, A) int8, 1 for each legal action.
            rng: where all chance in the choice must come from.

        Returns:
            (K,) legal actions, of any integer type.
        """


class OneByOne(BatchAgent):
    """Asks an `Agent` in one game after the other; `start` is never called.

    Args:
        agent: one that keeps nothing of a game.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def act_batch(
        self,
        observations: NDArray[np.int8],
        masks: NDArray[np.int8],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """(K,) what the agent chooses in each game."""
        views = [View(*rows) for rows in zip(observations, masks, strict=True)]
        return np.array([self.agent.act(view, view.mask, rng) for view in views], np.int64)


Opponents = BatchAgent | Sequence[BatchAgent | None] | None
"""None for random players, one for all other seats, or one for each from the learner's left."""


def check_opponents(given: Opponents, count: int) -> list[BatchAgent | None]:
    """Opponents as a list with one for each of the other seats.

    Raises:
        ValueError: for any but these.
    """
    if given is None or isinstance(given, BatchAgent):
        return [given] * count
    if (
        not isinstance(given, Sequence)
        or len(given) != count
        or not all(agent is None or isinstance(agent, BatchAgent) for agent in given)
    ):
        raise ValueError(
            f"option opponents={given!r} is not possible; allowed: None, a BatchAgent, or a list "
            f"of {count} of these"
        )
    return list(given)
