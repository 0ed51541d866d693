"""The 675 numbers of Rocco's state, in a position worked out by hand."""

import numpy as np
import pytest

from catan_pz import encoders
from catan_pz.game import position
from catan_pz.rules import Rules

OWN, OTHER = 10, 0
CITY = 21


@pytest.fixture(scope="module")
def game():
    players = [
        {
            "settlements": [OWN],
            "cities": [CITY],
            "roads": [7],
            "hand": {"grain": 1, "lumber": 2, "ore": 3, "brick": 4, "wool": 5},
            "cards": {"knight": 1, "victory_point": 1},
            "cards_played": {"knight": 2, "monopoly": 1},
        },
        {"settlements": [OTHER], "roads": [0, 6], "hand": {"ore": 6}},
    ]
    rules = Rules.make("rocco", board="beginner")
    return position(players, rules=rules, turn=40, seed=1)


def graph_of(game, viewer):
    vector = encoders.load("rocco").encode(game.observe(viewer))
    assert vector.shape == (54 * 11 + 72 + 9,) == (675,)
    return vector[:594].reshape(54, 11), vector[594:666], vector[666:]


@pytest.fixture(scope="module")
def graph(game):
    return dict(zip(("vertices", "edges", "global"), graph_of(game, 0), strict=True))


def test_a_vertex_has_its_owner_three_hexes_and_the_harbor(graph):
    # The hexes around it: mountains with 10, pasture with 2, hills with 6.
    assert graph["vertices"][OWN].tolist() == [1, 2, 10, 0, 5, 2, 0, 4, 6, 0, 0]
    # Mountains with 10 alone, and a 3:1 harbor.
    assert graph["vertices"][OTHER].tolist() == [-1, 2, 10, 0, 0, 0, 0, 0, 0, 0, 1]
    # Hills with 6, pasture with 4, and the desert with the robber.
    assert graph["vertices"][CITY].tolist() == [1, 4, 6, 0, 5, 4, 0, 0, 0, 1, 0]
    # A 2:1 harbor for grain at a pasture with 2, one for lumber at fields with 12.
    assert graph["vertices"][3].tolist() == [0, 5, 2, 0, 0, 0, 0, 0, 0, 0, 2]
    assert graph["vertices"][7].tolist() == [0, 1, 12, 0, 0, 0, 0, 0, 0, 0, 4]


def test_roads_are_signed_by_their_owner(graph):
    edges = graph["edges"]
    assert np.flatnonzero(edges == 1).tolist() == [7]
    assert np.flatnonzero(edges == -1).tolist() == [0, 6]
    assert (edges != 0).sum() == 3


def test_globals_are_the_nine_of_the_thesis(graph, game):
    # Settlement, city, a hidden victory point; hand; knights played; cards bought; 15 + 6 cards.
    assert graph["global"].tolist() == [4, 1, 2, 3, 4, 5, 2, 5, 21]
    assert graph_of(game, 1)[2].tolist() == [1, 0, 0, 6, 0, 0, 0, 0, 21]


def test_cities_may_be_told_from_settlements(game):
    plain, told = (
        encoders.load(name).encode(game.observe(1)) for name in ("rocco", "rocco_cities")
    )
    different = np.flatnonzero(plain != told)
    assert different.tolist() == [CITY * 11]
    assert (plain[CITY * 11], told[CITY * 11]) == (-1, -2)
