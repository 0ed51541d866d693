"""Decisions of a learner in many games, completed by the worth of the next one."""

import numpy as np
import pytest

from catan_pz.published.gendre.transitions import OneStepTransitions


def begin(transitions, games, number):
    states = np.full((len(games), 2), number)
    transitions.begin(np.array(games), state=states, choice=np.full(len(games), 10 * number))


def test_decisions_are_taken_in_the_order_in_which_they_are_completed():
    one, other = (OneStepTransitions(3, state=((2,), "int8"), choice=((), "int64")) for _ in "ab")
    begin(one, [0, 1], 1)
    assert one.take(1) is None
    one.finish(np.array([1]), np.array([0.5], np.float32))
    begin(one, [1, 2], 2)
    other.set_state(one.get_state())
    for transitions in (one, other):
        transitions.finish(np.array([0, 1, 2]), np.array([0.1, 0.2, 0.3], np.float32))
        assert transitions.take(5) is None
        first, second = transitions.take(3), transitions.take(1)
        assert first["target"].tolist() == pytest.approx([0.5, 0.1, 0.2])
        assert first["choice"].tolist() == [10, 10, 20]
        assert first["state"].tolist() == [[1, 1], [1, 1], [2, 2]]
        assert second["choice"].tolist() == [20]
        assert transitions.take(1) is None
