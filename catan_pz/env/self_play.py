"""Self-play: every seat learns. One game, or many at once on the CPU or on a GPU.

One seat of a game decides per step. Its reward for the decision is complete when the same seat
decides again or the game ends, as with PettingZoo's `last()`: the losers also see a win.

Letters: B games, P players, A actions, N numbers of an observation.
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, Final, Unpack

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from catan_pz.batch.calls import NO_STEP, begin_decisions
from catan_pz.batch.cpu import CpuBatch
from catan_pz.batch.make import make_batch
from catan_pz.checks import check_seed
from catan_pz.encoders import Encoder
from catan_pz.engine.play import FINISHED, OVER
from catan_pz.env.match import Match, OneGame
from catan_pz.env.spaces import observation_space
from catan_pz.game.arguments import check_arrays, check_records, integers
from catan_pz.game.game import drawn_seed
from catan_pz.kernels.rule import bound
from catan_pz.rewards import Reward
from catan_pz.rules import RuleOptions, Rules

_KEPT: Final = {"own_reward": "reward", "last_step": "last_step", "decided": "decided"}
"""State arrays that determine the future, besides those of the games, by name."""


def _of_games(name: str, doc: str) -> Any:
    return property(attrgetter(f"batch.{name}"), doc=doc)


class SelfPlayBatch:
    """B games in which every seat learns, stepped together.

    Game i is the game of `SelfPlayEnv` with seed + i, whatever B, the device and the number of
    threads. When it ends the next one starts in its place within the same step: `done`,
    `truncated`, `winner`, `reward`, `step_reward`, `decided` and `last_step` describe the old
    game; `player`, `observation` and `mask` the new one.

    Arguments are those of `make_batch`, except that `observation` defaults to "flat".

    Attributes:
        batch: the `CpuBatch` or `CudaBatch` that plays the games.
        steps: steps since the last `reset`.
        origin: a new object after each `reset` and `set_state`.
        reward: (B, P) float32, each seat's reward since its own last decision, or since the
            start of the game. It is complete for the seats of `due`.
        last_step: (B, P) int64, the step (from 0) of each seat's last decision, -1 before its
            first one in the game.
        decided: (B,) int8, the seat that decided in the last step.

    Arrays are overwritten by the next step. A batch is not thread-safe; after an interrupted step
    the next call asks for `reset`.
    """

    player = _of_games("player", "(B,) int8, the seat to move.")
    observation = _of_games(
        "observation",
        "Encoded observations of the seats to move: (B, ...) arrays; None without an encoder.",
    )
    mask = _of_games("mask", "(B, A) int8, 1 for each legal action of the seat to move.")
    step_reward = _of_games("reward", "(B, P) float32, each seat's reward for the last step alone.")
    done = _of_games("done", "(B,) bool, whether the last step ended a game.")
    truncated = _of_games("truncated", "(B,) bool, whether it did so at the turn limit.")
    winner = _of_games("winner", "(B,) int8, the seat that won in the last step, -1 for none.")

    def __init__(
        self, num_games: int, rules: Rules | str | None = None, device: str = "cpu", **options: Any
    ) -> None:
        self.batch = make_batch(num_games, rules, device, **{"observation": "flat"} | options)
        self.rules = self.batch.rules
        self.num_games = self.batch.num_games
        self.num_players = self.rules.num_players
        shape = self.num_games, self.num_players
        zeros = self.batch.zeros
        self.reward = zeros(shape, np.float32)
        self.last_step = zeros(shape, np.int64)
        self.decided = zeros((self.num_games,), np.int8)
        self._moving = zeros((self.num_games,), np.int8)
        self._begun = zeros((self.num_games,), np.bool_)
        self._seats = zeros((self.num_players,), np.int8)
        for seat in range(self.num_players):
            self._seats[seat] = seat
        compiled = isinstance(self.batch, CpuBatch)
        self._begin_decisions = bound(begin_decisions) if compiled else self._begin_on_device
        self._clear()

    def _clear(self) -> None:
        self.steps = 0
        self.origin = object()
        self.reward[:] = 0
        self.last_step[:] = NO_STEP
        self.decided[:] = 0
        self._changes = self.batch.changes

    def _check_whole(self) -> None:
        if self.batch.changes != self._changes:
            raise RuntimeError("the last step was interrupted: call reset() first")

    @property
    def due(self) -> Any:
        """(B, P) bool, whether a seat's `reward` is complete: it moves next or the game is over."""
        return (self.owners(self.player) | self.done[:, None]) & (self.last_step != NO_STEP)

    def owners(self, players: Any) -> Any:
        """(..., P) bool, True at the seat of each of the players (...)."""
        return players[..., None] == self._seats

    def reset(self, seed: int | None = None) -> None:
        """Restart all games; game i from seed + i (modulo 2**64)."""
        self.batch.reset(seed)
        self._clear()

    def set_reward(self, reward: Reward | str | None) -> None:
        """Change to another reward from the next step on; see `CpuBatch.set_reward`."""
        self.batch.set_reward(reward)

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Copies of all arrays that determine the future, by name; on "cpu" only."""
        self._check_whole()
        own = {name: getattr(self, place).copy() for name, place in _KEPT.items()}
        return self._cpu_batch().get_state() | own | {"steps": np.array(self.steps)}

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a result of `get_state` for the same rules, B, reward and observation."""
        kept = {name: getattr(self, place) for name, place in _KEPT.items()}
        check_arrays(state, kept | {"steps": np.array(0)})
        self._cpu_batch().set_state(state)
        for name, array in kept.items():
            array[...] = state[name]
        self.steps, self.origin = int(state["steps"]), object()
        self._changes = self.batch.changes

    def _cpu_batch(self) -> CpuBatch:
        if not isinstance(self.batch, CpuBatch):
            raise ValueError("the state of a batch can only be read and set with device='cpu'")
        return self.batch

    def place_games(self, numbers: Any, games: np.ndarray) -> None:
        """Start some games from other positions; see `CpuBatch.place_games`.

        The games must be new: their last step ended the game before, or all games have been
        reset.
        """
        check_records(games)
        chosen = integers(numbers, len(games), "numbers")
        self._check_whole()
        have_begun = self.done | (self.last_step == NO_STEP).all(1)
        begun = np.asarray(have_begun if isinstance(self.batch, CpuBatch) else have_begun.cpu())
        going_on = np.intersect1d(chosen, np.flatnonzero(~begun))
        if len(going_on):
            raise ValueError(
                f"game {int(going_on[0])} has started: positions can only replace games that have "
                "just begun"
            )
        self.batch.place_games(chosen, games)
        self._changes = self.batch.changes

    def sample(self) -> Any:
        """(B,) int64, a random legal action for each game, in the same array at each call."""
        return self.batch.sample()

    def step(self, actions: Any) -> None:
        """Play the actions (B,), of any integer type, of the seats to move.

        After an illegal action no game is changed. On "cuda" a later step raises the error, at the
        latest `batch.synchronize`, and the next call asks for `reset`.
        """
        self._check_whole()
        self._moving[:] = self.player
        self._begun[:] = self.done
        self.batch.step(actions)
        self.decided[:] = self._moving
        self._begin_decisions(self.decided, self._begun, self.steps, self.reward, self.last_step)
        self.reward += self.step_reward
        self.steps += 1
        self._changes = self.batch.changes

    def _begin_on_device(
        self, players: Any, begun: Any, step: int, rewards: Any, last_steps: Any
    ) -> None:
        """`begin_decisions` for arrays on the device."""
        own = self.owners(players)
        rewards[begun] = 0
        last_steps[begun] = NO_STEP
        rewards[own] = 0
        last_steps[own] = step

    def close(self) -> None:
        """Release the threads, or wait for the device."""
        self.batch.close()


