"""Many concurrent games between agents that decide in batches.

Each game has the same choices and results as in `games`: the same rolls, the same random numbers
for each seat, the same forfeits. Letters: W slots, P seats, A actions.
"""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION, ROLL
from catan_pz.agents.base import Agent, Views, only_choice
from catan_pz.agents.hosting import AGENT_ERRORS
from catan_pz.agents.random_stream import nth_numbers, seat_seeds
from catan_pz.arena.common_dice import FIRST_COUNT, has_common_dice, rolls_of
from catan_pz.arena.forfeits import Forfeit, checked_answer, error_reason
from catan_pz.arena.games import replay, result_of
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.batch.cpu import CpuBatch
from catan_pz.game.game import Game

WIDTH: Final = 1024
"""Concurrent games."""

_SHARE_FREE: Final = 16
"""Games are started once one slot in this many is free, since each start has a fixed cost."""

_SHARE_KEPT: Final = 4
"""If no game waits, free slots are dropped once only one in this many is taken."""

SMALL: Final = 64
"""Slots that are never dropped."""


def play_games(
    config: MatchConfig,
    scheduled: Iterable[ScheduledGame],
    agents: Sequence[Agent],
    width: int = WIDTH,
) -> Iterator[GameResult]:
    """Play games, yielding each as it ends."""
    waiting = deque(scheduled)
    slots = _Slots(config, agents, max(1, min(width, len(waiting))))
    while slots.fill(waiting):
        yield from slots.step()


class _Columns(NamedTuple):
    """The data of the games besides their states, a row for each slot."""

    streams: NDArray[np.uint64]  # (W, P) seeds of the seats' random streams
    entrants: NDArray[np.int64]  # (W, P) entrants by seat
    decisions: NDArray[np.int64]  # (W, P) decisions of each
    seconds: NDArray[np.float64]  # (W, P) total time of each
    rolls: NDArray[np.int8]  # (W, R) the first rolls, if games of a seed share them


