"""The two readings of the paper's network, and the options of its player.

Either equation 5 as printed, a recurrence without weights and a weighted sum, or one LSTM or GRU
per trade action, with gradients through its last step. Letters: T trade actions, N numbers
of a state, n inputs of a layer, H hidden units, G gates.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import check_choice, check_count, check_flag, check_number
from catan_pz.published.xenou.encoder import NUM_NUMBERS, NUM_TRADES

FORMULA: Final = "formula"
NETWORKS: Final = (FORMULA, "lstm", "gru")
SQUASHES: Final = ("sigmoid", "softmax", "none")
UPDATES: Final = ("all", "chosen")


@dataclass(frozen=True, kw_only=True)
class XenouOptions:
    """The network and how it learns.

    The network is "formula" (the printed recurrence, without its own weights), or one "lstm" or
    "gru" per trade action.
    """

    network: str = FORMULA
    hidden: int = 161  # units of each LSTM or GRU; the formula has none
    layers: int = 1  # of each LSTM or GRU; with 2 or more they are stacked
    squash: str = "sigmoid"  # Q-values into [0, 1]; or "softmax" over the actions, or "none"
    update: str = "all"  # a step updates the weights of all actions, or of the "chosen" one
    gamma: float = 0.9  # discount of a decision
    rate: float = 0.0023  # learning rate
    k: float = 0.01  # of the reward, see `catan_pz.rewards.GainOrPenalty`
    deviation: float = 0.1  # of the truncated normal distribution of initial weights
    mask: bool = True  # choose legal actions only; else an illegal choice counts as a rejection

    def __post_init__(self) -> None:
        check_choice("network", self.network, NETWORKS)
        check_choice("squash", self.squash, SQUASHES)
        check_choice("update", self.update, UPDATES)
        check_count("hidden", self.hidden)
        check_count("layers", self.layers)
        check_flag("mask", self.mask)
        for name in ("gamma", "rate", "k", "deviation"):
            check_number(name, getattr(self, name), least=0)


Array = NDArray[np.float32]
Weights = dict[str, NDArray[np.float32]]


def sigmoid(x: Array) -> Array:
    """The logistic function, without overflow."""
    return np.asarray(0.5 * np.tanh(0.5 * x) + 0.5, np.float32)


class FormulaNetwork:
    """phi <- (1 - sigmoid(s)) phi + sigmoid(s) tanh(s) for a state s; Q_i = phi . theta_i.

    Equation 5 of the paper. Only theta (T, N) is learned, in place.
    """

    takes_value: ClassVar[bool] = False

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._phi = np.zeros(weights["theta"].shape[1], np.float32)

    def evaluate(self, state: Array) -> tuple[Array, Any]:
        """Process the next state (N,); return (T,) scores, and a trace for `ascend`."""
        gate = sigmoid(state)
        self._phi = (1 - gate) * self._phi + gate * np.tanh(state)
        return self.weights["theta"] @ self._phi, self._phi

    def ascend(self, trace: Any, steps: Array, rows: slice) -> None:
        """Move weights of some actions by `steps` (rows,) along the gradients of their scores."""
        self.weights["theta"][rows] += steps[:, None] * trace


Part = tuple[slice, Array, Array]
"""Gates, the slopes (rows, gates) of their sums before the activation, and inputs (rows, n + H).

Outer products of slopes and inputs are the gradients of the weights."""


def _products(weight: Array, inputs: Array) -> Array:
    """(T, gates) the products of a matrix and a vector for each action."""
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
    def step(weight: Array, bias: Array, x: Array, memory: Array) -> tuple[Array, Any]:
        """The memory (2, T, H) after an input, whose first part is the output; and a trace."""
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
        return [(slice(None), slopes, joined)], d_x


class Gru:
    """The cell of Cho et al., 2014; gates: update, reset, new."""

    gates: ClassVar[int] = 3
    memories: ClassVar[int] = 1

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
        parts = [(slice(0, 2 * size), slopes, joined), (slice(2 * size, None), d_new, faded)]
        return parts, d_joined[:, :taken] + d_faded[:, :taken]


CELLS: dict[str, type[Lstm] | type[Gru]] = {"lstm": Lstm, "gru": Gru}


class RecurrentNetwork:
    """Layers of LSTMs or GRUs, separate for each action; Q_i is a weighted sum of the last.

    The inputs are the state and the last chosen Q-value. A step treats its initial memory as
    constant: gradients don't reach further back. The weights are updated in place.
    """

    takes_value: ClassVar[bool] = True

    def __init__(self, weights: Weights, options: XenouOptions) -> None:
        self.weights = weights
        self._cell = CELLS[options.network]
        self._layers = range(options.layers)
        shape = (self._cell.memories, *weights["output"].shape)
        self._memory = [np.zeros(shape, np.float32) for _ in self._layers]

    def evaluate(self, state: Array) -> tuple[Array, Any]:
        """Process the next state (n,); return (T,) scores, and a trace for `ascend`."""
        x, traces = state, []
        for layer in self._layers:
            weight, bias = self.weights[f"weight_{layer}"], self.weights[f"bias_{layer}"]
            self._memory[layer], trace = self._cell.step(weight, bias, x, self._memory[layer])
            x = self._memory[layer][0]
            traces.append(trace)
        return (self.weights["output"] * x).sum(axis=1), (traces, x)

    def ascend(self, trace: Any, steps: Array, rows: slice) -> None:
        """As in `FormulaNetwork.ascend`."""
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


def shapes_of(
    options: XenouOptions, actions: int = NUM_TRADES, inputs: int = NUM_NUMBERS
) -> dict[str, tuple[int, ...]]:
    """The shape of each array of weights, for T trade actions and N numbers of a state."""
    if options.network == FORMULA:
        return {"theta": (actions, inputs)}
    hidden, taken = options.hidden, inputs + 1  # the last chosen Q-value
    gates = CELLS[options.network].gates * hidden
    shapes: dict[str, tuple[int, ...]] = {}
    for layer in range(options.layers):
        shapes[f"weight_{layer}"] = (actions, gates, taken + hidden)
        shapes[f"bias_{layer}"] = (actions, gates)
        taken = hidden
    return {**shapes, "output": (actions, hidden)}


def fresh_weights(options: XenouOptions, rng: np.random.Generator, **sizes: int) -> Weights:
    """Initial weights, of the `shapes_of` the options: truncated normal, and biases."""
    weights = {}
    for name, shape in shapes_of(options, **sizes).items():
        if name.startswith("bias"):
            weights[name] = np.zeros(shape, np.float32)
            if options.network == "lstm":  # the forget gate starts open
                weights[name][:, options.hidden : 2 * options.hidden] = 1
        else:
            weights[name] = truncated_normal(rng, shape, options.deviation)
    return weights


def truncated_normal(
    rng: np.random.Generator, shape: tuple[int, ...], deviation: float
) -> NDArray[np.float32]:
    """Normally distributed numbers; those beyond two standard deviations are drawn again."""
    drawn = rng.standard_normal(shape, np.float32)
    flat = drawn.reshape(-1)
    beyond = np.flatnonzero(np.abs(flat) > 2)
    while len(beyond):
        flat[beyond] = rng.standard_normal(len(beyond), np.float32)
        beyond = beyond[np.abs(flat[beyond]) > 2]
    drawn *= np.float32(deviation)
    return drawn
