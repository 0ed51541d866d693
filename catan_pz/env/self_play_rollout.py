"""Rollouts of self-play for learners: trajectories of each seat, with advantages.

Letters: T steps, B games, P players, A actions. All arrays are of the batch's kind: NumPy arrays
on the CPU, torch tensors on the GPU.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.batch.calls import NO_STEP
from catan_pz.checks import check_count, check_number
from catan_pz.encoders.arrays import each
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.game.arguments import numbers
from catan_pz.rewards import are_finite

_WORKED_OUT: Final = ("reward", "advantage", "target", "targets", "has_target")
_OWN_NAMES: Final = ("observation", "mask", "player", "action", "value", *_WORKED_OUT)


@dataclass(frozen=True)
class SelfPlayData:
    """T steps of B games, each step with the data of the seat that decided in it.

    The reward of a decision is its seat's reward until its next decision or the end of the game.

    Attributes:
        recorded: the records made before each step, (T, B, ...) by name: "observation" (a dict
            if the encoder gives one), "mask", "player", "action", "value" and the extra arrays
            of `SelfPlayRollout.step`.
        reward: (T, B) float32.
        advantage: (T, B) float32, generalized advantage estimates.
        target: (T, B) float32, `advantage` plus value, the target of a value function.
        targets: (T, B, P) float32, the target of the value to each seat, whoever decides: its
            reward until its own next decision, plus the target of that decision.
        has_target: (T, B, P) bool, whether that target is known.
        is_complete: (T, B) bool, whether the decision's next one, or the end of its game, is
            known. If not, reward, advantage and target are meaningless.
        next_step: (T, B) int64, the step of the same seat's next decision; T for the pending
            decision after the last step, -1 if there is none in the game or it is unknown.
    """

    recorded: dict[str, Any]
    reward: Any
    advantage: Any
    target: Any
    targets: Any
    has_target: Any
    is_complete: Any
    next_step: Any

    def complete(self) -> dict[str, Any]:
        """All complete decisions, as (K, ...) arrays by name, for a learner to sample."""
        numbers = {name: getattr(self, name) for name in _WORKED_OUT}
        return {
            name: each(values, itemgetter(self.is_complete))
            for name, values in (self.recorded | numbers).items()
        }

    def trajectories(self) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
        """Game, seat and the steps (K,) of its complete decisions in one game, in order."""
        following, complete = _on_host(self.next_step), _on_host(self.is_complete)
        players = _on_host(self.recorded["player"])
        num_steps, num_games = following.shape
        for game in range(num_games):
            growing: dict[int, list[int]] = {}
            for step in np.flatnonzero(complete[:, game]).tolist():
                seat, then = int(players[step, game]), int(following[step, game])
                growing.setdefault(seat, []).append(step)
                if then in (NO_STEP, num_steps) or not complete[then, game]:
                    yield game, seat, np.array(growing.pop(seat))


class SelfPlayRollout:
    """Collects T steps of a batch, and computes each decision's return for its seat.

    A rollout continues where the previous one stopped. The last decision of a seat in a rollout is
    complete if that seat is to move after the last step. The others, up to P - 1 per game, are
    omitted, and their values are the estimates for the decisions before them. So are the last
    decisions of a truncated game: for no seat has the game really ended.
    """

    def __init__(self, batch: SelfPlayBatch, num_steps: int) -> None:
        self.batch = batch
        self.num_steps = check_count("num_steps", num_steps)
        shape = self.num_steps, batch.num_games
        zeros = batch.batch.zeros
        self._step_reward = zeros((*shape, batch.num_players), np.float32)
        self._done = zeros(shape, np.bool_)
        self._truncated = zeros(shape, np.bool_)
        self._value = zeros(shape, np.float32)
        self._last_value = zeros((batch.num_games,), np.float32)
        self._own = {name: _room_for(array, num_steps) for name, array in self._seen().items()}
        self._own |= {"action": zeros(shape, np.int64), "value": self._value}
        self._more: dict[str, Any] = {}
        self._count = 0
        self._first = 0
        self._origin = batch.origin

    def _seen(self) -> dict[str, Any]:
        """Observations and masks of the seats to move, by name."""
        batch = self.batch
        seen = {"observation": batch.observation, "mask": batch.mask, "player": batch.player}
        if seen["observation"] is None:
            del seen["observation"]
        return seen

    def step(self, actions: Any, values: Any, **more: Any) -> None:
        """Record the observations and actions of the seats to move, and play the actions.

        Args:
            actions: (B,) of any integer type, legal.
            values: (B,) the learner's value estimates for the seats to move.
            **more: (B, ...) arrays or tensors to record for the learner, by name, such as
                `log_probability`: the same names and kinds in every step.
        """
        batch, t = self.batch, self._count
        if t == self.num_steps:
            raise RuntimeError(f"all {t} steps are recorded: call finish() first")
        if t == 0:
            self._first, self._origin = batch.steps, batch.origin
            self._more = {name: _room_for(array, self.num_steps) for name, array in more.items()}
        self._check_unbroken()
        values = _estimates(values, batch.num_games, "values")
        if taken := more.keys() & {*_OWN_NAMES}:
            raise ValueError(f"{min(taken)!r} can't be recorded: the rollout uses this name itself")
        if more.keys() != self._more.keys():
            raise ValueError(
                f"recorded by name are {sorted(more)}, must be {sorted(self._more)} as before"
            )
        for name, array in (self._seen() | {"value": values} | more).items():
            _check_detached(array, name)
            _store((self._own | self._more)[name], t, array)
        batch.step(actions)
        actions = actions if hasattr(actions, "shape") else np.asarray(actions)
        _store(self._own["action"], t, actions)
        self._step_reward[t] = batch.step_reward
        self._done[t] = batch.done
        self._truncated[t] = batch.truncated
        self._count += 1

    def clear(self) -> None:
        """Drop the recorded steps."""
        self._count = 0

    def _check_unbroken(self) -> None:
        batch = self.batch
        if batch.origin is not self._origin or batch.steps != self._first + self._count:
            raise RuntimeError(
                "the batch has been reset, been given another state, or played an unrecorded step "
                "since the first recorded one: call clear() first"
            )

    def finish(
        self, last_values: Any, *, gamma: float = 0.999, gae_lambda: float = 0.95
    ) -> SelfPlayData:
        """The data of the T steps; the next rollout overwrites the recorded arrays.

        Source of the advantages: Schulman et al., "High-Dimensional Continuous Control Using
        Generalized Advantage Estimation", 2016.

        Args:
            last_values: (B,) estimates for the seats to move now, finite numbers.
            gamma: discount from one decision of a seat to its next, from 0 to 1.
            gae_lambda: weight of later estimates, 0 for one step, 1 for all.
        """
        if self._count != self.num_steps:
            raise RuntimeError(f"{self._count} of {self.num_steps} steps are recorded")
        self._check_unbroken()
        gamma = check_number("gamma", gamma, least=0, most=1)
        gae_lambda = check_number("gae_lambda", gae_lambda, least=0, most=1)
        last_values = _estimates(last_values, self.batch.num_games, "last_values")
        _store(self._last_value, slice(None), last_values)
        for name, estimates in (("values", self._value), ("last_values", self._last_value)):
            if not are_finite(estimates):
                raise ValueError(f"{name} have numbers that aren't finite in float32")
        self._count = 0
        return self._worked_out(gamma, gae_lambda)

    def _worked_out(self, gamma: float, gae_lambda: float) -> SelfPlayData:
        """Process the steps from last to first, tracking what follows for each seat."""
        batch, zeros, num_steps = self.batch, self.batch.batch.zeros, self.num_steps
        steps, seats = (num_steps, batch.num_games), (batch.num_games, batch.num_players)
        data = SelfPlayData(
            recorded=self._own | self._more,
            reward=zeros(steps, np.float32),
            advantage=zeros(steps, np.float32),
            target=zeros(steps, np.float32),
            targets=zeros((num_steps, *seats), np.float32),
            has_target=zeros((num_steps, *seats), np.bool_),
            is_complete=zeros(steps, np.bool_),
            next_step=zeros(steps, np.int64),
        )
        # (B, P) each seat's reward from here to its next decision or the end; that decision's
        # value, advantage and step; and whether it, or the end of the game, is known.
        known = batch.owners(batch.player)
        reward, advantage = zeros(seats, np.float32), zeros(seats, np.float32)
        value = zeros(seats, np.float32) + known * self._last_value[:, None]
        following = zeros(seats, np.int64)
        following[:] = NO_STEP
        following[known] = num_steps
        for t in reversed(range(num_steps)):
            done, values = self._done[t], self._value[t][:, None]
            goes_on = ~done[:, None]
            reward = reward * goes_on + self._step_reward[t]
            value, advantage = value * goes_on, advantage * goes_on
            following[done] = NO_STEP
            known = (known & goes_on) | (done & ~self._truncated[t])[:, None]

            own = batch.owners(self._own["player"][t])
            error = ((reward + gamma * value - values) * own).sum(1)
            data.reward[t] = (reward * own).sum(1)
            data.is_complete[t] = (known & own).any(1)
            estimate = error + gamma * gae_lambda * (advantage * own).sum(1)
            data.advantage[t] = estimate * data.is_complete[t]
            # To the other seats the step is worth their reward until their own next decision.
            data.targets[t] = reward + value + advantage
            data.target[t] = data.advantage[t] + self._value[t]
            data.targets[t][own] = data.target[t]
            data.has_target[t] = known
            data.next_step[t] = (following * own).sum(1)

            reward = reward * ~own
            value = value * ~own + own * values
            advantage = advantage * ~own + own * data.advantage[t][:, None]
            following[own] = t
            known = known | own
        return data


def _estimates(given: Any, count: int, name: str) -> Any:
    estimates = numbers(given, count, name)
    _check_detached(estimates, name)
    return estimates


def _check_detached(array: Any, name: str) -> None:
    """Refuse a tensor that requires gradients, which would keep the whole graph alive."""
    if getattr(array, "requires_grad", False):
        raise ValueError(f"{name} requires gradients, must not: record `{name}.detach()`")


def _room_for(arrays: Any, num_steps: int) -> Any:
    """An array (T, ...) for T arrays like the given one, or a dict of them."""

    def room(array: Any) -> Any:
        shape = num_steps, *array.shape
        is_tensor = hasattr(array, "new_empty")
        return array.new_empty(shape) if is_tensor else np.empty(shape, array.dtype)

    return each(arrays, room)


def _store(room: Any, place: int | slice, array: Any) -> None:
    if isinstance(room, dict):
        for name, part in room.items():
            part[place] = array[name]
    elif isinstance(array, np.ndarray) and not isinstance(room, np.ndarray):
        room[place] = room.new_tensor(array)
    else:
        room[place] = array


def _on_host(array: Any) -> NDArray[Any]:
    return np.asarray(array if isinstance(array, np.ndarray) else array.cpu())
