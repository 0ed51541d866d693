"""The network as the paper prints it: a recurrence without weights, and a weighted sum.

Letters: T trade actions, N numbers of a state.
"""

from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.published.xenou.options import XenouOptions

Weights = dict[str, NDArray[np.float32]]
Shapes = dict[str, tuple[int, ...]]

CUT: Final = 2.0
"""Standard deviations beyond which a truncated normal distribution gives nothing."""


def truncated_normal(
    rng: np.random.Generator, shape: tuple[int, ...], deviation: float
) -> NDArray[np.float32]:
    """Numbers of a normal distribution, those beyond two standard deviations drawn again."""
    drawn = rng.standard_normal(shape, np.float32)
    flat = drawn.reshape(-1)
    beyond = np.flatnonzero(np.abs(flat) > CUT)
    while len(beyond):
        flat[beyond] = rng.standard_normal(len(beyond), np.float32)
        beyond = beyond[np.abs(flat[beyond]) > CUT]
    drawn *= np.float32(deviation)
    return drawn


def sigmoid(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The logistic function, without overflow."""
    return np.asarray(0.5 * np.tanh(0.5 * x) + 0.5, np.float32)


class FormulaNetwork:
    """phi <- (1 - sigmoid(s)) phi + sigmoid(s) tanh(s) for a state s; Q_i = phi . theta_i.

    Equation 5 of the paper. What is learned is theta alone.

    Args:
        weights: `theta` (T, N); changed in place.

    Attributes:
        weights: those given.
    """

    takes_value: ClassVar[bool] = False

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._phi = np.zeros(weights["theta"].shape[1], np.float32)

    @staticmethod
    def shapes(options: XenouOptions, actions: int, inputs: int) -> Shapes:
        """The shape of each array of weights."""
        return {"theta": (actions, inputs)}

    @staticmethod
    def fresh(options: XenouOptions, shapes: Shapes, rng: np.random.Generator) -> Weights:
        """Weights to begin with."""
        return {"theta": truncated_normal(rng, shapes["theta"], options.deviation)}

    def evaluate(self, state: NDArray[np.float32]) -> tuple[NDArray[np.float32], Any]:
        """Take in the next state (N,); (T,) scores, and a trace for `ascend`."""
        gate = sigmoid(state)
        self._phi = (1 - gate) * self._phi + gate * np.tanh(state)
        return self.weights["theta"] @ self._phi, self._phi

    def ascend(self, trace: Any, steps: NDArray[np.float32], rows: slice) -> None:
        """Move the weights of some actions along the gradients of their scores.

        Args:
            trace: of the evaluation at which the gradients are taken.
            steps: (rows,) by how much for each action.
            rows: the actions.
        """
        self.weights["theta"][rows] += steps[:, None] * trace