class _Slots:
    """W slots for games in progress, of which some may be free."""

    def __init__(self, config: MatchConfig, agents: Sequence[Agent], width: int) -> None:
        seats = width, config.rules.num_players
        self._config = config
        self._agents = agents
        self._batch = CpuBatch(width, config.rules, seed=0, auto_reset=False)
        self._game = Game(config.rules, 0)  # each game in turn, when it is dealt or has ended
        self._scheduled: list[ScheduledGame | None] = [None] * width
        self._logs: list[list[int]] = [[]] * width
        self._columns = _Columns(
            np.zeros(seats, np.uint64),
            np.zeros(seats, np.int64),
            np.zeros(seats, np.int64),
            np.zeros(seats),
            np.zeros((width, FIRST_COUNT), np.int8),
        )
        self._is_on = np.zeros(width, np.bool_)
        self._forfeited: set[int] = set()
        self._has_common_dice = has_common_dice(config.rules)

    def fill(self, waiting: deque[ScheduledGame]) -> bool:
        """Start waiting games if enough slots are free; returns whether any is in progress."""
        free = np.flatnonzero(~self._is_on)[: len(waiting)]
        width = len(self._is_on)
        if len(free) and len(free) >= min(len(waiting), width // _SHARE_FREE):
            self._start(free, [waiting.popleft() for _ in free])
        on = np.flatnonzero(self._is_on)
        if not waiting and width > SMALL and 0 < len(on) <= width // _SHARE_KEPT:
            self._keep(on)
        return len(on) > 0

    def _start(self, slots: NDArray[np.intp], new: Sequence[ScheduledGame]) -> None:
        records, columns = self._batch.games[slots], self._columns
        columns.decisions[slots] = columns.seconds[slots] = 0
        for k, (i, scheduled) in enumerate(zip(slots.tolist(), new, strict=True)):
            seed = self._config.seed_of(scheduled)
            columns.entrants[i] = scheduled.seats
            columns.streams[i] = seat_seeds(seed, len(scheduled.seats))
            self._game.reset(seed)
            records[k] = self._game.state
            self._scheduled[i], self._logs[i] = scheduled, []
        self._batch.place_games(slots, records, check=False)
        self._is_on[slots] = True
        self._forfeited.difference_update(slots.tolist())
        self._write_rolls(slots)

    def _keep(self, slots: NDArray[np.intp]) -> None:
        """Drop all other slots, since free ones cost time, too."""
        records = self._batch.games[slots]
        self._batch = CpuBatch(len(slots), self._config.rules, seed=0, auto_reset=False)
        self._batch.place_games(np.arange(len(slots)), records, check=False)
        self._scheduled = [self._scheduled[i] for i in slots.tolist()]
        self._logs = [self._logs[i] for i in slots.tolist()]
        self._columns = _Columns._make(column[slots] for column in self._columns)
        self._is_on = self._is_on[slots]
        self._forfeited.clear()

    def _write_rolls(self, slots: NDArray[np.intp]) -> None:
        if not self._has_common_dice:
            return
        count = self._columns.rolls.shape[1]
        for i in slots.tolist():
            scheduled = self._scheduled[i]
            assert scheduled is not None
            seed = self._config.seed_of(scheduled)
            self._columns.rolls[i] = rolls_of(self._config.rules, seed, count)

    def step(self) -> list[GameResult]:
        """Get a decision in each game and play it; returns the results of games that ended."""
        actions, forfeits = self._ask()
        ended = [self._end(i, forfeit) for i, forfeit in sorted(forfeits.items())]
        self._forfeited |= forfeits.keys()
        for i in self._forfeited:  # these continue with any legal actions, which have no effect
            legal = self._batch.mask[i].nonzero()[0]
            actions[i] = legal[0] if len(legal) else NO_ACTION
        if self._has_common_dice:
            self._set_outcomes(np.flatnonzero((actions == ROLL) & self._is_on))
        if self._config.records is not None:
            for log, action in zip(self._logs, actions.tolist(), strict=True):
                log.append(action)
        self._batch.step(actions)
        over = np.flatnonzero(self._batch.done & self._is_on).tolist()
        return ended + [self._end(i, None) for i in over]

    def _set_outcomes(self, rolling: NDArray[np.intp]) -> None:
        turns, known = self._batch.games["turn"][rolling], self._columns.rolls
        if len(rolling) and turns.max() >= known.shape[1]:
            more = np.zeros((len(known), 2 * known.shape[1]), np.int8)
            self._columns = self._columns._replace(rolls=more)
            self._write_rolls(np.flatnonzero(self._is_on))
        self._batch.games["outcome"][rolling] = self._columns.rolls[rolling, turns]

    def _ask(self) -> tuple[NDArray[np.int64], dict[int, Forfeit]]:
        """The action in each slot, and the forfeits by slot."""
        columns = self._columns
        on = np.flatnonzero(self._is_on)
        players = self._batch.player[on].astype(np.int64)
        entrants = columns.entrants[on, players]
        streams = columns.streams[on, players]
        random_bits = nth_numbers(streams, columns.decisions[on, players])
        columns.decisions[on, players] += 1
        actions = np.full(len(self._is_on), NO_ACTION, np.int64)
        forfeits: dict[int, Forfeit] = {}
        observations, masks = self._batch.units, self._batch.mask
        assert observations is not None
        for entrant in np.unique(entrants).tolist():
            rows = np.flatnonzero(entrants == entrant)
            asked = on[rows]
            views = Views(observations[asked], masks[asked], streams[rows], random_bits[rows])
            start = time.perf_counter()
            actions[asked], reasons = _answers(self._agents[entrant], views, asked, self._batch)
            seconds = (time.perf_counter() - start) / len(asked)
            columns.seconds[asked, players[rows]] += seconds
            for k, reason in reasons.items():
                forfeits[int(asked[k])] = Forfeit(int(players[rows[k]]), reason)
        return actions, forfeits

    def _end(self, i: int, forfeit: Forfeit | None) -> GameResult:
        """The result of a finished game."""
        self._is_on[i] = False
        scheduled, columns = self._scheduled[i], self._columns
        assert scheduled is not None
        if self._config.records_game(scheduled.number):
            replay(self._config, scheduled, self._logs[i])
        self._game.games[0] = self._batch.games[i]
        decisions, seconds = columns.decisions[i], columns.seconds[i]
        return result_of(self._config, scheduled, self._game, decisions, seconds, forfeit)


def _answers(
    agent: Agent, views: Views, games: NDArray[np.intp], batch: CpuBatch
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """(K,) an agent's actions, and reasons of forfeits by row.

    If it fails, it is asked again for each game separately, to find the failing ones. `games` (K,)
    are their indices in the batch.
    """
    together = _legal_choices(agent, views)
    if together is not None:
        return together, {}
    chosen, reasons = np.zeros(len(views), np.int64), {}
    for k in range(len(views)):
        reason: str | None
        try:
            answer = only_choice(agent.act_batch(views[np.array((k,))]))
        except AGENT_ERRORS as error:
            reason = error_reason(error)
        else:
            chosen[k], reason = checked_answer(batch.game(int(games[k])), answer)
        if reason is not None:
            reasons[k] = reason
    return chosen, reasons


def _legal_choices(agent: Agent, views: Views) -> NDArray[np.int64] | None:
    """(K,) an agent's actions; None unless they are K legal ones."""
    try:
        given: Any = agent.act_batch(views)
        chosen = np.asarray(given)
    except AGENT_ERRORS:
        return None
    is_list = chosen.shape == (len(views),) and hasattr(given, "__getitem__")
    if not is_list or not np.issubdtype(chosen.dtype, np.integer):
        return None
    if ((chosen < 0) | (chosen >= views.masks.shape[1])).any():
        return None
    return chosen.astype(np.int64) if views.masks[np.arange(len(views)), chosen].all() else None
