"""Cross-dimensional networks: sizes worked out by hand, layers written out, NumPy against torch."""

import numpy as np
import pytest

from catan_pz import encoders
from catan_pz.batch.cpu import CpuBatch
from catan_pz.board.topology import EDGE_POINTS, HEX_POINTS, VERTEX_POINTS
from catan_pz.published.gendre.networks import CELLS, NETWORKS, GendreNetwork


def test_parameters_are_those_counted_by_hand():
    # Convolutions of 15 weights for each pair of planes and a bias, scalars to constant planes,
    # scalars to scalars with a bias, mean and variance of each plane to scalars.
    first = (15 * 17 * 15 + 15) + 45 * 15 + (45 * 40 + 40) + 2 * 17 * 40
    layer = (15 * 15 * 15 + 15) + 40 * 15 + (40 * 40 + 40) + 2 * 15 * 40
    # Five planes of choices; 106 choices of no place and the value.
    heads = (15 * 15 * 5 + 5) + 40 * 5 + (40 * 107 + 107) + 2 * 15 * 107
    for layers, parameters in {6: 50_792, 8: 64_452, 10: 78_112}.items():
        assert first + (layers - 1) * layer + heads == parameters
        for network in ("xdim", "xdim_res"):
            assert GendreNetwork(network, layers).parameters == parameters
    # 17 planes and 45 constant ones; mean of each plane to the scalar choices.
    first, layer = 15 * 62 * 40 + 40, 15 * 40 * 40 + 40
    heads = (15 * 40 * 5 + 5) + (40 * 107 + 107)
    for layers, parameters in {6: 164_832, 8: 212_912, 10: 260_992}.items():
        assert first + (layers - 1) * layer + heads == parameters
        assert GendreNetwork("cnn_res", layers).parameters == parameters
    # At any table 4 more planes and 77 more scalars come in, and 140 more choices go out.
    more = 15 * 4 * 15 + 77 * 15 + 77 * 40 + 2 * 4 * 40 + (40 + 1 + 2 * 15) * 140
    assert GendreNetwork("xdim_res", 6, encoder="gendre_table").parameters == 50_792 + more
    more = 15 * (4 + 77) * 40 + (40 + 1) * 140
    assert GendreNetwork("cnn_res", 6, encoder="gendre_table").parameters == 164_832 + more


def weights_of(architecture, seed=0):
    rng = np.random.default_rng(seed)
    weights = architecture.initial(rng)
    for name, array in weights.items():
        if array.ndim == 1:
            weights[name] = array + rng.uniform(0, 0.3, array.shape).astype(np.float32)
    return weights


@pytest.fixture(scope="module")
def seen():
    batch = CpuBatch(6, num_players=2, trading=False, seed=1)
    batch.play_random(400)
    return encoders.load("gendre").encode(batch.observation)


def convolved(planes, kernels):
    """Cell by cell, 5 wide and 3 high; what lies beyond the 145 cells counts nothing."""
    out = np.zeros((len(kernels), 11, 21))
    for cell in CELLS:
        y, x = divmod(int(cell), 21)
        for dy in range(-1, 2):
            for dx in range(-2, 3):
                if 0 <= y + dy < 11 and 0 <= x + dx < 21:
                    out[:, y, x] += kernels[:, :, dy + 1, dx + 2] @ planes[:, y + dy, x + dx]
    return out


def summed(k, weights, planes, scalars):
    """What a crossed layer adds up, before the activation."""
    real = planes.reshape(len(planes), -1)[:, CELLS]
    y = convolved(planes, weights[f"plane_{k}"])
    y += (weights[f"plane_bias_{k}"] + scalars @ weights[f"inflate_{k}"])[:, None, None]
    moments = np.concatenate([real.mean(axis=1), real.var(axis=1)])
    t = scalars @ weights[f"scalar_{k}"] + moments @ weights[f"deflate_{k}"]
    return masked(y), t + weights[f"scalar_bias_{k}"]


def masked(planes):
    mask = np.zeros(231)
    mask[CELLS] = 1
    return planes * mask.reshape(11, 21)


def by_hand(architecture, weights, planes, scalars):
    x, s = planes.astype(float), scalars.astype(float)
    for k in range(architecture.layers):
        y, t = summed(k, weights, x, s)
        if architecture.network == "xdim_res" and k > 0:
            y, t = y + x, t + s
        act = np.tanh if k % 2 == 0 else lambda z: np.where(z > 0, z, 0.2 * z)
        x, s = act(y), act(t)
    y, t = summed("head", weights, x, s)
    logits = []
    for px, py in HEX_POINTS:
        logits += [y[0, py + 5, px + 10], y[1, py + 5, px + 10]]
    logits += [y[2, py + 5, px + 10] for px, py in EDGE_POINTS]
    for px, py in VERTEX_POINTS:
        logits += [y[3, py + 5, px + 10], y[4, py + 5, px + 10]]
    return np.array([*logits, *t[:-1]]), np.tanh(t[-1])


@pytest.mark.parametrize("network", ["xdim", "xdim_res"])
def test_crossed_networks_do_what_is_written_out(network, seen):
    architecture = GendreNetwork(network, 3, 4, 6)
    weights = weights_of(architecture)
    found = architecture.evaluate(weights, seen["planes"], seen["scalars"])
    for k in range(2):
        logits, value = by_hand(architecture, weights, seen["planes"][k], seen["scalars"][k])
        np.testing.assert_allclose(found[0][k], logits, rtol=1e-3, atol=1e-3)
        assert found[1][k] == pytest.approx(value, abs=1e-3)


def test_the_baseline_sees_scalars_as_constant_planes(seen):
    architecture = GendreNetwork("cnn_res", 2, 3)
    weights = weights_of(architecture)
    found = architecture.evaluate(weights, seen["planes"][:1], seen["scalars"][:1])
    constant = np.broadcast_to(seen["scalars"][0][:, None, None], (45, 11, 21))
    x = np.concatenate([seen["planes"][0], masked(constant)]).astype(float)
    for k in range(2):
        y = masked(convolved(x, weights[f"plane_{k}"]) + weights[f"plane_bias_{k}"][:, None, None])
        x = np.tanh(y) if k == 0 else np.where(y + x > 0, y + x, 0.2 * (y + x))
    mean = x.sum(axis=(1, 2)) / 145
    t = mean @ weights["scalar_head"] + weights["scalar_bias_head"]
    np.testing.assert_allclose(found[0][0, 218:], t[:-1], rtol=1e-3, atol=1e-3)
    assert found[1][0] == pytest.approx(np.tanh(t[-1]), abs=1e-3)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(("encoder", "count"), [("gendre", 324), ("gendre_table", 464)])
def test_numpy_and_torch_agree(network, encoder, count):
    torch = pytest.importorskip("torch", reason="takes the extra `train`")
    architecture = GendreNetwork(network, 4, encoder=encoder)
    batch = CpuBatch(6, num_players=count // 100, trading=count > 324, seed=1)
    batch.play_random(400)
    seen = encoders.load(encoder).encode(batch.observation)
    weights = weights_of(architecture)
    found = architecture.evaluate(weights, seen["planes"], seen["scalars"])
    assert [array.shape for array in found] == [(6, count), (6,)]
    assert all(array.dtype == np.float32 for array in found)
    tensors = {name: torch.as_tensor(array) for name, array in weights.items()}
    expected = architecture.evaluate(tensors, *map(torch.as_tensor, seen.values()))
    for array, tensor in zip(found, expected, strict=True):
        np.testing.assert_allclose(array, tensor.numpy(), rtol=1e-3, atol=1e-3)
