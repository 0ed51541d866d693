"""One game, decision by decision, and how it ends when somebody can't play on."""

import math
import time
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from catan_pz.agents.base import Agent
from catan_pz.agents.draws import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.arena.dice import Dice
from catan_pz.arena.results import FORFEIT, TRUNCATED, VICTORY, GameResult
from catan_pz.arena.schedule import Fixture, block_seed
from catan_pz.checks import as_action
from catan_pz.rules import Rules
from catan_pz.runtime.game import Game, IllegalActionError
from catan_pz.runtime.record import GameRecord

_LONGEST_REASON = 300


@dataclass(frozen=True)
class Setting:
    """What all games of a match have in common.

    Attributes:
        names: of the entrants.
        rules: the rules.
        seed: of the match.
        seconds_per_decision: more than this forfeits a game; None for no limit.
        records: folder for recorded games, or None.
    """

    names: tuple[str, ...]
    rules: Rules
    seed: int
    seconds_per_decision: float | None = None
    records: Path | None = None

    def seed_of(self, fixture: Fixture) -> int:
        """The seed of a game."""
        return block_seed(self.seed, fixture.block)


class Watch(Protocol):
    """What hears of each decision as it begins and ends."""

    def begin(self, seat: int) -> None:
        """A seat is asked."""

    def end(self, seat: int, action: int | None, seconds: float) -> None:
        """It has answered; the action is None where it makes none, or none that counts."""


class Forfeit(Exception):  # noqa: N818 (it ends a game, it is no fault of this package)
    """A seat can't play on.

    Attributes:
        seat: the seat.
        reason: why.
    """

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.seat = seat
        self.reason = reason


def error_reason(error: BaseException) -> str:
    """The reason of a forfeit by an exception, on one line."""
    words = " ".join(f"{type(error).__name__}: {error}".split())
    return f"error: {words[:_LONGEST_REASON]}"


def illegal_reason(game: Game, answer: Any) -> str | None:
    """The reason of a forfeit by an answer that is no legal action; None for one that is."""
    try:
        game.check(as_action(answer))
    except (IllegalActionError, TypeError) as error:
        return f"illegal: {' '.join(str(error).split())[:_LONGEST_REASON]}"
    return None


def time_reason(limit: float) -> str:
    """The reason of a forfeit by time."""
    return f"time: a decision took more than {limit:g} s"


def best_other(points: Sequence[int], offender: int) -> int:
    """Who wins a forfeited game: most points, and among equals who follows the offender first."""
    n = len(points)
    others = [(offender + k) % n for k in range(1, n)]
    return max(others, key=lambda p: points[p])


def result_of(
    setting: Setting,
    fixture: Fixture,
    game: Game,
    decisions: Sequence[int],
    seconds: Sequence[float],
    forfeit: Forfeit | None = None,
) -> GameResult:
    """The result of a game that is finished or forfeited."""
    points = tuple(int(n) for n in game.points)
    winner, end = game.winner, VICTORY if game.is_over else TRUNCATED
    if forfeit is not None:
        winner, end = best_other(points, forfeit.seat), FORFEIT
    return GameResult(
        number=fixture.number,
        lineup=fixture.lineup,
        block=fixture.block,
        seats=tuple(setting.names[k] for k in fixture.seats),
        winner=winner,
        end=end,
        offender=None if forfeit is None else forfeit.seat,
        reason="" if forfeit is None else forfeit.reason,
        turns=game.turn,
        points=points,
        decisions=tuple(int(n) for n in decisions),
        seconds=tuple(float(s) for s in seconds),
    )


class _NoWatch:
    def begin(self, seat: int) -> None:
        pass

    def end(self, seat: int, action: int | None, seconds: float) -> None:
        pass


