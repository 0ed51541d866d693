"""Shared parts of batches on the CPU and on CUDA, and of batches with threads."""

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Final, Unpack

import numba
import numpy as np
from numpy.typing import NDArray

from catan_pz.batch import calls as batch_calls
from catan_pz.batch.steps import (
    FROM_SEEDS,
    NOT_PLACED,
    WHERE_FINISHED,
    Choices,
    NextGames,
    Scoring,
    Shown,
    StepOutcome,
)
from catan_pz.checks import check_count, check_flag, check_game_number, check_seed, not_possible
from catan_pz.encoders import Encoder, as_encoder
from catan_pz.encoders.base import check_output
from catan_pz.engine.deal import deal_of, script_of
from catan_pz.engine.state import STATE, as_games
from catan_pz.game.arguments import check_unfinished, integers, records_in_range, sound_records
from catan_pz.game.game import Game, IllegalActionError, drawn_seed
from catan_pz.kernels.thread_pool import make_thread_pool
from catan_pz.observation.global_state import GLOBAL_SIZE
from catan_pz.rewards import Reward, is_linear, is_sparse, make_reward, weights_of
from catan_pz.rules import RuleOptions, Rules
from catan_pz.terms import MAX_PLAYERS, NOBODY

MOST_GAMES: Final = 2**31 - 1
"""The most games of a batch."""

THREADS_PER_CORE: Final = 4
"""The most threads of a batch per core of the machine."""

FEWEST_GAMES_AT_ONCE: Final = 64
MOST_GAMES_AT_ONCE: Final = 256
"""Games that a thread takes at a time: enough for some microseconds of work, and few enough that
no thread waits long for the last."""


class Interruptible:
    """Detects interrupted changes. For one thread at a time, and never copied.

    Attributes:
        changes: grows with each change.
    """

    changes = 0
    _is_whole = True

    def _change(self, change: Callable[..., None], *arguments: Any) -> None:
        """Call a function that changes the games; if it is interrupted, only `reset` helps."""
        self._is_whole = False
        self.changes += 1
        change(*arguments)
        self._is_whole = True

    def _take_back(self) -> None:
        """Record that a change did nothing."""
        self._is_whole = True
        self.changes -= 1

    def _check_whole(self) -> None:
        if not self._is_whole:
            raise RuntimeError("an earlier call was interrupted: call reset() first")

    def __reduce_ex__(self, _protocol: Any) -> Any:
        """Refuse copies, which would share arrays and threads."""
        raise TypeError(
            f"a {type(self).__name__} can't be copied or pickled: make another one and give it "
            "the state or the games of this one"
        )


