"""The network that shares its weights across the board."""

import numpy as np
import pytest

from catan_pz.actions import BUILD_CITY, BUILD_ROAD, BUILD_SETTLEMENT, MOVE_ROBBER
from catan_pz.agents.board_kernels import BLOCK
from catan_pz.agents.board_network import BoardNetwork
from catan_pz.agents.board_program import adjacency, shapes
from catan_pz.board.topology import EDGE_POINTS, HEX_POINTS, VERTEX_POINTS
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.observation.segments import PLACES, SIZE
from catan_pz.terms import NUM_EDGES, NUM_HEXES

GAMES = 10 * BLOCK + 1


@pytest.fixture(scope="module")
def network():
    rng = np.random.default_rng(1)
    arrays = {k: rng.normal(0, shape[0] ** -0.5, shape) for k, shape in shapes(8, 16, 252).items()}
    return BoardNetwork({name: array.astype(np.float32) for name, array in arrays.items()})


@pytest.fixture(scope="module")
def positions():
    batch = SingleLearnerBatch(GAMES, seed=1, seat="random", num_players=3, trading=False)
    for _ in range(40):
        batch.step(batch.sample())
    return batch.observation.copy()


def mirrored(points):
    """Where each place lies after the board is turned by half."""
    places = {tuple(point): i for i, point in enumerate(points.tolist())}
    return np.array([places[-x, -y] for x, y in points.tolist()])


def test_places_touch_as_on_the_board():
    touch = adjacency()
    assert touch["hex_vertices"].sum(1).tolist() == [6] * NUM_HEXES
    assert touch["edge_vertices"].sum(1).tolist() == [2] * NUM_EDGES
    assert set(touch["vertex_hexes"].sum(1)) == {1, 2, 3}
    assert set(touch["vertex_edges"].sum(1)) == {2, 3}
    assert touch["vertex_harbors"].sum(0).tolist() == [2] * 9
    neighbors = touch["vertex_vertices"]
    assert (neighbors == neighbors.T).all()
    assert not neighbors.diagonal().any()
    assert neighbors.sum(1).tolist() == touch["vertex_edges"].sum(1).tolist()


def test_a_turned_board_turns_the_choices(network, positions):
    """Harbors aside, whose places don't turn into one another, nothing hangs on where it lies."""
    whole = positions.copy()
    whole[:, PLACES["harbor"]] = 0
    turned = whole.copy()
    kinds = {
        "hex_terrain": HEX_POINTS,
        "hex_number_token": HEX_POINTS,
        "hex_pips": HEX_POINTS,
        "hex_robber": HEX_POINTS,
        "vertex_building": VERTEX_POINTS,
        "edge_road": EDGE_POINTS,
    }
    for name, points in kinds.items():
        part = whole[:, PLACES[name]].reshape(len(whole), len(points), -1)
        turned[:, PLACES[name]] = part[:, mirrored(points)].reshape(len(whole), -1)
    assert (turned != whole).any()
    said, of_turned = network.logits(whole), network.logits(turned)
    expected = said.copy()
    for first, points in (
        (BUILD_ROAD, EDGE_POINTS),
        (BUILD_SETTLEMENT, VERTEX_POINTS),
        (BUILD_CITY, VERTEX_POINTS),
        (MOVE_ROBBER, HEX_POINTS),
    ):
        expected[:, first : first + len(points)] = said[:, first + mirrored(points)]
    np.testing.assert_allclose(of_turned, expected, atol=2e-4)
    assert np.abs(of_turned - said).max() > 0.01


def test_every_number_of_an_observation_counts(network, positions):
    rng = np.random.default_rng(2)
    random = rng.integers(0, 2, (4, SIZE)).astype(np.int8)
    random[:, PLACES["vertex_building"]] = 1  # so that a robber or a road is beside something
    said = network.logits(random)
    for k in range(SIZE):
        other = random.copy()
        other[:, k] = 1 - other[:, k]
        assert (network.logits(other) != said).any(), k


def test_rows_do_not_depend_on_one_another(network, positions):
    together = network.logits(positions)
    assert together.shape == (GAMES, 252)
    for i in (0, BLOCK - 1, BLOCK, GAMES - 1):
        np.testing.assert_allclose(network.logits(positions[i : i + 1])[0], together[i], atol=1e-4)
    assert network.logits(positions[:0]).shape == (0, 252)
