"""Wald's sequential test, which plays only as many games as it takes."""

import math
from dataclasses import dataclass

from catan_pz.checks import not_possible


@dataclass(frozen=True)
class SequentialTest:
    """Wald's sequential test: whether a player wins a larger share of its games than another share.

    It plays only as many games as that takes. Source: A. Wald, "Sequential Tests of Statistical
    Hypotheses", 1945.

    Attributes:
        chance: the smaller win rate, between 0 and 1: that of an equal.
        better: the larger one: what is worth telling.
        alpha: largest probability of taking an equal for better.
        beta: largest probability of taking a better one for an equal.
    """

    chance: float
    better: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.chance < self.better < 1:
            allowed = f"a number between chance={self.chance} and 1"
            raise not_possible("better", self.better, allowed)
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise not_possible(name, getattr(self, name), "between 0 and 0.5")

    def log_likelihood_ratio(self, won: int, games: int) -> float:
        """Of the larger win rate to the smaller one."""
        lost = games - won
        return won * math.log(self.better / self.chance) + lost * math.log(
            (1 - self.better) / (1 - self.chance)
        )

    def verdict(self, won: int, games: int) -> bool | None:
        """True for better, False for an equal, None for more games."""
        ratio = self.log_likelihood_ratio(won, games)
        if ratio >= math.log((1 - self.beta) / self.alpha):
            return True
        return False if ratio <= math.log(self.beta / (1 - self.alpha)) else None