class _Player:
    """Plays one game between agents."""

    def __init__(
        self, setting: Setting, fixture: Fixture, agents: Sequence[Agent], watch: Watch
    ) -> None:
        self.setting = setting
        self.watch = watch
        self.game = Game(setting.rules, setting.seed_of(fixture))
        self.record = GameRecord.of(self.game) if setting.records is not None else None
        n = setting.rules.num_players
        self.decisions = [0] * n
        self.seconds = [0.0] * n
        self._seats = [agents[k] for k in fixture.seats]
        self._seeds = seat_seeds(setting.seed_of(fixture), n)
        self._dice = Dice(setting.rules, setting.seed_of(fixture))

    def play(self) -> Forfeit | None:
        """Play to the end, or to a forfeit."""
        game = self.game
        try:
            table = self._sit_down()
            while not (game.is_over or game.is_truncated):
                action = self._ask(table)
                game.step(action, self._dice.outcome(game, action))
        except Forfeit as forfeit:
            return forfeit
        return None

    def _sit_down(self) -> Table:
        # Each is tried alone first, so that it is known whose fault a failure is.
        for seat, agent in enumerate(self._seats):
            self.watch.begin(seat)
            try:
                copy(agent).reset(seat, self.game.rules, self._seeds[seat])
            except (Exception, SystemExit) as error:
                raise Forfeit(seat, error_reason(error)) from error
            self.watch.end(seat, None, 0.0)
        return Table(self.game, self._seats, self._seeds)

    def _ask(self, table: Table) -> int:
        game = self.game
        seat = game.player
        agent = table.agents[seat]
        assert agent is not None
        view = table.view(seat)
        self.decisions[seat] += 1
        self.watch.begin(seat)
        start = time.perf_counter()
        answer: Any = None
        reason: str | None = None
        try:
            answer = agent.act(view, view.mask)
        except (Exception, SystemExit) as error:
            reason = error_reason(error)
        seconds = time.perf_counter() - start
        self.seconds[seat] += seconds
        if seconds > (self.setting.seconds_per_decision or math.inf):
            reason = time_reason(self.setting.seconds_per_decision or math.inf)
        reason = reason or illegal_reason(game, answer)
        self.watch.end(seat, None if reason else int(answer), seconds)
        if reason is not None:
            raise Forfeit(seat, reason)
        return int(answer)


def play_game(
    setting: Setting, fixture: Fixture, agents: Sequence[Agent], watch: Watch | None = None
) -> GameResult:
    """Play one game, and write its record where one is wanted.

    Args:
        setting: of the match.
        fixture: the game.
        agents: one for each entrant.
        watch: hears of each decision.
    """
    player = _Player(setting, fixture, agents, watch or _NoWatch())
    forfeit = player.play()
    if player.record is not None:
        save_record(setting, fixture, player.record)
    return result_of(setting, fixture, player.game, player.decisions, player.seconds, forfeit)


def replay(setting: Setting, fixture: Fixture, actions: Sequence[int]) -> tuple[Game, list[int]]:
    """The game to which actions lead, and how often each seat decided; writes its record."""
    game = Game(setting.rules, setting.seed_of(fixture))
    record = GameRecord.of(game) if setting.records is not None else None
    dice = Dice(setting.rules, setting.seed_of(fixture))
    decisions = [0] * setting.rules.num_players
    for action in actions:
        decisions[game.player] += 1
        game.step(int(action), dice.outcome(game, int(action)))
    if record is not None:
        save_record(setting, fixture, record)
    return game, decisions


def save_record(setting: Setting, fixture: Fixture, record: GameRecord) -> None:
    """Write a recorded game into the folder for them."""
    assert setting.records is not None
    record.save(record_path(setting.records, fixture.number))


def record_path(folder: Path, number: int) -> Path:
    """The file of a recorded game."""
    return folder / f"game-{number:06d}.jsonl"


def warm_up(setting: Setting, agents: Sequence[Agent]) -> None:
    """Let each agent decide once, so that compiling and loading are no part of its time.

    What goes wrong here will go wrong in a game, and be recorded there.
    """
    for agent in agents:
        warm_up_one(setting, agent)


def warm_up_one(setting: Setting, agent: Agent) -> None:
    """Let one agent decide once."""
    game = Game(setting.rules, 0)
    seats: list[Agent | None] = [None] * setting.rules.num_players
    seats[game.player] = agent
    try:
        Table(game, seats, np.arange(len(seats)).tolist()).decide()
    except (Exception, SystemExit):
        return
