"""Many games at once on a GPU: the same games as on the CPU, in torch tensors on the device."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.batch.base import Batch
from catan_pz.batch.steps import NOTHING_REFUSED, NextGames
from catan_pz.checks import check_game_number, not_possible
from catan_pz.encoders.arrays import Constant, scaled
from catan_pz.engine.deal import deal_of, script_of
from catan_pz.engine.state import STATE
from catan_pz.game.game import Game, IllegalActionError
from catan_pz.observation.global_state import GLOBAL_SCALES, GLOBAL_SIZE
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import is_linear
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS

_GLOBAL_SCALES: Final = Constant(GLOBAL_SCALES)
_NOTHING: Final = np.array([NOTHING_REFUSED, 0], np.int64)


class CudaBatch(Batch):
    """B games of the same rules, stepped together on a GPU, one thread per game.

    It equals `CpuBatch` byte for byte, except for rounding in rewards whose terms cancel each
    other. Arguments and attributes are the same, but rewards must be linear, there are no threads,
    and arrays are torch tensors. Games are the contiguous axis of `units` and `mask`. All tensors
    are views of the same device memory at each step, except observations of encoders other than
    "units", and the global state.

    `step` copies nothing to the host and doesn't wait for the device. A later call, at the latest
    `synchronize`, reports an illegal action; no game has been changed since.
    """

    def _make_arrays(self) -> None:
        if not is_linear(self._reward):
            raise not_possible(
                "reward", self._reward, "a LinearReward, or its name, with device='cuda'"
            )
        try:
            from catan_pz.batch.cuda_device import open_device
        except ImportError as error:
            message = "device='cuda' needs numba-cuda: pip install 'catan-pz[gpu]'"
            raise ImportError(message) from error
        self._device = device = open_device()
        size, observing = self.num_games, self.encoder is not None
        everything = GLOBAL_SIZE if self._has_global_state else 0
        needed = size * (bytes_a_game(self.rules, observation=observing) + everything)
        device.check_memory(needed, f"{size:,} games")
        # Column i of observations and masks is game i.
        observations = device.zeros((SIZE if observing else 0, size), np.int8)
        masks = device.zeros((self.rules.num_actions, size), np.int8)
        self._vectors = device.zeros((everything, size), np.int8)
        self.units = observations.T if observing else None
        self.mask = masks.T
        own = device.own
        self._given = device.zeros((size,), np.int64)
        self._games = own(np.zeros(size, STATE))
        self._refused, self._told = own(_NOTHING), device.shared_with_host(_NOTHING)
        how = deal_of(self.rules)
        how = how._replace(blank=own(how.blank), layouts=own(how.layouts))
        self._starts = NextGames(own(np.zeros(size, np.uint64)), how)
        self._script = own(script_of(self.rules))
        self._make_shared(masks, observations)
        from catan_pz.batch import cuda_kernels as kernels

        launch = self._device.launcher(self.num_games)
        self._deal_all = launch(kernels.deal_kernel)
        self._place_all = launch(kernels.place_kernel)
        self._sample_all = launch(kernels.sample_kernel)
        self._check_all = launch(kernels.check_kernel)
        self._step_all = launch(kernels.step_kernel)
        self._observe_everything = launch(kernels.observe_everything_kernel)

    def _deal(self, where: int) -> None:
        self._forget_values()
        self._deal_all(self._games, self._refused, where, self._starts, self._shown)

    def _encode(self) -> Any:
        return self.encoder.encode(self.units)  # type: ignore[union-attr]

    def _full_states(self) -> Any:
        self._observe_everything(self._games, self._device.view(self._vectors))
        return scaled(self._vectors.T, _GLOBAL_SCALES)

    def _restart(self, seeds: NDArray[np.uint64]) -> None:
        self._clear_refusal()
        super()._restart(seeds)

    def _place(self, records: np.ndarray, sources: NDArray[np.int64]) -> None:
        self._forget_values()
        own = self._device.own
        self._place_all(self._games, own(records), own(sources), self._shown)

    def sample(self) -> Any:
        """(B,) int64 tensor, a random legal action for each game, -1 for finished games.

        The tensor is the same at each call. Draws don't affect the games' own random streams.
        """
        self._check_whole()
        self._sample_all(self._games, self._rng_states, self._drawn.actions)
        return self._actions

    def step(self, actions: Any) -> None:
        """Play an action in every game.

        Args:
            actions: (B,) tensor or array of any integer type, legal; -1 for a finished game that
                waits, which is skipped.
        """
        self._report()
        self._given[:] = self._device.integers(actions, self.num_games)
        self._change(self._check_and_play)

    def _check_and_play(self) -> None:
        given = self._chosen.actions
        self._check_all(self._games, given, self.rules.num_actions, self._refused)
        self._play(drawing=False)

    def _play(self, drawing: bool) -> None:
        self._forget_values()
        self._step_all(
            self._games,
            self._drawn if drawing else self._chosen,
            self._refused,
            self._told,
            self._scoring,
            self._outcome,
            int(self.auto_reset),
            self._starts,
            self._shown,
        )

    def synchronize(self) -> None:
        """Wait for the device, and report an illegal action of an earlier step."""
        self._device.synchronize()
        self._report_refused()

    def _report(self) -> None:
        self._check_whole()
        self._report_refused()

    def _report_refused(self) -> None:
        if self._told[0] == NOTHING_REFUSED:
            return
        self._device.synchronize()
        i, action = int(self._told[0]), int(self._told[1])
        self.changes += 1  # steps counted since then were not played
        self._clear_refusal()
        try:
            self.game(i).check(action)
        except IllegalActionError as error:
            raise IllegalActionError(f"game {i}: {error}") from None

    def _clear_refusal(self) -> None:
        self._device.copy(self._refused, _NOTHING)
        self._told[:] = _NOTHING

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """(B,) a copy of the current games' seeds."""
        return self._device.to_host(self._starts.seeds)

    @property
    def games(self) -> np.ndarray:
        """(B,) a copy of the records, of `engine.state.STATE`."""
        return self._device.to_host(self._games)

    def game(self, i: int) -> Game:
        """A copy of game i as a `Game`."""
        i = check_game_number(i, self.num_games)
        return Game.from_games(self._device.to_host(self._games[i : i + 1]), self.rules)

    def close(self) -> None:
        """Wait for the device; its memory is released with the batch."""
        self._device.synchronize()


def bytes_a_game(rules: Rules, *, observation: bool = True) -> int:
    """Device memory in bytes per game of a batch."""
    numbers = SIZE if observation else 0
    rest = 8 + 8 + 2 * 8 + 4 * MAX_PLAYERS + 1 + 1 + 1 + 1  # seed, sampler, actions, reward, flags
    return STATE.itemsize + numbers + rules.num_actions + rest
