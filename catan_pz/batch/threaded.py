"""What batches on the CPU have in common: games of the same rules, shared out among threads."""

import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

import numba
import numpy as np
from numpy.typing import NDArray

from catan_pz.batch import calls as batch_calls
from catan_pz.batch.base import MOST_GAMES, Interruptible
from catan_pz.batch.steps import NextGames
from catan_pz.checks import check_count, check_game_number
from catan_pz.engine.deal import deal_of, script_of
from catan_pz.engine.state import STATE, as_games
from catan_pz.game.arguments import integers
from catan_pz.game.game import Game, IllegalActionError
from catan_pz.kernels.thread_pool import make_thread_pool
from catan_pz.observation.global_state import GLOBAL_SIZE
from catan_pz.rules import Rules

THREADS_PER_CORE: Final = 4
"""Threads of a batch at most."""

FEWEST_GAMES_AT_ONCE: Final = 64
MOST_GAMES_AT_ONCE: Final = 256
"""Games that a thread takes at a time: enough to be worth a call, some microseconds of work,
and few enough that none waits long for the last."""


class ThreadedGames(Interruptible):
    """B games of the same rules on which compiled calls are shared out among threads.

    Attributes:
        games: (B,) records of `engine.state.STATE`.
        seeds: (B,) uint64, seeds of the games that are on.
    """

    _KEPT: ClassVar[tuple[str, ...]]
    """Names of the arrays that the future rests on."""

    def __init__(self, num_games: int, rules: Rules, threads: int) -> None:
        self.rules = rules
        self.num_games = check_count("num_games", num_games, most=MOST_GAMES)
        threads = check_count("threads", threads)
        most = THREADS_PER_CORE * (os.cpu_count() or 1)
        if threads > most:
            told = f"threads={threads} is far beyond this machine's cores: {most} are used"
            warnings.warn(told, stacklevel=4)
            threads = most
        self.games = as_games(np.zeros(self.num_games, STATE))
        self.seeds = np.zeros(self.num_games, np.uint64)
        self._given = np.zeros(self.num_games, np.int64)
        self._starts = NextGames(self.seeds, deal_of(rules))
        self._script = script_of(rules)
        if numba.config.DISABLE_JIT:
            threads = 1  # others would only wait for the interpreter
        chunk = _games_at_once(self.num_games, threads)
        self._pool = make_thread_pool(self.num_games, threads, chunk)

    def _share_out(self, function: Callable[..., Any], *arguments: Any) -> NDArray[np.int64]:
        """The results of an entry point for one part of the games after the other.

        They are zero where it has none; the next call writes to the same array.
        """
        return self._pool.run(function, self.games, *arguments)

    def _checked(self, actions: Any) -> NDArray[np.int64]:
        """A copy of actions (B,) as int64, all of them legal; the same array at each call."""
        chosen = self._given
        chosen[:] = integers(actions, self.num_games, "actions")
        num_actions = self.rules.num_actions
        found = self._share_out(batch_calls.find_illegal, chosen, num_actions)
        if found.max() != batch_calls.ALL_LEGAL:
            i = int(found[found != batch_calls.ALL_LEGAL][0])
            self._complain(i, int(chosen[i]))
        return chosen

    def _complain(self, i: int, action: int, whose: str = "") -> None:
        """Say why an action is not legal in game i."""
        try:
            self.game(i).check(action)
        except IllegalActionError as error:
            raise IllegalActionError(f"game {i}: {whose}{error}") from None

    def _kept(self) -> dict[str, NDArray[Any]]:
        """The arrays of a state by name, without the underscore of private ones."""
        return {name.lstrip("_"): getattr(self, name) for name in self._KEPT}

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Copies of all arrays that the future rests on, by name."""
        self._check_whole()
        return {name: array.copy() for name, array in self._kept().items()}

    def _copy_from(self, state: Mapping[str, NDArray[Any]], _records: np.ndarray) -> None:
        for name, array in self._kept().items():
            array[...] = state[name]

    def _write_scaled(self, units: NDArray[np.int8], flat: NDArray[np.float32]) -> None:
        """Write flat observations (B, N) from natural units."""
        self._share_out(batch_calls.scale_observations, units, flat)

    def _full_states(self) -> NDArray[np.float32]:
        """(B, M) the full-information vector of each game, in a new array."""
        vectors = np.empty((self.num_games, GLOBAL_SIZE), np.int8)
        states = np.empty((self.num_games, GLOBAL_SIZE), np.float32)
        self._share_out(batch_calls.observe_everything, vectors, states)
        return states

    def game(self, i: int) -> Game:
        """A copy of game i as a `Game`."""
        i = check_game_number(i, self.num_games)
        return Game.from_games(self.games[i : i + 1].copy(), self.rules)

    def close(self) -> None:
        """Let the threads go; steps then run on one."""
        self._pool.close()


def _games_at_once(num_games: int, threads: int) -> int:
    if threads == 1:
        return num_games
    return min(max(FEWEST_GAMES_AT_ONCE, num_games // (8 * threads)), MOST_GAMES_AT_ONCE)
