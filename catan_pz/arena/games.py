"""Games between agents, decision by decision, with their time, records and forfeits.

They are played one by one, or concurrently if agents collect their copies' decisions in batchers;
the choices are the same.
"""

import math
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

from catan_pz.agents.base import Agent, Batcher
from catan_pz.agents.hosting import AGENT_ERRORS, blamed
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table, decide_once
from catan_pz.arena.common_dice import common_roll
from catan_pz.arena.forfeits import (
    ACT,
    END,
    OBSERVE,
    RESET,
    Forfeit,
    checked_answer,
    error_reason,
    forfeit_winner,
    time_reason,
)
from catan_pz.arena.records import record_of, save_record
from catan_pz.arena.results import FORFEIT, TRUNCATED, VICTORY, End, GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.checks import check_number
from catan_pz.game.game import Game
from catan_pz.game.view import View

WIDTH: Final = 64
"""Concurrent games with batchers."""


class Monitor:
    """Callbacks at the start of a game, and around each call of an agent; these do nothing."""

    def start_game(self, number: int) -> None:
        """The game with this number begins."""

    def begin(self, seat: int, call: str) -> None:
        """One of `forfeits.CALLS` of the agent in a seat begins."""

    def end(self, seat: int, action: int | None, seconds: float) -> None:
        """It has ended; `action` is None for anything but a legal action."""


def play_game(
    config: MatchConfig,
    scheduled: ScheduledGame,
    agents: Sequence[Agent],
    monitor: Monitor | None = None,
) -> Iterator[GameResult]:
    """Play one game, and write its record if the match keeps records.

    The result is yielded before the agents receive it, so they can't change it.
    """
    game = ArenaGame(config, scheduled, agents, monitor)
    try:
        while not game.is_finished:
            game.ask()
        yield game.result()
    finally:
        game.close()


def play_gathered(
    config: MatchConfig,
    scheduled: Iterable[ScheduledGame],
    agents: Sequence[Agent],
    width: int = WIDTH,
) -> Iterator[GameResult]:
    """Play games concurrently, yielding each as it ends.

    While a decision waits in a batcher, the other games continue.
    """
    waiting = list(scheduled)[::-1]
    batchers = {k: _AgentBatcher(agent) for k, agent in enumerate(agents) if agent.has_batcher}
    playing: dict[int, ArenaGame] = {}

    def go_on(game: ArenaGame) -> None:
        while not game.is_finished:
            batcher = batchers.get(game.scheduled.seats[game.game.player])
            if batcher is not None:
                batcher.submit(game)
                return
            game.ask()

    try:
        while waiting or playing:
            while waiting and len(playing) < width:
                game = ArenaGame(config, waiting.pop(), agents)
                playing[game.scheduled.number] = game
                go_on(game)
            for batcher in batchers.values():
                for game in batcher.collect():
                    go_on(game)
            for game in [game for game in playing.values() if game.is_finished]:
                del playing[game.scheduled.number]
                try:
                    yield game.result()
                finally:
                    game.close()
    finally:
        for broken_off in playing.values():
            broken_off.close()


class ArenaGame:
    """A game, its agents, and their clocks.

    Agents are seated in order; the first that can't be, or fails later, forfeits.
    """

    def __init__(
        self,
        config: MatchConfig,
        scheduled: ScheduledGame,
        agents: Sequence[Agent],
        monitor: Monitor | None = None,
    ) -> None:
        n = config.rules.num_players
        self.scheduled = scheduled
        self.seed = config.seed_of(scheduled)
        self.game = Game(config.rules, self.seed)
        self.forfeit: Forfeit | None = None
        self._config = config
        self._record = record_of(config, scheduled, self.game)
        self._decisions = [0] * n
        self._seconds = [0.0] * n
        self._limit = config.seconds_per_decision or math.inf
        self._monitor = monitor or Monitor()
        seeds = seat_seeds(self.seed, n)
        self._table = Table(self.game, [None] * n, seeds)
        self._table.guard = self._guarded
        self._call = OBSERVE
        self._monitor.start_game(scheduled.number)
        for seat, k in enumerate(scheduled.seats):
            self._monitor.begin(seat, RESET)
            try:
                shows_state = k in config.true_state
                self._table.seat(seat, agents[k], seeds[seat], shows_state=shows_state)
            except AGENT_ERRORS as error:
                self.forfeit = Forfeit(seat, error_reason(error))
                break
            self._monitor.end(seat, None, 0.0)

    @property
    def is_finished(self) -> bool:
        """Whether it has ended, or was forfeited."""
        return self.forfeit is not None or self.game.is_over or self.game.is_truncated

    def result(self) -> GameResult:
        """The result of the finished game; writes its record if it has one."""
        save_record(self._config, self.scheduled, self._record)
        result = result_of(
            self._config, self.scheduled, self.game, self._decisions, self._seconds, self.forfeit
        )
        reports: list[dict[str, float]] = [{} for _ in self._table.agents]
        for seat, agent in enumerate(self._table.agents):
            if agent is not None:
                with warned_at_end(), blamed(agent, seat):
                    told = agent.report().items()
                    reports[seat] = {k: check_number(f"report of {k!r}", x) for k, x in told}
        return replace(result, reports=tuple(reports)) if any(reports) else result

    def close(self) -> None:
        """End the agents' game."""
        self._call = END
        with warned_at_end():
            self._table.close()

    @contextmanager
    def _guarded(self, agent: Agent, seat: int) -> Iterator[None]:
        """Time a call that notifies an agent."""
        self._monitor.begin(seat, self._call)
        start = time.perf_counter()
        try:
            with blamed(agent, seat):
                yield
                if time.perf_counter() - start > self._limit:
                    raise Forfeit(seat, time_reason(self._limit, self._call))
        finally:
            self._monitor.end(seat, None, 0.0)

    @property
    def asked(self) -> tuple[Agent, View]:
        """The copy that is to move, and its view."""
        agent = self._table.agents[self.game.player]
        assert agent is not None
        return agent, self._table.view(self.game.player)

    def ask(self) -> None:
        """Ask the copy that is to move, and play its answer."""
        agent, view = self.asked
        self._monitor.begin(self.game.player, ACT)
        start = time.perf_counter()
        answer: Any = None
        reason: str | None = None
        try:
            answer = agent.act(view)
        except AGENT_ERRORS as error:
            reason = error_reason(error)
        self.answer(answer, reason, time.perf_counter() - start)

    def answer(self, answer: Any, reason: str | None, seconds: float) -> None:
        """Play the answer of the agent that is to move; with a `reason` it has failed to answer.

        It forfeits if the answer isn't a legal action or was too late. An agent that fails in
        `observe` forfeits, too.
        """
        game, seat, table = self.game, self.game.player, self._table
        self._decisions[seat] += 1
        self._seconds[seat] += seconds
        if seconds > self._limit:
            reason = time_reason(self._limit, ACT)
        action = 0
        if reason is None:
            action, reason = checked_answer(game, answer)
        self._monitor.end(seat, None if reason else action, seconds)
        if reason is not None:
            self.forfeit = Forfeit(seat, reason)
            return
        try:
            game.step(action, common_roll(game, self.seed, action))
        except Forfeit as forfeit:
            self.forfeit = forfeit
        except AGENT_ERRORS as error:
            if table.observing is None:
                raise
            self.forfeit = Forfeit(table.observing, error_reason(error))


