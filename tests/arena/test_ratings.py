"""Ratings: known strengths come back, another library fits the same."""

from math import log10

import choix
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from catan_pz.arena.ratings import ELO, OpenInterval, beaten, connected, fit, rate_by_wins

pytestmark = pytest.mark.purepython

NAMES = ("a", "b", "c")
STRENGTHS = np.array([0.8, -0.2, -0.6])
LINEUPS = np.array([[2, 1, 1], [1, 2, 1], [1, 1, 2], [3, 1, 0]])


def simulate_wins(rng: np.random.Generator, blocks: int, games: int) -> NDArray[np.int64]:
    weights = LINEUPS * np.exp(STRENGTHS)
    probabilities = weights / weights.sum(axis=1, keepdims=True)
    return np.stack([rng.multinomial(games, probabilities) for _ in range(blocks)])


def covers(interval: OpenInterval | None, truth: float) -> bool:
    assert interval is not None
    low, high = interval
    return (low is None or low <= truth) and (high is None or truth <= high)


def test_intervals_cover() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(60):
        for rating in rate_by_wins(
            NAMES, LINEUPS, simulate_wins(rng, 60, 2), level=0.9, resamples=100
        ):
            hits += covers(rating.interval, ELO * STRENGTHS[NAMES.index(rating.name)])
    assert 148 <= hits <= 174


def test_another_library_fits_the_same() -> None:
    wins = simulate_wins(np.random.default_rng(2), 40, 3).sum(axis=0)
    games = []
    for lineup, won in zip(LINEUPS, wins, strict=True):
        for k in won.nonzero()[0]:
            others = np.repeat(range(3), lineup - (np.arange(3) == k))
            games += [(k, others.tolist())] * int(won[k])
    theirs = choix.ilsr_top1(3, games, tol=1e-10)
    assert fit(LINEUPS, wins, 0.0) == pytest.approx(theirs - theirs.mean(), abs=1e-6)


def test_virtual_games_are_a_prior() -> None:
    wins = simulate_wins(np.random.default_rng(3), 2, 2).sum(axis=0)

    def loss(t: NDArray[np.float64]) -> float:
        weights = LINEUPS * np.exp(t)
        likelihood = (wins * (t - np.log(weights.sum(axis=1, keepdims=True)))).sum()
        draws = (np.log(expit(t)) + np.log(expit(-t))) / 2
        return float(-likelihood - 2 * draws.sum())

    theirs = minimize(loss, np.zeros(3), tol=1e-12).x
    assert fit(LINEUPS, wins, 2.0) == pytest.approx(theirs - theirs.mean(), abs=1e-5)


def test_no_win_in_120_games_leaves_the_lower_end_open() -> None:
    wins = np.array([[[0, 2]]] * 60)
    strong, weak = rate_by_wins(("x", "y"), np.array([[1, 1]]), wins, resamples=2000)
    assert strong.name == "y"
    assert strong.interval is not None
    assert weak.interval is not None
    assert strong.interval[1] is None
    assert weak.interval[0] is None
    # Clopper and Pearson's upper end for 0 of 120 is 0.0303.
    edge = 400 * log10(0.0303 / 0.9697) / 2
    assert weak.interval[1] == pytest.approx(edge, abs=15)
    assert strong.interval[0] == pytest.approx(-edge, abs=15)
    assert covers(weak.interval, weak.rating)


@pytest.mark.parametrize(
    "win_rate", [0.05, *(pytest.param(x, marks=pytest.mark.slow) for x in (0.02, 0.01, 0.005))]
)
def test_intervals_cover_where_wins_are_few_or_none(win_rate: float) -> None:
    rng = np.random.default_rng(5)
    truth = 400 * log10(win_rate / (1 - win_rate)) / 2
    hits = 0
    for _ in range(200):
        won = rng.binomial(2, win_rate, 60)
        wins = np.stack([won, 2 - won], axis=1)[:, None, :]
        resamples = np.int64(100)
        found = rate_by_wins(("x", "y"), np.array([[1, 1]]), wins, resamples=resamples)
        hits += covers(next(r for r in found if r.name == "x").interval, truth)
    assert hits >= 180


PAIRS = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]])
"""Line-ups of w and x, x and y, y and z."""


def test_who_has_beaten_whom_by_way_of_others() -> None:
    wins = np.array([[3, 0, 0, 0], [0, 2, 1, 0], [0, 0, 4, 0]])
    assert beaten(PAIRS, wins).tolist() == [
        [True, True, True, True],
        [False, True, True, True],
        [False, True, True, True],
        [False, False, False, True],
    ]


def test_entrants_that_never_met_have_no_ratings() -> None:
    apart = np.array([[1, 1, 0, 0], [0, 0, 1, 1]])
    assert not connected(apart)
    assert connected(np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 0]]))
    with pytest.raises(ValueError, match="never met"):
        rate_by_wins("wxyz", apart, np.ones((3, 2, 4), np.int64))
