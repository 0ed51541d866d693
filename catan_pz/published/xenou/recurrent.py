"""One LSTM or GRU for each trade action, and gradients through its last step.

Letters: T trade actions, n numbers that a layer takes, H hidden units, G gates.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.published.xenou.formula import Shapes, Weights, sigmoid, truncated_normal
from catan_pz.published.xenou.options import XenouOptions

Array = NDArray[np.float32]


class Part(NamedTuple):
    """Gradients of some gates: the outer products of `slopes` and `inputs` are those of weights.

    Attributes:
        gates: the rows of the weights.
        slopes: (rows, gates) of the sums before the activation.
        inputs: (rows, n + H) that these sums weigh.
    """

    gates: slice
    slopes: Array
    inputs: Array


def _products(weight: Array, inputs: Array) -> Array:
    """(T, gates) a matrix and a vector for each action."""
    return np.asarray(np.matmul(weight, inputs[..., None])[..., 0], np.float32)


def _joined(x: Array, hidden: Array) -> Array:
    """(T, n + H) input and memory; all actions may share the input (n,)."""
    if x.ndim == 1:
        x = np.broadcast_to(x, (len(hidden), len(x)))
    return np.concatenate([x, hidden], axis=1)


class Lstm:
    """The cell of Hochreiter and Schmidhuber with a forget gate; gates: in, forget, out, new."""

    gates: ClassVar[int] = 4
    memories: ClassVar[int] = 2

    @staticmethod
    def bias(hidden: int) -> Array:
        """(4H,) to begin with: 1 for the forget gate, 0 else."""
        bias = np.zeros(4 * hidden, np.float32)
        bias[hidden : 2 * hidden] = 1
        return bias

    @staticmethod
    def step(weight: Array, bias: Array, x: Array, memory: Array) -> tuple[Array, Any]:
        """The memory (2, T, H) after an input, its first part the output; and a trace."""
        hidden, cell = memory
        joined = _joined(x, hidden)
        sums = _products(weight, joined) + bias
        size = hidden.shape[1]
        into, keep, out = np.split(sigmoid(sums[:, : 3 * size]), 3, axis=1)
        new = np.tanh(sums[:, 3 * size :])
        after = keep * cell + into * new
        shown = np.tanh(after)
        return np.stack([out * shown, after]), (joined, into, keep, out, new, cell, shown)

    @staticmethod
    def back(weight: Array, trace: Any, d_output: Array, rows: slice) -> tuple[list[Part], Array]:
        """Gradients of the gates, and of the input (rows, n), from that of the output (rows, H)."""
        joined, into, keep, out, new, cell, shown = (array[rows] for array in trace)
        d_cell = d_output * out * (1 - shown**2)
        slopes = np.concatenate(
            [
                d_cell * new * into * (1 - into),
                d_cell * cell * keep * (1 - keep),
                d_output * shown * out * (1 - out),
                d_cell * into * (1 - new**2),
            ],
            axis=1,
        )
        d_joined = np.matmul(slopes[:, None, :], weight[rows])[:, 0]
        d_x = d_joined[:, : joined.shape[1] - cell.shape[1]]
        return [Part(slice(None), slopes, joined)], d_x


class Gru:
    """The cell of Cho et al., 2014; gates: update, reset, new."""

    gates: ClassVar[int] = 3
    memories: ClassVar[int] = 1

    @staticmethod
    def bias(hidden: int) -> Array:
        """(3H,) to begin with."""
        return np.zeros(3 * hidden, np.float32)

    @staticmethod
    def step(weight: Array, bias: Array, x: Array, memory: Array) -> tuple[Array, Any]:
        """The memory (1, T, H) after an input, which is the output; and a trace."""
        (hidden,) = memory
        size = hidden.shape[1]
        joined = _joined(x, hidden)
        sums = _products(weight[:, : 2 * size], joined) + bias[:, : 2 * size]
        keep, reset = np.split(sigmoid(sums), 2, axis=1)
        faded = _joined(x, reset * hidden)
        new = np.tanh(_products(weight[:, 2 * size :], faded) + bias[:, 2 * size :])
        after = keep * hidden + (1 - keep) * new
        return after[None], (joined, faded, keep, reset, new, hidden)

    @staticmethod
    def back(weight: Array, trace: Any, d_output: Array, rows: slice) -> tuple[list[Part], Array]:
        """Gradients of the gates, and of the input (rows, n), from that of the output (rows, H)."""
        joined, faded, keep, reset, new, hidden = (array[rows] for array in trace)
        size = hidden.shape[1]
        taken = joined.shape[1] - size
        d_new = d_output * (1 - keep) * (1 - new**2)
        d_faded = np.matmul(d_new[:, None, :], weight[rows, 2 * size :])[:, 0]
        d_reset = d_faded[:, taken:] * hidden * reset * (1 - reset)
        d_keep = d_output * (hidden - new) * keep * (1 - keep)
        slopes = np.concatenate([d_keep, d_reset], axis=1)
        d_joined = np.matmul(slopes[:, None, :], weight[rows, : 2 * size])[:, 0]
        parts = [
            Part(slice(0, 2 * size), slopes, joined),
            Part(slice(2 * size, None), d_new, faded),
        ]
        return parts, d_joined[:, :taken] + d_faded[:, :taken]


CELLS: dict[str, type[Lstm] | type[Gru]] = {"lstm": Lstm, "gru": Gru}


class RecurrentNetwork:
    """Layers of LSTMs or GRUs, none shared between actions; Q_i is a weighted sum of the last.

    The state and the Q-value chosen before are the input. The memory that a step finds counts as
    given: gradients don't reach further back.

    Args:
        weights: for each layer l `weight_l` (T, G H, n + H) and `bias_l` (T, G H), and `output`
            (T, H); changed in place.
        options: network, hidden and layers count.

    Attributes:
        weights: those given.
    """

    takes_value: ClassVar[bool] = True

    def __init__(self, weights: Weights, options: XenouOptions) -> None:
        self.weights = weights
        self._cell = CELLS[options.network]
        self._layers = range(options.layers)
        shape = (self._cell.memories, *weights["output"].shape)
        self._memory = [np.zeros(shape, np.float32) for _ in self._layers]

    @staticmethod
    def shapes(options: XenouOptions, actions: int, inputs: int) -> Shapes:
        """The shape of each array of weights."""
        hidden = options.hidden
        rows = CELLS[options.network].gates * hidden
        shapes: Shapes = {}
        for layer in range(options.layers):
            shapes[f"weight_{layer}"] = (actions, rows, (hidden if layer else inputs) + hidden)
            shapes[f"bias_{layer}"] = (actions, rows)
        return {**shapes, "output": (actions, hidden)}

    @staticmethod
    def fresh(options: XenouOptions, shapes: Shapes, rng: np.random.Generator) -> Weights:
        """Weights to begin with."""
        bias = CELLS[options.network].bias(options.hidden)
        return {
            name: np.tile(bias, (shape[0], 1))
            if name.startswith("bias")
            else truncated_normal(rng, shape, options.deviation)
            for name, shape in shapes.items()
        }

    def evaluate(self, state: Array) -> tuple[Array, Any]:
        """Take in the next state (n,); (T,) scores, and a trace for `ascend`."""
        x, traces = state, []
        for layer in self._layers:
            weight, bias = self.weights[f"weight_{layer}"], self.weights[f"bias_{layer}"]
            self._memory[layer], trace = self._cell.step(weight, bias, x, self._memory[layer])
            x = self._memory[layer][0]
            traces.append(trace)
        return (self.weights["output"] * x).sum(axis=1), (traces, x)

    def ascend(self, trace: Any, steps: Array, rows: slice) -> None:
        """Move the weights of some actions along the gradients of their scores.

        Args:
            trace: of the evaluation at which the gradients are taken.
            steps: (rows,) by how much for each action.
            rows: the actions.
        """
        traces, x = trace
        d_output = steps[:, None] * self.weights["output"][rows]
        self.weights["output"][rows] += steps[:, None] * x[rows]
        for layer in reversed(self._layers):
            weight, bias = self.weights[f"weight_{layer}"], self.weights[f"bias_{layer}"]
            parts, d_output = self._cell.back(weight, traces[layer], d_output, rows)
            for gates, slopes, inputs in parts:
                bias[rows, gates] += slopes
                moved = weight[rows, gates]
                for k, (left, right) in enumerate(zip(slopes, inputs, strict=True)):
                    moved[k] += np.outer(left, right)
