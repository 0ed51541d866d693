"""Many games at once on a GPU: the same games as on the CPU, in torch tensors that stay there."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.batch.cached import PerStep, encoder_of
from catan_pz.batch.placement import TakesPositions
from catan_pz.batch.reward_values import check_replaces
from catan_pz.batch.steps import FROM_SEEDS, NOTHING_REFUSED, WHERE_FINISHED
from catan_pz.batch.threaded import MOST_GAMES, seeds_from
from catan_pz.checks import check_count, check_flag, check_game_number, check_seed
from catan_pz.encoders import Encoder
from catan_pz.encoders.arrays import Table, scaled
from catan_pz.encoders.output import check_output
from catan_pz.engine.options import deal_of, script_of
from catan_pz.engine.state import STATE
from catan_pz.game.game import Game, IllegalActionError, drawn_seed
from catan_pz.observation.global_state import GLOBAL_SCALES, GLOBAL_SIZE
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import LinearReward, Reward, is_linear, is_sparse, make_reward
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, NOBODY

_GLOBAL_SCALES: Final = Table(GLOBAL_SCALES)
_NOTHING: Final = np.array([NOTHING_REFUSED, 0], np.int64)


class CudaBatch(TakesPositions):
    """B games of the same rules, stepped together on a GPU, one thread a game.

    What `CpuBatch` is on the CPU, game by game and byte for byte, but for the rounding of rewards
    whose terms cancel each other; `make_batch` makes either.
    `step` copies nothing to the host and does not wait for the device. An illegal action is
    therefore reported by a later step, at the latest by `synchronize`: no game has been touched
    since.

    Args:
        num_games: B.
        rules: a `Rules`, a preset's name, or None for the defaults.
        observation: True for observations in natural units, an `Encoder` or its name for
            another form, False for none.
        reward: a `LinearReward`, its name, or None for win and loss.
        seed: of game 0; game i has the seed + i. Drawn at random where None.
        auto_reset: whether finished games are followed at once; if not, `reset_finished` does it.
        global_state: whether there is a `global_state`.
        **options: replace single options of the rules.

    Attributes:
        encoder: of the observations, or None.
        units: (B, N) int8 tensor, what the player to move sees, in natural units; None where it
            isn't written. The games lie along the contiguous axis.
        mask: (B, A) int8 tensor, 1 for each legal action; likewise.
        player: (B,) int8 tensor, the seat to move.
        reward: (B, P) float32 tensor, of each seat for the last step.
        done: (B,) bool tensor, whether the last step ended a game.
        truncated: (B,) bool tensor, whether it did so by the limit of turns.
        winner: (B,) int8 tensor, the seat that won in the last step, -1 where none did.
        steps_begun: steps that have been launched, or broken off by an exception.
        refusals: illegal actions that have been reported.

    All tensors are views of the same device memory at each step, but for observations of other
    encoders than "units" and the global state: these are new ones.

    Python threads that share a batch take turns, one call after the other. Where a step or a
    reset doesn't come to its end, whatever was raised, the next call raises a `RuntimeError`
    that asks for `reset`.

    Raises:
        ImportError: where numba-cuda or torch are missing.
        RuntimeError: where no GPU can be used.
        MemoryError: where the batch doesn't fit the GPU's free memory.
        ValueError: names the option, its value and what is allowed.
    """

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
        **options: Any,
    ) -> None:
        super().__init__()
        self.rules = Rules.of(CudaBatch, rules, options)
        self.num_games = check_count("num_games", num_games, most=MOST_GAMES)
        self.auto_reset = check_flag("auto_reset", auto_reset)
        self.steps_begun = self.refusals = 0
        self._reward = self._first_reward = _linear(reward)
        self.encoder = encoder_of(observation)
        self._encoded: PerStep[Any] = PerStep(self._encode)
        self._global = (
            PerStep(self._full_states) if check_flag("global_state", global_state) else None
        )
        self._device = _open_device()
        self._make_arrays(self.encoder is not None)
        self._make_kernels()
        self.reset(seed)
        if self.encoder is not None:
            check_output(self.encoder, self.units)

    def _make_arrays(self, observation: bool) -> None:
        size, device = self.num_games, self._device
        numbers = SIZE if observation else 0
        everything = GLOBAL_SIZE if self._global is not None else 0
        needed = size * (bytes_a_game(self.rules, observation=observation) + everything)
        device.check_memory(needed, f"{size:,} games")
        # Column i of observations and masks is game i.
        self._observations = device.zeros((numbers, size), np.int8)
        self._masks = device.zeros((self.rules.num_actions, size), np.int8)
        self._vectors = device.zeros((everything, size), np.int8)
        self.units = self._observations.T if observation else None
        self.mask = self._masks.T
        self.player = device.zeros((size,), np.int8)
        self._paid = device.zeros((size, MAX_PLAYERS), np.float32)
        self.reward = self._paid[:, : self.rules.num_players]
        self.done = device.zeros((size,), np.bool_)
        self.truncated = device.zeros((size,), np.bool_)
        self.winner = device.zeros((size,), np.int8)
        self._actions = device.zeros((size,), np.int64)
        options, own = deal_of(self.rules), device.own
        self._games = own(np.zeros(size, STATE))
        self._seeds = own(np.zeros(size, np.uint64))
        self._rng_states = own(np.zeros(size, np.uint64))
        self._script = own(script_of(self.rules))
        self._weights = own(self._reward.weights)
        self._refused = own(_NOTHING)
        self._told = device.shared_with_host(_NOTHING)
        how = options._replace(blank=own(options.blank), layouts=own(options.layouts))
        view = device.view
        self._dealt = self._seeds, how
        self._shown = (
            int(observation),
            view(self.player),
            view(self._masks),
            view(self._observations),
        )
        told = self._paid, self.done, self.truncated, self.winner
        self._outcome = tuple(view(array) for array in told)
        self._dense = int(not is_sparse(self._reward))

    def _make_kernels(self) -> None:
        from catan_pz.batch import cuda_kernels as kernels

        launch = self._device.launcher(self.num_games)
        self._deal_all = launch(kernels.deal_kernel)
        self._place_all = launch(kernels.place_kernel)
        self._sample_all = launch(kernels.sample_kernel)
        self._check_all = launch(kernels.check_kernel)
        self._step_all = launch(kernels.step_kernel)
        if self._global is not None:
            self._observe_everything = launch(kernels.observe_everything_kernel)

    def _deal(self, where: int) -> None:
        self._forget_values()
        self._deal_all(self._games, self._refused, where, *self._dealt, *self._shown)

    @property
    def observation(self) -> Any:
        """What the players to move see, by the encoder: (B, ...) tensors; None without one."""
        with self._turn:
            return self._encoded.get()

    @property
    def global_state(self) -> Any:
        """(B, M) float32 tensor, what `raw_env.state()` gives, for critics, never for players.

        None if it isn't on.
        """
        with self._turn:
            return None if self._global is None else self._global.get()

    def _encode(self) -> Any:
        return None if self.encoder is None else self.encoder.encode(self.units)

    def _full_states(self) -> Any:
        self._observe_everything(self._games, self._device.view(self._vectors))
        return scaled(self._vectors.T, _GLOBAL_SCALES)

    def _forget_values(self) -> None:
        self._encoded.forget()
        if self._global is not None:
            self._global.forget()

    def zeros(self, shape: tuple[int, ...], dtype: type) -> Any:
        """A tensor of zeros on the batch's device; `dtype` is NumPy's."""
        return self._device.zeros(shape, dtype)

    def set_reward(self, reward: Reward | str | None) -> None:
        """Change to another linear reward from the next step on.

        Raises:
            ValueError: if it isn't linear, or depends on more than the end of a game and the
                first one doesn't.
        """
        made = _linear(reward)
        check_replaces(made, self._first_reward)
        with self._turn:
            self._reward, self._weights = made, self._device.own(made.weights)

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew; game i from seed + i (modulo 2**64)."""
        seed = drawn_seed() if seed is None else check_seed(seed)
        with self._turn:
            self._change(self._restart_all, seed)

    def _restart_all(self, seed: int) -> None:
        seeds = seeds_from(seed, self.num_games)
        self._clear_refusal()
        self._device.copy(self._seeds, seeds)
        self._device.copy(self._rng_states, ~seeds)
        for array in (self._paid, self.done, self.truncated):
            array[:] = 0
        self.winner[:] = NOBODY
        self._deal(FROM_SEEDS)

    def reset_finished(self) -> None:
        """Start the next game in every place whose game is finished.

        Raises:
            IllegalActionError: for an action of a step before, as `step` would; no game is started
                until that is reported.
        """
        with self._turn:
            self._check_whole()
            self._raise_refused()
            self._change(self._deal, WHERE_FINISHED)

    def _report(self) -> None:
        self.synchronize()

    def _place(self, records: np.ndarray, sources: NDArray[np.int64]) -> None:
        self._forget_values()
        own = self._device.own
        self._place_all(self._games, own(records), own(sources), *self._shown)

    def sample(self) -> Any:
        """(B,) int64 tensor, a random legal action for each game, -1 where it is finished.

        The tensor is the same at each call. Draws don't touch the chance of the games.
        """
        with self._turn:
            self._check_whole()
            self._sample_all(self._games, self._rng_states, self._device.view(self._actions))
        return self._actions

    def step(self, actions: Any) -> None:
        """Play an action in every game.

        Args:
            actions: (B,) tensor or array of any integer type, legal; -1 where the game is
                finished and waits, in which nothing happens.

        Raises:
            IllegalActionError: for an action of a step before, as soon as the device has come
                to it; names the first game whose action isn't legal, phase, action and the
                condition missing. No game has been touched since.
            TypeError, ValueError: if the actions are no integers or not (B,).
        """
        with self._turn:
            self._check_whole()
            self._raise_refused()
            given = self._device.view(self._device.integers(actions, self.num_games))
            self._change(self._check_and_play, given)

    def _check_and_play(self, actions: Any) -> None:
        self._check_all(self._games, actions, self.rules.num_actions, self._refused)
        self._play(actions, drawing=0)

    def play_random(self, steps: int = 1) -> None:
        """Play random legal actions in every game, each equally likely.

        They are those that `sample` would give. Where a game is finished and none follows,
        nothing happens.

        Args:
            steps: decisions in each game.

        Raises:
            ValueError: if that isn't an int from 0.
        """
        steps = check_count("steps", steps, least=0)
        with self._turn:
            self._check_whole()
            self._raise_refused()
            actions = self._device.view(self._actions)
            for _ in range(steps):
                self._change(self._play, actions, 1)

    def _play(self, actions: Any, drawing: int) -> None:
        self._forget_values()
        self.steps_begun += 1
        self._step_all(
            self._games,
            actions,
            drawing,
            self._refused,
            self._told,
            self._rng_states,
            self._script,
            self._dense,
            self._weights,
            *self._outcome,
            int(self.auto_reset),
            *self._dealt,
            *self._shown,
        )

    def synchronize(self) -> None:
        """Wait for the device.

        Raises:
            IllegalActionError: for an action of any step before, as `step` would.
        """
        with self._turn:
            self._device.synchronize()
            self._raise_refused()

    def _raise_refused(self) -> None:
        if self._told[0] == NOTHING_REFUSED:
            return
        self._device.synchronize()
        i, action = int(self._told[0]), int(self._told[1])
        self.refusals += 1
        self._clear_refusal()
        try:
            self.game(i).check(action)
        except IllegalActionError as error:
            raise IllegalActionError(f"game {i}: {error}") from None

    def _clear_refusal(self) -> None:
        # The kernels first, which waits for them: an exception in between lets the refusal be told
        # twice, not never.
        self._device.copy(self._refused, _NOTHING)
        self._told[:] = _NOTHING

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """(B,) a copy of the seeds of the games that are on."""
        with self._turn:
            seeds: NDArray[np.uint64] = self._device.to_host(self._seeds)
        return seeds

    @property
    def games(self) -> np.ndarray:
        """(B,) a copy of the records, of `engine.state.STATE`."""
        with self._turn:
            games: np.ndarray = self._device.to_host(self._games)
        return games

    def game(self, i: int) -> Game:
        """A copy of game i as a `Game`.

        Raises:
            IndexError, TypeError: if i isn't an integer from 0 to B - 1.
        """
        i = check_game_number(i, self.num_games)
        with self._turn:
            return Game.from_games(self._device.to_host(self._games[i : i + 1]), self.rules)

    def close(self) -> None:
        """Wait for the device; the memory goes back when the batch is forgotten."""
        with self._turn:
            self._device.synchronize()


def bytes_a_game(rules: Rules, *, observation: bool = True) -> int:
    """Device memory that each game of a batch takes."""
    numbers = SIZE if observation else 0
    rest = 8 + 8 + 8 + 4 * MAX_PLAYERS + 1 + 1 + 1 + 1  # seed, sampler, action, reward, the flags
    return STATE.itemsize + numbers + rules.num_actions + rest


def _linear(reward: Reward | str | None) -> LinearReward:
    made = make_reward(reward)
    if not is_linear(made):
        raise ValueError(
            f"option reward={reward!r} is not possible with device='cuda'; allowed: a "
            "LinearReward, without a __call__ of its own, or its name"
        )
    return made


def _open_device() -> Any:
    try:
        from catan_pz.batch.cuda_device import open_device
    except ImportError as error:
        raise ImportError("device='cuda' needs numba-cuda: pip install 'catan-pz[gpu]'") from error
    return open_device()
