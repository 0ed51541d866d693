"""The record of the learner's decisions."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="takes the extra `train`")

from charlesworth_learning import END, UNKNOWN, Recording


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
