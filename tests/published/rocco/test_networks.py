"""Q-networks: sizes worked out by hand, layers written out, NumPy against torch."""

import numpy as np
import pytest

from catan_pz import encoders
from catan_pz.batch.cpu import CpuBatch
from catan_pz.board.topology import EDGE_VERTICES
from catan_pz.encoders.graph import VERTEX_VERTEX
from catan_pz.published.rocco.agent import OUTPUTS
from catan_pz.published.rocco.networks import NETWORKS, Architecture


def test_networks_have_the_sizes_of_the_thesis():
    """Dense layers from n numbers to q: n * 128 + 128, then 128 * 128 + 128, then 128 * q + q."""
    sizes = {"orchestrator": 104_330, "settlement": 110_006, "road": 112_328, "trade": 106_265}
    for part, parameters in sizes.items():
        assert parameters == 675 * 128 + 128 + 16_512 + OUTPUTS[part] * 129
        assert Architecture("ff", OUTPUTS[part]).parameters == parameters
    convolutions, rest = (11 * 8 + 8) + (8 * 4 + 4), (9 * 8 + 8) + (8 * 8 + 8) + (8 * 9 + 9)
    head = 225 * 128 + 128 + 16_512 + 10 * 129
    assert Architecture("gcn", 10).parameters == convolutions + rest + head == 47_095
    assert Architecture("rgcn", 10).parameters == 47_095 + 3 * (11 * 8 + 8 * 4)
    assert sum(a.size for a in Architecture("rgcn", 10).initial(rng()).values()) == 47_455


def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def states():
    """(B, 675) of games under way, with roads of both seats."""
    batch = CpuBatch(8, "rocco", seed=1)
    batch.play_random(400)
    states = encoders.load("rocco").encode(batch.observation)
    assert {-1.0, 0.0, 1.0} <= set(states[:, 594:666].ravel().tolist())
    return states


def messages(one_way):
    """Pairs (from, to), each with the number of its edge."""
    pairs = EDGE_VERTICES if one_way else VERTEX_VERTEX.T
    return [(int(a), int(b), k % 72) for k, (a, b) in enumerate(pairs)]


def gcn_layer(x, edges, weights, one_way, own):
    """Kipf and Welling's layer with loops, vertex by vertex."""
    heard = [(a, b, edges[k] if own else 1.0) for a, b, k in messages(one_way)]
    heard += [(v, v, 1.0) for v in range(54)]
    degree = np.zeros(54)
    for _, b, w in heard:
        degree[b] += abs(w)
    out = np.zeros((54, weights[0].shape[1]))
    for a, b, w in heard:
        out[b] += w / np.sqrt(degree[a] * degree[b]) * (x[a] @ weights[0])
    return out + weights[1]


def rgcn_layer(x, edges, weights, one_way):
    """Schlichtkrull's layer: own weights, and the mean of the neighbors of each relation."""
    out = x @ weights[0] + weights[1]
    for v in range(54):
        for r, owner in enumerate((1, 0, -1)):
            around = [a for a, b, k in messages(one_way) if b == v and edges[k] == owner]
            if around:
                out[v] += np.mean(x[around], axis=0) @ weights[2][r]
    return out


def by_hand(architecture, weights, state):
    x, edges, rest = state[:594].reshape(54, 11), state[594:666], state[666:]
    for k in range(2):
        own = [weights[f"graph_{k}"], weights[f"graph_bias_{k}"]]
        if architecture.network == "gcn":
            weighted = architecture.edge_weight == "own"
            x = gcn_layer(x, edges, own, architecture.one_way, weighted)
        else:
            x = rgcn_layer(x, edges, [*own, weights[f"relations_{k}"]], architecture.one_way)
        x = np.maximum(x, 0)
    joined = np.concatenate([x.ravel(), dense("global", weights, rest)])
    return dense("dense", weights, joined)


def dense(name, weights, x):
    for k in range(3):
        x = (np.maximum(x, 0) if k else x) @ weights[f"{name}_weight_{k}"]
        x = x + weights[f"{name}_bias_{k}"]
    return x


GRAPHS = [
    Architecture("gcn", 10),
    Architecture("gcn", 10, one_way=True),
    Architecture("gcn", 10, edge_weight="own"),
    Architecture("rgcn", 10),
    Architecture("rgcn", 10, one_way=True),
]


@pytest.mark.parametrize("architecture", GRAPHS, ids=str)
def test_graph_networks_do_what_is_written_out(architecture, states):
    generator = rng()
    weights = architecture.initial(generator)
    for name in weights:
        if "bias" in name:
            weights[name] = generator.normal(size=weights[name].shape).astype(np.float32)
    found = architecture.q_values(weights, states[:2])
    for row, state in zip(found, states[:2].astype(float), strict=True):
        np.testing.assert_allclose(row, by_hand(architecture, weights, state), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("network", NETWORKS)
def test_numpy_and_torch_agree(network, states):
    torch = pytest.importorskip("torch", reason="takes the extra `train`")
    architecture = Architecture(network, 54)
    weights = architecture.initial(rng())
    found = architecture.q_values(weights, states)
    assert found.shape == (8, 54)
    assert found.dtype == np.float32
    nested = architecture.q_values(weights, states.reshape(2, 4, -1))
    np.testing.assert_allclose(nested.reshape(8, 54), found, rtol=1e-5, atol=1e-5)
    tensors = {name: torch.as_tensor(array) for name, array in weights.items()}
    with torch.no_grad():
        expected = architecture.q_values(tensors, torch.as_tensor(states))
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-4)
