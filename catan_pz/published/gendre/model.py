"""A cross-dimensional network with its weights, and the file that keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.model_files import Stored, StoredModel, check_weights, rules_text
from catan_pz.checks import not_possible
from catan_pz.encoders import load
from catan_pz.published.gendre.networks import GendreNetwork
from catan_pz.rules import Rules


@dataclass(frozen=True)
class GendreModel(StoredModel):
    """A network over the choices of two players, or of any table.

    Attributes:
        architecture: the network.
        weights: its weights.
        rules: that it was trained with.
        card: how it was trained and how well it plays; JSON values.
    """

    kinds = ("gendre",)
    architecture: GendreNetwork
    weights: Mapping[str, NDArray[Any]]
    rules: Rules
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_weights(self.weights, self.architecture.shapes)
        table = self.rules.num_players, self.rules.trading
        if self.architecture.encoder == "gendre" and table != (2, False):
            raise not_possible("model: rules", self.rules, "two players without trade")

    def evaluate(
        self, seen: Mapping[str, NDArray[np.float32]]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits (K, L) and values (K,) for what its encoder gives."""
        logits, values = self.architecture.evaluate(self.weights, seen["planes"], seen["scalars"])
        return np.asarray(logits), np.asarray(values)

    def stored(self) -> Stored:
        """What its file keeps."""
        network = {"kind": self.kinds[0], **self.architecture.options}
        encoder = load(self.architecture.encoder)
        return Stored(network, self.weights, encoder, {"rules": self.rules.to_dict()})

    @classmethod
    def restored(cls, stored: Stored) -> "GendreModel":
        """The model of what a file keeps."""
        options, header = stored.network, stored.header
        del options["kind"]
        architecture = GendreNetwork(**options, encoder=stored.encoder.name)
        return cls(architecture, stored.arrays, Rules.from_dict(header["rules"]), header["card"])

    def card_rows(self) -> list[tuple[str, Any]]:
        """Rules and network."""
        a = self.architecture
        scalars = f", {a.scalars} scalars" if a.is_crossed else ""
        norm = ", batch normalisation" if a.norm == "batch" else ""
        size = f"{a.layers} layers, {a.planes} planes{scalars}{norm}, {a.parameters:,} parameters"
        return [("rules", rules_text(self.rules)), ("network", f"{a.network} with {size}")]
