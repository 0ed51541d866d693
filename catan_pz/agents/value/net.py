"""Networks of the value: as they are stored, and as judges of positions and actions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.model_files import Stored, StoredModel
from catan_pz.agents.value import choice
from catan_pz.agents.value.network import HEIGHT, NET_SIZE, NUM_INPUTS, WIDTH, workspace
from catan_pz.encoders import load
from catan_pz.engine.state import as_games
from catan_pz.files import resource
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS

LARGEST: Final = float(np.finfo(np.float16).max)
"""Largest weight: with those within it no win probability overflows."""


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
        if not (abs(self.weights) <= LARGEST).all():
            raise ValueError(f"value: weights must be numbers from {-LARGEST:g} to {LARGEST:g}")

    def check_rules(self, rules: Rules) -> None:
        """Refuse games of another number of players."""
        fitted = self.rules.num_players
        if rules.num_players != fitted:
            raise ValueError(f"value: it is for {fitted} players, the game has {rules.num_players}")

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
    return ValueNet.read(resource(__package__, f"{num_players}p.npz"))


class Judge:
    """Estimates win probabilities in games of some rules by a network."""

    def __init__(self, rules: Rules, net: ValueNet) -> None:
        self._seats, self._work = rules.num_players, workspace(net.weights, rules.num_actions)

    def worths(
        self, games: np.ndarray, actions: NDArray[np.int64], seed: int
    ) -> NDArray[np.float64]:
        """(K,) what actions are worth to the seat to move, the mean over some games.

        Args:
            games: (D,) `STATE`, the position as it may be.
            actions: (K,) legal actions; those that compose an offer are worth what the position is.
            seed: random bits of the players that play the set-up on.
        """
        total, of_game = np.zeros(len(actions)), np.zeros(len(actions))
        for k in range(len(games)):
            game = as_games(games[k : k + 1])
            choice.judge(game, actions, np.uint64(seed), self._work, of_game)
            total += of_game
        return total / len(games)

    def win_probabilities(self, games: np.ndarray, viewer: int) -> NDArray[np.float64]:
        """(P,) of each seat as a viewer knows the position, the mean over some games (D,)."""
        total = np.zeros(MAX_PLAYERS)
        for k in range(len(games)):
            choice.estimate(as_games(games[k : k + 1]), viewer, self._work)
            total += self._work.values[:MAX_PLAYERS]
        return total[: self._seats] / len(games)
