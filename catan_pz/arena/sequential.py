"""Wald's sequential test: plays only as many games as it takes to tell two win rates apart.

Source: A. Wald, "Sequential Tests of Statistical Hypotheses", 1945.
"""

from dataclasses import dataclass
from math import log

from catan_pz.checks import not_possible


@dataclass(frozen=True)
class SequentialTest:
    """Whether a player wins a larger share of its games than another share.

    Attributes:
        chance: the smaller win rate, between 0 and 1: that of an equal.
        better: the larger one: what is worth telling.
        alpha: largest probability of taking an equal for better.
        beta: largest probability of taking a better one for an equal.

    Raises:
        ValueError: names what is not possible.
    """

    chance: float
    better: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.chance < self.better < 1:
            allowed = f"a number between chance={self.chance} and 1"
            raise not_possible("option better", self.better, allowed)
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise not_possible(f"option {name}", getattr(self, name), "between 0 and 0.5")

    def log_likelihood_ratio(self, won: int, games: int) -> float:
        """Of the larger win rate to the smaller one."""
        lost = games - won
        return won * log(self.better / self.chance) + lost * log(
            (1 - self.better) / (1 - self.chance)
        )

    def verdict(self, won: int, games: int) -> bool | None:
        """True for better, False for an equal, None for more games."""
        ratio = self.log_likelihood_ratio(won, games)
        if ratio >= log((1 - self.beta) / self.alpha):
            return True
        return False if ratio <= log(self.beta / (1 - self.alpha)) else None
