"""A cross-dimensional network with its weights, and the file that keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.model_files import (
    card_markdown,
    check_card,
    check_weights,
    encoder_of,
    model_file,
    network_of,
    write_model,
)
from catan_pz.encoders import load
from catan_pz.published.gendre.networks import Architecture
from catan_pz.rules import Rules

KIND: Final = "gendre"


@dataclass(frozen=True)
class GendreModel:
    """A network over the choices of two players, or of any table.

    Attributes:
        architecture: the network.
        weights: its weights.
        rules: that it was trained with.
        card: how it was trained and how well it plays; JSON values.

    Raises:
        ValueError: names what doesn't fit.
    """

    architecture: Architecture
    weights: Mapping[str, NDArray[Any]]
    rules: Rules
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_weights(self.weights, self.architecture.shapes)
        check_card(self.card)

    def evaluate(
        self, seen: Mapping[str, NDArray[np.float32]]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits (K, L) and values (K,) for what its encoder gives."""
        logits, values = self.architecture.evaluate(self.weights, seen["planes"], seen["scalars"])
        return np.asarray(logits), np.asarray(values)

    def save(self, path: Path | str, dtype: str = "float16") -> None:
        """Write a model file, whole or not at all.

        Raises:
            ValueError: for a dtype but "float16" and "float32", or weights too large for it.
        """
        header = {
            "network": {"kind": KIND, **self.architecture.options},
            "rules": self.rules.to_dict(),
            "card": dict(self.card),
        }
        write_model(path, header, self.weights, load(self.architecture.encoder), dtype)

    @classmethod
    def read(cls, path: Path | str) -> "GendreModel":
        """The model in a file; nothing of the file is run.

        Raises:
            ValueError: if it is no model file of a cross-dimensional network, or damaged; names
                it.
            FileNotFoundError: if there is none.
        """
        with model_file(path) as (header, arrays):
            network = network_of(header, KIND)
            return cls(
                Architecture(**network, encoder=encoder_of(header).name),
                arrays,
                Rules.from_dict(header["rules"]),
                header["card"],
            )

    def card_text(self, name: str) -> str:
        """The card as Markdown: what it plays, how it was trained, how well it plays."""
        a = self.architecture
        scalars = f", {a.scalars} scalars" if a.is_crossed else ""
        norm = ", batch normalisation" if a.norm == "batch" else ""
        size = f"{a.layers} layers, {a.planes} planes{scalars}{norm}, {a.parameters:,} parameters"
        rules = self.rules.differences().items()
        rows = [
            ("rules", ", ".join(f"{option} {value}" for option, value in rules)),
            ("network", f"{a.network} with {size}"),
        ]
        return card_markdown(name, rows, self.card)
