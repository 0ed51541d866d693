"""Wald's sequential test, which plays only as many games as it takes."""

import math
from dataclasses import dataclass
from typing import Final

from catan_pz.checks import not_possible

ERROR: Final = 0.05
"""Largest probability of taking an equal player for a better one, and a better one for an equal."""


@dataclass(frozen=True)
class SequentialTest:
    """Tells whether a player wins a larger share of its games than another share.

    Source: A. Wald, "Sequential Tests of Statistical Hypotheses", 1945.

    Attributes:
        chance: the smaller win rate, between 0 and 1: that of an equal player.
        better: the larger one: the least that is worth telling.
    """

    chance: float
    better: float

    def __post_init__(self) -> None:
        if not 0 < self.chance < self.better < 1:
            allowed = f"a number between chance={self.chance} and 1"
            raise not_possible("better", self.better, allowed)

    def log_likelihood_ratio(self, won: int, games: int) -> float:
        """Of the larger win rate to the smaller one."""
        lost = games - won
        return won * math.log(self.better / self.chance) + lost * math.log(
            (1 - self.better) / (1 - self.chance)
        )

    def verdict(self, won: int, games: int) -> bool | None:
        """True for better, False for an equal, None for more games."""
        ratio = self.log_likelihood_ratio(won, games)
        return None if abs(ratio) < math.log((1 - ERROR) / ERROR) else ratio > 0
