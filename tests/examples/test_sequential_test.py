"""Matches that a sequential test plays, simulated."""

from math import log

import numpy as np
import pytest
from parts.sequential_test import SequentialTest


def verdicts(test: SequentialTest, rate: float) -> tuple[float, float]:
    """The share of matches that end with "better", and their mean length."""
    rng = np.random.default_rng(1)
    found, lengths = [], []
    for _ in range(500):
        won = games = 0
        while test.verdict(won, games) is None:
            won, games = won + int(rng.random() < rate), games + 1
        found.append(test.verdict(won, games))
        lengths.append(games)
    return float(np.mean(found)), float(np.mean(lengths))


def test_the_sequential_test_errs_as_seldom_as_it_says() -> None:
    test = SequentialTest(0.25, 0.31)
    equal, better = verdicts(test, 0.25), verdicts(test, 0.31)
    assert equal[0] < 0.07
    assert better[0] > 0.93
    assert max(equal[1], better[1]) < 400  # a test of fixed length takes some 600 games
    by_hand = log(0.6**7 * 0.4**3 / 0.5**10)
    assert SequentialTest(0.5, 0.6).log_likelihood_ratio(7, 10) == pytest.approx(by_hand)
