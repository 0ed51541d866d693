"""Intervals and comparisons against scipy, hand calculation and simulation."""

import sys

import numpy as np
import pytest
from scipy import stats

from catan_pz.arena.comparison import compare_pairs
from catan_pz.arena.statistics import (
    effective_games,
    least_variance,
    mcnemar,
    mean_interval,
    normal_quantile,
    student_quantile,
    wilson,
    wilson_by_blocks,
)

pytestmark = pytest.mark.purepython


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize(("won", "games"), [(0, 1), (1, 1), (3, 7), (250, 1000), (1000, 1000)])
def test_wilson_agrees_with_scipy(won: int, games: int, level: float) -> None:
    theirs = stats.binomtest(won, games).proportion_ci(level, method="wilson")
    assert wilson(won, games, normal_quantile(level)) == pytest.approx(tuple(theirs))


def test_effective_games_by_hand() -> None:
    # p = 1/2; squares of 2 - 1 and 0 - 1 sum to 2; variance 2 * (4 / 3) / 8**2.
    assert effective_games([2, 0, 1, 1], [2, 2, 2, 2]) == pytest.approx(0.25 / (2 * 4 / 3 / 64))
    # Blocks that don't differ: 6 games, 2 in a block.
    assert effective_games([1, 1, 1], [2, 2, 2]) == pytest.approx(6 * 2)
    assert effective_games([1, 2, 1], [2, 4, 2]) == pytest.approx(8 * 8 / 3)
    assert effective_games([2, 2], [2, 2]) == 4
    assert effective_games([1], [2]) == 2


def test_one_block_has_no_interval() -> None:
    with pytest.raises(ValueError, match="two blocks"):
        wilson_by_blocks([1], [4], 0.95)


def covers(interval: tuple[float, float], truth: float) -> bool:
    return interval[0] <= truth <= interval[1]


def test_coverage_with_positively_correlated_blocks() -> None:
    rng = np.random.default_rng(1)
    by_games = by_blocks = 0
    for _ in range(1000):
        # Some boards suit the player, others don't: a mean of 0.3 between blocks of 4 games.
        won = rng.binomial(4, rng.beta(0.9, 2.1, 100))
        by_games += covers(wilson(won.sum(), 400, normal_quantile(0.95)), 0.3)
        by_blocks += covers(wilson_by_blocks(won, np.full(100, 4), 0.95), 0.3)
    assert 930 <= by_blocks <= 970
    assert by_games < 880


@pytest.mark.parametrize("blocks", [2, 3, 4, 5, 8])
@pytest.mark.parametrize(("first", "second"), [(0.2, 0.1), (0.03, 0.01), (0, 0)])
def test_coverage_of_paired_differences(blocks: int, first: float, second: float) -> None:
    rng = np.random.default_rng(5)
    seeds = np.repeat(np.arange(blocks), 2).tolist()
    hits = 0
    for _ in range(300):
        kinds = rng.choice(3, 2 * blocks, p=[first, second, 1 - first - second])
        won = [(kind == 0, kind == 1) for kind in kinds.tolist()]
        interval = compare_pairs(("a", "b"), seeds, won, 0.95).interval
        assert interval is not None
        assert -1 <= interval[0] < interval[1] <= 1
        hits += covers(interval, first - second)
    assert hits >= 276


def test_least_variance_by_hand() -> None:
    # Of 8 pairs and one more of each of four kinds by half: 3.5 and 1.5 of 10.
    independent = (0.35 + 0.15 - 0.2**2) / 10
    assert least_variance(3, 1, 8, 8) == pytest.approx(independent)
    assert least_variance(3, 1, 8, 2) == pytest.approx(independent / 4)
    assert least_variance(0, 0, 8, 2) == pytest.approx(0.1 / 10)


def test_interval_of_a_mean() -> None:
    theirs = stats.ttest_1samp([1.0, 2, 4, 4, 7], 0).confidence_interval(0.9)
    assert mean_interval([1, 2, 4, 4, 7], 0.9) == pytest.approx((theirs.low, theirs.high))
    spread = 0.5 * student_quantile(0.9, 2)
    assert mean_interval([3, 3, 3], 0.9, 0.25) == pytest.approx((3 - spread, 3 + spread))
    with pytest.raises(ValueError, match="two values"):
        mean_interval([1], 0.9)


def test_mcnemar_by_hand() -> None:
    # Of 20 pairs 5 or fewer, or 15 or more, fall to the first with probability 2 * 21700 / 2**20.
    assert mcnemar(5, 15) == pytest.approx(2 * (1 + 20 + 190 + 1140 + 4845 + 15504) / 2**20)
    assert mcnemar(15, 5) == pytest.approx(mcnemar(5, 15))
    assert mcnemar(10, 10) == 1
    assert mcnemar(0, 0) == 1


def test_comparison_by_hand() -> None:
    blocks = [0, 0, 1, 1, 2, 2, 3, 3]
    first, second, both, neither = (True, False), (False, True), (True, True), (False, False)
    won = [first, first, second, both, second, second, neither, neither]
    found = compare_pairs(("a", "b"), blocks, won, 0.8)
    assert (found.both, found.only_first, found.only_second, found.neither) == (1, 2, 3, 2)
    assert (found.pairs, found.blocks) == (8, 4)
    assert found.difference == pytest.approx(-1 / 8)
    # Means of the blocks are 1, -1/2, -1 and 0.
    spread = stats.t.ppf(0.9, 3) * np.std([1, -0.5, -1, 0], ddof=1) / 2
    assert found.interval == pytest.approx((-1 / 8 - spread, -1 / 8 + spread))
    assert found.p_value == pytest.approx(1)
    assert "a against b, 8 pairs of games: win rates differ by -12.5" in str(found)


def test_a_missing_scipy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(ImportError, match=r"need scipy: pip install 'catan-pz\[arena\]'"):
        student_quantile(0.95, 3)
