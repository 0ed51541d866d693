"""Confidence intervals of win rates and means, and McNemar's test.

Games of one seed share the board and the dice, so they aren't independent. Intervals "by blocks"
use the seeds as the sample (cluster sampling), so they are valid for any correlation between games
of one seed.
"""

from importlib import import_module
from math import sqrt
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from catan_pz.checks import not_possible

Interval = tuple[float, float]
"""Lower and upper end."""

LEVEL: Final = 0.95
"""The usual confidence level."""


def check_level(level: float) -> float:
    """A checked confidence level between 0 and 1, both excluded."""
    if isinstance(level, bool) or not isinstance(level, float) or not 0 < level < 1:
        raise not_possible("level", level, "a float between 0 and 1")
    return level


def normal_quantile(level: float) -> float:
    """The normal quantile of a two-sided interval: 1.96 for a level of 0.95."""
    return NormalDist().inv_cdf((1 + check_level(level)) / 2)


def _scipy_stats() -> Any:
    try:
        return import_module("scipy.stats")
    except ImportError as error:
        raise ImportError(
            "intervals by blocks and comparisons need scipy: pip install 'catan-pz[arena]'"
        ) from error


def student_quantile(level: float, degrees_of_freedom: int) -> float:
    """The quantile of Student's t for a two-sided interval."""
    return float(_scipy_stats().t.ppf((1 + check_level(level)) / 2, degrees_of_freedom))


def wilson(won: float, games: float, z: float) -> Interval:
    """Wilson's score interval of a probability (E. B. Wilson, 1927, JASA 22).

    `won` of `games` may be fractional; `z` is the normal quantile of the level.
    """
    rate = won / games
    centre = (rate + z * z / (2 * games)) / (1 + z * z / games)
    spread = z / (1 + z * z / games) * sqrt(rate * (1 - rate) / games + (z / games / 2) ** 2)
    return max(0.0, centre - spread), min(1.0, centre + spread)


def effective_games(won: ArrayLike, games: ArrayLike) -> float:
    """The effective sample size: independent games that estimate a win rate as precisely as blocks.

    For (B,) wins and games in each block it is p (1 - p) / v, with the win rate p and its variance
    v between blocks (the ratio estimator of cluster sampling; Kish, Survey Sampling, 1965, chapter
    6). It is the number of games if all or none are won. It is at most the number of games times
    their mean number per block, since a few blocks can have equal wins by chance.
    """
    won, games = np.asarray(won, float), np.asarray(games, float)
    blocks, total = len(games), float(games.sum())
    rate = float(won.sum()) / total
    if blocks < 2 or rate in (0.0, 1.0):
        return total
    scatter = float(((won - rate * games) ** 2).sum()) * blocks / (blocks - 1)
    variance = scatter / total**2
    most = total * total / blocks
    return rate * (1 - rate) / max(variance, rate * (1 - rate) / most)


def wilson_by_blocks(won: ArrayLike, games: ArrayLike, level: float) -> Interval:
    """Wilson's interval with the effective number of games and Student's t.

    Korn and Graubard, Survey Methodology 24 (1998), adjust intervals of clustered proportions
    this way; Dean and Pagano (2015) found Wilson's the best to adjust.
    """
    won, games = np.asarray(won, float), np.asarray(games, float)
    if len(games) < 2:
        raise ValueError("an interval by blocks needs two blocks of games at least")
    rate = float(won.sum() / games.sum())
    effective = effective_games(won, games)
    return wilson(rate * effective, effective, student_quantile(level, len(games) - 1))


def least_variance(first: int, second: int, pairs: int, blocks: int) -> float:
    """Least variance of a difference of two win rates, even if blocks hardly differ.

    It is that of independent pairs, divided by the mean number of pairs in a block if pairs differ
    at all. Half a pair more of each kind keeps it above 0 (A. Agresti and Y. Min, Statistics in
    Medicine 24, 2005).

    Only the first player won `first` of the pairs of games, only the second `second`.
    """
    total = pairs + 2
    variance = (first + second + 1 - (first - second) ** 2 / total) / total**2
    return variance * blocks / pairs if first + second else variance


def mean_interval(values: ArrayLike, level: float, least: float = 0.0) -> Interval:
    """Student's interval of the mean of (N,) independent values.

    The variance of the mean is assumed to be `least` at least.
    """
    sample = np.asarray(values, float)
    if len(sample) < 2:
        raise ValueError("an interval of a mean needs two values at least")
    spread = sqrt(max(float(sample.var(ddof=1)) / len(sample), least))
    spread *= student_quantile(level, len(sample) - 1)
    mean = float(sample.mean())
    return mean - spread, mean + spread


def mcnemar(first: int, second: int) -> float:
    """Two-sided p-value of McNemar's exact test, from the pairs that only one player won."""
    if first + second == 0:
        return 1.0
    return float(_scipy_stats().binomtest(first, first + second).pvalue)
