"""The 161 numbers of Xenou et al., by positions on the beginner board worked out by hand."""

import numpy as np
import pytest

from catan_pz import encoders
from catan_pz.game import position
from catan_pz.rules import Rules
from tests.helpers import edge

RULES = Rules(num_players=3)
PLAYERS = [
    {"settlements": [0], "cities": [10], "roads": [edge(0, 1), edge(10, 11)]},
    {
        "hand": {"brick": 1, "lumber": 2, "wool": 3, "grain": 4, "ore": 11},
        "settlements": [5],
        "cities": [20],
        "roads": [edge(5, 6), edge(20, 21)],
        "cards": {"victory_point": 1},
    },
    {"settlements": [40], "roads": [edge(40, 41)]},
]
# The hexes of the picture in tests/helpers: brick 1, ore 2, wool 3, grain 4, lumber 5, desert 0.
HEXES = [2, 3, 5, 4, 1, 3, 1, 4, 5, 0, 5, 2, 5, 2, 4, 3, 1, 4, 3]


def at(turn, robber):
    return position(PLAYERS, rules=RULES, turn=turn, robber=robber, turn_player=1, player_to_move=1)


def seen(game, seat):
    return encoders.load("xenou").encode(game.observe(seat))


@pytest.fixture(scope="module")
def game():
    return at(turn=44, robber=11)


def test_each_number_is_where_the_paper_has_it(game):
    state = seen(game, 1)
    assert state.shape == (161,)
    assert state[:5].tolist() == [1, 10, 3, 4, 2]  # brick, ore (at most 10), wool, grain, lumber
    assert state[5:24].tolist() == HEXES
    vertices = np.zeros(54)
    vertices[[0, 10, 5, 20, 40]] = [1, 2, 3, 4, 1]
    assert (state[24:78] == vertices).all()
    edges = np.zeros(80)
    edges[[edge(0, 1), edge(10, 11), edge(40, 41)]] = 1
    edges[[edge(5, 6), edge(20, 21)]] = 2
    assert (state[78:158] == edges).all()
    assert state[158:].tolist() == [2, 44, 4]  # ore is blocked; a point is a hidden card


def test_another_seat_has_its_own_hand_pieces_and_points(game):
    state = seen(game, 0)
    assert not state[:5].any()
    assert state[[24, 34, 29, 44, 64]].tolist() == [3, 4, 1, 2, 1]
    assert state[160] == 3
    assert (state[5:24] == seen(game, 1)[5:24]).all()


def test_the_desert_blocks_nothing_and_long_games_count_to_100():
    assert seen(at(turn=120, robber=9), 0)[158:].tolist() == [0, 100, 3]
