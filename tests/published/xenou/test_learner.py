"""Q-learning of trades by positions and rewards worked out by hand."""

import numpy as np
import pytest

from catan_pz.published.xenou.encoder import NUM_TRADES
from catan_pz.published.xenou.learner import Learner
from catan_pz.published.xenou.networks import XenouOptions, fresh_weights

ALL = np.ones(NUM_TRADES, np.bool_)


def learner(**options):
    chosen = XenouOptions(**options)
    return Learner(chosen, fresh_weights(chosen, np.random.default_rng(3)))


def states(count, seed=0):
    return np.random.default_rng(seed).integers(0, 5, (count, 161)).astype(np.float32)


def only(*trades):
    return np.isin(np.arange(NUM_TRADES), trades)


def test_the_largest_legal_value_is_chosen():
    own, twin = learner(), learner()
    (state,) = states(1)
    values, _ = twin._network.evaluate(state)
    assert own.choose(state, 2, ALL) == values.argmax()
    order = np.argsort(values)
    assert learner().choose(state, 2, only(*order[:3])) == order[2]


@pytest.mark.parametrize("update", ["all", "chosen"])
def test_a_step_moves_values_towards_reward_and_next_value(update):
    own = learner(update=update)
    first, second = states(2)
    theta = own.weights["theta"].copy()
    chosen = own.choose(first, 3, ALL)
    assert (own.weights["theta"] == theta).all()  # the next decision has to be reached first

    gate = 1 / (1 + np.exp(-first.astype(np.float64)))
    phi = gate * np.tanh(first)
    values = 1 / (1 + np.exp(-(theta @ phi)))
    next_gate = 1 / (1 + np.exp(-second.astype(np.float64)))
    next_phi = (1 - next_gate) * phi + next_gate * np.tanh(second)
    next_value = (1 / (1 + np.exp(-(theta @ next_phi)))).max()
    own.choose(second, 5, ALL)  # two points more: 0.02
    errors = 0.02 + 0.9 * next_value - values
    if update == "chosen":
        errors[np.arange(NUM_TRADES) != chosen] = 0
    expected = theta + 0.0023 * (errors * values * (1 - values))[:, None] * phi
    np.testing.assert_allclose(own.weights["theta"], expected, atol=1e-6)
    assert own.history.rewards == [0.02]
    assert own.history.errors == [pytest.approx(errors[chosen] ** 2, rel=1e-4)]


@pytest.mark.parametrize(("now", "reward"), [(5, 0.01), (4, -0.04), (3, -0.03)])
def test_standing_still_costs_a_hundredth_of_the_points_held(now, reward):
    own = learner()
    for points, state in zip((4, now), states(2), strict=True):
        own.choose(state, points, ALL)
    assert own.history.rewards == [pytest.approx(reward)]
