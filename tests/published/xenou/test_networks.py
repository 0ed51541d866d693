"""Both readings of the network: parameter counts, values by hand, gradients by differences."""

import numpy as np
import pytest

from catan_pz.published.xenou.learner import score_slopes, squashed
from catan_pz.published.xenou.networks import (
    FormulaNetwork,
    RecurrentNetwork,
    XenouOptions,
    fresh_weights,
    shapes_of,
)


def count(**options):
    return sum(int(np.prod(shape)) for shape in shapes_of(XenouOptions(**options)).values())


def test_weights_are_those_counted_by_hand():
    """G gates of H units, each with 161 + 1 inputs, H of memory and a bias; H for the output."""
    assert count() == 72 * 161 == 11_592
    assert count(network="lstm") == 72 * (4 * 161 * (162 + 161 + 1) + 161) == 15_034_824
    first, second = 4 * 8 * (162 + 8 + 1), 4 * 8 * (8 + 8 + 1)
    assert count(network="gru", hidden=8) == 72 * (3 * first // 4 + 8)
    assert count(network="lstm", hidden=8, layers=2) == 72 * (first + second + 8)


def test_the_formula_is_the_printed_recurrence():
    theta = np.array([[1, 2, 3], [0, 0, 1]], np.float32)
    network = FormulaNetwork({"theta": theta})
    first, second = np.array([0, 1, 100]), np.array([0, 0, 1])
    phi = np.zeros(3)
    for state in (first, second):
        gate = 1 / (1 + np.exp(-state.astype(float)))
        phi = (1 - gate) * phi + gate * np.tanh(state)
        scores, _ = network.evaluate(state.astype(np.float32))
        np.testing.assert_allclose(scores, theta @ phi, rtol=1e-5)
    assert phi[1] == pytest.approx(0.5 * 0.7310586 * 0.7615942)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, hidden, cell):
    total = 0.5 * (x + hidden)
    cell = logistic(total + 1) * cell + logistic(total) * np.tanh(total)
    return logistic(total) * np.tanh(cell), cell


def gru(x, hidden, cell):
    gate = logistic(0.5 * (x + hidden))
    return gate * hidden + (1 - gate) * np.tanh(0.5 * (x + gate * hidden)), cell


@pytest.mark.parametrize(("step", "biases"), [(lstm, [0, 1, 0, 0]), (gru, [0, 0, 0])])
def test_cells_are_the_usual_ones(step, biases):
    """One unit, one action, weights alike: worked out with plain numbers."""
    weights = {
        "weight_0": np.full((1, len(biases), 2), 0.5, np.float32),
        "bias_0": np.array([biases], np.float32),
        "output": np.array([[2]], np.float32),
    }
    network = RecurrentNetwork(weights, XenouOptions(network=step.__name__, hidden=1))
    hidden = cell = 0.0
    for x in (1.0, -2.0):
        hidden, cell = step(x, hidden, cell)
        scores, _ = network.evaluate(np.array([x], np.float32))
        assert scores[0] == pytest.approx(2 * hidden, rel=1e-5)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_gradients_are_those_of_finite_differences(kind, layers):
    options = XenouOptions(network=kind, hidden=3, layers=layers, deviation=0.5)
    rng = np.random.default_rng(1)
    weights = fresh_weights(options, rng, actions=2, inputs=3)
    before, state = rng.normal(size=(2, 4)).astype(np.float32)

    def score(changed):
        network = RecurrentNetwork(weights, options)
        network.evaluate(before)
        network.weights = changed  # the memory counts as given
        return network.evaluate(state)

    scores, trace = score(weights)
    moved = {name: array.copy() for name, array in weights.items()}
    network = RecurrentNetwork(moved, options)
    network.ascend(trace, np.ones(1, np.float32), slice(1, 2))
    for name, array in weights.items():
        gradient = moved[name] - array
        assert not gradient[0].any()
        for place in list(np.ndindex(array.shape[1:]))[::3]:
            changed = {key: given.astype(np.float64) for key, given in weights.items()}
            ends = []
            for step in (1e-4, -1e-4):
                changed[name][(1, *place)] = array[(1, *place)] + step
                ends.append(score(changed)[0][1])
            slope = (ends[0] - ends[1]) / 2e-4
            assert gradient[(1, *place)] == pytest.approx(slope, abs=2e-3), (name, place)
    assert scores.shape == (2,)


@pytest.mark.parametrize("squash", ["sigmoid", "softmax", "none"])
def test_slopes_are_those_of_the_squared_error(squash):
    rng = np.random.default_rng(2)
    scores, target = rng.normal(size=5), rng.normal(size=5)

    def loss(x):
        return 0.5 * ((target - squashed(x, squash).astype(np.float64)) ** 2).sum()

    values = squashed(scores, squash)
    found = score_slopes(values, target - values, squash)
    for k in range(5):
        step = np.eye(5)[k] * 1e-3
        slope = -(loss(scores + step) - loss(scores - step)) / 2e-3
        assert found[k] == pytest.approx(slope, abs=1e-3)
    if squash != "none":
        assert ((values >= 0) & (values <= 1)).all()
