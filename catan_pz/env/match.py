"""A game with a reward: the common part of this package's environments."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import as_action
from catan_pz.encoders import Encoder, as_encoder
from catan_pz.encoders.base import check_output
from catan_pz.encoders.flat import FlatForm
from catan_pz.engine.play import ENDS, EVENTS, TERMS_SHIFT
from catan_pz.game import calls as game_calls
from catan_pz.game.game import Game
from catan_pz.kernels.rule import bound
from catan_pz.observation.global_state import GLOBAL_SIZE
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import Reward, dependencies, is_sparse, make_reward, reward_values
from catan_pz.rules import Rules

ILLEGAL_REWARD: Final = -1.0
"""Reward of an illegal action that ends the game or the learner's episode."""


class Match:
    """A game, its reward, and the encoder of observations."""

    def __init__(
        self, rules: Rules, reward: Reward | str | None = None, observation: Encoder | str = "flat"
    ) -> None:
        self.rules = rules
        self.reward = make_reward(reward)
        self.encoder = as_encoder(observation)
        self._vectors = self.encoder.vectors() if isinstance(self.encoder, FlatForm) else None
        self.game = Game(rules)
        self._units = np.zeros(SIZE, np.int8)
        self._bind()
        if self._vectors is None:
            check_output(self.encoder, self._units_of(0)[0][None])

    def _bind(self) -> None:
        self._look: Callable[..., None] = bound(game_calls.look)
        self._look_at_units: Callable[..., None] = bound(game_calls.look_at_units)
        self._look_at_all: Callable[..., None] = bound(game_calls.look_at_all)
        self._num_actions = self.rules.num_actions
        self._depends_on = dependencies(self.reward)
        self._detail = ENDS if is_sparse(self.reward) else EVENTS

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_look"], state["_look_at_units"], state["_look_at_all"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def reset(self, seed: int) -> None:
        """Start a game."""
        if self.game.rules == self.rules:
            self.game.reset(seed)
        else:  # a restored game has its own rules
            listeners = self.game.listeners
            self.game = Game(self.rules, seed)
            self.game.listeners = listeners
            self._bind()

    def replace(self, game: Game) -> None:
        """Continue with another game with the same spaces; listeners stay."""
        for name in ("num_players", "trading"):
            there, here = getattr(game.rules, name), getattr(self.rules, name)
            if there != here:
                raise ValueError(f"the state has {name}={there!r}, this environment {here!r}")
        game.listeners = self.game.listeners
        self.game = game
        self._bind()

    def play(self, action: Any) -> int:
        """Play an action of the player to move and the forced ones that follow.

        Returns the step's code (`engine.play`), with the set of non-zero terms.
        """
        if type(action) is not int:
            action = as_action(action)
        game = self.game
        if not (0 <= action < self._num_actions and game.mask[action]):
            game.check(action)
        return game.play(action, self._detail)

    def rewards(self, code: int) -> list[float] | None:
        """Rewards by seat of the last step, given its code; None if all are certainly zero."""
        if not (code >> TERMS_SHIFT & self._depends_on or self._depends_on == -1):
            return None
        rewards = reward_values(self.reward, self.game.terms[None], self.game.games)
        return rewards[0].astype(np.float64).tolist()

    def observe(self, viewer: int) -> tuple[Any, NDArray[np.int8]]:
        """A seat's encoded observation, and its mask (A,), zeros unless it is to move."""
        if self._vectors is not None:
            mask = np.empty(self._num_actions, np.int8)
            flat, seen = self._vectors()
            self._look(self.game.games, 0, viewer, self._units, flat, mask)
            return seen, mask
        units, mask = self._units_of(viewer)
        return self.encoder.encode(units), mask

    def _units_of(self, viewer: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """(N,) a seat's observation in natural units, and its mask (A,)."""
        units, mask = np.empty(SIZE, np.int8), np.empty(self._num_actions, np.int8)
        self._look_at_units(self.game.games, 0, viewer, units, mask)
        return units, mask

    def state(self) -> NDArray[np.float32]:
        """(M,) the full-information vector of `observation.global_state`."""
        state = np.empty(GLOBAL_SIZE, np.float32)
        self._look_at_all(self.game.games, 0, np.empty(GLOBAL_SIZE, np.int8), state)
        return state


class OneGame:
    """The common part of environments of one game."""

    _match: Match

    @property
    def rules(self) -> Rules:
        """The rules of the games that `reset` starts."""
        return self._match.rules

    @property
    def game(self) -> Game:
        """The current game."""
        return self._match.game
