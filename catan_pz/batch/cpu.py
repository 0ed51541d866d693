"""Many games at once on the CPU: output arrays are allocated once and written in place."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION
from catan_pz.batch import calls as batch_calls
from catan_pz.batch.base import Batch, BatchOptions, ThreadedGames
from catan_pz.batch.steps import WHERE_FINISHED, Choices, LogMemory
from catan_pz.encoders.flat import FlatForm
from catan_pz.events import event_arrays
from catan_pz.game.arguments import check_arrays, check_unfinished, integers, sound_records
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import NUM_TERMS, reward_values
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS


class CpuBatch(ThreadedGames, Batch):
    """B games of the same rules, stepped together.

    Game i is the game of `Game(rules, seed + i)`, whatever the batch's size and the number of
    threads. When it is finished the next one starts in its place within the same step: `done`
    and `reward` describe the old game, mask and observation the new one.

    Arguments are those of `make_batch`, except the device.

    Attributes:
        games: (B,) records of `engine.state.STATE`.
        encoder: of the observations, or None.
        units: (B, N) int8, the observation of the player to move, in natural units; None if it
            isn't written.
        mask: (B, A) int8, 1 for each legal action; zeros for a finished game.
        player: (B,) int8, the seat to move.
        reward: (B, P) float32, each seat's reward for the last step.
        done: (B,) bool, whether the last step ended a game.
        truncated: (B,) bool, whether it did so at the turn limit.
        winner: (B,) int8, the seat that won in the last step, -1 for none.
        seeds: (B,) uint64, seeds of the current games.

    All arrays are views of the same memory at each step, except observations of encoders other
    than "units", "flat" and "dict", and the global state: these are new arrays.

    A batch is not thread-safe. After an interrupted call the next one asks for `reset`.
    """

    _KEPT = ("games", "seeds", "done", "truncated", "winner", "_rewards", "_rng_states")

    _actions: NDArray[np.int64]

    def __init__(
        self,
        num_games: int,
        rules: Rules | str | None = None,
        *,
        threads: int = 1,
        **options: Unpack[BatchOptions],
    ) -> None:
        self._threads = threads
        Batch.__init__(self, num_games, rules, **options)

    def _make_arrays(self) -> None:
        ThreadedGames.__init__(self, self.num_games, self.rules, self._threads)
        size, observing = self.num_games, self.encoder is not None
        self._observation = np.zeros((size if observing else 1, SIZE), np.int8)
        self.units = self._observation if observing else None
        is_flat = isinstance(self.encoder, FlatForm)
        self._flat = np.zeros((size if is_flat else 0, SIZE), np.float32)
        self.mask = np.zeros((size, self.rules.num_actions), np.int8)
        self._terms = np.zeros((size, MAX_PLAYERS, NUM_TERMS), np.int8)
        self._scratch = LogMemory(event_arrays(size if self._dense else 1), self._terms)
        self._make_shared(self.mask, self._observation)

    def _deal(self, where: int) -> None:
        self._forget_values()
        self._share_out(batch_calls.deal_games, where, self._starts, self._shown)

    def _encode(self) -> Any:
        if isinstance(self.encoder, FlatForm):
            self._write_scaled(self._observation, self._flat)
            return self.encoder.of_flat(self._flat)
        return self.encoder.encode(self._observation)  # type: ignore[union-attr]

    def _place(self, records: np.ndarray, sources: NDArray[np.int64]) -> None:
        self._forget_values()
        self._share_out(batch_calls.place_games, records, sources, self._shown)

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a result of `get_state` for the same rules, B and reward."""
        check_arrays(state, self._kept())
        records = sound_records(state["games"], self.rules)
        if self.auto_reset:
            check_unfinished(records)  # it would wait forever
        self._change(self._copy_from, state, records)

    def _copy_from(self, state: Mapping[str, NDArray[Any]], records: np.ndarray) -> None:
        super()._copy_from(state, records)
        self._place(records, np.arange(self.num_games))  # writes the outputs of the games

    def sample(self) -> NDArray[np.int64]:
        """(B,) a random legal action for each game, -1 for finished games.

        The array is the same at each call. Draws don't affect the games' own random streams.
        """
        self._check_whole()
        self._sample_all()
        return self._actions

    def step(self, actions: NDArray[np.integer[Any]]) -> None:
        """Play an action in every game.

        Args:
            actions: (B,) of any integer type; -1 for a finished game that waits, which is
                skipped. An illegal action raises an error, and no game is changed.

        If the reward raises, the step is played nonetheless and its rewards are zero.
        """
        self._check_whole()
        if self._parts == 1:
            self._given[:] = integers(actions, self.num_games, "actions")
        else:  # check all parts of the games before playing any
            self._checked(actions)
        self._change(self._play, False)

    def _play(self, drawing: bool) -> None:
        self._forget_values()
        found = (self._play_drawn if drawing else self._play_given)()
        if found.item(0) != batch_calls.ALL_LEGAL:
            self._take_back()
            self._complain(found.item(0), self._given.item(found.item(0)))
        if self._is_linear:
            return
        try:
            self._rewards[:] = reward_values(self._reward, self._terms, self.games)
            self._rewards[(self._actions if drawing else self._given) == NO_ACTION] = 0
        finally:  # also if the reward failed, so that the next step can be played
            if self.auto_reset and self.done.any():
                self._deal(WHERE_FINISHED)
            self._is_whole = True

    @cached_property
    def _sample_all(self) -> Callable[[], Any]:
        return self._prepare(batch_calls.sample_actions, self._rng_states, self._actions)

    @cached_property
    def _play_given(self) -> Callable[[], Any]:
        return self._prepared_step(self._chosen, self.rules.num_actions if self._parts == 1 else 0)

    @cached_property
    def _play_drawn(self) -> Callable[[], Any]:
        return self._prepared_step(self._drawn, 0)

    def _prepared_step(self, choices: Choices, num_actions: int) -> Callable[[], Any]:
        return self._prepare(
            batch_calls.step_games,
            num_actions,
            choices,
            self._scoring,
            self._scratch,
            self._outcome,
            int(self._is_linear and self.auto_reset),  # other rewards need the ends of games
            self._starts,
            self._shown,
        )
