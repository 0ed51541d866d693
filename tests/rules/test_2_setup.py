"""2. Set-up."""

import pytest

from catan_pz import Game, Rules
from catan_pz.game.position import position
from tests.helpers import act, bank, can, edge, hand, kinds, legal, path, player, refused

pytestmark = pytest.mark.purepython


def place(game, vertex, toward):
    """A settlement and its road, toward a vertex beside it."""
    act(game, "build_settlement", vertex=vertex)
    return act(game, "build_road", edge=edge(vertex, toward))


SPOTS = [(0, 1), (2, 3), (4, 5), (6, 5), (16, 17), (18, 19), (20, 21), (22, 23)]
"""Eight settlements that keep the distance rule, and the ends of their roads."""


def test_first_player_is_seat_0():
    for seed in range(10):
        game = Game(seed=seed)
        assert (game.player, game.turn_player) == (0, 0)
        assert game.snapshot()["phase"] == "setup_settlement"


def test_first_player_random():
    """First player is seat 0 (O: `first_player` random)."""
    for num_players in (2, 3, 4):
        first = [Game(seed=s, num_players=num_players, first_player="random") for s in range(60)]
        assert {game.player for game in first} == set(range(num_players))


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_seats_place_in_order_and_then_back(num_players):
    """Seats place in order first, first+1, ... and back; the first takes the first turn."""
    game = Game(seed=0, num_players=num_players, board="beginner")
    order = []
    for vertex, toward in SPOTS[: 2 * num_players]:
        order.append(game.player)
        place(game, vertex, toward)
    seats = list(range(num_players))
    assert order == seats + seats[::-1]
    assert game.player == game.turn_player == 0
    assert game.snapshot()["phase"] == "roll"


def test_order_with_another_first_player():
    seed = next(s for s in range(99) if Game(seed=s, first_player="random").player == 2)
    game = Game(seed=seed, first_player="random")
    order = []
    for vertex, toward in SPOTS:
        order.append(game.player)
        place(game, vertex, toward)
    assert order == [2, 3, 0, 1, 1, 0, 3, 2]
    assert game.player == 2


def test_a_settlement_is_followed_at_once_by_its_road():
    game = Game(seed=0)
    assert kinds(game) == {"build_settlement"}
    act(game, "build_settlement", vertex=20)
    assert game.player == 0
    assert kinds(game) == {"build_road"}


def test_the_road_touches_that_settlement():
    """A road on an edge that touches *that* settlement, not the first one."""
    game = Game(seed=0, num_players=2, board="beginner")
    place(game, 20, 21)
    place(game, 0, 1)
    place(game, 2, 3)
    act(game, "build_settlement", vertex=40)
    assert game.player == 0
    assert set(legal(game, "build_road")) == {edge(40, 30), edge(40, 39), edge(40, 41)}
    refused(game, "build_road", edge=edge(20, 19))


def test_the_second_road_goes_to_the_second_settlement_also_beside_the_first():
    game = Game(seed=0, num_players=2, board="beginner")
    place(game, 20, 21)
    place(game, 0, 1)
    place(game, 2, 3)
    act(game, "build_settlement", vertex=22)
    assert set(legal(game, "build_road")) == {edge(22, 21), edge(22, 23), edge(22, 33)}


def test_distance_rule():
    """No settlement on a vertex with a building on any adjacent vertex."""
    game = Game(seed=0)
    act(game, "build_settlement", vertex=20)
    act(game, "build_road", edge=edge(20, 21))
    assert set(range(54)) - set(legal(game, "build_settlement")) == {20, 19, 21, 31}
    for vertex in (20, 19, 21, 31):
        refused(game, "build_settlement", vertex=vertex)


def test_a_setup_settlement_needs_no_road():
    game = Game(seed=0)
    assert legal(game, "build_settlement") == list(range(54))


def test_a_vertex_at_the_end_of_another_players_road_is_free_to_settle():
    game = Game(seed=0)
    place(game, 20, 21)
    assert can(game, "build_settlement", vertex=22)


def test_the_second_settlement_brings_a_card_from_each_producing_hex():
    """As it is placed and before its road, one card from the bank for each adjacent hex."""
    game = Game(seed=0, num_players=2, board="beginner")
    place(game, 20, 21)
    assert hand(game, 0) == {}
    place(game, 4, 3)
    place(game, 0, 1)
    assert hand(game, 1) == {"ore": 1}  # vertex 0 touches the mountains alone
    act(game, "build_settlement", vertex=10)  # mountains 10, pasture 2, hills 6
    assert game.snapshot()["phase"] == "setup_road"
    assert hand(game, 0) == {"ore": 1, "wool": 1, "brick": 1}
    assert bank(game) == {"brick": 18, "lumber": 19, "wool": 18, "grain": 19, "ore": 17}


def test_two_hexes_alike_give_two_cards():
    game = Game(seed=0, num_players=2, board="beginner")
    for vertex, toward in [(0, 1), (2, 3), (4, 5)]:
        place(game, vertex, toward)
    act(game, "build_settlement", vertex=29)  # fields 9, forest 11, forest 8
    assert hand(game, 0) == {"grain": 1, "lumber": 2}


def test_the_desert_gives_no_card_at_setup():
    game = Game(seed=0, num_players=2, board="beginner")
    for vertex, toward in [(0, 1), (2, 3), (4, 5)]:
        place(game, vertex, toward)
    act(game, "build_settlement", vertex=20)  # hills 6, forest 11, desert
    assert hand(game, 0) == {"brick": 1, "lumber": 1}


def test_the_first_settlement_brings_nothing():
    game = Game(seed=0, num_players=2, board="beginner")
    act(game, "build_settlement", vertex=10)
    assert hand(game, 0) == {}


def test_turn_is_0_in_setup_and_in_the_first_turn():
    """`turn` goes up by one with each end of turn."""
    game = Game(seed=0, num_players=2, board="beginner")
    for vertex, toward in SPOTS[:4]:
        assert game.turn == 0
        place(game, vertex, toward)
    act(game, "roll", outcome=(1, 1))
    assert game.turn == 0
    act(game, "end_turn")
    assert (game.turn, game.player) == (1, 1)
    act(game, "roll", outcome=(1, 1))
    act(game, "end_turn")
    assert (game.turn, game.player) == (2, 0)


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
