"""A small torch network for programs that bring their own algorithm: policy and value.

Letters: K decisions, N numbers of an observation, A actions.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from catan_pz.agents.dense_network import DenseNetwork
from catan_pz.agents.network import Model
from catan_pz.observation.segments import SCALES, SIZE
from catan_pz.rules import Rules

_ILLEGAL: Final = -1e8
"""Logit of illegal actions: finite, so that entropies are."""

Weights = dict[str, NDArray[np.float32]]
"""Parameters by name."""


class ActorCritic(nn.Module):
    """Policy and value, each of two hidden layers, from observations in natural units.

    Args:
        num_actions: A.
        width: units of a hidden layer.
    """

    scales: torch.Tensor

    def __init__(self, num_actions: int, width: int) -> None:
        super().__init__()
        self.num_actions = num_actions
        self.register_buffer("scales", torch.tensor(SCALES), persistent=False)
        self.policy = _layers(width, num_actions)
        self.value = _layers(width, 1)

    def forward(
        self, units: torch.Tensor, mask: torch.Tensor, policy: Any = None
    ) -> tuple[Any, Any]:
        """(K, A) log-probabilities of the actions, of illegal ones very low, and (K,) values.

        Args:
            units: (K, N) int8 observations.
            mask: (K, A) 1 for each legal action.
            policy: another one to use in place of the own.
        """
        x = (units * self.scales).clamp(max=1.0)
        return legal_log_softmax((policy or self.policy)(x), mask), self.value(x)[:, 0]

    def weights(self) -> Weights:
        """Copies of all parameters."""
        return {name: x.detach().cpu().numpy().copy() for name, x in self.state_dict().items()}

    def set_weights(self, weights: Mapping[str, Any]) -> None:
        """Take the parameters that `weights` gave."""
        load_arrays(self, weights)

    def export(self, rules: Rules, card: Mapping[str, Any] | None = None) -> Model:
        """The policy alone, as a model that plays without torch."""
        layers = [part for part in self.policy if isinstance(part, nn.Linear)]
        weights = tuple(layer.weight.detach().cpu().numpy().copy() for layer in layers)
        biases = tuple(layer.bias.detach().cpu().numpy().copy() for layer in layers)
        network = DenseNetwork(weights, biases, "relu")
        return Model(network, "logits", "sample", rules.to_dict(), card or {})


def legal_log_softmax(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """(K, A) float32 log-probabilities by logits (K, A), very low where the mask (K, A) is 0."""
    return logits.float().masked_fill(mask == 0, _ILLEGAL).log_softmax(-1)


def _layers(width: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        *(nn.Linear(SIZE, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()),
        nn.Linear(width, outputs),
    )


def policy_weights(model: Model) -> Weights:
    """Parameters of `ActorCritic.policy` from a model that `export` made."""
    weights = {}
    for name, array in model.network.arrays.items():
        kind, layer = name.split("_")
        weights[f"{2 * int(layer)}.{kind}"] = array
    return weights


def load_arrays(module: nn.Module, arrays: Mapping[str, Any]) -> None:
    """Give a module its parameters from arrays, which may be read-only."""
    module.load_state_dict({name: torch.tensor(array) for name, array in arrays.items()})
