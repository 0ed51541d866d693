"""Many games at once between agents that decide by one call for many.

Game by game the choices and results are those of `single`: the same throws, the same draws
for each seat, the same forfeits. Letters: W games that are on, P seats, A actions.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import ROLL
from catan_pz.agents.batch import BatchAgent
from catan_pz.agents.draws import nth_draws
from catan_pz.arena.dice import FIRST_COUNT, names_throws, throws
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import Fixture
from catan_pz.arena.single import (
    Forfeit,
    Setting,
    error_reason,
    illegal_reason,
    replay,
    result_of,
)
from catan_pz.compiler.rule import bound
from catan_pz.engine.options import table_of
from catan_pz.engine.state import STATE, as_games
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import NUM_HAPPENED
from catan_pz.runtime import batch_calls
from catan_pz.runtime.batch_rules import FROM_SEEDS
from catan_pz.runtime.game import Game
from catan_pz.terms import MAX_PLAYERS

WIDTH: Final = 1024
"""Games that are on at the same time."""


def play_games(
    setting: Setting,
    fixtures: Iterable[Fixture],
    agents: Sequence[BatchAgent],
    width: int = WIDTH,
) -> Iterator[GameResult]:
    """Play games, yielding each as it ends.

    Args:
        setting: of the match.
        fixtures: the games.
        agents: one for each entrant.
        width: games that are on at the same time, at most.
    """
    waiting = list(fixtures)
    room = _Room(setting, agents, max(1, min(width, len(waiting))))
    for fixture in waiting:
        room.start(fixture)
        while room.is_full:
            yield from room.step()
    while room.on:
        yield from room.step()


class _Room:
    """W places for games, of which the first `on` are taken."""

    def __init__(self, setting: Setting, agents: Sequence[BatchAgent], width: int) -> None:
        rules = setting.rules
        self.setting = setting
        self.agents = agents
        self.on = 0
        self.width = width
        self._table = table_of(rules)
        self._deal = bound(batch_calls.deal_games)
        self._play = bound(batch_calls.step_games)
        self._names_throws = names_throws(rules)
        self._fixtures: list[Fixture] = []
        self._logs: list[list[int]] = []
        self.games = as_games(np.zeros(width, STATE))
        self.seeds = np.zeros(width, np.uint64)
        self.entrants = np.zeros((width, rules.num_players), np.int64)
        self.decisions = np.zeros((width, rules.num_players), np.int64)
        self.seconds = np.zeros((width, rules.num_players))
        self.throws = np.zeros((width, FIRST_COUNT), np.int8)
        self.players = np.zeros(width, np.int8)
        self.masks = np.zeros((width, rules.num_actions), np.int8)
        self.observations = np.zeros((width, SIZE), np.int8)
        table = self._table
        self._dealt = (
            as_games(table.blank),
            self.seeds,
            *table.deal_options,
        )
        self._actions = np.zeros(width, np.int64)
        self._samplers = np.zeros(width, np.uint64)
        self._done = np.zeros(width, np.bool_)
        self._truncated = np.zeros(width, np.bool_)
        self._happened = np.zeros((width, MAX_PLAYERS, NUM_HAPPENED), np.int8)
        self._paid = np.zeros((width, MAX_PLAYERS), np.float32)
        self._weights = np.zeros(NUM_HAPPENED)

    @property
    def is_full(self) -> bool:
        return self.on == self.width

    def start(self, fixture: Fixture) -> None:
        """Start a game in the first place that is free."""
        i = self.on
        self.seeds[i] = self.setting.seed_of(fixture)
        self._deal(
            self.games,
            i,
            i + 1,
            *self._dealt,
            FROM_SEEDS,
            1,
            self.players,
            self.masks,
            self.observations,
        )
        self.entrants[i] = fixture.seats
        self.decisions[i] = 0
        self.seconds[i] = 0
        if self._names_throws:
            self._fill_throws(i)
        self._fixtures.append(fixture)
        self._logs.append([])
        self.on += 1

    def _fill_throws(self, i: int) -> None:
        balanced = self.setting.rules.dice == "balanced"
        self.throws[i] = throws(int(self.seeds[i]), self.throws.shape[1], balanced=balanced)

    def step(self) -> list[GameResult]:
        """Ask for a decision in each game that is on, and play it; the games that ended."""
        actions, forfeits = self._ask()
        ended = [self._result(i, forfeit) for i, forfeit in sorted(forfeits.items(), reverse=True)]
        # From the last place on, as the last game moves into a place that gets free.
        for i in sorted(forfeits, reverse=True):
            self._leave(i)
        n = self.on
        self._name_throws(self._actions[:n] == ROLL)
        if self.setting.records is not None:
            for log, action in zip(self._logs, actions[:n].tolist(), strict=True):
                log.append(action)
        self._play(
            self.games,
            0,
            n,
            actions,
            0,  # none of them drawn
            self._samplers,
            self._table.script,
            0,
            self._happened,
            self._weights,
            self._paid,
            self._done,
            self._truncated,
            0,  # no game follows of itself
            *self._dealt,
            1,
            self.players,
            self.masks,
            self.observations,
        )
        for i in np.flatnonzero(self._done[:n])[::-1].tolist():
            ended.append(self._result(i, None))
            self._leave(i)
        return ended

    def _name_throws(self, rolls: NDArray[np.bool_]) -> None:
        if not self._names_throws:
            return
        places = np.flatnonzero(rolls)
        turns = self.games["turn"][places]
        if len(places) and turns.max() >= self.throws.shape[1]:
            self.throws = np.zeros((self.width, 2 * self.throws.shape[1]), np.int8)
            for i in range(self.on):
                self._fill_throws(i)
        self.games["outcome"][places] = self.throws[places, turns]

    def _ask(self) -> tuple[NDArray[np.int64], dict[int, Forfeit]]:
        """(W,) what is played in each game, and the games that are forfeited."""
        n = self.on
        rows = np.arange(n)
        players = self.players[:n].astype(np.int64)
        entrants = self.entrants[rows, players]
        draws = nth_draws(self.seeds[:n], players, self.decisions[rows, players])
        self.decisions[rows, players] += 1
        forfeits: dict[int, Forfeit] = {}
        for entrant in np.unique(entrants).tolist():
            asked = np.flatnonzero(entrants == entrant)
            start = time.perf_counter()
            reasons = self._ask_one(self.agents[entrant], asked, draws[asked])
            self.seconds[asked, players[asked]] += (time.perf_counter() - start) / len(asked)
            for i, reason in reasons.items():
                forfeits[i] = Forfeit(int(players[i]), reason)
        return self._actions, forfeits

    def _ask_one(
        self, agent: BatchAgent, asked: NDArray[np.int64], draws: NDArray[np.uint64]
    ) -> dict[int, str]:
        """Ask an agent in some games and note its actions; reasons of forfeits by game."""
        try:
            answers = agent.act_batch(self.observations[asked], self.masks[asked], draws)
            chosen = _checked_array(answers, len(asked))
        except (Exception, SystemExit):
            chosen = None
        if chosen is None:
            return self._ask_alone(agent, asked, draws)
        self._actions[asked] = chosen
        within = (chosen >= 0) & (chosen < self.masks.shape[1])
        legal = within & (self.masks[asked, np.where(within, chosen, 0)] != 0)
        wrong = np.flatnonzero(~legal)
        return {
            int(asked[k]): illegal_reason(self._game(int(asked[k])), int(answers[k])) or ""
            for k in wrong
        }

    def _ask_alone(
        self, agent: BatchAgent, asked: NDArray[np.int64], draws: NDArray[np.uint64]
    ) -> dict[int, str]:
        """Ask in one game after the other, to find those in which the agent fails."""
        reasons: dict[int, str] = {}
        for k, i in enumerate(asked.tolist()):
            one = slice(i, i + 1)
            reason: str | None
            answer: Any = None
            try:
                answers = agent.act_batch(
                    self.observations[one].copy(), self.masks[one].copy(), draws[k : k + 1]
                )
                answer = int(answers[0])
            except (Exception, SystemExit) as error:
                reason = error_reason(error)
            else:
                reason = illegal_reason(self._game(i), answer)
            if reason is None:
                self._actions[i] = answer
            else:
                reasons[i] = reason
        return reasons

    def _game(self, i: int) -> Game:
        return Game.from_games(self.games[i : i + 1].copy(), self.setting.rules)

    def _result(self, i: int, forfeit: Forfeit | None) -> GameResult:
        fixture = self._fixtures[i]
        if self.setting.records is not None:
            replay(self.setting, fixture, self._logs[i])
        return result_of(
            self.setting, fixture, self._game(i), self.decisions[i], self.seconds[i], forfeit
        )

    def _leave(self, i: int) -> None:
        """Free a place; the last game that is on moves into it."""
        self.on -= 1
        last = self.on
        for array in (
            self.games,
            self.seeds,
            self.entrants,
            self.decisions,
            self.seconds,
            self.throws,
            self.players,
            self.masks,
            self.observations,
            self._actions,
        ):
            array[i] = array[last]
        self._fixtures[i] = self._fixtures[last]
        self._fixtures.pop()
        self._logs[i] = self._logs[last]
        self._logs.pop()


def _checked_array(answers: Any, count: int) -> NDArray[np.int64] | None:
    """Answers as int64, or None if they are none of integers of the right number."""
    array = np.asarray(answers)
    if array.shape != (count,) or not np.issubdtype(array.dtype, np.integer):
        return None
    return array.astype(np.int64)
