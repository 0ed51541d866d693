"""A policy with a value for RLlib that masks illegal actions.

Letters: K decisions, A actions.
"""

from itertools import pairwise
from typing import Any, Final

import torch
from gymnasium import spaces
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from torch import nn

ILLEGAL: Final = -1e9
"""Logit of an illegal action."""


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Policy and value with separate hidden layers, for RLlib's new stack and `catan_v0.env()`.

    `model_config` may have `width` (128) and `depth` (2) of the hidden layers.
    """

    def setup(self) -> None:
        """Build the layers."""
        super().setup()
        size = spaces.flatdim(self.observation_space["observation"])
        width = self.model_config.get("width", 128)
        depth = self.model_config.get("depth", 2)

        def layers(outputs: int) -> nn.Sequential:
            sizes = [size, *[width] * depth]
            hidden: list[nn.Module] = []
            for before, after in pairwise(sizes):
                hidden += [nn.Linear(before, after), nn.Tanh()]
            return nn.Sequential(*hidden, nn.Linear(sizes[-1], outputs))

        self.actor, self.critic = layers(int(self.action_space.n)), layers(1)

    def logits(self, observations: Any, masks: torch.Tensor) -> torch.Tensor:
        """(K, A) logits, `ILLEGAL` where the masks (K, A) are 0."""
        return self.actor(joined(observations)).masked_fill(masks == 0, ILLEGAL)

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        logits = self.logits(seen["observation"], seen["action_mask"])
        return {Columns.ACTION_DIST_INPUTS: logits}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """(K,) values of the observations."""
        return self.critic(joined(batch[Columns.OBS]["observation"]))[:, 0]


class RandomModule(TorchRLModule):
    """A uniform policy over the legal actions; it learns nothing."""

    def setup(self) -> None:
        """Make a parameter, because RLlib makes an optimizer for every module."""
        super().setup()
        self.unused = nn.Parameter(torch.zeros(1))

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        masks = torch.as_tensor(batch[Columns.OBS]["action_mask"])
        logits = torch.zeros(masks.shape).masked_fill(masks == 0, ILLEGAL)
        return {Columns.ACTION_DIST_INPUTS: logits}


def joined(observations: Any) -> torch.Tensor:
    """(K, N) an array of observations, or the concatenated arrays of a dict."""
    if not isinstance(observations, dict):
        return torch.as_tensor(observations, dtype=torch.float32)
    parts = [torch.as_tensor(observations[name]) for name in sorted(observations)]
    return torch.cat([part.float().flatten(1) for part in parts], dim=1)
