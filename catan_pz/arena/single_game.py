"""One game between agents, decision by decision, with its time, its record and its forfeits."""

import math
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from catan_pz.agents.base import Agent
from catan_pz.agents.hosting import blamed
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.arena.common_dice import CommonDice
from catan_pz.arena.forfeits import (
    ACT,
    END,
    OBSERVE,
    PASSED_ON,
    RESET,
    Forfeit,
    checked_answer,
    error_reason,
    forfeit_winner,
    time_reason,
)
from catan_pz.arena.results import FORFEIT, TRUNCATED, VICTORY, GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.game.view import View


class Monitor(Protocol):
    """Called when a game begins, and around each call of an agent."""

    def start_game(self, number: int) -> None:
        """The game with this number begins."""

    def begin(self, seat: int, call: str) -> None:
        """One of `forfeits.CALLS` of the agent in a seat begins."""

    def end(self, seat: int, action: int | None, seconds: float) -> None:
        """It has ended; `action` is None for anything but a legal action."""


class _NoMonitor:
    def start_game(self, number: int) -> None:
        pass

    def begin(self, seat: int, call: str) -> None:
        pass

    def end(self, seat: int, action: int | None, seconds: float) -> None:
        pass


def play_game(
    config: MatchConfig,
    scheduled: ScheduledGame,
    agents: Sequence[Agent],
    monitor: Monitor | None = None,
) -> Iterator[GameResult]:
    """Play one game, write its record if the match keeps records, and let the agents go.

    The result comes before the agents are told of the end, which can't change it.

    Args:
        config: of the match.
        scheduled: the game.
        agents: one for each entrant.
        monitor: called at the start of the game and around each call of an agent.
    """
    if monitor is not None:
        monitor.start_game(scheduled.number)
    hosted = HostedGame(config, scheduled, agents, monitor)
    try:
        yield hosted.result(hosted.play())
    finally:
        hosted.close()


