"""Weights of the player of Xenou et al. in model files."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.model_files import Stored, StoredModel, check_weights
from catan_pz.encoders import load
from catan_pz.published.xenou.learner import shapes_of
from catan_pz.published.xenou.options import XenouOptions

KEPT: Final = Path(__file__).parent / "kept.npz"
"""The model that comes with the package."""


@dataclass(frozen=True, eq=False)
class XenouModel(StoredModel):
    """Weights with which games begin, and how they were learned.

    Attributes:
        options: those of the training.
        weights: float32 arrays, by name.
        card: how they were learned and how well they play; JSON values.
    """

    kinds = ("xenou",)
    options: XenouOptions
    weights: Mapping[str, NDArray[np.float32]]
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_weights(self.weights, shapes_of(self.options))

    def save(self, path: Path | str, dtype: str = "float32") -> None:
        """Write a model file, whole or not at all."""
        super().save(path, dtype)

    def stored(self) -> Stored:
        """What its file keeps."""
        network = {"kind": self.kinds[0], **asdict(self.options)}
        return Stored(network, self.weights, load("xenou"), {})

    @classmethod
    def restored(cls, stored: Stored) -> "XenouModel":
        """The model of what a file keeps."""
        options = stored.network
        del options["kind"]
        return cls(XenouOptions(**options), stored.arrays, stored.header["card"])

    def card_rows(self) -> list[tuple[str, Any]]:
        """The network."""
        count = sum(array.size for array in self.weights.values())
        return [("network", f"{self.options.network}, {count:,} parameters")]
