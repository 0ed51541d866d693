"""Intervals of win rates, and the comparison of two players on the same seeds.

Games of one seed share the board and the dice, and are not independent of each other. What
is called "by blocks" here takes the seeds as what was sampled, and holds whatever games of
one seed have in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from math import inf, isinf, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Interval = tuple[float, float]
"""Lower and upper end."""


def check_level(level: float) -> float:
    """A confidence level between 0 and 1, both excluded.

    Raises:
        ValueError: if it isn't one.
    """
    if isinstance(level, bool) or not isinstance(level, float) or not 0 < level < 1:
        raise ValueError(
            f"option level={level!r} is not possible; allowed: a float between 0 and 1"
        )
    return level


def normal_quantile(level: float) -> float:
    """The z of a two-sided interval: 1.96 for a level of 0.95."""
    return NormalDist().inv_cdf((1 + check_level(level)) / 2)


def scipy_room(name: str) -> Any:
    """A room of scipy.

    Raises:
        ImportError: where it isn't installed; says how to get it.
    """
    try:
        return import_module(f"scipy.{name}")
    except ImportError as error:
        raise ImportError(
            "intervals by blocks, comparisons and ratings need scipy: pip install 'catan-pz[arena]'"
        ) from error


def student_quantile(level: float, freedom: int) -> float:
    """The same of Student's t with some degrees of freedom."""
    return float(scipy_room("stats").t.ppf((1 + check_level(level)) / 2, freedom))


def wilson(won: float, games: float, z: float) -> Interval:
    """Wilson's score interval of a probability (E. B. Wilson, 1927, JASA 22).

    Args:
        won: how often it happened.
        games: out of how often; inf for a share that is known exactly needs `wilson_of_rate`.
        z: quantile of the level.
    """
    return wilson_of_rate(won / games, games, z)


def wilson_of_rate(rate: float, games: float, z: float) -> Interval:
    """Wilson's score interval of a share found in some number of games, whole or not."""
    if isinf(games):
        return rate, rate
    middle = (rate + z * z / (2 * games)) / (1 + z * z / games)
    spread = z / (1 + z * z / games) * sqrt(rate * (1 - rate) / games + (z / games / 2) ** 2)
    return max(0.0, middle - spread), min(1.0, middle + spread)


def effective_games(won: ArrayLike, games: ArrayLike) -> float:
    """How many independent games would tell as much of a win rate as blocks of games do.

    Args:
        won: (B,) wins in each block.
        games: (B,) games in each block.

    Returns:
        p (1 - p) / v, with the win rate p and its variance v as the blocks' wins scatter
        (the ratio estimator of cluster sampling; Kish, Survey Sampling, 1965, chapter 6).
        The number of games where all or none are won, inf where blocks don't differ.
    """
    won, games = np.asarray(won, float), np.asarray(games, float)
    blocks, total = len(games), float(games.sum())
    rate = float(won.sum()) / total
    if blocks < 2 or rate in (0.0, 1.0):
        return total
    scatter = float(((won - rate * games) ** 2).sum()) * blocks / (blocks - 1)
    variance = scatter / total**2
    return rate * (1 - rate) / variance if variance > 0 else inf


def wilson_by_blocks(won: ArrayLike, games: ArrayLike, level: float) -> Interval:
    """Wilson's interval with the effective number of games and Student's t.

    Korn and Graubard, Survey Methodology 24 (1998), adjust intervals of clustered
    proportions so; Dean and Pagano (2015) found Wilson's the best to adjust.

    Raises:
        ValueError: for fewer than two blocks.
    """
    won, games = np.asarray(won, float), np.asarray(games, float)
    if len(games) < 2:
        raise ValueError("an interval by blocks needs two blocks of games at least")
    rate = float(won.sum() / games.sum())
    z = student_quantile(level, len(games) - 1)
    return wilson_of_rate(rate, effective_games(won, games), z)


def mean_interval(values: ArrayLike, level: float) -> Interval:
    """Student's interval of the mean of independent values.

    Raises:
        ValueError: for fewer than two.
    """
    sample = np.asarray(values, float)
    if len(sample) < 2:
        raise ValueError("an interval of a mean needs two values at least")
    spread = float(sample.std(ddof=1)) / sqrt(len(sample))
    spread *= student_quantile(level, len(sample) - 1)
    middle = float(sample.mean())
    return middle - spread, middle + spread


def mcnemar(first: int, second: int) -> float:
    """Two-sided p-value of McNemar's exact test.

    Args:
        first: pairs of games that only the first player won.
        second: pairs that only the second won.
    """
    if first + second == 0:
        return 1.0
    return float(scipy_room("stats").binomtest(first, first + second).pvalue)


@dataclass(frozen=True)
class Comparison:
    """Two players in the same seats, on the same seeds, against the same others.

    Attributes:
        first, second: their names.
        pairs: games compared, each with its twin.
        blocks: seeds that these were played on.
        both, only_first, only_second, neither: pairs by who won its game.
        difference: win rate of the first less that of the second.
        interval: of the difference, by blocks (Student's t on the means of blocks); None for
            a single block.
        level: confidence level of the interval.
        p_value: McNemar's exact test, two-sided, which takes pairs for independent.
    """

    first: str
    second: str
    pairs: int
    blocks: int
    both: int
    only_first: int
    only_second: int
    neither: int
    difference: float
    interval: Interval | None
    level: float
    p_value: float

    def __str__(self) -> str:
        """One line for people to read."""
        ends = "no interval"
        if self.interval is not None:
            low, high = (100 * end for end in self.interval)
            ends = f"{100 * self.level:g} % interval {low:+.1f} to {high:+.1f}"
        return (
            f"{self.first} against {self.second}, {self.pairs:,} pairs of games: win rates "
            f"differ by {100 * self.difference:+.1f} points of a hundred ({ends}); "
            f"p = {self.p_value:.2g} (McNemar)"
        )


def compare_pairs(
    names: tuple[str, str],
    blocks: Sequence[int],
    won: Sequence[tuple[bool, bool]],
    level: float,
) -> Comparison:
    """Compare two players by pairs of games.

    Args:
        names: of the two.
        blocks: (G,) the block of each pair.
        won: (G,) whether the first won its game of the pair, and the second the other.
        level: confidence level.
    """
    wins = np.array(won, bool)
    gains: NDArray[np.int64] = wins[:, 0].astype(np.int64) - wins[:, 1]
    _, place = np.unique(np.asarray(blocks), return_inverse=True)
    sums = np.bincount(place, gains)
    sizes = np.bincount(place)
    difference = float(gains.mean())
    # Where blocks have different sizes, this is the linearised ratio of the two sums.
    shares = difference + (sums - difference * sizes) / sizes.mean()
    only_first = int((wins[:, 0] & ~wins[:, 1]).sum())
    only_second = int((wins[:, 1] & ~wins[:, 0]).sum())
    both = int(wins.all(axis=1).sum())
    return Comparison(
        first=names[0],
        second=names[1],
        pairs=len(wins),
        blocks=len(sizes),
        both=both,
        only_first=only_first,
        only_second=only_second,
        neither=len(wins) - both - only_first - only_second,
        difference=difference,
        interval=mean_interval(shares, level) if len(sizes) > 1 else None,
        level=check_level(level),
        p_value=mcnemar(only_first, only_second),
    )
