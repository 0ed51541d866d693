"""The board network in torch."""

from collections import defaultdict

import numpy as np
import pytest
import torch

from catan_pz.agents.board_network import BoardNetwork
from catan_pz.observation.segments import SIZE
from catan_pz.training import board_layers
from catan_pz.training.board_in_torch import evaluate
from catan_pz.training.board_layers import BoardLayers


@pytest.fixture
def layers():
    torch.manual_seed(3)
    layers = BoardLayers(8, 16, 252)
    with torch.no_grad():
        for array in layers.layers.values():
            array.add_(torch.randn(array.shape), alpha=0.1)  # biases too
    return layers


def test_threads_do_not_change_what_is_computed(layers):
    x = torch.rand(300, SIZE)

    def found(threads):
        layers.threads = threads
        out, latent = layers(x)
        loss = out.square().sum() + latent.sum()
        return (out, latent, *torch.autograd.grad(loss, layers.weights))

    for one, three in zip(found(1), found(3), strict=True):
        assert torch.equal(one, three)


@pytest.mark.parametrize("games", [1, 5, 37])
def test_outputs_and_gradients_are_those_of_torch(layers, games):
    x = torch.rand(games, SIZE)
    found, expected = layers(x), evaluate(layers.layers, dict(layers.named_buffers()), x)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3)
    weights = torch.randn_like(found[0])
    (gradient,) = torch.autograd.grad((found[0] * weights).sum() + found[1].sum(), layers.weights)
    loss = (expected[0] * weights).sum() + expected[1].sum()
    (of_torch,) = torch.autograd.grad(loss, layers.weights)
    torch.testing.assert_close(gradient, of_torch, rtol=1e-3, atol=1e-4)
    with torch.no_grad():
        layers.weights.copy_(gradient)
    assert all(array.abs().max() > 0 for array in layers.layers.values())


def test_memory_serves_batches_of_other_sizes(layers, monkeypatch):
    spare = defaultdict(list)
    monkeypatch.setattr(board_layers, "_SPARE", spare)
    for games in (9, 12, 7):
        layers(torch.rand(games, SIZE))[0].sum().backward()
    assert [[len(one) for one in found] for found in spare.values()] == [[12]]


def test_what_learns_is_what_plays(layers):
    arrays = {name: array.detach().numpy() for name, array in layers.layers.items()}
    x = torch.rand(7, SIZE)
    played = BoardNetwork(arrays).evaluate(x.numpy())
    np.testing.assert_allclose(played, layers.forward_actor(x).detach().numpy(), atol=1e-4)


def test_torch_compiles_it_and_casts_it(layers):
    x = torch.rand(5, SIZE)
    given = torch.compile(layers, backend="eager", fullgraph=True)(x)[0]
    torch.testing.assert_close(given, layers(x)[0], rtol=1e-3, atol=1e-3)
    with torch.autocast("cpu", torch.bfloat16):
        assert (layers(x)[0].float() - given).abs().mean() < 0.02 * given.abs().mean()
