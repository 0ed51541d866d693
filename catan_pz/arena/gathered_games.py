"""Many games at the same time, whose decisions are gathered at the desks of agents that have one.

Each game is hosted as `single_game` hosts it, with copies of its own, which may remember and
follow their game; the choices are the same. While a decision lies at a desk, the other games go
on.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from catan_pz.agents.base import Agent
from catan_pz.agents.desk import Desk
from catan_pz.arena.config import MatchConfig
from catan_pz.arena.forfeits import PASSED_ON, Forfeit
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import ScheduledGame
from catan_pz.arena.single_game import HostedGame
from catan_pz.runtime.view import View

WIDTH: Final = 64
"""Games played at the same time."""


def play_gathered(
    config: MatchConfig,
    scheduled: Iterable[ScheduledGame],
    agents: Sequence[Agent],
    width: int = WIDTH,
) -> Iterator[GameResult]:
    """Play games, yielding each as it ends.

    Args:
        config: of the match, without a limit of time.
        scheduled: the games.
        agents: one for each entrant.
        width: games played at the same time, at most.
    """
    waiting = list(scheduled)[::-1]
    desks = {k: _Desk(agent) for k, agent in enumerate(agents) if agent.has_desk}
    playing: dict[int, _Playing] = {}
    try:
        while waiting or playing:
            while waiting and len(playing) < width:
                next_one = waiting.pop()
                playing[next_one.number] = game = _Playing(config, next_one, agents)
                game.go_on(desks)
            for desk in desks.values():
                for game in desk.collect():
                    game.go_on(desks)
            for number in [number for number, game in playing.items() if game.is_finished]:
                ended = playing.pop(number)
                try:
                    yield ended.result()
                finally:
                    ended.close()
    finally:
        for broken_off in playing.values():
            broken_off.close()


class _Playing:
    """A game that is on.

    Args:
        config: of the match.
        scheduled: the game.
        agents: one for each entrant.
    """

    def __init__(
        self, config: MatchConfig, scheduled: ScheduledGame, agents: Sequence[Agent]
    ) -> None:
        self._hosted = HostedGame(config, scheduled, agents)
        self._seats = scheduled.seats
        self._forfeit: Forfeit | None = None
        self.number = scheduled.number
        try:
            self._hosted.seat_agents()
        except Forfeit as forfeit:
            self._forfeit = forfeit

    @property
    def is_finished(self) -> bool:
        """Whether it has ended, or was forfeited."""
        return self._forfeit is not None or self._hosted.is_finished

    def go_on(self, desks: dict[int, "_Desk"]) -> None:
        """Play until an agent is to move that has a desk, and hand its decision in there."""
        while not self.is_finished:
            own, view = self._hosted.asked
            desk = desks.get(self._seats[self._hosted.game.player])
            if desk is not None:
                desk.hand_in(self, own, view)
                return
            self.ask(own, view)

    def ask(self, own: Agent, view: View) -> None:
        """Ask a copy, and play its answer."""
        try:
            self._hosted.ask(own, view)
        except Forfeit as forfeit:
            self._forfeit = forfeit

    def answer(self, answer: Any, seconds: float) -> None:
        """Play an answer that took some seconds."""
        try:
            self._hosted.answer(answer, None, seconds)
        except Forfeit as forfeit:
            self._forfeit = forfeit

    def result(self) -> GameResult:
        """Its result, when it is finished."""
        return self._hosted.result(self._forfeit)

    def close(self) -> None:
        """End the agents' game."""
        self._hosted.close()


class _Desk:
    """An agent's desk, with the games whose decisions lie there.

    Where the agent fails at it, each copy is asked alone, to find those that fail.

    Args:
        agent: it has a desk.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._desk: Desk | None = None
        self._lying: dict[int, tuple[_Playing, Agent, View]] = {}
        self._seconds: dict[int, float] = {}

    def hand_in(self, game: _Playing, own: Agent, view: View) -> None:
        """Hand in the decision of a copy."""
        start = time.perf_counter()
        self._lying[game.number] = game, own, view
        with self._closed_on_failure():
            if self._desk is None and len(self._lying) == 1:
                self._desk = self._agent.desk()
            if self._desk is not None:
                self._desk.hand_in(game.number, own, view)
        self._seconds[game.number] = time.perf_counter() - start

    def collect(self) -> list[_Playing]:
        """Games whose decisions came back, and were played.

        The time that it takes is shared among all that lie there.
        """
        if not self._lying:
            return []
        start = time.perf_counter()
        decided: dict[int, Any] = {}
        if self._desk is not None:
            with self._closed_on_failure():
                decided = dict(self._desk.collect())
                if not decided.keys() <= self._lying.keys():
                    raise KeyError(f"{decided.keys() - self._lying.keys()} were not handed in")
        if self._desk is None:
            return self._ask_alone()
        share = (time.perf_counter() - start) / len(self._lying)
        for number in self._lying:
            self._seconds[number] += share
        return [self._played(number, action) for number, action in decided.items()]

    def _played(self, number: int, action: Any) -> _Playing:
        game, _, _ = self._lying.pop(number)
        game.answer(action, self._seconds.pop(number))
        return game

    def _ask_alone(self) -> list[_Playing]:
        lying = list(self._lying.values())
        self._lying.clear()
        for game, own, view in lying:
            game.ask(own, view)
        return [game for game, _, _ in lying]

    @contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        try:
            yield
        except PASSED_ON:
            raise
        except BaseException:
            self._desk = None
