"""Many games at once on the CPU: arrays given out once, written in place at each step."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION
from catan_pz.batch import calls as batch_calls
from catan_pz.batch.base import Batch
from catan_pz.batch.reward_values import reward_values
from catan_pz.batch.steps import (
    FROM_SEEDS,
    WHERE_FINISHED,
    Choices,
    LogMemory,
    Scoring,
    Shown,
    StepOutcome,
)
from catan_pz.batch.threaded import ThreadedGames
from catan_pz.encoders import Encoder
from catan_pz.encoders.base import check_output
from catan_pz.encoders.flat import FlatForm
from catan_pz.events import event_arrays
from catan_pz.game.arguments import (
    check_arrays,
    check_unfinished,
    sound_records,
)
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import (
    NUM_TERMS,
    Reward,
    is_linear,
    make_reward,
    weights_of,
)
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, NOBODY


class CpuBatch(ThreadedGames, Batch):
    """B games of the same rules, stepped together.

    Game i is the game that `Game(rules, seed + i)` is, whatever the batch's size and the
    number of threads. When it is finished the next one starts in its place within the same
    step: `done` and `reward` tell of the one that ended, mask and observation are the new
    one's.

    Args:
        num_games: B.
        rules: a `Rules`, a preset's name, or None for the defaults.
        observation: True for observations in natural units, an `Encoder` or its name for
            another form, False for none.
        reward: a `Reward`, its name, or None for win and loss.
        seed: of game 0; game i has the seed + i. Drawn at random where None.
        threads: how many threads share a step.
        auto_reset: whether finished games are followed at once; if not, `reset_finished` does it.
        global_state: whether there is a `global_state`.
        **options: replace single options of the rules.

    Attributes:
        games: (B,) records of `engine.state.STATE`.
        encoder: of the observations, or None.
        units: (B, N) int8, what the player to move sees, in natural units; None where it isn't
            written.
        mask: (B, A) int8, 1 for each legal action; zeros for a finished game.
        player: (B,) int8, the seat to move.
        reward: (B, P) float32, of each seat for the last step.
        done: (B,) bool, whether the last step ended a game.
        truncated: (B,) bool, whether it did so by the limit of turns.
        winner: (B,) int8, the seat that won in the last step, -1 where none did.
        seeds: (B,) uint64, seeds of the games that are on.

    All arrays are views of the same memory at each step, but for observations of other
    encoders than "units", "flat" and "dict", and the global state: these are new ones.

    A batch is not thread-safe. After a call that was interrupted, the next one raises a
    `RuntimeError` that asks for `reset`.
    """

    _KEPT = (
        *("games", "seeds", "player", "mask", "done", "truncated", "winner"),
        *("_observation", "_rewards", "_rng_states"),
    )

    def __init__(
        self,
        num_games: int,
        rules: Rules | str | None = None,
        *,
        observation: bool | str | Encoder = True,
        reward: Reward | str | None = None,
        seed: int | None = None,
        threads: int = 1,
        auto_reset: bool = True,
        global_state: bool = False,
        **options: Any,
    ) -> None:
        ThreadedGames.__init__(self, num_games, Rules.of(CpuBatch, rules, options), threads)
        Batch.__init__(self, make_reward(reward), observation, auto_reset, global_state)
        self._make_arrays()
        self.reset(seed)
        if self.encoder is not None:
            check_output(self.encoder, self.units)

    def _make_arrays(self) -> None:
        size = self.num_games
        self._observing = int(self.encoder is not None)
        self._observation = np.zeros((size if self._observing else 1, SIZE), np.int8)
        self.units = self._observation if self._observing else None
        is_flat = isinstance(self.encoder, FlatForm)
        self._flat = np.zeros((size if is_flat else 0, SIZE), np.float32)
        self.mask = np.zeros((size, self.rules.num_actions), np.int8)
        self.player = np.zeros(size, np.int8)
        self._rewards = np.zeros((size, MAX_PLAYERS), np.float32)
        self.reward = self._rewards[:, : self.rules.num_players]
        self.done = np.zeros(size, np.bool_)
        self.truncated = np.zeros(size, np.bool_)
        self.winner = np.full(size, NOBODY, np.int8)
        self._terms = np.zeros((size, MAX_PLAYERS, NUM_TERMS), np.int8)
        self._rng_states = np.zeros(size, np.uint64)
        self._actions = np.zeros(size, np.int64)
        self._weights = weights_of(self._reward)
        self._shown = Shown(self._observing, self.player, self.mask, self._observation)
        self._chosen = Choices(0, self._given, self._rng_states)
        self._drawn = Choices(1, self._actions, self._rng_states)
        self._scoring = Scoring(self._script, self._dense, self._weights)
        self._scratch = LogMemory(event_arrays(size if self._dense else 1), self._terms)
        self._outcome = StepOutcome(self._rewards, self.done, self.truncated, self.winner)

    def _deal(self, where: int) -> None:
        self._forget_values()
        self._share_out(batch_calls.deal_games, where, self._starts, self._shown)

    def _encode(self) -> Any:
        if isinstance(self.encoder, FlatForm):
            self._write_scaled(self._observation, self._flat)
            return self.encoder.of_flat(self._flat)
        return self.encoder.encode(self._observation)  # type: ignore[union-attr]

    @staticmethod
    def zeros(shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
        """An array of zeros of the kind that the batch gives out."""
        return np.zeros(shape, dtype)

    def _write_weights(self, reward: Reward) -> None:
        self._weights[:] = weights_of(reward)

    def _restart(self, seeds: NDArray[np.uint64]) -> None:
        self.seeds[:] = seeds
        self._rng_states[:] = ~seeds
        self.reward[:] = 0
        self.done[:] = False
        self.truncated[:] = False
        self.winner[:] = NOBODY
        self._deal(FROM_SEEDS)

    def _place(self, records: np.ndarray, sources: NDArray[np.int64]) -> None:
        self._forget_values()
        self._share_out(batch_calls.place_games, records, sources, self._shown)

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `get_state` gave for the same rules, B, reward and encoder or none.

        Raises:
            ValueError: names the array that is missing or that doesn't fit, or the game that
                breaks the rules, or is finished though none waits here (`auto_reset`); nothing is
                changed.
        """
        check_arrays(state, self._kept())
        records = sound_records(state["games"], self.rules)
        if (state["player"] != records["player"]).any():
            raise ValueError("state: player isn't the seat to move in each of the games")
        if self.auto_reset:
            check_unfinished(records)  # it would wait for ever
        self._change(self._copy_from, state, records)

    def _copy_from(self, state: Mapping[str, NDArray[Any]], records: np.ndarray) -> None:
        super()._copy_from(state, records)
        self._place(records, np.arange(self.num_games))  # masks and observations follow from games

    def sample(self) -> NDArray[np.int64]:
        """(B,) a random legal action for each game, -1 where it is finished.

        The array is the same at each call. Draws don't touch the chance of the games.
        """
        self._check_whole()
        self._share_out(batch_calls.sample_actions, self._rng_states, self._actions)
        return self._actions

    def step(self, actions: NDArray[np.integer[Any]]) -> None:
        """Play an action in every game.

        Args:
            actions: (B,) of any integer type, legal; -1 where the game is
                finished and waits, in which nothing happens.

        Raises:
            IllegalActionError: names the first game whose action isn't legal, phase, action
                and the condition missing; no game is touched.
            TypeError, ValueError: if the actions are no integers or not (B,).

        Where the reward raises, or gives what is none, the step is played nonetheless and its
        rewards are zero.
        """
        self._check_whole()
        self._checked(actions)
        self._change(self._play, False)

    def _play(self, drawing: bool) -> None:
        self._forget_values()
        if is_linear(self._reward):
            self._play_step(drawing, self.auto_reset)
            return
        # A reward that only Python knows has to see how games ended.
        self._play_step(drawing, following=False)
        try:
            self._rewards[:] = reward_values(self._reward, self._terms, self.games)
            self._rewards[(self._actions if drawing else self._given) == NO_ACTION] = 0
        finally:  # also where the reward failed, so that the next step can be played
            if self.auto_reset and self.done.any():
                self._deal(WHERE_FINISHED)
            self._is_whole = True

    def _play_step(self, drawing: bool, following: bool) -> None:
        self._share_out(
            batch_calls.step_games,
            self._drawn if drawing else self._chosen,
            self._scoring,
            self._scratch,
            self._outcome,
            int(following),
            self._starts,
            self._shown,
        )
