"""Networks of dense layers, run in NumPy.

Letters: K games, N numbers of an observation, A actions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.model_files import check_weights
from catan_pz.checks import not_possible
from catan_pz.observation.segments import SCALES

ACTIVATIONS: Final = ("relu", "tanh")
_MOST: Final = np.round(1 / SCALES).astype(np.int8)


@dataclass(frozen=True)
class DenseNetwork:
    """Dense layers from an observation to a logit or Q-value for each action.

    Attributes:
        weights: (out, in) float32 of each layer; the first takes what an encoder gives.
        biases: (out,) float32 of each layer.
        activation: between the layers, "relu" or "tanh".
    """

    kind: ClassVar[str] = "dense"
    weights: tuple[NDArray[np.float32], ...]
    biases: tuple[NDArray[np.float32], ...]
    activation: str = "relu"

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise not_possible("network: activation", self.activation, f"one of {ACTIVATIONS}")
        if not self.weights:
            raise ValueError("network: it has no layers, must have one or more")
        sizes = (self.inputs, *(len(bias) for bias in self.biases))
        shapes: dict[str, tuple[int, ...]] = {}
        for k, (before, after) in enumerate(pairwise(sizes)):
            shapes |= {f"weight_{k}": (after, before), f"bias_{k}": (after,)}
        check_weights(self.arrays, shapes, "network")

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[np.float32]], activation: str) -> "DenseNetwork":
        """The network whose `arrays` these are."""
        layers = range(len(arrays) // 2)
        weights, biases = (
            tuple(arrays[f"{name}_{k}"] for k in layers) for name in ("weight", "bias")
        )
        return cls(weights, biases, activation)

    @property
    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """`weight_0`, `bias_0`, and so on."""
        return {
            f"{name}_{k}": array
            for name, arrays in (("weight", self.weights), ("bias", self.biases))
            for k, array in enumerate(arrays)
        }

    @property
    def inputs(self) -> int:
        """How many numbers it takes."""
        return int(self.weights[0].shape[-1])

    @property
    def num_actions(self) -> int:
        """A."""
        return len(self.biases[-1])

    @property
    def options(self) -> dict[str, Any]:
        """What a file must say beside the arrays."""
        return {"activation": self.activation}

    def text(self) -> str:
        """The network in a few words."""
        sizes = " - ".join(str(n) for n in (self.inputs, *(len(bias) for bias in self.biases)))
        return f"dense layers {sizes}, {self.activation}"

    @cached_property
    def _turned(self) -> list[NDArray[np.float32]]:
        """(in, out) of each layer."""
        return [np.ascontiguousarray(weight.T) for weight in self.weights]

    @cached_property
    def _first_of_units(self) -> NDArray[np.float32]:
        """(N, out) the first layer, for observations in natural units."""
        return self._turned[0] * SCALES[:, None]

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """(K, A) logits or Q-values, from observations (K, N) in natural units."""
        units = np.minimum(observations, _MOST).astype(np.float32)
        return self._after_first(units @ self._first_of_units)

    def evaluate(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """(K, A) logits or Q-values, from its inputs (K, n)."""
        return self._after_first(inputs @ self._turned[0])

    def _after_first(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """(K, A) from what the first layer gives without its bias, (K, units)."""
        x += self.biases[0]
        for weight, bias in zip(self._turned[1:], self.biases[1:], strict=True):
            if self.activation == "relu":
                np.maximum(x, 0, out=x)
            else:
                np.tanh(x, out=x)
            x = x @ weight
            x += bias
        return np.asarray(x, np.float32)
