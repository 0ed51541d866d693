"""Ratings on the Elo scale by Luce's choice model, fitted to all games at once.

In a game, entrant i wins with probability exp(t_i) / sum of exp(t_j) over all seats, its
copies included (R. D. Luce, 1959). For two players this is the Bradley-Terry model (1952);
for more it is the first place of the Plackett-Luce model. It is fitted by maximum likelihood
to all games, so their order doesn't matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.arena.results import Result
from catan_pz.arena.statistics import LEVEL, Interval, check_level
from catan_pz.checks import not_possible

ELO: Final = 400 / log(10)
"""Elo points for one unit of t: 400 points more are ten times as many wins."""

VIRTUAL_GAMES: Final = 1.0
"""Draws of each entrant against a virtual one of rating 0, added to the data as a prior.

Without them the rating of an entrant that never won, or never lost, would be infinite."""

MAX_ITERATIONS: Final = 100
TOLERANCE: Final = 1e-9
"""Newton's method ends when no strength changes by more."""


@dataclass(frozen=True)
class Rating:
    """The strength of an entrant on the Elo scale; the mean of all entrants is 0.

    Attributes:
        name: of the entrant.
        rating: 400 points more than another are ten times as many wins in the same game.
        interval: percentiles of the bootstrap over blocks of games; None for a single block.
    """

    name: str
    rating: float
    interval: Interval | None


def fit(
    lineups: NDArray[np.int64], wins: NDArray[Any], virtual_games: float = VIRTUAL_GAMES
) -> NDArray[np.float64]:
    """Fit the strengths t by Newton's method, for many samples of games at once.

    The negative log-likelihood is generalised self-concordant, so the step length
    log(1 + s) / s, with s twice the largest change, never increases it (F. Bach, 2010,
    Electronic Journal of Statistics 4, proposition 1).

    Args:
        lineups: (L, K) how many copies of each entrant play in each line-up.
        wins: (..., L, K) how many games of each line-up each entrant has won.
        virtual_games: draws of each entrant against a virtual one of rating 0.

    Returns:
        (..., K) strengths with mean 0.
    """
    games = wins.sum(axis=-1)
    won = wins.sum(axis=-2)
    t = np.zeros(won.shape)
    for _ in range(MAX_ITERATIONS):
        weights = lineups * np.exp(t - t.max(axis=-1, keepdims=True))[..., None, :]
        p = weights / weights.sum(axis=-1, keepdims=True)  # (..., L, K) of winning
        expected = games[..., None] * p
        virtual = 1 / (1 + np.exp(-t))  # (..., K) of beating the virtual entrant
        gradient = won - expected.sum(axis=-2) + virtual_games * (0.5 - virtual)
        curvature = expected.sum(axis=-2) + virtual_games * virtual * (1 - virtual)
        hessian = np.eye(len(lineups.T)) * curvature[..., None]
        hessian = hessian - np.swapaxes(expected, -1, -2) @ p
        # Without virtual games the likelihood leaves the mean of t open.
        step = (np.linalg.pinv(hessian, 1e-12, True) @ gradient[..., None])[..., 0]
        size = 2 * np.abs(step).max(axis=-1, keepdims=True)
        t += step * np.log1p(size) / np.maximum(size, 1e-300)
        if size.max() < TOLERANCE:
            break
    strengths: NDArray[np.float64] = t - t.mean(axis=-1, keepdims=True)
    return strengths


def connected(lineups: NDArray[np.int64]) -> bool:
    """Whether all entrants have met, directly or by way of others, so that ratings exist."""
    met = (lineups.T @ lineups > 0).astype(np.int64)
    for _ in range(len(met)):
        met = (met @ met > 0).astype(np.int64)
    return bool(met.all())


def rate(result: Result, level: float = LEVEL, resamples: int = 500) -> list[Rating]:
    """Rate the entrants of a result, the strongest first; truncated games are left out.

    Args:
        result: the games.
        level: confidence level of the intervals.
        resamples: bootstrap samples of the blocks.

    Raises:
        ValueError: if some entrants have not met the others, not even by way of third ones.
    """
    names = result.played
    column = {result.names.index(name): k for k, name in enumerate(names)}
    used = sorted({game.lineup for game in result.games})
    lineups = np.zeros((len(used), len(names)), np.int64)
    for row, lineup in enumerate(used):
        for entrant in result.lineups[lineup]:
            lineups[row, column[entrant]] += 1
    blocks = sorted({game.block for game in result.games})
    index = {block: k for k, block in enumerate(blocks)}
    wins = np.zeros((len(blocks), *lineups.shape), np.int64)
    for game in result.games:
        if game.winner is not None:
            k = names.index(game.seats[game.winner])
            wins[index[game.block], used.index(game.lineup), k] += 1
    return rate_by_wins(names, lineups, wins, level=level, resamples=resamples)


def rate_by_wins(
    names: Sequence[str],
    lineups: NDArray[np.int64],
    wins: NDArray[np.int64],
    *,
    level: float = LEVEL,
    resamples: int = 500,
) -> list[Rating]:
    """Rate entrants by their wins, the strongest first.

    Args:
        names: (K,) names.
        lineups: (L, K) how many copies of each entrant play in each line-up.
        wins: (B, L, K) games that each entrant has won in each block with each line-up.
        level: confidence level of the intervals.
        resamples: bootstrap samples of the blocks, drawn with replacement.

    Raises:
        ValueError: if some entrants have not met the others, not even by way of third ones.
    """
    check_level(level)
    if isinstance(resamples, bool) or not isinstance(resamples, int) or resamples < 100:
        raise not_possible("option resamples", resamples, "an int from 100")
    if not connected(lineups):
        raise ValueError("there are no ratings: some entrants never met the others")
    blocks = len(wins)
    strengths = fit(lineups, wins.sum(axis=0))
    intervals: list[Interval | None] = [None] * len(names)
    if blocks > 1:
        rng = np.random.default_rng(0)
        counts = rng.multinomial(blocks, np.full(blocks, 1 / blocks), size=resamples)
        samples = fit(lineups, np.tensordot(counts, wins, axes=1))
        tails = ((1 - level) / 2, (1 + level) / 2)
        low, high = ELO * np.quantile(samples, tails, axis=0)
        intervals = [(float(a), float(b)) for a, b in zip(low, high, strict=True)]
    found = [
        Rating(name, float(ELO * t), interval)
        for name, t, interval in zip(names, strengths, intervals, strict=True)
    ]
    return sorted(found, key=lambda rating: (-rating.rating, rating.name))
