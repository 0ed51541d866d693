"""Line-ups, seatings and seeds."""

from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from catan_pz.arena.common_dice import rolls
from catan_pz.arena.schedule import Schedule, even_lineups, seatings

pytestmark = pytest.mark.purepython


@pytest.mark.parametrize("lineup", [(0, 1), (0, 0, 1), (0, 1, 1, 1), (0, 0, 1, 1), (0, 1, 2, 3)])
def test_seatings_are_all_distinct_orders(lineup: tuple[int, ...]) -> None:
    found = seatings(lineup)
    assert found == sorted(set(permutations(lineup)))
    for seat in range(len(lineup)):
        counts = Counter(order[seat] for order in found)
        share = len(found) / len(lineup)
        assert counts == {k: n * share for k, n in Counter(lineup).items()}


def test_line_ups_have_even_numbers_of_copies() -> None:
    assert even_lineups(5, 2) == [(a, b) for a in range(5) for b in range(a + 1, 5)]
    assert len(even_lineups(6, 4)) == 15
    assert even_lineups(4, 4) == [(0, 1, 2, 3)]
    assert even_lineups(2, 4) == [(0, 0, 1, 1)]
    assert even_lineups(3, 4) == [(0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2)]
    assert even_lineups(2, 3) == [(0, 0, 1), (0, 1, 1)]


def test_a_schedule_completes_its_last_block() -> None:
    schedule = Schedule(((0, 1, 1, 1), (0, 1, 2, 2)), 9)
    games = list(schedule.games())
    assert [game.number for game in games] == list(range(12 + 12))
    assert Counter((game.block, game.lineup) for game in games) == {
        (0, 0): 4,
        (1, 0): 4,
        (2, 0): 4,
        (0, 1): 12,
    }
    assert [game.block for game in games] == sorted(game.block for game in games)


@pytest.mark.parametrize(
    "dice", [{"balanced": False}, {"balanced": True}, {"balanced": True, "remembering": 2}]
)
def test_more_rolls_begin_with_the_same(dice: dict[str, Any]) -> None:
    few, many = rolls(5, 100, **dice), rolls(5, 1000, **dice)
    assert (many[:100] == few).all()
    assert (rolls(6, 100, **dice) != few).any()
    assert ((many >= 0) & (many < 36)).all()


def test_rolls_are_equally_likely() -> None:
    codes = np.concatenate([rolls(seed, 2000, balanced=False) for seed in range(10)])
    assert stats.chisquare(np.bincount(codes, minlength=36)).pvalue > 0.01


def test_balanced_rolls_are_put_back_when_few_are_left() -> None:
    # 24 of the 36 are drawn before fewer than 13 are left.
    codes = rolls(3, 24 * 200, balanced=True).reshape(200, 24)
    assert all(len(set(row)) == 24 for row in codes.tolist())
    assert stats.chisquare(np.bincount(codes.ravel(), minlength=36)).pvalue > 0.01
