"""The networks that trainings choose from, as policies of Stable-Baselines3."""

from dataclasses import dataclass
from typing import Any, Literal

import torch

from catan_pz.checks import not_possible
from catan_pz.encoders import as_encoder
from catan_pz.env.vector.board_policies import BoardPolicy, BoardQPolicy
from catan_pz.env.vector.sb3 import ScaleUnits
from catan_pz.training.options import Count, TrainingArgs


@dataclass(frozen=True, kw_only=True)
class NetworkArgs(TrainingArgs):
    """Options of the run, the games, the opponents and the network."""

    network: Literal["board", "dense"] = "board"
    """board: message passing over vertices, edges and hexes; dense: a plain MLP"""
    width: Count = 128
    """units in each dense layer"""
    embedding_size: Count = 32
    """size of the embedding of a vertex, edge or hex in the board network"""
    depth: Count = 2
    """hidden layers of the dense network"""
    activation: Literal["relu", "tanh"] = "relu"
    """between the layers of the dense network"""


def actor_critic(args: NetworkArgs, separate_value: bool) -> tuple[Any, dict[str, Any]]:
    """Policy of a MaskablePPO, and its `policy_kwargs`.

    Args:
        args: the options.
        separate_value: whether the value has layers of its own beside a board network. A dense
            network always has.

    Raises:
        ValueError: for observations that the board network doesn't take.
    """
    if args.network == "board":
        _check_board(args)
        sizes = {"width": args.embedding_size, "dense": args.width}
        return BoardPolicy, {**sizes, "separate_value": separate_value}
    return _dense(args)


def q_network(args: NetworkArgs) -> tuple[Any, dict[str, Any]]:
    """Policy of a DQN, and its `policy_kwargs`.

    Raises:
        ValueError: for observations that the board network doesn't take.
    """
    if args.network == "board":
        _check_board(args)
        return BoardQPolicy, {"width": args.embedding_size, "dense": args.width}
    return _dense(args)


def _dense(args: NetworkArgs) -> tuple[str, dict[str, Any]]:
    arguments: dict[str, Any] = {
        "net_arch": [args.width] * args.depth,
        "activation_fn": {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}[args.activation],
    }
    if args.observation == "units":
        arguments["features_extractor_class"] = ScaleUnits
    is_dict = as_encoder(args.observation).is_dict
    return "MultiInputPolicy" if is_dict else "MlpPolicy", arguments


def _check_board(args: NetworkArgs) -> None:
    if args.observation not in ("units", "flat", "dict"):
        allowed = "'units', 'flat', 'dict' for the board network"
        raise not_possible("option observation", args.observation, allowed)
