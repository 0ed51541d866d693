"""Ratings on the Elo scale by Luce's choice model, fitted to all games at once.

In a game, entrant i wins with probability exp(t_i) / sum of exp(t_j) over all seats, its
copies included (R. D. Luce, 1959). For two players this is the Bradley-Terry model (1952);
for more it is the first place of the Plackett-Luce model. It is fitted by maximum likelihood
to all games, so their order doesn't matter. Some ends of intervals are open: games without a
single win give no lower bound on an entrant's strength.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.arena.results import Result
from catan_pz.arena.statistics import LEVEL, check_level
from catan_pz.checks import check_count

ELO: Final = 400 / log(10)
"""Elo points per unit of t: 400 points more mean ten times as many wins."""

VIRTUAL_GAMES: Final = 1.0
"""Draws of each entrant against a virtual one of rating 0, added to the data as a prior.

Without them the rating of an entrant that never won, or never lost, would be infinite."""

OpenInterval = tuple[float | None, float | None]
"""Lower and upper end; None for an open end."""

MAX_ITERATIONS: Final = 100
TOLERANCE: Final = 1e-9
"""Newton's method stops when no strength changes by more."""


@dataclass(frozen=True)
class Rating:
    """The strength of an entrant on the Elo scale.

    0 is the mean of the largest group of entrants that have all beaten each other, directly or
    indirectly: usually of all entrants. Groups of the same size count together.

    Attributes:
        name: name of the entrant.
        rating: 400 points more than another mean ten times as many wins in the same game.
        interval: percentiles of the bootstrap over blocks of games; None for a single block. The
            lower end is None if the entrant hasn't beaten all of that group, directly or
            indirectly: it may be weaker by any number of points. The upper end is None if they
            haven't all beaten it.
    """

    name: str
    rating: float
    interval: OpenInterval | None

    @property
    def half_width(self) -> float:
        """Half the width of the interval; infinite if an end is open."""
        low, high = self.interval or (None, None)
        return inf if low is None or high is None else (high - low) / 2


@np.errstate(under="ignore", over="ignore")  # regardless of other libraries' settings
def fit(
    lineups: NDArray[np.int64], wins: NDArray[Any], virtual_games: float = VIRTUAL_GAMES
) -> NDArray[np.float64]:
    """Fit the strengths t by Newton's method, for many samples of games at once.

    The negative log-likelihood is generalised self-concordant, so the step length
    log(1 + s) / s, with s twice the largest change, never increases it (F. Bach, 2010,
    Electronic Journal of Statistics 4, proposition 1).

    Args:
        lineups: (L, K) number of copies of each entrant in each line-up.
        wins: (..., L, K) number of games of each line-up won by each entrant.
        virtual_games: draws of each entrant against a virtual one of rating 0.

    Returns:
        (..., K) strengths with mean 0.
    """
    games = wins.sum(axis=-1)
    won = wins.sum(axis=-2)
    t = np.zeros(won.shape)
    for _ in range(MAX_ITERATIONS):
        weights = lineups * np.exp(t - t.max(axis=-1, keepdims=True))[..., None, :]
        p = weights / weights.sum(axis=-1, keepdims=True)  # (..., L, K) probabilities of winning
        expected = games[..., None] * p
        virtual = 1 / (1 + np.exp(-t))  # (..., K) probabilities of beating the virtual entrant
        gradient = won - expected.sum(axis=-2) + virtual_games * (0.5 - virtual)
        curvature = expected.sum(axis=-2) + virtual_games * virtual * (1 - virtual)
        hessian = np.eye(len(lineups.T)) * curvature[..., None]
        hessian = hessian - np.swapaxes(expected, -1, -2) @ p
        # Without virtual games the likelihood doesn't determine the mean of t.
        step = (np.linalg.pinv(hessian, 1e-12, True) @ gradient[..., None])[..., 0]
        size = 2 * np.abs(step).max(axis=-1, keepdims=True)
        t += step * np.log1p(size) / np.maximum(size, 1e-300)
        if size.max() < TOLERANCE:
            break
    return t - t.mean(axis=-1, keepdims=True)


