"""Positions that are recorded for the value, and the targets it is fitted to."""

import numpy as np
import pytest
from parts.value_games import (
    Positions,
    record_in_processes,
    record_positions,
    win_targets,
)

from catan_pz.agents.value.features import NUM_FEATURES, NUM_SHARED
from catan_pz.agents.value.net import shipped
from catan_pz.rules import Rules
from catan_pz.terms import NOBODY

RULES = {n: Rules(num_players=n, trading=False, victory_points=5) for n in (2, 3, 4)}


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("with_value", [False, True])
def test_positions_and_who_won(seats, with_value):
    net = shipped(seats) if with_value else None
    played = record_positions(RULES[seats], net, 0.02, 1, 200)
    assert len(played) >= 200
    assert played.features.shape == (len(played), seats * NUM_FEATURES + NUM_SHARED)
    assert np.isfinite(played.features).all()
    assert set(played.winners) == set(played.viewers) == set(range(seats))
    assert (np.diff(played.games) >= 0).all()
    # The viewer is the first of the seats.
    own = played.features[:, NUM_FEATURES - 7]
    assert (own == 1).all()
    again = record_positions(RULES[seats], net, 0.02, 1, 200)
    assert all((vars(again)[name] == array).all() for name, array in vars(played).items())


def test_games_that_nobody_wins_are_told():
    rules = Rules(num_players=2, trading=False, max_turns=10)
    assert set(record_positions(rules, None, 0.0, 1, 30).winners) == {NOBODY}


def test_processes_change_nothing():
    one = record_in_processes(RULES[2], None, 0.0, [5, 6], 60, 1)
    two = record_in_processes(RULES[2], None, 0.0, [5, 6], 60, 2)
    assert all((vars(two)[name] == array).all() for name, array in vars(one).items())
    assert len(one) >= 120
    assert (np.diff(one.games) <= 1).all()


def test_targets_mix_who_won_and_later_estimates():
    positions = Positions(
        np.zeros((4, 1), np.float16),
        np.array([0, 1, 1, 0], np.int8),
        np.array([0, 0, 0, 1], np.int32),
        np.array([1, 1, 1, NOBODY], np.int8),
    )
    estimates = np.array([[0.5, 0.5], [0.4, 0.6], [0.9, 0.1], [0.3, 0.7]], np.float32)
    found = win_targets(positions, estimates, 0.5)
    # From seat 0 on: who won is (0, 1), the third estimate (0.1, 0.9), the second (0.6, 0.4).
    third = np.array([0.0, 1.0])
    second = 0.5 * np.array([0.1, 0.9]) + 0.5 * third
    first = 0.5 * np.array([0.6, 0.4]) + 0.5 * second
    np.testing.assert_allclose(found[:3], [first, second[::-1], third[::-1]])
    assert found[3].tolist() == [0, 0]
    only_winners = win_targets(positions, estimates, 1.0)
    assert only_winners.tolist() == [[0, 1], [1, 0], [1, 0], [0, 0]]
