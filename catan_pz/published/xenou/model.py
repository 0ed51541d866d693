"""Weights of the player of Xenou et al. in model files."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
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
from catan_pz.published.xenou.learner import shapes_of
from catan_pz.published.xenou.options import XenouOptions

KIND: Final = "xenou"
KEPT: Final = Path(__file__).parent / "kept.npz"
"""The model that comes with the package."""


@dataclass(frozen=True, eq=False)
class XenouModel:
    """Weights with which games begin, and how they were learned.

    Attributes:
        options: those of the training.
        weights: float32 arrays, by name.
        card: how they were learned and how well they play; JSON values.

    Raises:
        ValueError: names what doesn't fit.
    """

    options: XenouOptions
    weights: Mapping[str, NDArray[np.float32]]
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_weights(self.weights, shapes_of(self.options))
        check_card(self.card)

    def save(self, path: Path | str) -> None:
        """Write a model file, whole or not at all."""
        header = {
            "network": {"kind": KIND, **asdict(self.options)},
            "card": dict(self.card),
        }
        write_model(path, header, self.weights, load("xenou"), "float32")

    @classmethod
    def read(cls, path: Path | str) -> "XenouModel":
        """The model in a file; nothing of the file is run.

        Raises:
            ValueError: if it is no model of this player, or damaged; names it.
            FileNotFoundError: if there is none.
        """
        with model_file(path) as (header, arrays):
            options = network_of(header, KIND)
            if encoder_of(header).name != "xenou":
                raise ValueError("its encoder isn't 'xenou'")
            return cls(XenouOptions(**options), arrays, header["card"])

    def card_text(self, name: str) -> str:
        """The card as Markdown."""
        count = sum(array.size for array in self.weights.values())
        rows = [("network", f"{self.options.network}, {count:,} parameters")]
        return card_markdown(name, rows, self.card)
