"""Matches that stop as soon as an Elo difference is told."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz.arena import play_match
from catan_pz.arena.sequential import EloTest, SequentialMatch


def told(test: EloTest, elo: float, players: int, runs: int) -> tuple[float, float]:
    """Shares of matches that end with the higher and the lower difference.

    A block is a game in each seat; with the same dice luck is shared by its games.
    """
    rng, ends = np.random.default_rng(4), []
    rate = 1 / (1 + (players - 1) / 10 ** (elo / 400))
    for _ in range(runs):
        luck = rng.choice([-0.15, 0.15], (1500, 1))
        won = (rng.random((1500, players)) < rate + luck).sum(1)
        for blocks in range(10, 1500, 10):
            ratio = test.log_likelihood_ratio(won[:blocks], players, players)
            if test.verdict(ratio) is not None:
                ends.append(test.verdict(ratio))
                break
    return ends.count(True) / runs, ends.count(False) / runs


@pytest.mark.parametrize("players", [2, 4])
def test_it_errs_as_seldom_as_it_says(players: int) -> None:
    test = EloTest(0, 80)
    higher, lower = told(test, 0, players, 200)
    assert higher < 0.1 < 0.9 < lower
    higher, lower = told(test, 80, players, 200)
    assert lower < 0.1 < 0.9 < higher


def test_pairs_that_cancel_each_other_say_more_than_games_would() -> None:
    test = EloTest(0, 50)
    by_luck = test.log_likelihood_ratio([0, 2] * 50, 2, 2)
    by_seat = test.log_likelihood_ratio([1] * 100, 2, 2)
    assert by_seat < 5 * by_luck < 0


def test_a_match_ends_with_the_verdict(tmp_path: Path) -> None:
    agents, rules = ["heuristic", "random"], {"victory_points": 4, "trading": False}
    results = []
    for _ in range(2):  # once it has ended it goes no further
        stop = SequentialMatch.of_words("heuristic", "0,200")
        options: dict[str, Any] = {"stop": stop, "results": tmp_path / "games.jsonl", **rules}
        results.append(play_match(agents, 200, seed=3, progress=False, **options))
        assert "200 Elo or more" in str(stop)
    assert stop.blocks < len(results[0].games) < 200  # games of a batch end together
    assert results[0] == results[1]


@pytest.mark.parametrize("words", ["20,0", "5", "a,b", "0,nan"])
def test_other_tests_are_refused(words: str) -> None:
    with pytest.raises(ValueError, match="test"):
        SequentialMatch.of_words("value", words)
