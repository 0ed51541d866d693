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


def test_given_weights_and_its_own_give_the_same_values():
    network = made()
    moved(network)
    states = torch.tensor([[2.0], [-1.0]])
    own = network.q_values(states)
    assert own.requires_grad
    online = network.q_values(states, network.online)
    assert not online.requires_grad
    torch.testing.assert_close(own.detach(), online)
    assert not torch.equal(online, network.q_values(states, network.target))


def test_figures_begin_anew():
    network = made()
    moved(network)
    moved(network)
    figures = network.figures()
    assert figures["updates"] == 2
    assert figures["q"] == pytest.approx(-figures["loss"])
    assert network.figures() == {"updates": 0, "loss": None, "q": None}


def test_a_network_continues_from_its_state():
    one, other = made(seed=1), made(seed=2)
    moved(one)
    other.set_state(one.get_state())
    assert other.figures() == one.figures()
    for network in (one, other):
        moved(network)
    for kind in ("online", "target"):
        first, second = copies(getattr(one, kind)), copies(getattr(other, kind))
        assert all((first[name] == second[name]).all() for name in first)
