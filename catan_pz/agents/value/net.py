"""Networks of the value, as they are stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.model_files import Stored, StoredModel
from catan_pz.agents.value.network import HEIGHT, NET_SIZE, NUM_INPUTS, WIDTH
from catan_pz.encoders import load
from catan_pz.files import resource
from catan_pz.rules import Rules

LARGEST: Final = float(np.finfo(np.float16).max)
"""Largest weight."""

FOLDER: Final = resource("catan_pz.agents", "value")


@dataclass(frozen=True, eq=False)
class ValueNet(StoredModel):
    """A network that estimates each seat's win probability.

    Attributes:
        rules: those that it was fitted for.
        weights: (NET_SIZE,) float32, as `network` reads them.
        card: how it was fitted, and how well; JSON values.
    """

    kinds = ("value",)
    rules: Rules
    weights: NDArray[np.float32]
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.weights.shape != (NET_SIZE,):
            raise ValueError(f"value: weights {self.weights.shape}, must be ({NET_SIZE},)")
        # Within these bounds no win probability overflows.
        if not (abs(self.weights) <= LARGEST).all():
            raise ValueError(f"value: weights must be numbers from {-LARGEST:g} to {LARGEST:g}")

    def check_rules(self, rules: Rules) -> None:
        """Refuse games of another number of players.

        Raises:
            ValueError: says how many it is for.
        """
        if rules.num_players != self.rules.num_players:
            raise ValueError(
                f"value: it is for {self.rules.num_players} players, the game has "
                f"{rules.num_players}"
            )

    def stored(self) -> Stored:
        """What its file keeps."""
        network, header = {"kind": self.kinds[0]}, {"rules": self.rules.to_dict()}
        return Stored(network, {"weights": self.weights}, load("units"), header)

    @classmethod
    def restored(cls, stored: Stored) -> "ValueNet":
        """The network of what a file keeps."""
        header = stored.header
        return cls(Rules.from_dict(header["rules"]), stored.arrays["weights"], header["card"])

    def card_rows(self) -> list[tuple[str, Any]]:
        """Players and layers."""
        return [
            ("value of", f"positions of {self.rules.num_players} players"),
            ("layers", f"{NUM_INPUTS} - {WIDTH} - {HEIGHT}"),
        ]


@cache
def shipped(num_players: int) -> ValueNet:
    """The network that comes with the package for a number of players."""
    return ValueNet.read(FOLDER / f"{num_players}p.npz")
