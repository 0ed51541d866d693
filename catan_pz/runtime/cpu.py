"""Many games at once on the CPU: arrays given out once, written in place at each step."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.engine.options import table_of
from catan_pz.engine.rule import as_games, bound
from catan_pz.engine.state import STATE
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import NUM_HAPPENED, LinearReward, Reward, looks_at_end_alone, make_reward
from catan_pz.rules import Rules
from catan_pz.runtime import batch_calls
from catan_pz.runtime.game import Game, IllegalActionError, check_seed, drawn_seed
from catan_pz.terms import MAX_PLAYERS

FEWEST_GAMES_A_THREAD: Final = 256
"""Below this, handing work to a thread costs more than the thread saves."""


class CpuBatch:
    """B games of the same rules, stepped together.

    Game i is the game that `Game(rules, seed + i)` is, whatever the batch's size and the
    number of threads. When it is finished the next one starts in its place within the same
    step: `done` and `reward` tell of the one that ended, mask and observation are the new
    one's.

    Args:
        num_games: B.
        rules: a `Rules`, a preset's name, or None for the defaults.
        observation: whether observations are written.
        reward: a `Reward`, its name, or None for win and loss.
        seed: of game 0; game i has the seed + i. Drawn at random where None.
        threads: how many threads share a step.
        auto_reset: whether finished games are followed at once; if not, `reset_finished` does it.
        **options: replace single options of the rules.

    Attributes:
        games: (B,) records of `engine.state.STATE`.
        observation: (B, N) int8, what the player to move sees, in natural units; None where
            it isn't written.
        mask: (B, A) int8, 1 for each legal action; zeros for a finished game.
        player: (B,) int8, the seat to move.
        reward: (B, P) float32, of each seat for the last step.
        done: (B,) bool, whether the last step ended a game.
        truncated: (B,) bool, whether it did so by the limit of turns.
        seeds: (B,) uint64, seeds of the games that are on.

    All arrays are views of the same memory at each step.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """

    def __init__(
        self,
        num_games: int,
        rules: Rules | str | None = None,
        *,
        observation: bool = True,
        reward: Reward | str | None = None,
        seed: int | None = None,
        threads: int = 1,
        auto_reset: bool = True,
        **options: Any,
    ) -> None:
        for name, value in (("num_games", num_games), ("threads", threads)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"{name}={value!r} is not possible; allowed: an int from 1")
        self.rules = Rules.make(rules, **options)
        self.num_games = int(num_games)
        self.auto_reset = auto_reset
        self._reward = make_reward(reward)
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._shares = _shares(self.num_games, threads)
        self._table = table_of(self.rules)
        self._make_arrays(observation)
        self.reset(seed)

    def _make_arrays(self, observation: bool) -> None:
        size = self.num_games
        self.games = as_games(np.zeros(size, STATE))
        self._observing = int(observation)
        self._observation = np.zeros((size if observation else 0, SIZE), np.int8)
        self.observation = self._observation if observation else None
        self.mask = np.zeros((size, self.rules.num_actions), np.int8)
        self.player = np.zeros(size, np.int8)
        self._paid = np.zeros((size, MAX_PLAYERS), np.float32)
        self.reward = self._paid[:, : self.rules.num_players]
        self.done = np.zeros(size, np.bool_)
        self.truncated = np.zeros(size, np.bool_)
        self.seeds = np.zeros(size, np.uint64)
        self._happened = np.zeros((size, MAX_PLAYERS, NUM_HAPPENED), np.int8)
        self._samplers = np.zeros(size, np.uint64)
        self._actions = np.zeros(size, np.int64)
        self._noting = int(not looks_at_end_alone(self._reward))
        self._weights = np.zeros(NUM_HAPPENED)
        if isinstance(self._reward, LinearReward):
            self._weights[:] = self._reward.weights

    def _share_out(self, call: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Call on each thread's share of the games; the last share is this thread's own."""
        call = bound(call)
        *others, own = self._shares
        futures = []
        for first, last in others:
            assert self._pool is not None
            futures.append(self._pool.submit(call, self.games, first, last, *arguments))
        result = call(self.games, *own, *arguments)
        return [*(future.result() for future in futures), result]

    def _deal(self, where: int) -> None:
        table = self._table
        self._share_out(
            batch_calls.deal_games,
            as_games(table.blank),
            self.seeds,
            table.layouts,
            table.spiral,
            table.no_adjacent_red,
            table.random_first,
            where,
            *self._shown,
        )

    @property
    def _shown(self) -> tuple[Any, ...]:
        return self._observing, self.player, self.mask, self._observation

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew; game i from seed + i (modulo 2**64)."""
        seed = drawn_seed() if seed is None else check_seed(seed)
        with np.errstate(over="ignore"):
            self.seeds[:] = np.uint64(seed) + np.arange(self.num_games, dtype=np.uint64)
        self._samplers[:] = ~self.seeds
        self.reward[:] = 0
        self.done[:] = False
        self.truncated[:] = False
        self._deal(batch_calls.FROM_SEEDS)

    def reset_finished(self) -> None:
        """Start the next game in every place whose game is finished."""
        self._deal(batch_calls.WHERE_FINISHED)

    def sample(self) -> NDArray[np.int64]:
        """(B,) a random legal action for each game, -1 where it is finished.

        The array is the same at each call. Draws don't touch the chance of the games.
        """
        self._share_out(batch_calls.sample_actions, self._samplers, self._actions)
        return self._actions

    def step(self, actions: NDArray[np.integer[Any]]) -> None:
        """Play an action in every game.

        Args:
            actions: (B,) of any integer type, legal.

        Raises:
            IllegalActionError: names the first game whose action isn't legal, phase, action
                and the condition missing; no game is touched.
            TypeError, ValueError: if the actions are no integers or not (B,).
        """
        chosen = self._checked(actions)
        finished = self._share_out(
            batch_calls.step_games,
            chosen,
            self._table.script,
            self._noting,
            self._happened,
            self._weights,
            self._paid,
            self.done,
            self.truncated,
            *self._shown,
        )
        if not isinstance(self._reward, LinearReward):
            self._paid[:] = self._reward(self._happened, self.games)
        if self.auto_reset and any(finished):
            self.reset_finished()

    def _checked(self, actions: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        given = np.asarray(actions)
        if given.shape != (self.num_games,):
            raise ValueError(f"actions have shape {given.shape}, must have ({self.num_games},)")
        if not np.issubdtype(given.dtype, np.integer):
            raise TypeError(f"actions are {given.dtype}, must be integers")
        chosen = np.ascontiguousarray(given, np.int64)
        num_actions = self.rules.num_actions
        for i in self._share_out(batch_calls.find_illegal, chosen, num_actions):
            if i != batch_calls.ALL_LEGAL:
                try:
                    self.game(i).check(int(chosen[i]))
                except IllegalActionError as error:
                    raise IllegalActionError(f"game {i}: {error}") from None
        return chosen

    def game(self, i: int) -> Game:
        """A copy of game i as a `Game`."""
        return Game.from_games(self.games[i : i + 1].copy(), self.rules)

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
            self._shares = [(0, self.num_games)]


def _shares(num_games: int, threads: int) -> list[tuple[int, int]]:
    threads = max(1, min(threads, num_games // FEWEST_GAMES_A_THREAD))
    bounds = [num_games * k // threads for k in range(threads + 1)]
    return list(pairwise(bounds))