class HostedGame:
    """A game, the agents that play it, and their clocks.

    Args:
        config: of the match.
        scheduled: the game.
        agents: one for each entrant.
        monitor: called around each call of an agent; None for nobody.

    Attributes:
        game: the game.
    """

    def __init__(
        self,
        config: MatchConfig,
        scheduled: ScheduledGame,
        agents: Sequence[Agent],
        monitor: Monitor | None = None,
    ) -> None:
        seed, n = config.seed_of(scheduled), config.rules.num_players
        self._config, self._scheduled = config, scheduled
        self.game = Game(config.rules, seed)
        self._record = _record(config, scheduled, self.game)
        self._decisions = [0] * n
        self._seconds = [0.0] * n
        self._limit = config.seconds_per_decision or math.inf
        self._monitor = monitor or _NoMonitor()
        self._agents = [agents[k] for k in scheduled.seats]
        self._shows_state = [k in config.true_state for k in scheduled.seats]
        self._seeds = seat_seeds(seed, n)
        self._dice = CommonDice(config.rules, seed)
        self._table = Table(self.game, [None] * n, self._seeds)
        self._table.guard = self._guarded
        self._call = OBSERVE

    def play(self) -> Forfeit | None:
        """Play to the end, or to a forfeit."""
        try:
            self.seat_agents()
            while not self.is_finished:
                self.ask(*self.asked)
        except Forfeit as forfeit:
            return forfeit
        return None

    def result(self, forfeit: Forfeit | None) -> GameResult:
        """The result of the game, finished or forfeited; writes its record if it has one."""
        if self._record is not None:
            _save_record(self._config, self._scheduled, self._record)
        return result_of(
            self._config, self._scheduled, self.game, self._decisions, self._seconds, forfeit
        )

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to decide."""
        return self.game.is_over or self.game.is_truncated

    def close(self) -> None:
        """End the agents' game."""
        self._call = END
        with warned_at_end():
            self._table.close()

    @contextmanager
    def _guarded(self, agent: Agent, seat: int) -> Iterator[None]:
        """Time a call by which an agent is told something."""
        self._monitor.begin(seat, self._call)
        start = time.perf_counter()
        try:
            with blamed(agent, seat):
                yield
                if time.perf_counter() - start > self._limit:
                    raise Forfeit(seat, time_reason(self._limit, self._call))
        finally:
            self._monitor.end(seat, None, 0.0)

    def _step(self, action: int) -> None:
        table = self._table
        try:
            self.game.step(action, self._dice.outcome(self.game, action))
        except (Forfeit, *PASSED_ON):
            raise
        except BaseException as error:
            if table.observing is None:
                raise
            raise Forfeit(table.observing, error_reason(error)) from error

    def seat_agents(self) -> None:
        """Let copies of the agents sit down.

        Raises:
            Forfeit: by the first that can't.
        """
        # One after the other, so that a failure has a known offender.
        for seat, (agent, seed) in enumerate(zip(self._agents, self._seeds, strict=True)):
            self._monitor.begin(seat, RESET)
            try:
                self._table.seat(seat, agent, seed, shows_state=self._shows_state[seat])
            except PASSED_ON:
                raise
            except BaseException as error:
                raise Forfeit(seat, error_reason(error)) from error
            self._monitor.end(seat, None, 0.0)

    @property
    def asked(self) -> tuple[Agent, View]:
        """The copy that is to move, and what it may know."""
        agent = self._table.agents[self.game.player]
        assert agent is not None
        return agent, self._table.view(self.game.player)

    def ask(self, agent: Agent, view: View) -> None:
        """Ask the copy that is to move, and play its answer.

        Args:
            agent: the copy.
            view: what it may know.

        Raises:
            Forfeit: as `answer`.
        """
        self._monitor.begin(self.game.player, ACT)
        start = time.perf_counter()
        answer: Any = None
        reason: str | None = None
        try:
            answer = agent.act(view)
        except PASSED_ON:
            raise
        except BaseException as error:
            reason = error_reason(error)
        self.answer(answer, reason, time.perf_counter() - start)

    def answer(self, answer: Any, reason: str | None, seconds: float) -> None:
        """Play what the agent has answered that is to move.

        Args:
            answer: anything.
            reason: why it has none; None where it has.
            seconds: that it took.

        Raises:
            Forfeit: by the agent, if it gave no legal action or took too long, or by one that
                failed to hear of it.
        """
        game, seat = self.game, self.game.player
        self._decisions[seat] += 1
        self._seconds[seat] += seconds
        if seconds > self._limit:
            reason = time_reason(self._limit, ACT)
        action = 0
        if reason is None:
            action, reason = checked_answer(game, answer)
        self._monitor.end(seat, None if reason else action, seconds)
        if reason is not None:
            raise Forfeit(seat, reason)
        self._step(action)


@contextmanager
def warned_at_end() -> Iterator[None]:
    """What agents raise when their game is over changes no result, and is a warning."""
    try:
        yield
    except PASSED_ON:
        raise
    except BaseException as error:
        reason = error.reason if isinstance(error, Forfeit) else error_reason(error)
        notes = "; ".join(getattr(error, "__notes__", ()))
        warnings.warn(f"{reason}, {notes or 'at the end of a game'}", stacklevel=3)


