"""7. Development cards."""

import pytest

from catan_pz import Rules
from catan_pz.game.position import position
from tests.helpers import (
    RESOURCES,
    act,
    bank,
    can,
    edge,
    hand,
    hands,
    kinds,
    legal,
    pair_up,
    path,
    player,
    refused,
)

pytestmark = pytest.mark.purepython

TWO = Rules(num_players=2)


def two(seat, other=None, rules=TWO, **entries):
    """A position of two players with this seat in turn, after the roll unless told."""
    return position([seat, other or {}], rules=rules, **entries)


@pytest.mark.parametrize("phase", ["roll", "main"])
def test_a_knight_moves_the_robber_and_steals_as_on_a_7(phase):
    """Knight: move the robber and steal as on a 7."""
    other = {"settlements": [10], "hand": {"ore": 1}}
    game = two({"cards": {"knight": 1}}, other, phase=phase)
    act(game, "play_knight")
    assert kinds(game) == {"move_robber"}
    assert 9 not in legal(game, "move_robber")
    act(game, "move_robber", hex=4)
    assert hands(game) == [{"ore": 1}, {}]
    assert game.snapshot()["phase"] == phase


def test_a_knight_lets_choose_among_several_victims():
    seats = [
        {"cards": {"knight": 1}},
        {"settlements": [10], "hand": {"ore": 1}},
        {"settlements": [20], "hand": {"wool": 1}},
    ]
    game = position(seats, rules=Rules(num_players=3), phase="roll")
    act(game, "play_knight")
    act(game, "move_robber", hex=4)
    act(game, "steal", seat=2)
    assert hands(game) == [{"wool": 1}, {"ore": 1}, {}]
    assert kinds(game) == {"roll"}


def test_nobody_discards_for_a_knight():
    game = two({"cards": {"knight": 1}, "hand": {"brick": 9}}, {"hand": {"wool": 9}})
    act(game, "play_knight")
    act(game, "move_robber", hex=0)
    assert hands(game) == [{"brick": 9}, {"wool": 9}]
    assert game.snapshot()["phase"] == "main"


def test_a_knight_counts_for_the_army():
    game = two({"cards": {"knight": 1}, "cards_played": {"knight": 2}})
    assert game.snapshot()["largest_army_owner"] is None
    act(game, "play_knight")
    assert player(game, 0)["cards_played"]["knight"] == 3
    assert game.snapshot()["largest_army_owner"] == 0


@pytest.mark.parametrize("phase", ["roll", "main"])
def test_road_building_gives_two_free_roads(phase):
    """Two free roads, placed one after the other, each legal where it stands."""
    game = two({"cards": {"road_building": 1}, "settlements": [20]}, phase=phase)
    act(game, "play_road_building")
    assert kinds(game) == {"build_road"}
    assert set(legal(game, "build_road")) == {edge(20, 19), edge(20, 21), edge(20, 31)}
    act(game, "build_road", edge=edge(20, 21))
    assert kinds(game) == {"build_road"}
    refused(game, "build_road", edge=edge(20, 21))
    act(game, "build_road", edge=edge(20, 31))
    assert player(game, 0)["roads"] == sorted([edge(20, 21), edge(20, 31)])
    assert game.snapshot()["phase"] == phase


def test_the_first_free_road_may_open_edges_for_the_second():
    game = two({"cards": {"road_building": 1}, "settlements": [20]})
    refused_before = edge(21, 22)
    act(game, "play_road_building")
    refused(game, "build_road", edge=refused_before)
    act(game, "build_road", edge=edge(20, 21))
    act(game, "build_road", edge=refused_before)
    assert player(game, 0)["roads"] == sorted(path(20, 21, 22))


def test_free_roads_cost_nothing():
    game = two(
        {"cards": {"road_building": 1}, "settlements": [20], "hand": {"brick": 1, "lumber": 1}}
    )
    act(game, "play_road_building")
    act(game, "build_road", edge=edge(20, 21))
    act(game, "build_road", edge=edge(20, 31))
    assert hand(game, 0) == {"brick": 1, "lumber": 1}


FIFTEEN = path(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 37, 36, 35, 34, 33)


def test_road_building_with_one_piece_left():
    """If after the first no piece is left, the card is done."""
    seat = {"cards": {"road_building": 1}, "settlements": [16], "roads": FIFTEEN[:14]}
    game = two(seat)
    act(game, "play_road_building")
    assert game.snapshot()["free_roads"] == 1
    act(game, "build_road", edge=FIFTEEN[14])
    assert game.snapshot()["phase"] == "main"
    assert kinds(game) == {"end_turn"}


def test_road_building_with_no_piece_left():
    """It can't be played with no piece."""
    seat = {"cards": {"road_building": 1}, "settlements": [16], "roads": FIFTEEN}
    refused(two(seat), "play_road_building")


# Seat 0 sits in the corner at vertex 0; the others' roads and buildings close it in.
CORNERED = {"settlements": [0], "roads": path(0, 8), "cards": {"road_building": 1}}


def test_road_building_with_one_legal_edge():
    """If after the first no legal edge is left, the card is done."""
    jailer = {"settlements": [2, 7], "roads": path(1, 2) + path(7, 8, 9, 10, 2)}
    game = two(CORNERED, jailer)
    act(game, "play_road_building")
    assert legal(game, "build_road") == [edge(0, 1)]
    act(game, "build_road", edge=edge(0, 1))
    assert game.snapshot()["phase"] == "main"
    assert game.snapshot()["free_roads"] == 0
    assert len(player(game, 0)["roads"]) == 2


