"""The model of the agent: its network, its weights, and the file that keeps them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.model_files import Stored, StoredModel, check_weights, rules_text
from catan_pz.checks import not_possible
from catan_pz.encoders import Encoder, load
from catan_pz.published.charlesworth.games import Policy
from catan_pz.published.charlesworth.networks import CharlesworthNetwork
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS

ENCODERS: Final = {"charlesworth": True, "charlesworth_flags": True, "charlesworth_2022": False}
"""Encoders that the network takes, and whether they have its additions."""


@dataclass(frozen=True)
class CharlesworthModel(StoredModel):
    """A network with its weights.

    Attributes:
        architecture: the network.
        weights: arrays of its shapes, by name.
        rules: that it was trained with.
        card: how it was trained and how well it plays; JSON values.
        encoder: one of `ENCODERS`.
        value_mean: return that its value function calls 0.
        value_scale: difference of returns that it calls 1.
    """

    kinds = ("charlesworth",)
    architecture: CharlesworthNetwork
    weights: Mapping[str, NDArray[np.float32]]
    rules: Rules
    card: Mapping[str, Any] = field(default_factory=dict)
    encoder: Encoder = field(default_factory=lambda: load("charlesworth"))
    value_mean: float = 150.0
    value_scale: float = 150.0

    def __post_init__(self) -> None:
        check_weights(self.weights, self.architecture.shapes)
        if self.rules.num_players != MAX_PLAYERS:
            raise not_possible("model: num_players", self.rules.num_players, str(MAX_PLAYERS))
        if ENCODERS.get(self.encoder.name) != self.architecture.additions:
            raise not_possible("model: encoder", self.encoder.name, f"one of {list(ENCODERS)}")

    @property
    def policy(self) -> Policy:
        """The policy that plays."""
        return Policy(self.architecture, self.weights, self.encoder)

    def stored(self) -> Stored:
        """What its file keeps."""
        network = {"kind": self.kinds[0], **self.architecture.options}
        values = {"value_mean": self.value_mean, "value_scale": self.value_scale}
        header = {"values": values, "rules": self.rules.to_dict()}
        return Stored(network, self.weights, self.encoder, header)

    @classmethod
    def restored(cls, stored: Stored) -> "CharlesworthModel":
        """The model of what a file keeps."""
        options, header = stored.network, stored.header
        del options["kind"]
        rules = Rules.from_dict(header["rules"])
        return cls(
            CharlesworthNetwork(**options),
            stored.arrays,
            rules,
            header["card"],
            stored.encoder,
            **header["values"],
        )

    def card_rows(self) -> list[tuple[str, Any]]:
        """Rules, network and encoder."""
        return [
            ("rules", rules_text(self.rules)),
            ("network", f"{self.architecture.size}, {self.architecture.parameters:,} parameters"),
            ("encoder", self.encoder.name),
        ]
