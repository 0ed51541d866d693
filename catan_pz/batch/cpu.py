"""Many games at once on the CPU: arrays given out once, written in place at each step."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION
from catan_pz.batch import calls as batch_calls
from catan_pz.batch import steps as batch_rules
from catan_pz.batch.cached import PerStep, encoder_of
from catan_pz.batch.placement import TakesPositions
from catan_pz.batch.reward_values import check_replaces, reward_values
from catan_pz.batch.threaded import ThreadedGames
from catan_pz.checks import check_count, check_flag, check_seed
from catan_pz.encoders import Encoder
from catan_pz.encoders.flat import FlatForm
from catan_pz.encoders.output import check_output
from catan_pz.events import event_arrays
from catan_pz.game.arguments import (
    check_arrays,
    check_ends,
    check_finite_in,
    check_unfinished,
    check_winners,
    sound_records,
)
from catan_pz.game.game import drawn_seed
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import (
    NUM_TERMS,
    Reward,
    RewardTerm,
    is_linear,
    is_sparse,
    make_reward,
    weights_of,
)
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, NOBODY

_KEPT: Final = (
    *("games", "seeds", "player", "mask", "done", "truncated"),
    *("_observation", "_rewards", "_rng_states"),
)
"""Arrays that the future rests on."""


class CpuBatch(ThreadedGames, TakesPositions):
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
        seeds: (B,) uint64, seeds of the games that are on.
        steps_begun: steps that have been played, or broken off by an exception.

    All arrays are views of the same memory at each step, but for observations of other
    encoders than "units", "flat" and "dict", and the global state: these are new ones.

    Python threads that share a batch take turns, one call after the other. Where an exception
    comes while a call works, from a signal's handler for example, the call has happened or it
    has not; where it came to a half, the next one raises a `RuntimeError` that asks for `reset`.

    Raises:
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
        threads: int = 1,
        auto_reset: bool = True,
        global_state: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(num_games, Rules.of(CpuBatch, rules, options), threads)
        self.auto_reset = check_flag("auto_reset", auto_reset)
        self.steps_begun = 0
        self._reward = self._first_reward = make_reward(reward)
        self.encoder = encoder_of(observation)
        self._make_arrays()
        self._encoded: PerStep[Any] = PerStep(self._encode)
        self._global = (
            PerStep(self._full_states) if check_flag("global_state", global_state) else None
        )
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
        self._dense = int(not is_sparse(self._reward))
        self._terms = np.zeros((size, MAX_PLAYERS, NUM_TERMS), np.int8)
        self._events = event_arrays(size if self._dense else 1)
        self._rng_states = np.zeros(size, np.uint64)
        self._actions = np.zeros(size, np.int64)
        self._weights = weights_of(self._reward)

    def _deal(self, where: int) -> None:
        self._forget_values()
        self._share_out_deal(batch_calls.deal_games, where, *self._shown)

    @property
    def observation(self) -> Any:
        """What the players to move see, by the encoder: (B, ...) arrays; None without one."""
        with self._turn:
            return self._encoded.get()

    @property
    def global_state(self) -> NDArray[np.float32] | None:
        """(B, M) what `raw_env.state()` gives, for critics, never for players; None if not on."""
        with self._turn:
            return None if self._global is None else self._global.get()

    @property
    def winner(self) -> NDArray[np.int8]:
        """(B,) the seat that won in the last step, -1 where none did; a new array."""
        with self._turn:
            return self._winners()

    def _winners(self) -> NDArray[np.int8]:
        won = self._terms[:, :, RewardTerm.WON] * (self.done & ~self.truncated)[:, None]
        return np.where(won.any(1), won.argmax(1), NOBODY).astype(np.int8)

    def _encode(self) -> Any:
        if self.encoder is None:
            return None
        if isinstance(self.encoder, FlatForm):
            self._write_scaled(self._observation, self._flat)
            return self.encoder.of_flat(self._flat)
        return self.encoder.encode(self._observation)

    def _forget_values(self) -> None:
        """Before the games change, since an exception may come right after they have."""
        self._encoded.forget()
        if self._global is not None:
            self._global.forget()

    @property
    def _shown(self) -> tuple[Any, ...]:
        return self._observing, self.player, self.mask, self._observation

    @staticmethod
    def zeros(shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
        """An array of zeros of the kind that the batch gives out."""
        return np.zeros(shape, dtype)

    def set_reward(self, reward: Reward | str | None) -> None:
        """Change to another linear reward from the next step on.

        Raises:
            ValueError: if it isn't linear, or the reward that the batch was made with isn't; or
                if it depends on more than the end of a game and that one doesn't.
        """
        made = make_reward(reward)
        check_replaces(made, self._first_reward)
        with self._turn:
            self._reward, self._weights = made, weights_of(made)

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew; game i from seed + i (modulo 2**64)."""
        seed = drawn_seed() if seed is None else check_seed(seed)
        with self._turn:
            self._change(self._restart_all, seed)

    def _restart_all(self, seed: int) -> None:
        self._seed(seed)
        self._rng_states[:] = ~self.seeds
        self.reward[:] = 0
        self.done[:] = False
        self.truncated[:] = False
        self._deal(batch_rules.FROM_SEEDS)

    def reset_finished(self) -> None:
        """Start the next game in every place whose game is finished."""
        with self._turn:
            self._check_whole()
            self._deal(batch_rules.WHERE_FINISHED)

    def _place(self, records: np.ndarray, sources: NDArray[np.int64]) -> None:
        self._forget_values()
        self._share_out(batch_calls.place_games, records, sources, *self._shown)

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Copies of all arrays that the future rests on, by name."""
        with self._turn:
            self._check_whole()
            kept = {name: array.copy() for name, array in self._arrays(_KEPT).items()}
            return kept | {"winner": self._winners()}

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `get_state` gave for the same rules, B, reward and encoder or none.

        States of earlier versions have no `winner`: then nobody is said to have won.

        Raises:
            ValueError: names the array that is missing or that doesn't fit, or the game that
                breaks the rules, or is finished though none waits here (`auto_reset`); nothing is
                changed.
        """
        check_arrays(state, self._arrays(_KEPT))
        if "winner" in state:
            check_arrays(state, {"winner": self.player})
        records = sound_records(state["games"], self.rules)
        if (state["player"] != records["player"]).any():
            raise ValueError("state: player isn't the seat to move in each of the games")
        check_finite_in(state, ["rewards"])
        check_ends(state)
        check_winners(state, records)
        if self.auto_reset:
            check_unfinished(records)  # it would wait for ever
        with self._turn:
            self._change(self._copy_from, state, records)

    def _copy_from(self, state: Mapping[str, NDArray[Any]], records: np.ndarray) -> None:
        self._forget_values()
        for name, array in self._arrays(_KEPT).items():
            array[...] = state[name]
        self._terms[:] = 0
        winners = state.get("winner", np.full(self.num_games, NOBODY))
        won = np.flatnonzero(winners != NOBODY)
        self._terms[won, winners[won], RewardTerm.WON] = 1
        self._place(records, np.arange(self.num_games))  # masks and observations follow from games

    def sample(self) -> NDArray[np.int64]:
        """(B,) a random legal action for each game, -1 where it is finished.

        The array is the same at each call. Draws don't touch the chance of the games.
        """
        with self._turn:
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
        with self._turn:
            self._check_whole()
            self._play(self._checked(actions), drawing=0)

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
            for _ in range(steps):
                self._play(self._actions, drawing=1)

    def _play(self, actions: NDArray[np.int64], drawing: int) -> None:
        self._forget_values()
        self.steps_begun += 1
        if is_linear(self._reward):
            self._play_step(actions, drawing, self.auto_reset)
            return
        # A reward that only Python knows has to see how games ended.
        self._is_whole = False
        try:
            self._play_step(actions, drawing, following=False)
            self._rewards[:] = reward_values(self._reward, self._terms, self.games)
            self._rewards[actions == NO_ACTION] = 0
        finally:  # also where the reward failed, so that the next step can be played
            if self.auto_reset and self.done.any():
                self._deal(batch_rules.WHERE_FINISHED)
            self._is_whole = True

    def _play_step(self, actions: NDArray[np.int64], drawing: int, following: bool) -> None:
        self._share_out(
            batch_calls.step_games,
            actions,
            drawing,
            self._rng_states,
            self._script,
            self._dense,
            self._events,
            self._terms,
            self._weights,
            self._rewards,
            self.done,
            self.truncated,
            int(following),
            self.seeds,
            self._deal_options,
            *self._shown,
        )
