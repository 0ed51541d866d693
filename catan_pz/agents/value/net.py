"""Networks of the value, as they are stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.model_files import (
    card_markdown,
    check_card,
    encoder_of,
    model_file,
    network_of,
    write_model,
)
from catan_pz.agents.value.network import HEIGHT, NET_SIZE, NUM_INPUTS, WIDTH
from catan_pz.encoders import load
from catan_pz.rules import Rules

KIND: Final = "value"
"""Of the network in a model file."""

LARGEST: Final = float(np.finfo(np.float16).max)
"""Largest weight."""

FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, eq=False)
class ValueNet:
    """A network that estimates each seat's win probability.

    Attributes:
        rules: those that it was fitted for.
        weights: (NET_SIZE,) float32, as `network` reads them.
        card: how it was fitted, and how well; JSON values.

    Raises:
        ValueError: for another number of weights, weights that a file can't hold, or a card that is
            no mapping.
    """

    rules: Rules
    weights: NDArray[np.float32]
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.weights.shape != (NET_SIZE,):
            raise ValueError(f"value: weights {self.weights.shape}, must be ({NET_SIZE},)")
        # Within these bounds no win probability overflows.
        if not (abs(self.weights) <= LARGEST).all():
            raise ValueError(f"value: weights must be numbers from {-LARGEST:g} to {LARGEST:g}")
        check_card(self.card)

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

    def save(self, path: Path | str) -> None:
        """Write a model file, whole or not at all."""
        header = {
            "network": {"kind": KIND},
            "rules": self.rules.to_dict(),
            "card": dict(self.card),
        }
        write_model(path, header, {"weights": self.weights}, load("units"), "float16")

    @classmethod
    def read(cls, path: Path | str) -> "ValueNet":
        """The network in a file; nothing of the file is run.

        Raises:
            ValueError: if it is no model file of such a network, or damaged; names it.
            FileNotFoundError: if there is none.
        """
        with model_file(path) as (header, arrays):
            network_of(header, KIND)
            encoder_of(header)
            return cls(Rules.from_dict(header["rules"]), arrays["weights"], header["card"])

    def card_text(self, name: str) -> str:
        """The card as Markdown."""
        rows = [
            ("value of", f"positions of {self.rules.num_players} players"),
            ("layers", f"{NUM_INPUTS} - {WIDTH} - {HEIGHT}"),
        ]
        return card_markdown(name, rows, self.card)


@cache
def shipped(num_players: int) -> ValueNet:
    """The network that comes with the package for a number of players."""
    return ValueNet.read(FOLDER / f"{num_players}p.npz")