def test_road_building_with_no_legal_edge():
    """It can't be played with no legal edge."""
    jailer = {"settlements": [2, 7], "roads": path(0, 1, 2) + path(7, 8, 9, 10, 2)}
    refused(two(CORNERED, jailer), "play_road_building")


def test_road_building_before_the_roll_with_one_legal_edge_goes_back_to_the_roll():
    jailer = {"settlements": [2, 7], "roads": path(1, 2) + path(7, 8, 9, 10, 2)}
    game = two(CORNERED, jailer, phase="roll")
    act(game, "play_road_building")
    act(game, "build_road", edge=edge(0, 1))
    assert kinds(game) == {"roll"}


@pytest.mark.parametrize("phase", ["roll", "main"])
def test_year_of_plenty_gives_two_cards_of_the_bank(phase):
    """Any two cards that the bank holds."""
    game = two({"cards": {"year_of_plenty": 1}}, phase=phase)
    assert legal(game, "play_year_of_plenty") == pair_up(RESOURCES)
    act(game, "play_year_of_plenty", pair=["brick", "ore"])
    assert hand(game, 0) == {"brick": 1, "ore": 1}
    assert bank(game) == {"brick": 18, "lumber": 19, "wool": 19, "grain": 19, "ore": 18}
    assert game.snapshot()["phase"] == phase


def test_year_of_plenty_may_give_two_alike():
    """Alike or not."""
    game = two({"cards": {"year_of_plenty": 1}})
    act(game, "play_year_of_plenty", pair=["wool", "wool"])
    assert hand(game, 0) == {"wool": 2}


def test_year_of_plenty_takes_only_what_the_bank_holds():
    game = two({"cards": {"year_of_plenty": 1}}, {"hand": {"brick": 19, "ore": 18}})
    allowed = [
        pair for pair in pair_up(RESOURCES) if "brick" not in pair and pair != ["ore", "ore"]
    ]
    assert legal(game, "play_year_of_plenty") == allowed


def test_year_of_plenty_with_two_single_cards_in_the_bank():
    holder = {"hand": {"brick": 19, "lumber": 19, "wool": 19, "grain": 18, "ore": 18}}
    game = two({"cards": {"year_of_plenty": 1}}, holder)
    assert legal(game, "play_year_of_plenty") == [["grain", "ore"]]


@pytest.mark.parametrize("left", [0, 1])
def test_year_of_plenty_needs_two_cards_in_the_bank(left):
    """It can't be played while the bank holds fewer than two cards."""
    hand_of_19 = dict.fromkeys(RESOURCES, 19)
    game = two({"cards": {"year_of_plenty": 1}}, {"hand": hand_of_19 | {"ore": 19 - left}})
    assert legal(game, "play_year_of_plenty") == []


@pytest.mark.parametrize("phase", ["roll", "main"])
def test_monopoly_takes_all_of_a_resource_from_everybody_else(phase):
    """Names a resource; every other player hands over all of it."""
    seats = [
        {"cards": {"monopoly": 1}, "hand": {"wool": 1, "ore": 1}},
        {"hand": {"wool": 3, "brick": 2}},
        {"hand": {"wool": 2}},
        {"hand": {"grain": 4}},
    ]
    game = position(seats, phase=phase)
    act(game, "play_monopoly", resource="wool")
    assert hands(game) == [{"wool": 6, "ore": 1}, {"brick": 2}, {}, {"grain": 4}]
    assert bank(game)["wool"] == 13
    assert game.snapshot()["phase"] == phase


def test_monopoly_of_a_resource_that_nobody_has_is_allowed():
    game = two({"cards": {"monopoly": 1}})
    assert legal(game, "play_monopoly") == list(RESOURCES)
    act(game, "play_monopoly", resource="ore")
    assert hands(game) == [{}, {}]


def test_monopoly_is_public():
    """Everybody learns how many cards of the resource each has: none, and its taker all."""
    seats = [{"cards": {"monopoly": 1}}, {"hand": {"wool": 1}}, {"hand": {"ore": 1}}]
    either = {"min": {}, "max": {"wool": 1, "ore": 1}}
    nothing, wool, ore = ({"min": h, "max": h} for h in ({}, {"wool": 1}, {"ore": 1}))
    bounds = [[nothing, either, either], [nothing, wool, ore], [nothing, wool, ore]]
    game = position(seats, rules=Rules(num_players=3), knowledge=bounds)
    act(game, "play_monopoly", resource="wool")
    for known in game.snapshot()["knowledge"]:
        assert [seat["max"]["wool"] for seat in known] == [1, 0, 0]
        assert known[0]["min"]["wool"] == 1
        assert known[2]["min"]["ore"] == known[2]["max"]["ore"] == 1


@pytest.mark.parametrize("phase", ["roll", "main"])
def test_a_knight_that_wins_by_the_army_wins_at_once(phase):
    """A knight that wins the game by the army, before or after the roll, wins it at once."""
    seat = {
        "cities": [0, 2, 4, 20],
        "cards": {"knight": 1},
        "cards_played": {"knight": 2},
    }
    game = two(seat, {"settlements": [40], "hand": {"ore": 2}}, phase=phase, robber=3)
    assert player(game, 0)["points"] == 8
    act(game, "play_knight")
    assert (game.winner, game.is_over) == (0, True)
    assert player(game, 0)["points"] == 10
    assert game.snapshot()["robber"] == 3  # the robber isn't moved
    assert hand(game, 1) == {"ore": 2}
    assert len(game.legal_actions()) == 0


def test_a_knight_without_the_points_goes_on_to_the_robber():
    seat = {"cities": [0, 2, 4], "cards": {"knight": 1}, "cards_played": {"knight": 2}}
    game = two(seat)
    act(game, "play_knight")
    assert game.winner is None
    assert can(game, "move_robber", hex=0)
