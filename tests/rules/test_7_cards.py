"""7. Development cards."""

from itertools import combinations_with_replacement

import pytest

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
    path,
    phase,
    player,
    refused,
    table,
)

before_and_after_the_roll = pytest.mark.parametrize("when", ["roll", "main"])


@before_and_after_the_roll
def test_a_knight_moves_the_robber_and_steals_as_on_a_7(when):
    """Knight: move the robber and steal as on a 7 (nobody discards)."""
    seats = [
        {"cards": {"knight": 1}, "hand": {"brick": 9}},
        {"settlements": [10], "hand": {"ore": 9}},
        {"settlements": [20], "hand": {"wool": 1}},
    ]
    game = act(table(*seats, phase=when), "play_knight")
    assert kinds(game) == {"move_robber"}
    assert 9 not in legal(game, "move_robber")
    act(game, "move_robber", hex=4)
    act(game, "steal", seat=2)
    assert hands(game) == [{"brick": 9, "wool": 1}, {"ore": 9}, {}]
    assert phase(game) == when


def test_a_knight_counts_for_the_army():
    game = table({"cards": {"knight": 1}, "cards_played": {"knight": 2}})
    assert game.snapshot()["largest_army_owner"] is None
    act(game, "play_knight")
    assert player(game, 0)["cards_played"]["knight"] == 3
    assert game.snapshot()["largest_army_owner"] == 0


@before_and_after_the_roll
@pytest.mark.parametrize("second", [edge(20, 31), edge(21, 22)])
def test_road_building_gives_two_free_roads(second, when):
    """Two free roads, one after the other, each legal where it stands; the first may open edges."""
    cards = {"cards": {"road_building": 1}, "hand": {"brick": 1, "lumber": 1}}
    game = table({**cards, "settlements": [20]}, phase=when)
    act(game, "play_road_building")
    assert kinds(game) == {"build_road"}
    assert set(legal(game, "build_road")) == {edge(20, 19), edge(20, 21), edge(20, 31)}
    act(game, "build_road", edge=edge(20, 21))
    assert kinds(game) == {"build_road"}
    refused(game, "build_road", edge=edge(20, 21))
    act(game, "build_road", edge=second)
    assert player(game, 0)["roads"] == sorted([edge(20, 21), second])
    assert hand(game, 0) == {"brick": 1, "lumber": 1}
    assert phase(game) == when


FIFTEEN = path(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 37, 36, 35, 34, 33)
# Seat 0 sits in the corner at vertex 0; the others' roads and buildings close it in.
CORNERED = {"settlements": [0], "roads": path(0, 8)}
JAILER = {"settlements": [2, 7], "roads": path(1, 2) + path(7, 8, 9, 10, 2)}
LAST_ROADS = {
    "no piece left after it": ({"settlements": [16], "roads": FIFTEEN[:14]}, {}, FIFTEEN[14]),
    "no legal edge after it": (CORNERED, JAILER, edge(0, 1)),
    "no piece left": ({"settlements": [16], "roads": FIFTEEN}, {}, None),
    "no legal edge": (CORNERED, JAILER | {"roads": path(0, 1, 2) + JAILER["roads"][1:]}, None),
}


@before_and_after_the_roll
@pytest.mark.parametrize("case", LAST_ROADS)
def test_road_building_ends_with_the_last_piece_or_edge(case, when):
    """If after the first none is left, the card is done; it can't be played with none."""
    seat, other, only = LAST_ROADS[case]
    game = table(seat | {"cards": {"road_building": 1}}, other, phase=when)
    if only is None:
        refused(game, "play_road_building")
        return
    act(game, "play_road_building")
    assert only in legal(game, "build_road")
    act(game, "build_road", edge=only)
    assert kinds(game) == {"roll" if when == "roll" else "end_turn"}
    assert game.snapshot()["free_roads"] == 0


