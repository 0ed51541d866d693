"""Online Q-learning of trades: one step per decision, during the game.

Algorithm 1 of Xenou et al. Letters: T trade actions, N numbers of a state.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.published.xenou.encoder import NO
from catan_pz.published.xenou.networks import (
    FORMULA,
    Array,
    FormulaNetwork,
    RecurrentNetwork,
    Weights,
    XenouOptions,
    sigmoid,
)
from catan_pz.rewards import GainOrPenalty


def squashed(scores: Array, squash: str) -> Array:
    """(T,) Q-values from scores."""
    if squash == "sigmoid":
        return sigmoid(scores)
    if squash == "softmax":
        powers = np.exp(scores - scores.max())
        return np.asarray(powers / powers.sum(), np.float32)
    return scores


def score_slopes(values: Array, errors: Array, squash: str) -> Array:
    """(T,) the negative gradient of half the squared errors with respect to the scores."""
    if squash == "sigmoid":
        return np.asarray(errors * values * (1 - values), np.float32)
    if squash == "softmax":
        return np.asarray(values * (errors - (errors * values).sum()), np.float32)
    return errors


@dataclass
class History:
    """A learner's history of a game, one number per decision; errors and rewards come later."""

    actions: list[int] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)  # squared, of chosen Q-values
    rewards: list[float] = field(default_factory=list)


class Learner:
    """Chooses trade actions by their Q-values, and learns from each decision to the next.

    The target of a decision is r + gamma max Q of the next one, so the weights are updated once
    the next one is reached. It is always greedy, and updates the weights in place.
    """

    def __init__(self, options: XenouOptions, weights: Weights) -> None:
        self.options, self.weights = options, weights
        self.history = History()
        self._network: FormulaNetwork | RecurrentNetwork = (
            FormulaNetwork(weights)
            if options.network == FORMULA
            else RecurrentNetwork(weights, options)
        )
        self._reward = GainOrPenalty(options.k)
        self._value = 0.0
        # Trace, Q-values, action and own points of a decision without its reward yet.
        self._pending: tuple[Any, Array, int, int] | None = None

    def choose(self, state: Array, points: int, legal: NDArray[np.bool_]) -> int:
        """Choose one of the legal trade actions (T,), and learn from the previous decision."""
        if self._network.takes_value:
            state = np.append(state, np.float32(self._value))
        scores, trace = self._network.evaluate(state)
        values = squashed(scores, self.options.squash)
        allowed = np.where(legal, values, -np.inf) if self.options.mask else values
        action = int(allowed.argmax())
        self._value = float(values[action])
        self._learn(points, self.options.gamma * self._value)
        self._pending = trace, values, action, points
        self.history.actions.append(action)
        return action if legal[action] else NO

    def finish(self, points: int) -> None:
        """Learn from the last decision of a game, with no future value."""
        self._learn(points, 0.0)
        self._pending = None

    def _learn(self, points: int, to_come: float) -> None:
        """Take a step of stochastic gradient descent on the squared error."""
        if self._pending is None:
            return
        trace, values, action, before = self._pending
        reward = self._reward.between(before, points)
        errors = np.asarray(reward + to_come - values, np.float32)
        self.history.rewards.append(reward)
        self.history.errors.append(float(errors[action]) ** 2)
        rows = slice(None)
        if self.options.update == "chosen":
            rows = slice(action, action + 1)
            errors = np.where(np.arange(len(errors)) == action, errors, np.float32(0))
        steps = self.options.rate * score_slopes(values, errors, self.options.squash)
        self._network.ascend(trace, np.asarray(steps[rows], np.float32), rows)
