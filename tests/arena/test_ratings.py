"""Ratings: known strengths come back, another library fits the same."""

from math import log10

import choix
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from catan_pz.arena.ratings import ELO, connected, fit, rate_by_wins

pytestmark = pytest.mark.purepython

NAMES = ("a", "b", "c")
STRENGTHS = np.array([0.8, -0.2, -0.6])
LINEUPS = np.array([[2, 1, 1], [1, 2, 1], [1, 1, 2], [3, 1, 0]])


def simulate_wins(rng: np.random.Generator, blocks: int, games: int) -> NDArray[np.int64]:
    """(B, L, K) wins of games drawn by Luce's model."""
    weights = LINEUPS * np.exp(STRENGTHS)
    probabilities = weights / weights.sum(axis=1, keepdims=True)
    return np.stack([rng.multinomial(games, probabilities) for _ in range(blocks)])


def test_known_strengths_come_back() -> None:
    wins = simulate_wins(np.random.default_rng(0), 300, 12)
    found = rate_by_wins(NAMES, LINEUPS, wins)
    assert [rating.name for rating in found] == ["a", "b", "c"]
    for rating, t in zip(found, STRENGTHS, strict=True):
        assert rating.rating == pytest.approx(ELO * t, abs=10)
        assert rating.interval is not None
        low, high = rating.interval
        assert low < rating.rating < high
        assert 4 < high - low < 40
    assert sum(rating.rating for rating in found) == pytest.approx(0, abs=1e-6)


def test_intervals_cover() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(60):
        for rating in rate_by_wins(
            NAMES, LINEUPS, simulate_wins(rng, 60, 2), level=0.9, resamples=100
        ):
            assert rating.interval is not None
            low, high = rating.interval
            hits += low <= ELO * STRENGTHS[NAMES.index(rating.name)] <= high
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


def test_many_samples_are_fitted_like_one() -> None:
    wins = simulate_wins(np.random.default_rng(4), 50, 8)
    # Extreme samples among usual ones: all games won by one entrant, and no game at all.
    wins[0] = 0
    wins[1] = 0
    wins[1, :, 2] = 10**6
    together = fit(LINEUPS, wins)
    assert together == pytest.approx(np.array([fit(LINEUPS, one) for one in wins]), abs=1e-7)
    assert together[0] == pytest.approx([0, 0, 0])
    assert together[1, 2] > 8


def test_two_players_by_hand() -> None:
    t = fit(np.array([[1, 1]]), np.array([[3, 30]]), 0.0)
    assert ELO * (t[1] - t[0]) == pytest.approx(400 * log10(10), abs=1e-3)


def test_one_block_gives_no_intervals() -> None:
    found = rate_by_wins(("x", "y"), np.array([[1, 1]]), np.array([[[3, 30]]]))
    assert [(r.name, r.interval) for r in found] == [("y", None), ("x", None)]


def test_one_against_copies_by_hand() -> None:
    # Half of the games against three copies: three times as strong as each.
    t = fit(np.array([[1, 3]]), np.array([[50, 50]]), 0.0)
    assert t[0] - t[1] == pytest.approx(np.log(3), abs=1e-6)


def test_an_entrant_that_never_wins_has_a_finite_rating() -> None:
    found = rate_by_wins(("x", "y"), np.array([[1, 1]]), np.array([[[20, 0]]] * 5))
    assert found[0].name == "x"
    assert 400 < found[0].rating - found[1].rating < 2000


def test_entrants_that_never_met_have_no_ratings() -> None:
    apart = np.array([[1, 1, 0, 0], [0, 0, 1, 1]])
    assert not connected(apart)
    assert connected(np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 0]]))
    with pytest.raises(ValueError, match="never met"):
        rate_by_wins("wxyz", apart, np.ones((3, 2, 4), np.int64))


def test_few_resamples_are_refused() -> None:
    with pytest.raises(ValueError, match="option resamples=10 is not possible"):
        rate_by_wins(NAMES, LINEUPS, simulate_wins(np.random.default_rng(0), 3, 1), resamples=10)
