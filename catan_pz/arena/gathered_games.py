"""Many games at the same time, whose decisions are gathered by the batchers of agents.

Each game is hosted as `single_game` hosts it, with copies of its own, which may remember and
follow their game; the choices are the same. While a decision waits in a batcher, the other games go
on.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from catan_pz.agents.base import Agent, Batcher
from catan_pz.arena.forfeits import PASSED_ON, Forfeit
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.arena.single_game import HostedGame
from catan_pz.game.view import View

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
    batchers = {k: _AgentBatcher(agent) for k, agent in enumerate(agents) if agent.has_batcher}
    playing: dict[int, _Playing] = {}
    try:
        while waiting or playing:
            while waiting and len(playing) < width:
                next_one = waiting.pop()
                playing[next_one.number] = game = _Playing(config, next_one, agents)
                game.go_on(batchers)
            for batcher in batchers.values():
                for game in batcher.collect():
                    game.go_on(batchers)
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

    def go_on(self, batchers: dict[int, "_AgentBatcher"]) -> None:
        """Play until an agent is to move that has a batcher, and submit its decision."""
        while not self.is_finished:
            own, view = self._hosted.asked
            batcher = batchers.get(self._seats[self._hosted.game.player])
            if batcher is not None:
                batcher.submit(self, own, view)
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


class _AgentBatcher:
    """An agent's batcher, with the games whose decisions wait there.

    Where the agent fails there, each copy is asked alone, to find those that fail.

    Args:
        agent: it has a batcher.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._batcher: Batcher | None = None
        self._waiting: dict[int, tuple[_Playing, Agent, View]] = {}
        self._seconds: dict[int, float] = {}

    def submit(self, game: _Playing, own: Agent, view: View) -> None:
        """Submit the decision of a copy."""
        start = time.perf_counter()
        self._waiting[game.number] = game, own, view
        with self._closed_on_failure():
            if self._batcher is None and len(self._waiting) == 1:
                self._batcher = self._agent.batcher()
            if self._batcher is not None:
                self._batcher.submit(game.number, own, view)
        self._seconds[game.number] = time.perf_counter() - start

    def collect(self) -> list[_Playing]:
        """Games whose decisions came back, and were played.

        The time that it takes is shared among all that wait there.
        """
        if not self._waiting:
            return []
        start = time.perf_counter()
        decided: dict[int, Any] = {}
        if self._batcher is not None:
            with self._closed_on_failure():
                decided = dict(self._batcher.collect())
                if not decided.keys() <= self._waiting.keys():
                    raise KeyError(f"{decided.keys() - self._waiting.keys()} were not submitted")
        if self._batcher is None:
            return self._ask_alone()
        share = (time.perf_counter() - start) / len(self._waiting)
        for number in self._waiting:
            self._seconds[number] += share
        return [self._played(number, action) for number, action in decided.items()]

    def _played(self, number: int, action: Any) -> _Playing:
        game, _, _ = self._waiting.pop(number)
        game.answer(action, self._seconds.pop(number))
        return game

    def _ask_alone(self) -> list[_Playing]:
        waiting = list(self._waiting.values())
        self._waiting.clear()
        for game, own, view in waiting:
            game.ask(own, view)
        return [game for game, _, _ in waiting]

    @contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        try:
            yield
        except PASSED_ON:
            raise
        except BaseException:
            self._batcher = None
