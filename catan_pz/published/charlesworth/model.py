"""The model of the agent: its network, its weights, and the file that keeps them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.model_files import (
    card_markdown,
    check_card,
    check_encoder,
    check_weights,
    encoder_of,
    model_file,
    network_of,
    write_model,
)
from catan_pz.checks import not_possible
from catan_pz.encoders import Encoder, load
from catan_pz.published.charlesworth.games import Policy
from catan_pz.published.charlesworth.networks import Architecture
from catan_pz.rules import Rules

KIND: Final = "charlesworth"
ENCODERS: Final = {"charlesworth": True, "charlesworth_flags": True, "charlesworth_2022": False}
"""Encoders that the network takes, and whether they have its additions."""


@dataclass(frozen=True)
class CharlesworthModel:
    """A network with its weights.

    Attributes:
        architecture: the network.
        weights: arrays of its shapes, by name.
        rules: that it was trained with.
        card: how it was trained and how well it plays; JSON values.
        encoder: one of `ENCODERS`.
        value_mean: return that its value function calls 0.
        value_scale: difference of returns that it calls 1.

    Raises:
        ValueError: names what doesn't fit.
    """

    architecture: Architecture
    weights: Mapping[str, NDArray[np.float32]]
    rules: Rules
    card: Mapping[str, Any] = field(default_factory=dict)
    encoder: Encoder = field(default_factory=lambda: load("charlesworth"))
    value_mean: float = 150.0
    value_scale: float = 150.0

    def __post_init__(self) -> None:
        check_weights(self.weights, self.architecture.shapes)
        check_card(self.card)
        check_encoder(self.encoder)
        if ENCODERS.get(self.encoder.name) != self.architecture.additions:
            raise not_possible("model: encoder", self.encoder.name, f"one of {list(ENCODERS)}")

    @property
    def policy(self) -> Policy:
        """The policy that plays."""
        return Policy(self.architecture, self.weights, self.encoder)

    def save(self, path: Path | str, dtype: str = "float16") -> None:
        """Write a model file, whole or not at all.

        Raises:
            ValueError: for a dtype but "float16" and "float32", or weights too large for it.
        """
        header = {
            "network": {"kind": KIND, **self.architecture.options},
            "values": {"value_mean": self.value_mean, "value_scale": self.value_scale},
            "rules": self.rules.to_dict(),
            "card": dict(self.card),
        }
        write_model(path, header, self.weights, self.encoder, dtype)

    @classmethod
    def read(cls, path: Path | str) -> "CharlesworthModel":
        """The model in a file; nothing of the file is run.

        Raises:
            ValueError: if it is no model file of this agent, or damaged; names it.
            FileNotFoundError: if there is none.
        """
        with model_file(path) as (header, arrays):
            return cls(
                Architecture(**network_of(header, KIND)),
                arrays,
                Rules.from_dict(header["rules"]),
                header["card"],
                encoder_of(header),
                **header["values"],
            )

    def card_text(self, name: str) -> str:
        """The card as Markdown: what it plays, how it was trained, how well it plays."""
        changed = self.rules.differences().items()
        rows = [
            ("rules", ", ".join(f"{option} {value}" for option, value in changed)),
            ("network", f"{self.architecture.size}, {self.architecture.parameters:,} parameters"),
            ("encoder", self.encoder.name),
        ]
        return card_markdown(name, rows, self.card)
