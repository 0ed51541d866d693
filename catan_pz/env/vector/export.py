"""From learners of Stable-Baselines3 to models that play without it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from catan_pz.agents.network import Model
from catan_pz.observation.segments import PLACES
from catan_pz.rules import Rules


def exported(learner: Any, rules: Rules, card: Mapping[str, Any] | None = None) -> Model:
    """The network that chooses the actions of a learner.

    Args:
        learner: a MaskablePPO or a DQN with dense layers alone (`MlpPolicy`, or
            `MultiInputPolicy` on dict observations), trained on flat observations, on named
            segments, or through `ScaleUnits` on natural units.
        rules: those that it was trained with.
        card: how it was trained.

    Raises:
        ValueError: for a network that isn't of that kind.
    """
    policy = learner.policy
    if hasattr(policy, "q_net"):
        parts, choice = list(policy.q_net.q_net), "best"
    else:
        parts, choice = [*policy.mlp_extractor.policy_net, policy.action_net], "draw"
    weights: list[NDArray[np.float32]] = []
    biases: list[NDArray[np.float32]] = []
    between = []
    for part in parts:
        kind = type(part).__name__
        if kind == "Linear":
            weights.append(part.weight.detach().cpu().numpy().astype(np.float32))
            biases.append(part.bias.detach().cpu().numpy().astype(np.float32))
        elif kind in ("ReLU", "Tanh"):
            between.append(kind.lower())
        else:
            raise ValueError(f"learner: a layer is {kind}, must be Linear, ReLU or Tanh")
    if len(set(between)) > 1 or len(between) != len(weights) - 1:
        raise ValueError(f"learner: between {len(weights)} dense layers lie {between}")
    if isinstance(learner.observation_space, spaces.Dict):
        weights[0] = _in_order(weights[0], learner.observation_space)
    activation = between[0] if between else "relu"
    return Model(tuple(weights), tuple(biases), activation, choice, rules.to_dict(), card or {})


def _in_order(weight: NDArray[np.float32], space: spaces.Dict) -> NDArray[np.float32]:
    """Columns of a layer that took a dict's arrays one after the other, as the vector has them."""
    places = np.concatenate([np.arange(PLACES[name].start, PLACES[name].stop) for name in space])
    ordered = np.empty_like(weight)
    ordered[:, places] = weight
    return ordered
