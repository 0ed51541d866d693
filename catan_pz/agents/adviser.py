"""Agents that look on from a seat and say what they think of its decisions; they never play."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.advice import Advice
from catan_pz.agents.base import Agent
from catan_pz.agents.hosting import blamed, dismiss, seat_copy
from catan_pz.agents.registry import as_agent
from catan_pz.agents.resamplers import FromBelief, TrueState
from catan_pz.agents.result import result_for
from catan_pz.belief import Belief
from catan_pz.events import Events, as_seen_by
from catan_pz.game.game import Game, Listener
from catan_pz.game.view import View, view_of

T = TypeVar("T")


class Adviser:
    """Follows a game from a seat with a copy of an agent, which is shown what the seat may know.

    Args:
        game: the game; what the adviser knows is exact if it has only begun.
        seat: the seat.
        agent: the agent, or its name.
        seed: of its random stream.
        shows_state: whether `View.resample` gives the true state of the game, for those who may
            see all of it.

    Attributes:
        seat: the seat.
        agent: the copy that looks on.

    Raises:
        ValueError: if there is no such agent, or it can't play by the rules.
    """

    def __init__(
        self, game: Game, seat: int, agent: Agent | str, seed: int, *, shows_state: bool = False
    ) -> None:
        self.seat = seat
        self.agent = seat_copy(as_agent(agent), seat, game.rules, seed)
        self._game = game
        self._belief: Belief | None = None
        self._shows_state = shows_state
        self._heard: list[Events] = []
        self._told = 0
        self._lock = Lock()
        self._is_open = True
        self._listening: list[Listener] = []
        if self.agent.needs_belief and not shows_state:
            self._belief = Belief(seat, game.state)
            self._listening.append(self._belief.listen)
        if self.agent.needs_events:
            self._listening.append(self._hear)
        game.listeners += self._listening

    def _hear(self, _game: Game, events: Events) -> None:
        self._heard.append(as_seen_by(events, self.seat))

    def question(self) -> "Question":
        """What to ask about the position as it is now; it may be answered in any thread."""
        game = self._game
        if self._shows_state:
            view = view_of(game, self.seat, TrueState(game.copy()))
        elif self._belief is None:
            view = view_of(game, self.seat)
        else:
            view = view_of(game, self.seat, FromBelief(self._belief, game))
        return Question(self, view, len(self._heard))

    def ask(self, what: Callable[[View], T], view: View, heard: int) -> T:
        """Tell the agent what it has not heard yet, and ask it; one thread at a time."""
        with self._lock, blamed(self.agent, self.seat):
            for events in self._heard[self._told : heard]:
                self.agent.observe(events)
            self._told = max(self._told, heard)
            return what(view)

    def close(self) -> None:
        """Let the agent go, and stop following the game."""
        with self._lock:
            if not self._is_open:
                return
            self._is_open = False
            listeners = self._game.listeners
            self._game.listeners = [one for one in listeners if one not in self._listening]
            dismiss([(self.agent, result_for(self._game.state, self._game.rules, self.seat))])


@dataclass(frozen=True)
class Question:
    """A position about which an adviser is asked.

    Attributes:
        adviser: who is asked.
        view: what its seat may know.
        heard: decisions up to the position.
    """

    adviser: Adviser
    view: View
    heard: int

    def advice(self) -> Advice:
        """What the agent thinks of the actions; the seat is to move."""
        agent = self.adviser.agent
        return replace(self.adviser.ask(agent.advise, self.view, self.heard), agent=agent.name)

    def win_probabilities(self) -> NDArray[np.float64] | None:
        """(P,) each seat's win probability; None where the agent estimates none."""
        return self.adviser.ask(self.adviser.agent.win_probabilities, self.view, self.heard)