def _paths(steps: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(K, K) whether a path leads from the first to the second."""
    for _ in range(len(steps)):
        steps = steps.astype(np.int64) @ steps > 0
    return steps


def connected(lineups: NDArray[np.int64]) -> bool:
    """Whether all entrants have met, directly or indirectly, so that ratings exist."""
    return bool(_paths(lineups.T @ lineups > 0).all())


def beaten(lineups: NDArray[np.int64], wins: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(K, K) whether the first has beaten the second, directly or indirectly, or is it.

    Ratings are finite without virtual games if and only if everyone has beaten everyone
    (L. R. Ford, 1957, American Mathematical Monthly 64; D. R. Hunter, 2004, Annals of
    Statistics 32, for games of several players, where the winner beats all others).
    Arguments are those of `fit`.
    """
    won = (wins > 0).T.astype(np.int64) @ lineups > 0
    return _paths(won | np.eye(lineups.shape[1], dtype=bool))


def _unseen_wins(
    lineups: NDArray[np.int64],
    wins: NDArray[np.int64],
    paths: NDArray[np.bool_],
    resamples: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """(S, L, K) wins to add to samples, for groups that never beat those who have beaten them.

    For large n, no win in n games is compatible with up to -log((1 - level) / 2) expected wins,
    3.7 for a level of 0.95: the end of Clopper and Pearson's exact interval (1934). This is a
    quantile of the exponential distribution, from which the wins are drawn.

    Arguments are those of `fit`, and `paths` is the result of `beaten`.
    """
    games = wins.sum(axis=1, keepdims=True)
    added = np.zeros((resamples, *wins.shape))
    for group in np.unique(paths & paths.T, axis=0):
        above = paths[:, group].any(axis=1) & ~group
        shares = lineups * games * group * (lineups @ above > 0)[:, None]
        if above.any():
            added += rng.exponential(size=(resamples, 1, 1)) * shares / shares.sum()
    return added


def rate(result: Result, level: float = LEVEL, resamples: int = 500) -> list[Rating]:
    """Rate the entrants of a result, the strongest first; truncated games are left out.

    Intervals have a confidence `level`, and come from `resamples` bootstrap samples of the blocks.
    """
    if not result.games:
        raise ValueError("there are no ratings: no block of games is complete")
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


def ratings_of(result: Result) -> list[Rating]:
    """Ratings from `rate`; none if some entrants never met, or nobody has played."""
    try:
        return rate(result)
    except ValueError:
        return []


def rate_by_wins(
    names: Sequence[str],
    lineups: NDArray[np.int64],
    wins: NDArray[np.int64],
    *,
    level: float = LEVEL,
    resamples: int = 500,
) -> list[Rating]:
    """Rate K entrants by their `wins` (B, L, K) in each block with each line-up, as in `rate`.

    `lineups` (L, K) are the numbers of copies of each entrant in each line-up.
    """
    check_level(level)
    resamples = check_count("resamples", resamples, least=100)
    if not connected(lineups):
        raise ValueError("there are no ratings: some entrants never met the others")
    total = wins.sum(axis=0)
    paths = beaten(lineups, total)
    sizes = (paths & paths.T).sum(axis=1)
    zero = sizes == sizes.max()
    strengths = fit(lineups, total)
    strengths -= strengths[zero].mean()
    intervals: list[OpenInterval | None] = [None] * len(names)
    blocks = len(wins)
    if blocks > 1:
        rng = np.random.default_rng(0)
        # Continuous weights with the variance of the bootstrap's counts never omit an entrant's
        # only wins (D. B. Rubin, 1981, Annals of Statistics 9).
        weights = blocks * rng.dirichlet(np.full(blocks, 1 - 1 / blocks), size=resamples)
        drawn = np.tensordot(weights, wins, axes=1)
        drawn += _unseen_wins(lineups, total, paths, resamples, rng)
        samples = fit(lineups, drawn, virtual_games=0)
        samples -= samples[:, zero].mean(axis=1, keepdims=True)
        tails = ((1 - level) / 2, (1 + level) / 2)
        low, high = np.quantile(samples, tails, axis=0)
        # Virtual games, which the samples' fits lack, can move a rating by more.
        low, high = ELO * np.minimum(low, strengths), ELO * np.maximum(high, strengths)
        intervals = [
            (float(a) if paths[k, zero].all() else None, float(b) if paths[zero, k].all() else None)
            for k, (a, b) in enumerate(zip(low, high, strict=True))
        ]
    found = [
        Rating(name, float(ELO * t), interval)
        for name, t, interval in zip(names, strengths, intervals, strict=True)
    ]
    return sorted(found, key=lambda rating: (-rating.rating, rating.name))
