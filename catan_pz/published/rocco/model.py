"""The networks of a hierarchical player, and the file that keeps them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.model_files import Stored, StoredModel, check_weights
from catan_pz.checks import not_possible
from catan_pz.encoders import Encoder, load
from catan_pz.published.rocco.choices import EXECUTORS, NUM_KINDS
from catan_pz.published.rocco.networks import Architecture
from catan_pz.rules import Rules

OUTPUTS: Final = {"orchestrator": NUM_KINDS} | {name: len(w) for name, w in EXECUTORS.items()}
"""How many Q-values each network gives, by the name of its part."""

ENCODERS: Final = ("rocco", "rocco_cities")
"""Encoders that the networks take."""

Weights = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class RoccoModel(StoredModel):
    """The networks of a hierarchical player; parts that have none choose at random.

    Attributes:
        networks: for "orchestrator", "settlement", "road" and "trade", or some of them, the
            architecture and its weights.
        rules: that it was trained with.
        card: how it was trained and how well it plays; JSON values.
        encoder: one of `ENCODERS`.
    """

    kinds = ("rocco",)
    networks: Mapping[str, tuple[Architecture, Weights]]
    rules: Rules
    card: Mapping[str, Any] = field(default_factory=dict)
    encoder: Encoder = field(default_factory=lambda: load("rocco"))

    def __post_init__(self) -> None:
        for part, (architecture, weights) in self.networks.items():
            if architecture.outputs != OUTPUTS.get(part):
                raise ValueError(
                    f"model: part {part!r} gives {architecture.outputs} Q-values, must be one of "
                    f"{OUTPUTS}"
                )
            check_weights(weights, architecture.shapes, f"model: part {part!r}")
        if self.encoder.name not in ENCODERS:
            raise not_possible("model: encoder", self.encoder.name, f"one of {ENCODERS}")

    def q_values(self, part: str, states: NDArray[np.float32]) -> NDArray[np.float32]:
        """(K, Q) of a part, for states (K, 675)."""
        architecture, weights = self.networks[part]
        return np.asarray(architecture.q_values(weights, states))

    def stored(self) -> Stored:
        """What its file keeps."""
        parts = {part: one.options for part, (one, _) in self.networks.items()}
        arrays = {
            f"{part}.{name}": array
            for part, (_, weights) in self.networks.items()
            for name, array in weights.items()
        }
        network = {"kind": self.kinds[0], "parts": parts}
        return Stored(network, arrays, self.encoder, {"rules": self.rules.to_dict()})

    @classmethod
    def restored(cls, stored: Stored) -> "RoccoModel":
        """The model of what a file keeps."""
        parts, header = stored.network["parts"], stored.header
        weights: dict[str, dict[str, Any]] = {part: {} for part in parts}
        for name, array in stored.arrays.items():
            part, _, own = name.partition(".")
            weights[part][own] = array
        return cls(
            {part: (Architecture(**options), weights[part]) for part, options in parts.items()},
            Rules.from_dict(header["rules"]),
            header["card"],
            stored.encoder,
        )

    def card_rows(self) -> list[tuple[str, Any]]:
        """Rules and networks."""
        parts = ", ".join(
            f"{part} {one.network} with {one.parameters:,} parameters"
            for part, (one, _) in self.networks.items()
        )
        rules = "preset rocco" if self.rules == Rules.preset("rocco") else self.rules
        return [("rules", rules), ("networks", parts or "none")]