class _AgentBatcher:
    """An agent's batcher, with the games of its pending decisions.

    If the agent fails there, each copy is asked separately, to find those that fail.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._batcher: Batcher | None = None
        self._waiting: dict[int, ArenaGame] = {}
        self._seconds: dict[int, float] = {}

    def submit(self, game: ArenaGame) -> None:
        """Submit the decision of the copy that is to move."""
        start = time.perf_counter()
        number = game.scheduled.number
        self._waiting[number] = game
        with self._closed_on_failure():
            if self._batcher is None and len(self._waiting) == 1:
                self._batcher = self._agent.batcher()
            if self._batcher is not None:
                self._batcher.submit(number, *game.asked)
        self._seconds[number] = time.perf_counter() - start

    def collect(self) -> list[ArenaGame]:
        """The games whose decisions were returned and played.

        Its time is divided among all waiting games.
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
            alone = list(self._waiting.values())
            self._waiting.clear()
            for game in alone:
                game.ask()
            return alone
        share = (time.perf_counter() - start) / len(self._waiting)
        for number in self._waiting:
            self._seconds[number] += share
        games = [self._waiting.pop(number) for number in decided]
        for game in games:
            number = game.scheduled.number
            game.answer(decided[number], None, self._seconds.pop(number))
        return games

    @contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        try:
            yield
        except AGENT_ERRORS:
            self._batcher = None


@contextmanager
def warned_at_end() -> Iterator[None]:
    """Turn agents' exceptions after the end of a game into warnings; the result is kept."""
    try:
        yield
    except AGENT_ERRORS as error:
        reason = error.reason if isinstance(error, Forfeit) else error_reason(error)
        notes = "; ".join(getattr(error, "__notes__", ()))
        warnings.warn(f"{reason}, {notes or 'at the end of a game'}", stacklevel=3)


def result_of(
    config: MatchConfig,
    scheduled: ScheduledGame,
    game: Any,
    decisions: Sequence[int],
    seconds: Sequence[float],
    forfeit: Forfeit | None = None,
) -> GameResult:
    """The result of a game that is finished or forfeited, with (P,) decisions and seconds.

    The game is a `Game`, or has `points`, `winner` and `turn`.
    """
    points = tuple(int(n) for n in game.points)
    winner = game.winner
    end: End = TRUNCATED if winner is None else VICTORY
    if forfeit is not None:
        winner, end = forfeit_winner(points, forfeit.seat), FORFEIT
    return GameResult(
        number=scheduled.number,
        lineup=scheduled.lineup,
        block=scheduled.block,
        seats=config.names_of(scheduled),
        winner=winner,
        end=end,
        offender=None if forfeit is None else forfeit.seat,
        reason="" if forfeit is None else forfeit.reason,
        turns=game.turn,
        points=points,
        decisions=tuple(int(n) for n in decisions),
        seconds=tuple(float(s) for s in seconds),
    )


def replay(
    config: MatchConfig, scheduled: ScheduledGame, actions: Sequence[int]
) -> tuple[Game, list[int]]:
    """The game after some actions, and each seat's count of decisions; writes the game's record."""
    seed = config.seed_of(scheduled)
    game = Game(config.rules, seed)
    record = record_of(config, scheduled, game)
    decisions = [0] * config.rules.num_players
    for action in actions:
        decisions[game.player] += 1
        game.step(int(action), common_roll(game, seed, int(action)))
    save_record(config, scheduled, record)
    return game, decisions


def warm_up(config: MatchConfig, agent: Agent) -> None:
    """Let an agent decide once outside all games, so that no game's clock includes compiling.

    Errors are ignored here: they recur in a game, which then records them.
    """
    if agent.compiles:
        with suppress(*AGENT_ERRORS):
            decide_once(config.rules, agent)
