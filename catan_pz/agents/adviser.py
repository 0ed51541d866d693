"""Advisers: agents that watch a game from a seat and advise on its decisions."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.advice import Advice
from catan_pz.agents.base import Agent
from catan_pz.agents.hosting import SeatedAgent, blamed, dismiss
from catan_pz.events import Events
from catan_pz.game.game import Game
from catan_pz.game.view import View

T = TypeVar("T")


class Adviser:
    """Watches a game from a seat with a copy of an agent, which only gets the seat's views.

    The arguments are those of `SeatedAgent`; the attribute `agent` is the copy.
    """

    def __init__(
        self, game: Game, seat: int, agent: Agent | str, seed: int, *, shows_state: bool = False
    ) -> None:
        self._heard: list[Events] = []
        self._told = 0
        self._lock = Lock()
        self._is_open = True
        tell = self._heard.append
        self._seated = SeatedAgent(game, seat, agent, seed, tell, shows_state=shows_state)
        self.seat = seat
        self.agent = self._seated.agent

    def question(self) -> "Question":
        """A question about the current position, which any thread may ask later."""
        return Question(self, self._seated.view, len(self._heard))

    def ask(self, what: Callable[[View], T], view: View, heard: int) -> T:
        """Send the agent the events since the last call, and ask it; one thread at a time."""
        with self._lock, blamed(self.agent, self.seat):
            for events in self._heard[self._told : heard]:
                self.agent.observe(events)
            self._told = max(self._told, heard)
            return what(view)

    def close(self) -> None:
        """Dismiss the agent, and stop following the game."""
        with self._lock:
            if not self._is_open:
                return
            self._is_open = False
            self._seated.leave()
            dismiss([(self.agent, self._seated.result)])


@dataclass(frozen=True)
class Question:
    """A position about which an adviser can be asked."""

    adviser: Adviser
    view: View
    heard: int  # decisions up to the position

    def advice(self) -> Advice:
        """The agent's advice; the seat must be to move."""
        if not self.view.mask.any():
            raise ValueError(f"seat {self.adviser.seat} isn't to move: there is nothing to advise")
        agent = self.adviser.agent
        return replace(self.adviser.ask(agent.advise, self.view, self.heard), agent=agent.name)

    def win_probabilities(self) -> NDArray[np.float64] | None:
        """(P,) each seat's win probability; None if the agent doesn't estimate it."""
        return self.adviser.ask(self.adviser.agent.win_probabilities, self.view, self.heard)
