"""Many games at the same time between agents that decide in batches.

Game by game the choices and results are those of `single_game`: the same rolls, the same
random numbers for each seat, the same forfeits. Letters: W slots, P seats, A actions.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import ROLL
from catan_pz.agents.base import Agent, only_choice
from catan_pz.agents.random_stream import SeatSeeds, nth_numbers
from catan_pz.agents.views import Views
from catan_pz.arena.common_dice import FIRST_COUNT, has_common_dice, rolls
from catan_pz.arena.forfeits import PASSED_ON, Forfeit, checked_answer, error_reason
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.arena.single_game import replay, result_of
from catan_pz.batch import calls as batch_calls
from catan_pz.batch.steps import FROM_SEEDS
from catan_pz.engine.options import table_of
from catan_pz.engine.state import STATE, as_games
from catan_pz.events import event_arrays
from catan_pz.game.game import Game
from catan_pz.kernels.rule import bound
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import NUM_TERMS
from catan_pz.terms import MAX_PLAYERS

WIDTH: Final = 1024
"""Games played at the same time."""


def play_games(
    config: MatchConfig,
    scheduled: Iterable[ScheduledGame],
    agents: Sequence[Agent],
    width: int = WIDTH,
) -> Iterator[GameResult]:
    """Play games, yielding each as it ends.

    Args:
        config: of the match.
        scheduled: the games.
        agents: one for each entrant, all of them stateless.
        width: games played at the same time, at most.
    """
    waiting = list(scheduled)
    slots = _Slots(config, agents, max(1, min(width, len(waiting))))
    for game in waiting:
        slots.start(game)
        while slots.are_full:
            yield from slots.step()
    while slots.count:
        yield from slots.step()


class _Slots:
    """W slots for games in progress, of which the first `count` are taken."""

    def __init__(self, config: MatchConfig, agents: Sequence[Agent], width: int) -> None:
        rules = config.rules
        self.config = config
        self.agents = agents
        self.count = 0
        self.width = width
        self._table = table_of(rules)
        self._deal = bound(batch_calls.deal_games)
        self._play = bound(batch_calls.step_games)
        self._has_common_dice = has_common_dice(rules)
        self._scheduled: list[ScheduledGame] = []
        self._logs: list[list[int]] = []
        self.games = as_games(np.zeros(width, STATE))
        self.seeds = np.zeros(width, np.uint64)
        self._seat_seeds = SeatSeeds(width, rules.num_players)
        self.entrants = np.zeros((width, rules.num_players), np.int64)
        self.decisions = np.zeros((width, rules.num_players), np.int64)
        self.seconds = np.zeros((width, rules.num_players))
        self.rolls = np.zeros((width, FIRST_COUNT), np.int8)
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
        self._rng_states = np.zeros(width, np.uint64)
        self._done = np.zeros(width, np.bool_)
        self._truncated = np.zeros(width, np.bool_)
        self._events = event_arrays(1)
        self._terms = np.zeros((width, MAX_PLAYERS, NUM_TERMS), np.int8)
        self._rewards = np.zeros((width, MAX_PLAYERS), np.float32)
        self._weights = np.zeros(NUM_TERMS)

    @property
    def are_full(self) -> bool:
        return self.count == self.width

    def start(self, scheduled: ScheduledGame) -> None:
        """Start a game in the first free slot."""
        i = self.count
        self.seeds[i] = self.config.seed_of(scheduled)
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
        self.entrants[i] = scheduled.seats
        self.decisions[i] = 0
        self.seconds[i] = 0
        if self._has_common_dice:
            self._fill_rolls(i)
        self._scheduled.append(scheduled)
        self._logs.append([])
        self.count += 1

    def _fill_rolls(self, i: int) -> None:
        balanced = self.config.rules.dice == "balanced"
        self.rolls[i] = rolls(int(self.seeds[i]), self.rolls.shape[1], balanced=balanced)

    def step(self) -> list[GameResult]:
        """Ask for a decision in each game and play it; the results of games that ended."""
        actions, forfeits = self._ask()
        ended = [self._result(i, forfeit) for i, forfeit in sorted(forfeits.items(), reverse=True)]
        # From the last slot on, as the last game moves into a slot that gets free.
        for i in sorted(forfeits, reverse=True):
            self._leave(i)
        n = self.count
        self._set_rolls(self._actions[:n] == ROLL)
        if self.config.records is not None:
            for log, action in zip(self._logs, actions[:n].tolist(), strict=True):
                log.append(action)
        self._play(
            self.games,
            0,
            n,
            actions,
            0,  # none of them drawn
            self._rng_states,
            self._table.script,
            0,  # no rewards on the way
            self._events,
            self._terms,
            self._weights,
            self._rewards,
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

    def _set_rolls(self, is_roll: NDArray[np.bool_]) -> None:
        if not self._has_common_dice:
            return
        rolling = np.flatnonzero(is_roll)
        turns = self.games["turn"][rolling]
        if len(rolling) and turns.max() >= self.rolls.shape[1]:
            self.rolls = np.zeros((self.width, 2 * self.rolls.shape[1]), np.int8)
            for i in range(self.count):
                self._fill_rolls(i)
        self.games["outcome"][rolling] = self.rolls[rolling, turns]

    def _ask(self) -> tuple[NDArray[np.int64], dict[int, Forfeit]]:
        """(W,) the action in each slot, and the forfeits by slot."""
        n = self.count
        rows = np.arange(n)
        players = self.players[:n].astype(np.int64)
        entrants = self.entrants[rows, players]
        seeds = self._seat_seeds.of(self.seeds, rows, players)
        random_bits = nth_numbers(seeds, self.decisions[rows, players])
        views = Views(self.observations[:n], self.masks[:n], seeds, random_bits)
        self.decisions[rows, players] += 1
        forfeits: dict[int, Forfeit] = {}
        for entrant in np.unique(entrants).tolist():
            asked = np.flatnonzero(entrants == entrant)
            start = time.perf_counter()
            reasons = self._ask_one(self.agents[entrant], asked, views)
            self.seconds[asked, players[asked]] += (time.perf_counter() - start) / len(asked)
            for i, reason in reasons.items():
                forfeits[i] = Forfeit(int(players[i]), reason)
        return self._actions, forfeits

    def _ask_one(self, agent: Agent, asked: NDArray[np.int64], views: Views) -> dict[int, str]:
        """Ask an agent in some slots and keep its actions; reasons of forfeits by slot."""
        try:
            answers = _checked_array(agent.act_batch(views[asked]), len(asked))
        except PASSED_ON:
            raise
        except BaseException:
            answers = None
        if answers is None:
            return self._ask_alone(agent, asked, views)
        self._actions[asked] = chosen = answers.astype(np.int64)
        within = (chosen >= 0) & (chosen < self.masks.shape[1])
        legal = within & (self.masks[asked, np.where(within, chosen, 0)] != 0)
        wrong = np.flatnonzero(~legal)
        return {
            int(asked[k]): checked_answer(self._game(int(asked[k])), answers[k])[1] or ""
            for k in wrong
        }

    def _ask_alone(self, agent: Agent, asked: NDArray[np.int64], views: Views) -> dict[int, str]:
        """Ask in one slot after the other, to find those in which the agent fails."""
        reasons: dict[int, str] = {}
        for i in asked.tolist():
            reason: str | None
            answer: Any = None
            try:
                answer = only_choice(agent.act_batch(views[np.array((i,))]))
            except PASSED_ON:
                raise
            except BaseException as error:
                reason = error_reason(error)
            else:
                self._actions[i], reason = checked_answer(self._game(i), answer)
            if reason is not None:
                reasons[i] = reason
        return reasons

    def _game(self, i: int) -> Game:
        return Game.from_games(self.games[i : i + 1].copy(), self.config.rules)

    def _result(self, i: int, forfeit: Forfeit | None) -> GameResult:
        scheduled = self._scheduled[i]
        if self.config.records_game(scheduled.number):
            replay(self.config, scheduled, self._logs[i])
        return result_of(
            self.config, scheduled, self._game(i), self.decisions[i], self.seconds[i], forfeit
        )

    def _leave(self, i: int) -> None:
        """Free a slot; the game in the last slot moves into it."""
        self.count -= 1
        last = self.count
        for array in (
            self.games,
            self.seeds,
            self.entrants,
            self.decisions,
            self.seconds,
            self.rolls,
            self.players,
            self.masks,
            self.observations,
            self._actions,
        ):
            array[i] = array[last]
        self._scheduled[i] = self._scheduled[last]
        self._scheduled.pop()
        self._logs[i] = self._logs[last]
        self._logs.pop()


def _checked_array(answers: Any, count: int) -> NDArray[np.integer[Any]] | None:
    """Answers as an array, or None if they are not as many integers as were asked for."""
    array = np.asarray(answers)
    is_possible = array.shape == (count,) and hasattr(answers, "__getitem__")
    return array if is_possible and np.issubdtype(array.dtype, np.integer) else None
