"""Converts learners of Stable-Baselines3 to models that play without it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from catan_pz.agents.board_network import BoardNetwork
from catan_pz.agents.network import DenseNetwork, Model
from catan_pz.encoders import Encoder, load
from catan_pz.env.spaces import encoder_of_space
from catan_pz.rules import Rules


def exported(
    learner: Any,
    rules: Rules,
    card: Mapping[str, Any] | None = None,
    *,
    observation: Encoder | str | None = None,
) -> Model:
    """The policy network of a learner.

    Args:
        learner: a MaskablePPO or a DQN that has only dense layers (`MlpPolicy`, or
            `MultiInputPolicy` on dict observations) or a policy of `catan_pz.training.policies`,
            trained on an encoder's output; on "units" with `ScaleUnits`.
        rules: the rules of its training.
        card: the description of its training.
        observation: as for `PolicyOpponent`.
    """
    policy = learner.policy
    noted = getattr(learner, "catan_pz", {"rules": rules.to_dict(), "observation": None})
    for name in ("num_players", "trading"):
        trained, now = noted["rules"][name], getattr(rules, name)
        if trained != now:
            raise ValueError(f"rules: {name} must be {trained}, as in its training, got {now}")
    encoder = encoder_of_space(learner.observation_space, observation or noted["observation"])
    of_values = hasattr(policy, "q_net")
    net = policy.q_net.q_net if of_values else policy.mlp_extractor
    if type(net).__name__ == "BoardLayers":
        network: Any = BoardNetwork({name: _array(x) for name, x in net.layers.items()})
    else:
        _check_features(policy.q_net if of_values else policy, encoder)
        parts = list(net) if of_values else [*net.policy_net, policy.action_net]
        network = _dense(parts, learner.observation_space, encoder)
    plays = ("q_values", "best") if of_values else ("logits", "sample")
    # Named segments and scaled units are other forms of the flat vector.
    takes = load("flat") if encoder.name in ("dict", "units") else encoder
    return Model(network, *plays, rules.to_dict(), card or {}, takes)


def _check_features(policy: Any, encoder: Encoder) -> None:
    """Refuse feature extractors that do more than concatenate observations or scale units."""
    extractor = type(getattr(policy, "pi_features_extractor", policy.features_extractor)).__name__
    is_units = encoder.name == "units"
    allowed = ("ScaleUnits",) if is_units else ("FlattenExtractor", "CombinedExtractor")
    if extractor not in allowed:
        raise ValueError(
            f"learner: its features come from {extractor}, must come from {' or '.join(allowed)} "
            f"on {encoder}"
        )


def _array(parameter: Any) -> NDArray[np.float32]:
    return np.array(parameter.detach().cpu().numpy(), np.float32)  # a copy, as training continues


def _dense(parts: list[Any], space: spaces.Space[Any], encoder: Encoder) -> DenseNetwork:
    """Dense layers and the modules between them."""
    linear: list[Any] = []
    between = []
    for part in parts:
        kind = type(part).__name__
        if kind == "Linear":
            linear.append(part)
        elif kind in ("ReLU", "Tanh"):
            between.append(kind.lower())
        else:
            raise ValueError(f"learner: a layer is {kind}, must be Linear, ReLU or Tanh")
    if len(set(between)) > 1 or len(between) != len(linear) - 1:
        raise ValueError(f"learner: between {len(linear)} dense layers lie {between}")
    arrays = {f"weight_{k}": _array(part.weight) for k, part in enumerate(linear)}
    arrays |= {f"bias_{k}": _array(part.bias) for k, part in enumerate(linear)}
    if isinstance(space, spaces.Dict):
        arrays["weight_0"] = _in_order(arrays["weight_0"], space, encoder)
    return DenseNetwork(arrays, between[0] if between else "relu")


def _in_order(
    weight: NDArray[np.float32], space: spaces.Dict, encoder: Encoder
) -> NDArray[np.float32]:
    """Reorder a layer's columns from the order of a dict space to the order of the encoder."""
    starts = np.cumsum([0, *(segment.size for segment in encoder.segments)])
    columns = {
        segment.name: np.arange(start, start + segment.size)
        for segment, start in zip(encoder.segments, starts[:-1], strict=True)
    }
    places = np.concatenate([columns[name] for name in space])
    ordered = np.empty_like(weight)
    ordered[:, places] = weight
    return ordered
