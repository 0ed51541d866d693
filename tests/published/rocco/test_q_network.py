"""A Q-network, the target network that follows it, and what a checkpoint keeps of both."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="takes the extra `train`")

import torch

from catan_pz.published.rocco.q_network import QNetwork


class Line:
    """One weight for each of two outputs, and their biases."""

    @property
    def shapes(self):
        return {"slope": (1, 2), "offset": (2,)}

    def initial(self, rng):
        return {name: rng.normal(size=s).astype(np.float32) for name, s in self.shapes.items()}

    def q_values(self, weights, states):
        return states @ weights["slope"] + weights["offset"]


def made(seed=1, tau=0.25):
    return QNetwork(Line(), np.random.default_rng(seed), learning_rate=0.1, tau=tau)


def moved(network):
    """One update towards larger values."""
    q_values = network.q_values(torch.ones(4, 1, dtype=torch.int8))
    network.update(-q_values.mean(), q_values)


def copies(weights):
    return {name: w.numpy(force=True).copy() for name, w in weights.items()}


def test_the_target_network_takes_over_a_share():
    network = made()
    before = copies(network.online)
    np.testing.assert_array_equal(copies(network.target)["slope"], before["slope"])
    moved(network)
    after, target = copies(network.online), copies(network.target)
    for name in before:
        assert (after[name] > before[name]).all()
        expected = 0.75 * before[name] + 0.25 * after[name]
        np.testing.assert_allclose(target[name], expected, rtol=1e-6)
