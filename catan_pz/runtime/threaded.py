"""What batches on the CPU have in common: games of the same rules, shared out among threads."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, Final
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from catan_pz.engine.options import table_of
from catan_pz.engine.rule import as_games, bound
from catan_pz.engine.state import STATE
from catan_pz.rules import Rules
from catan_pz.runtime import batch_calls
from catan_pz.runtime.crew import Worker, dismiss
from catan_pz.runtime.game import Game, IllegalActionError

FEWEST_GAMES_A_THREAD: Final = 256
"""Below this, handing work to a thread costs more than the thread saves."""

FEWEST_GAMES_A_THREAD_LIGHTLY: Final = 4096
"""The same for calls that take some nanoseconds a game."""


class ThreadedGames:
    """B games of the same rules on which compiled calls are shared out among threads.

    Args:
        num_games: B.
        rules: the rules.
        threads: how many threads share a call.

    Attributes:
        rules: the rules.
        num_games: B.
        games: (B,) records of `engine.state.STATE`.
        seeds: (B,) uint64, seeds of the games that are on.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """

    def __init__(self, num_games: int, rules: Rules, threads: int) -> None:
        self.rules = rules
        self.num_games = check_count("num_games", num_games)
        threads = check_count("threads", threads)
        self.games = as_games(np.zeros(self.num_games, STATE))
        self.seeds = np.zeros(self.num_games, np.uint64)
        self._table = table_of(rules)
        self._shares = _shares(self.num_games, threads, FEWEST_GAMES_A_THREAD)
        self._light_shares = _shares(self.num_games, threads, FEWEST_GAMES_A_THREAD_LIGHTLY)
        self._crew = [Worker() for _ in self._shares[1:]]
        self._dismiss = finalize(self, dismiss, self._crew)

    def _share_out(
        self, call: Callable[..., Any], *arguments: Any, light: bool = False
    ) -> list[Any]:
        """Call on each thread's share of the games; the last share is this thread's own.

        A light call is one that takes some nanoseconds a game.
        """
        call = bound(call)
        *others, own = self._light_shares if light else self._shares
        asked = self._crew[: len(others)]
        for worker, (first, last) in zip(asked, others, strict=True):
            worker.ask(partial(call, self.games, first, last, *arguments))
        try:
            result = call(self.games, *own, *arguments)
        finally:
            results = [worker.result() for worker in asked]
        return [*results, result]

    def _share_out_deal(self, call: Callable[..., Any], where: int, *arguments: Any) -> None:
        """Call one of the calls that start games."""
        table = self._table
        self._share_out(
            call,
            as_games(table.blank),
            self.seeds,
            *table.deal_options,
            where,
            *arguments,
        )

    def _seed(self, first: int) -> None:
        """Give game i the seed first + i, modulo 2**64."""
        self.seeds[:] = seeds_from(first, self.num_games)

    def _checked(self, actions: Any) -> NDArray[np.int64]:
        """Actions (B,) as int64, all of them legal."""
        chosen = integers(actions, self.num_games, "actions")
        num_actions = self.rules.num_actions
        for i in self._share_out(batch_calls.find_illegal, chosen, num_actions, light=True):
            if i != batch_calls.ALL_LEGAL:
                self._complain(int(i), int(chosen[i]))
        return chosen

    def _complain(self, i: int, action: int, whose: str = "") -> None:
        """Say why an action is not legal in game i."""
        try:
            self.game(i).check(action)
        except IllegalActionError as error:
            raise IllegalActionError(f"game {i}: {whose}{error}") from None

    def game(self, i: int) -> Game:
        """A copy of game i as a `Game`."""
        return Game.from_games(self.games[i : i + 1].copy(), self.rules)

    def close(self) -> None:
        """Let the threads go; steps then run on one."""
        self._shares = self._light_shares = [(0, self.num_games)]
        self._dismiss()


def check_count(name: str, value: object) -> int:
    """An option that counts something, as a plain int.

    Raises:
        ValueError: for any but integers from 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"option {name}={value!r} is not possible; allowed: an int from 1")
    return int(value)


def seeds_from(first: int, count: int) -> NDArray[np.uint64]:
    """(B,) the seeds first + i, modulo 2**64."""
    with np.errstate(over="ignore"):
        return np.uint64(first) + np.arange(count, dtype=np.uint64)


def integers(given: Any, count: int, name: str) -> NDArray[np.int64]:
    """An array (count,) of any integer type as int64.

    Raises:
        TypeError, ValueError: if it is no such array; the name tells which.
    """
    array = np.asarray(given)
    if array.shape != (count,):
        raise ValueError(f"{name} have shape {array.shape}, must have ({count},)")
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} are {array.dtype}, must be integers")
    return np.ascontiguousarray(array, np.int64)


def _shares(num_games: int, threads: int, fewest: int) -> list[tuple[int, int]]:
    threads = max(1, min(threads, num_games // fewest))
    bounds = [num_games * k // threads for k in range(threads + 1)]
    return list(pairwise(bounds))