@before_and_after_the_roll
@pytest.mark.parametrize("pair", [["brick", "ore"], ["wool", "wool"]])
def test_year_of_plenty_gives_two_cards_of_the_bank(pair, when):
    """Any two cards that the bank holds, alike or not."""
    game = table({"cards": {"year_of_plenty": 1}}, phase=when)
    pairs = combinations_with_replacement(RESOURCES, 2)
    assert legal(game, "play_year_of_plenty") == [list(two) for two in pairs]
    act(game, "play_year_of_plenty", pair=pair)
    assert hand(game, 0) == {r: pair.count(r) for r in pair}
    assert bank(game) == {r: 19 - pair.count(r) for r in RESOURCES}
    assert phase(game) == when


@pytest.mark.parametrize(
    ("left", "pairs"),
    [
        ({"lumber": 2, "ore": 1}, [["lumber", "lumber"], ["lumber", "ore"]]),
        ({"grain": 1, "ore": 1}, [["grain", "ore"]]),
        ({"ore": 1}, []),
        ({}, []),
    ],
)
def test_year_of_plenty_takes_only_what_the_bank_holds(left, pairs):
    """It can't be played while the bank holds fewer than two cards."""
    holder = {"hand": {r: 19 - left.get(r, 0) for r in RESOURCES}}
    assert legal(table({"cards": {"year_of_plenty": 1}}, holder), "play_year_of_plenty") == pairs


@before_and_after_the_roll
def test_monopoly_takes_all_of_a_resource_from_everybody_else(when):
    """Names a resource; every other player hands over all of it, were it none."""
    seats = [
        {"cards": {"monopoly": 1}, "hand": {"wool": 1, "ore": 1}},
        {"hand": {"wool": 3, "brick": 2}},
        {"hand": {"wool": 2}},
        {"hand": {"grain": 4}},
    ]
    game = table(*seats, phase=when)
    assert legal(game, "play_monopoly") == list(RESOURCES)
    before = hands(game)
    assert hands(act(game.copy(), "play_monopoly", resource="lumber")) == before
    act(game, "play_monopoly", resource="wool")
    assert hands(game) == [{"wool": 6, "ore": 1}, {"brick": 2}, {}, {"grain": 4}]
    assert bank(game)["wool"] == 13
    assert phase(game) == when


def test_monopoly_is_public():
    """Everybody learns how many cards of the resource each has: none, and its taker all."""
    seats = [{"cards": {"monopoly": 1}}, {"hand": {"wool": 1}}, {"hand": {"ore": 1}}]
    either = {"min": {}, "max": {"wool": 1, "ore": 1}}
    nothing, wool, ore = ({"min": h, "max": h} for h in ({}, {"wool": 1}, {"ore": 1}))
    bounds = [[nothing, either, either], [nothing, wool, ore], [nothing, wool, ore]]
    game = act(table(*seats, knowledge=bounds), "play_monopoly", resource="wool")
    for known in game.snapshot()["knowledge"]:
        assert [seat["max"]["wool"] for seat in known] == [1, 0, 0]
        assert known[0]["min"]["wool"] == 1
        assert known[2]["min"]["ore"] == known[2]["max"]["ore"] == 1


@before_and_after_the_roll
@pytest.mark.parametrize("cities", [3, 4])
def test_a_knight_that_wins_by_the_army_wins_at_once(cities, when):
    """Before or after the roll; the robber isn't moved. With fewer points the game goes on."""
    seat = {"cards": {"knight": 1}, "cards_played": {"knight": 2}}
    seat["cities"] = [0, 2, 4, 20][:cities]
    game = table(seat, {"settlements": [40], "hand": {"ore": 2}}, phase=when, robber=3)
    act(game, "play_knight")
    assert player(game, 0)["points"] == 2 * cities + 2
    if cities == 3:
        assert game.winner is None
        assert can(game, "move_robber", hex=0)
        return
    assert (game.winner, game.is_over) == (0, True)
    assert game.snapshot()["robber"] == 3
    assert hand(game, 1) == {"ore": 2}
    assert len(game.legal_actions()) == 0