def result_of(
    config: MatchConfig,
    scheduled: ScheduledGame,
    game: Game,
    decisions: Sequence[int],
    seconds: Sequence[float],
    forfeit: Forfeit | None = None,
) -> GameResult:
    """The result of a game that is finished or forfeited.

    Args:
        config: of the match.
        scheduled: the game as it was scheduled.
        game: the game at its end.
        decisions: (P,) how often each seat was asked.
        seconds: (P,) that each seat took.
        forfeit: who could not play on, and why.
    """
    points = tuple(int(n) for n in game.points)
    winner, end = game.winner, VICTORY if game.is_over else TRUNCATED
    if forfeit is not None:
        winner, end = forfeit_winner(points, forfeit.seat), FORFEIT
    return GameResult(
        number=scheduled.number,
        lineup=scheduled.lineup,
        block=scheduled.block,
        seats=_names(config, scheduled),
        winner=winner,
        end=end,
        offender=None if forfeit is None else forfeit.seat,
        reason="" if forfeit is None else forfeit.reason,
        turns=game.turn,
        points=points,
        decisions=tuple(int(n) for n in decisions),
        seconds=tuple(float(s) for s in seconds),
    )


def _names(config: MatchConfig, scheduled: ScheduledGame) -> tuple[str, ...]:
    """Names of the players, by seat."""
    return tuple(config.names[k] for k in scheduled.seats)


def _record(config: MatchConfig, scheduled: ScheduledGame, game: Game) -> GameRecord | None:
    """A record of a game from here on, if the match keeps records."""
    if not config.records_game(scheduled.number):
        return None
    return GameRecord.of(game, _names(config, scheduled))


def replay(
    config: MatchConfig, scheduled: ScheduledGame, actions: Sequence[int]
) -> tuple[Game, list[int]]:
    """The game after some actions, and how often each seat decided; writes the game's record."""
    seed = config.seed_of(scheduled)
    game = Game(config.rules, seed)
    record = _record(config, scheduled, game)
    dice = CommonDice(config.rules, seed)
    decisions = [0] * config.rules.num_players
    for action in actions:
        decisions[game.player] += 1
        game.step(int(action), dice.outcome(game, int(action)))
    if record is not None:
        _save_record(config, scheduled, record)
    return game, decisions


def record_path(folder: Path, number: int) -> Path:
    """The file of a recorded game."""
    return folder / f"game-{number:06d}.jsonl"


class RecordsError(ValueError):
    """A folder that can't take the recorded games of a match.

    Args:
        folder: the folder.
        reason: what stands in the way and what is allowed, in words.

    Attributes:
        reason: as given.
    """

    def __init__(self, folder: Path, reason: str) -> None:
        self.reason = reason
        super().__init__(f"option records={str(folder)!r} is not possible: {reason}")


def check_records(config: MatchConfig, scheduled: Iterable[ScheduledGame]) -> None:
    """Refuse a folder that holds recorded games of another match.

    Args:
        config: of the match.
        scheduled: its games.

    Raises:
        RecordsError: names the first of them.
    """
    if config.records is None:
        return
    games = {record_path(config.records, game.number): game for game in scheduled}
    for path in sorted(config.records.glob("game-[0-9]*.jsonl")):
        if path not in games or not _begins(config, games[path], path):
            raise RecordsError(
                config.records,
                f"{path.name} there is a game of another match; allowed: a folder without "
                "recorded games, or with those of this match",
            )


def _begins(config: MatchConfig, scheduled: ScheduledGame, path: Path) -> bool:
    """Whether a file begins as the record of a game does: with its players and its state."""
    names, game = _names(config, scheduled), Game(config.rules, config.seed_of(scheduled))
    line = next(GameRecord.of(game, names).lines()) + "\n"
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(len(line)) == line


def _save_record(config: MatchConfig, scheduled: ScheduledGame, record: GameRecord) -> None:
    assert config.records is not None
    record.save(record_path(config.records, scheduled.number))


def warm_up(config: MatchConfig, agent: Agent) -> None:
    """Let an agent decide once outside all games, so that no game's clock counts compiling.

    Errors are ignored here: they come up again in a game, which then records them.
    """
    game = Game(config.rules, 0)
    seats: list[Agent | None] = [None] * config.rules.num_players
    seats[game.player] = agent
    try:
        with Table(game, seats, list(range(len(seats)))) as table:
            table.decide()
    except PASSED_ON:
        raise
    except BaseException:
        return
