"""Matches that stop as soon as a test distinguishes two Elo differences.

The sample consists of blocks that share board and dice: against one opponent pairs with the seats
swapped, with results from two losses to two wins (pentanomial, with draws). Source: M. Van den
Bergh, "The generalized sequential probability ratio test for chess", in the normal form of chess
engines' test farms.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import seatings
from catan_pz.checks import not_possible

UNSEEN: Final = 4
"""Blocks of independent games added to the played ones in the variance."""


@dataclass(frozen=True)
class EloTest:
    """Distinguishes two Elo differences to the player of each other seat.

    Attributes:
        low, high: the differences.
        error: largest probability of the wrong verdict for a player at one of them.
    """

    low: float
    high: float
    error: float = 0.05

    def __post_init__(self) -> None:
        if not -1000 <= self.low < self.high <= 1000:
            allowed = "two Elo differences, the lower first, from -1000 to 1000"
            raise not_possible("test", f"{self.low:g},{self.high:g}", allowed)

    def log_likelihood_ratio(self, won: ArrayLike, size: int, players: int) -> float:
        """The log-likelihood ratio of the higher difference to the lower one.

        Args:
            won: (B,) games won in each block.
            size: games per block.
            players: players per game.
        """
        shares = np.asarray(won, float) / size
        low, high = (1 / (1 + (players - 1) / 10 ** (elo / 400)) for elo in (self.low, self.high))
        mean, unseen = float(shares.mean()), UNSEEN * low * (1 - low) / size
        variance = (((shares - mean) ** 2).sum() + unseen) / (len(shares) + UNSEEN)
        return float(len(shares) * (high - low) * (2 * mean - low - high) / (2 * variance))

    def verdict(self, ratio: float) -> bool | None:
        """True for the higher difference, False for the lower one, None for more games."""
        bound = math.log((1 - self.error) / self.error)
        return None if abs(ratio) < bound else ratio > 0


class SequentialMatch:
    """A `MatchOptions.stop` that ends a player's match once a test has its verdict."""

    def __init__(self, name: str, test: EloTest) -> None:
        self.name, self.test = name, test
        self.ratio = 0.0
        self._won: list[bool] = []
        self._size = 0  # games per block; 0 before the first game

    @property
    def blocks(self) -> int:
        """Number of complete blocks."""
        return len(self._won) // (self._size or 1)

    @classmethod
    def of_words(cls, name: str, words: str) -> "SequentialMatch":
        """A test from text such as "0,20"."""
        try:
            low, high = map(float, words.split(","))
        except ValueError:
            raise not_possible("test", words, "two numbers, such as 0,20") from None
        return cls(name, EloTest(low, high))

    def __call__(self, games: Mapping[int, GameResult]) -> bool:
        """Whether there is a verdict from all blocks before the first incomplete one."""
        before = self.blocks
        while len(self._won) in games:
            game = games[len(self._won)]
            self._size = self._size or len(seatings(game.seats))
            won = game.winner is not None and game.seats[game.winner] == self.name
            self._won.append(won)
        if self.blocks == before:
            return False
        size = self._size
        by_block = np.array(self._won[: self.blocks * size]).reshape(-1, size).sum(1)
        self.ratio = self.test.log_likelihood_ratio(by_block, size, len(games[0].seats))
        return self.blocks > 1 and self.test.verdict(self.ratio) is not None

    def __str__(self) -> str:
        verdict = self.test.verdict(self.ratio)
        low, high = f"{self.test.low:g}", f"{self.test.high:g}"
        said = {None: "no verdict", True: f"{high} Elo or more", False: f"{low} Elo or less"}
        return (
            f"Sequential test of {low} against {high} Elo: {said[verdict]}, log likelihood ratio "
            f"{self.ratio:.2f} after {self.blocks:,} blocks of games with the same dice"
        )