class ThreadedGames(Interruptible):
    """B games of the same rules, distributed over threads for compiled calls.

    Attributes:
        games: (B,) records of `engine.state.STATE`.
        seeds: (B,) uint64, seeds of the current games.
    """

    _KEPT: ClassVar[tuple[str, ...]]  # names of the arrays that determine the future

    def __init__(self, num_games: int, rules: Rules, threads: int) -> None:
        self.rules = rules
        self.num_games = check_count("num_games", num_games, most=MOST_GAMES)
        threads = check_count("threads", threads)
        most = THREADS_PER_CORE * (os.cpu_count() or 1)
        if threads > most:
            message = f"threads={threads} is far beyond this machine's cores: {most} are used"
            warnings.warn(message, stacklevel=4)
            threads = most
        self.games = as_games(np.zeros(self.num_games, STATE))
        self.seeds = np.zeros(self.num_games, np.uint64)
        self._given = np.zeros(self.num_games, np.int64)
        self._starts = NextGames(self.seeds, deal_of(rules))
        self._script = script_of(rules)
        if numba.config.DISABLE_JIT:
            threads = 1  # more would only wait for the interpreter
        chunk = self.num_games
        if threads > 1:
            shared = max(FEWEST_GAMES_AT_ONCE, self.num_games // (8 * threads))
            chunk = min(shared, MOST_GAMES_AT_ONCE)
        self._parts = -(-self.num_games // chunk)
        self._pool = make_thread_pool(self.num_games, threads, chunk)

    def _share_out(self, function: Callable[..., Any], *arguments: Any) -> NDArray[np.int64]:
        """The results of an entry point for each part of the games.

        They are zero if it returns none; the next call overwrites the array.
        """
        return self._pool.run(function, self.games, *arguments)

    def _prepare(self, function: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
        """`_share_out` as a repeatable call."""
        return self._pool.prepare(function, self.games, *arguments)

    def _checked(self, actions: Any) -> NDArray[np.int64]:
        """A copy of legal actions (B,) as int64; the same array at each call."""
        chosen = self._given
        chosen[:] = integers(actions, self.num_games, "actions")
        num_actions = self.rules.num_actions
        found = self._share_out(batch_calls.find_illegal, chosen, num_actions)
        if max(found.tolist()) != batch_calls.ALL_LEGAL:
            i = int(found[found != batch_calls.ALL_LEGAL][0])
            self._complain(i, int(chosen[i]))
        return chosen

    def _complain(self, i: int, action: int, whose: str = "") -> None:
        """Raise an error with the reason why an action is not legal in game i."""
        try:
            self.game(i).check(action)
        except IllegalActionError as error:
            raise IllegalActionError(f"game {i}: {whose}{error}") from None

    def _kept(self) -> dict[str, NDArray[Any]]:
        """The arrays of a state by name, without the underscores of private names."""
        return {name.lstrip("_"): getattr(self, name) for name in self._KEPT}

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Copies of all arrays that determine the future, by name."""
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
        """Release the threads; later steps run on the caller's thread."""
        self._pool.close()


class BatchOptions(RuleOptions, total=False):
    """Keywords of `make_batch` for every device."""

    observation: bool | str | Encoder
    reward: Reward | str | None
    seed: int | None
    auto_reset: bool
    global_state: bool


class Host:
    """Allocates a batch's arrays on the CPU: in NumPy's memory, which compiled code can access."""

    def zeros(self, shape: tuple[int, ...], dtype: type) -> Any:
        """Zeros for an output array; `dtype` is NumPy's."""
        return np.zeros(shape, dtype)

    def own(self, array: NDArray[Any]) -> Any:
        """An array for compiled code only."""
        return array

    def view(self, array: Any) -> Any:
        """An output array as compiled code takes it."""
        return array

    def copy(self, target: Any, source: NDArray[Any]) -> None:
        """Write into an array of `own`."""
        target[...] = source


class Batch(Interruptible, ABC):
    """B games of the same rules, stepped together; `make_batch` and `CpuBatch` describe them."""

    units: Any
    _device: Any = Host()
    _given: Any
    _script: Any
    _starts: NextGames

    def __init__(
        self,
        num_games: int,
        rules: Rules | str | None = None,
        *,
        observation: bool | str | Encoder = True,
        reward: Reward | str | None = None,
        seed: int | None = None,
        auto_reset: bool = True,
        global_state: bool = False,
        **options: Unpack[RuleOptions],
    ) -> None:
        self.rules = Rules.of(Batch, rules, options)
        self.num_games = check_count("num_games", num_games, most=MOST_GAMES)
        self.auto_reset = check_flag("auto_reset", auto_reset)
        self._has_global_state = check_flag("global_state", global_state)
        wanted = "units" if observation is True else observation
        self.encoder = None if wanted is False else as_encoder(wanted)
        self._reward = self._first_reward = make_reward(reward)
        self._dense = int(not is_sparse(self._reward))
        self._is_linear = is_linear(self._reward)
        self._make_arrays()
        self.reset(seed)
        if self.encoder is not None:
            check_output(self.encoder, self.units)

    def _make_shared(self, masks: Any, observations: Any) -> None:
        """Make the other output arrays and bundle all of them for compiled code.

        Masks are (B, A) and observations (B, N), on CUDA (A, B) and (N, B).
        """
        size, device = (self.num_games,), self._device
        zeros, own, view = device.zeros, device.own, device.view
        self.player = zeros(size, np.int8)
        self._rewards = zeros((*size, MAX_PLAYERS), np.float32)
        self.reward = self._rewards[:, : self.rules.num_players]
        self.done, self.truncated = zeros(size, np.bool_), zeros(size, np.bool_)
        self.winner = zeros(size, np.int8)
        self._actions = zeros(size, np.int64)
        self._rng_states = own(np.zeros(size, np.uint64))
        self._weights = own(weights_of(self._reward))
        observing = int(self.encoder is not None)
        self._shown = Shown(observing, view(self.player), view(masks), view(observations))
        self._chosen = Choices(0, view(self._given), self._rng_states)
        self._drawn = Choices(1, view(self._actions), self._rng_states)
        self._scoring = Scoring(self._script, self._dense, self._weights)
        told = self._rewards, self.done, self.truncated, self.winner
        self._outcome = StepOutcome(*map(view, told))

    def zeros(self, shape: tuple[int, ...], dtype: type) -> Any:
        """Zeros in the batch's kind of array, NumPy's or tensors; `dtype` is NumPy's."""
        return self._device.zeros(shape, dtype)

    @cached_property
    def observation(self) -> Any:
        """Encoded observations of the players to move: (B, ...) arrays; None without an encoder."""
        return None if self.encoder is None else self._encode()

    @cached_property
    def global_state(self) -> Any:
        """(B, M) float32, as `raw_env.state()`, for critics, never for players.

        None if it is off.
        """
        return self._full_states() if self._has_global_state else None

    def _forget_values(self) -> None:
        self.__dict__.pop("observation", None)
        self.__dict__.pop("global_state", None)

    def set_reward(self, reward: Reward | str | None) -> None:
        """Change to another linear reward from the next step on.

        The original reward, which determines what games count, must be linear too. If it depends
        only on the end of a game, so must the new one.
        """
        made = make_reward(reward)
        for one in (made, self._first_reward):
            if not is_linear(one):
                raise not_possible("reward", one, "a LinearReward in place of a LinearReward")
        if is_sparse(self._first_reward) and not is_sparse(made):
            raise not_possible("reward", made, "one that depends on the end of a game alone")
        self._reward = made
        self._device.copy(self._weights, weights_of(made))

    def reset(self, seed: int | None = None) -> None:
        """Restart all games; game i from seed + i (modulo 2**64)."""
        first = drawn_seed() if seed is None else check_seed(seed)
        self._change(self._restart, seeds_from(first, self.num_games))

    def reset_finished(self) -> None:
        """Start the next game in place of every finished one."""
        self._report()
        self._change(self._deal, WHERE_FINISHED)

    def place_games(self, numbers: Any, games: np.ndarray, *, check: bool = True) -> None:
        """Replace some games by other positions; the batch continues from these.

        `reward`, `done` and `truncated` still describe the last step, `seeds` the next game.

        Args:
            numbers: (K,) games of the batch, each once.
            games: (K,) records of `engine.state.STATE`, unfinished games of the same rules; from
                a JSON state: `Game.from_snapshot(state).games`.
            check: whether positions that break the rules are refused. Records of
                `View.resample_many` need no check, and at followed tables may fail it, as the
                bank may be unlimited. Without it derived fields (`engine.state.DERIVED`) are kept.
        """
        records = (sound_records if check else records_in_range)(games, self.rules)
        chosen = integers(numbers, len(records), "numbers")
        if len(chosen) and not 0 <= chosen.min() <= chosen.max() < self.num_games:
            raise ValueError(f"numbers must lie between 0 and {self.num_games - 1}")
        if len(np.unique(chosen)) != len(chosen):
            raise ValueError("numbers must name each game once")
        check_unfinished(records)
        sources = np.full(self.num_games, NOT_PLACED, np.int64)
        sources[chosen] = np.arange(len(records))
        self._report()
        self._change(self._place, records, sources)

    def play_random(self, steps: int = 1) -> None:
        """Play `steps` random legal actions in every game, drawn like those of `sample`.

        Finished games without a next one are skipped.
        """
        steps = check_count("steps", steps, least=0)
        self._report()
        for _ in range(steps):
            self._check_whole()
            self._change(self._play, True)

    def _report(self) -> None:
        """Raise a pending error before the games change."""
        self._check_whole()

    def _restart(self, seeds: NDArray[np.uint64]) -> None:
        """Restart all games from seeds (B,)."""
        self._device.copy(self._starts.seeds, seeds)
        self._device.copy(self._rng_states, ~seeds)
        for array in (self._rewards, self.done, self.truncated):
            array[:] = 0
        self.winner[:] = NOBODY
        self._deal(FROM_SEEDS)

    @abstractmethod
    def _make_arrays(self) -> None:
        """Make the arrays, those of every device with `_make_shared`."""

    @abstractmethod
    def _encode(self) -> Any: ...

    @abstractmethod
    def _full_states(self) -> Any: ...

    @abstractmethod
    def _deal(self, where: int) -> None:
        """Start games selected by a rule of `batch.steps`."""

    @abstractmethod
    def _place(self, records: np.ndarray, sources: NDArray[np.int64]) -> None:
        """Put the record `sources[i]` in place of game i, unless it is `NOT_PLACED`."""

    @abstractmethod
    def _play(self, drawing: bool) -> None:
        """Play the given actions, or random ones if `drawing`."""


def seeds_from(first: int, count: int) -> NDArray[np.uint64]:
    """(B,) the seeds first + i, modulo 2**64."""
    with np.errstate(over="ignore"):
        return np.uint64(first) + np.arange(count, dtype=np.uint64)