class SelfPlayEnv(OneGame):
    """One game in which every seat learns, with `reset` and `step` as in Gymnasium.

    Unlike a `gymnasium.Env`, rewards are arrays with one number per seat, and another seat may be
    to move after each step: `info["player"]`, with its legal actions in `info["action_mask"]`,
    (A,) int8. Arguments are those of `raw_env`.
    """

    def __init__(
        self,
        *,
        rules: Rules | str | None = None,
        observation: Encoder | str = "flat",
        reward: Reward | str | None = None,
        **options: Unpack[RuleOptions],
    ) -> None:
        chosen = Rules.of(SelfPlayEnv, rules, options)
        self._match = Match(chosen, reward, observation=observation)
        self.observation_space = observation_space(self._match.encoder)
        self.action_space = spaces.Discrete(self.rules.num_actions)
        self._rewards = np.zeros(self.rules.num_players)
        self._is_on = False

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game; return the observation of the player to move, and the info."""
        self._match.reset(drawn_seed() if seed is None else check_seed(seed))
        self._rewards[:] = 0
        self._is_on = True
        return self._show()

    def step(self, action: Any) -> tuple[Any, NDArray[np.float64], bool, bool, dict[str, Any]]:
        """Play an action of the player to move.

        Returns:
            The observation of the new player to move; the rewards (P,) of each seat since its own
            last decision; terminated; truncated; and the info. The reward of `info["player"]` is
            complete; when the game has ended, those of all seats are.
        """
        if not self._is_on:
            raise RuntimeError("no game has started: call reset() first")
        match, player = self._match, self.game.player
        code = match.play(action)
        self._rewards[player] = 0
        self._is_on = not code & FINISHED
        rewards = match.rewards(code)
        if rewards is not None:
            self._rewards += rewards[: len(self._rewards)]
        observation, info = self._show()
        truncated = not self._is_on and not code & OVER
        return observation, self._rewards.copy(), bool(code & OVER), truncated, info

    def _show(self) -> tuple[Any, dict[str, Any]]:
        player = self.game.player
        observation, mask = self._match.observe(player)
        return observation, {"player": player, "action_mask": mask}
