"""What a player program must do, and all that it is told."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.engine.rule import bound
from catan_pz.observation.segments import SIZE, named_views
from catan_pz.rules import Rules
from catan_pz.runtime import calls
from catan_pz.runtime.game import Game


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What one seat may know of a game when it decides, and nothing else.

    Attributes:
        observation: (N,) int8, in the natural units of `observation.segments`, relative to
            the seat.
        mask: (A,) int8, 1 for each legal action.
    """

    observation: NDArray[np.int8]
    mask: NDArray[np.int8]

    @property
    def segments(self) -> dict[str, NDArray[np.int8]]:
        """The observation's segments as named, shaped views of the same memory."""
        return named_views(self.observation)


@cache
def _observe() -> Callable[..., None]:
    observe: Callable[..., None] = bound(calls.observe)
    return observe


def view_of(game: Game, seat: int) -> View:
    """What a seat may know now, in arrays of its own; the mask is zero unless it is to move."""
    observation = np.empty(SIZE, np.int8)
    _observe()(game.games, 0, seat, observation)
    mask = game.mask.copy() if game.player == seat else np.zeros_like(game.mask)
    return View(observation, mask)


class Agent(ABC):
    """A player program. One object may play several seats unless it keeps something of them."""

    @abstractmethod
    def act(self, view: View, mask: NDArray[np.int8], rng: np.random.Generator) -> int:
        """Choose an action.

        Args:
            view: what the seat may know.
            mask: (A,) int8, the legal actions, `view.mask`.
            rng: where all chance in the choice must come from.

        Returns:
            A legal action.
        """

    def start(self, seat: int, rules: Rules) -> None:  # noqa: B027 (optional)
        """Learn that a game begins, in which this agent plays a seat. Does nothing here."""


def check_agent(agent: Any) -> Agent:
    """An agent, given as one.

    Raises:
        ValueError: if it isn't an `Agent`.
    """
    if not isinstance(agent, Agent):
        raise ValueError(f"agent {agent!r} is not possible; allowed: an Agent of catan_pz.agents")
    return agent
