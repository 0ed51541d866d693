"""Win rates of policies of joint actions, and the record of their decisions."""

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.published.charlesworth.training import END, UNKNOWN, Recording, win_rate
from catan_pz.rules import Rules
from tests.published.charlesworth.uniform import uniform_policy

SHORT = Rules.make("charlesworth", victory_points=3, max_turns=40)


@pytest.mark.parametrize("opponent", ["policy", "random"])
def test_wins_and_points_are_counted(opponent):
    other = uniform_policy() if opponent == "policy" else agents.load("random")
    found = win_rate(uniform_policy(), other, SHORT, games=10, seed=1)
    assert found["games"] == 12
    assert found["won"] == round(12 * found["win_rate"])
    # Winners have three points, the others two; hidden cards may bring one more.
    assert 2 + found["win_rate"] <= found["points"] < 3
    low, high = found["interval"]
    assert low <= found["win_rate"] < high
    assert found["decisions"] > 4


def test_rewards_belong_to_the_decision_before():
    """Three games: one goes on, one is won, one is broken off."""
    recording = Recording(3)
    every, none = np.arange(3), np.zeros(3, bool)
    recording.add(every, {"what": np.array([10, 11, 12])})
    recording.step(np.array([1.0, 2.0, 3.0]), none, none)
    recording.step(np.array([1.0, 0.0, 0.0]), none, none)
    recording.add(every[:2], {"what": np.array([20, 21])})
    over = np.array([False, True, True])
    recording.step(np.array([5.0, 500.0, 7.0]), over, np.array([False, False, True]))
    recording.add(every[1:], {"what": np.array([31, 32])})
    batch = recording.batch()
    assert batch["what"].tolist() == [10, 11, 12, 20, 21, 31, 32]
    assert batch["next"].tolist() == [3, 4, UNKNOWN, UNKNOWN, END, UNKNOWN, UNKNOWN]
    assert batch["reward"].tolist() == [2, 2, 0, 0, 500, 0, 0]
    assert recording.complete == 3
