"""2. Set-up."""

import pytest

from catan_pz import Game, Rules
from catan_pz.game.position import position
from tests.helpers import (
    act,
    bank,
    edge,
    hand,
    kinds,
    legal,
    next_turn,
    path,
    phase,
    player,
    refused,
    roll,
)


def place(game, *spots):
    """Settlements with their roads, each toward a vertex beside it."""
    for vertex, toward in spots:
        act(game, "build_settlement", vertex=vertex)
        act(game, "build_road", edge=edge(vertex, toward))
    return game


SPOTS = [(0, 1), (2, 3), (4, 5), (6, 5), (16, 17), (18, 19), (20, 21), (22, 23)]
"""Eight settlements that keep the distance rule, and the ends of their roads."""


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_first_player(num_players):
    """First player is seat 0 (O: `first_player` random)."""
    assert {Game(seed=s, num_players=num_players).player for s in range(10)} == {0}
    drawn = [Game(seed=s, num_players=num_players, first_player="random") for s in range(60)]
    assert {game.player for game in drawn} == set(range(num_players))


@pytest.mark.parametrize(
    ("first", "order"),
    [(0, [0, 1, 1, 0]), (0, [0, 1, 2, 2, 1, 0]), (2, [2, 3, 0, 1, 1, 0, 3, 2])],
)
def test_seats_place_in_order_and_then_back(first, order):
    """Seats place in order first, first+1, ... and back; the first takes the first turn."""
    options = {"num_players": len(order) // 2, "first_player": "random"}
    game = next(g for g in (Game(seed=s, **options) for s in range(99)) if g.player == first)
    for p, spot in zip(order, SPOTS, strict=False):
        assert game.player == game.turn_player == p
        assert kinds(game) == {"build_settlement"}
        act(game, "build_settlement", vertex=spot[0])
        assert game.player == p
        assert kinds(game) == {"build_road"}
        act(game, "build_road", edge=edge(*spot))
    assert game.player == game.turn_player == first
    assert phase(game) == "roll"


def beginner(*spots):
    """Two players on the beginner board, after some placements."""
    return place(Game(num_players=2, board="beginner"), *spots)


@pytest.mark.parametrize(("vertex", "around"), [(40, (30, 39, 41)), (22, (21, 23, 33))])
def test_the_road_touches_that_settlement(vertex, around):
    """An edge that touches *that* settlement, not the first one at 20, though it lies near."""
    game = act(beginner((20, 21), (0, 1), (2, 3)), "build_settlement", vertex=vertex)
    assert set(legal(game, "build_road")) == {edge(vertex, w) for w in around}
    refused(game, "build_road", edge=edge(20, 19))


def test_distance_rule():
    """In set-up a settlement needs no road, but no building on any adjacent vertex."""
    game = beginner()
    assert legal(game, "build_settlement") == list(range(54))
    place(game, (20, 21))
    assert set(range(54)) - set(legal(game, "build_settlement")) == {20, 19, 21, 31}
    refused(game, "build_settlement", vertex=21)


STARTING_HANDS = {
    10: {"ore": 1, "wool": 1, "brick": 1},  # mountains 10, pasture 2, hills 6
    29: {"grain": 1, "lumber": 2},  # fields 9, forest 11, forest 8: two hexes alike
    20: {"brick": 1, "lumber": 1},  # hills 6, forest 11, desert
    6: {"lumber": 1},  # forest 9 alone, on the coast
}


@pytest.mark.parametrize("vertex", STARTING_HANDS)
def test_the_second_settlement_brings_a_card_from_each_producing_hex(vertex):
    """As it is placed and before its road, one card from the bank for each adjacent hex."""
    game = beginner((40, 41), (45, 46), (51, 52))
    assert hand(game, 0) == {}  # the first settlement brings nothing
    before = bank(game)
    act(game, "build_settlement", vertex=vertex)
    assert phase(game) == "setup_road"
    assert hand(game, 0) == STARTING_HANDS[vertex]
    assert bank(game) == {r: n - STARTING_HANDS[vertex].get(r, 0) for r, n in before.items()}


def test_turn_is_0_in_setup_and_in_the_first_turn():
    game = beginner(*SPOTS[:4])
    assert game.turn == 0
    roll(game, 2)
    for turn in (1, 2):
        next_turn(game, 2)
        assert (game.turn, game.player) == (turn, turn % 2)


def test_nobody_wins_during_setup():
    """A player with enough points in set-up has not won, and wins as the first turn starts."""
    seats = [
        {"settlements": [0], "roads": path(0, 1), "cards": {"victory_point": 2}},
        {"settlements": [20, 40], "roads": path(20, 21) + path(40, 41)},
    ]
    rules = Rules(num_players=2, victory_points=3)
    game = position(seats, rules=rules, phase="setup_settlement")
    act(game, "build_settlement", vertex=2)
    assert player(game, 0)["points"] == 4
    assert game.winner is None
    act(game, "build_road", edge=edge(2, 3))
    assert game.winner == 0
