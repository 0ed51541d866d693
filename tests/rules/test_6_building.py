"""6. Building and buying."""

import pytest

from catan_pz import Rules
from catan_pz.game.position import position
from catan_pz.terms import Card
from tests.helpers import act, bank, can, edge, hand, legal, path, player, refused

pytestmark = pytest.mark.purepython

ROAD = {"brick": 1, "lumber": 1}
SETTLEMENT = {"brick": 1, "lumber": 1, "wool": 1, "grain": 1}
CITY = {"grain": 2, "ore": 3}
CARD = {"wool": 1, "grain": 1, "ore": 1}


def one_less(bundle):
    """The bundles that lack one card of this one."""
    return [{**bundle, r: n - 1} for r, n in bundle.items()]


def two(seat, other=None, **entries):
    """A position of two players with this seat in turn, after the roll."""
    return position([seat, other or {}], rules=Rules(num_players=2), **entries)


def test_a_road_costs_brick_and_lumber():
    """Road (brick, lumber). What is paid goes to the bank."""
    game = two({"settlements": [20], "hand": ROAD})
    act(game, "build_road", edge=edge(20, 21))
    assert player(game, 0)["roads"] == [edge(20, 21)]
    assert hand(game, 0) == {}
    assert (bank(game)["brick"], bank(game)["lumber"]) == (19, 19)


@pytest.mark.parametrize("lacking", one_less(ROAD))
def test_a_road_needs_all_its_cards(lacking):
    refused(two({"settlements": [20], "hand": lacking}), "build_road", edge=edge(20, 21))


def test_a_road_touches_an_own_building():
    """On an empty edge that touches an own road or building."""
    game = two({"settlements": [20], "cities": [40], "hand": ROAD})
    beside = [*path(19, 20, 21), edge(20, 31), *path(39, 40, 41), edge(40, 30)]
    assert sorted(legal(game, "build_road")) == sorted(beside)


def test_a_road_touches_an_own_road():
    game = two({"settlements": [20], "roads": path(20, 21), "hand": ROAD})
    beside = [edge(19, 20), edge(20, 31), edge(21, 11), edge(21, 22)]
    assert sorted(legal(game, "build_road")) == sorted(beside)


def test_a_road_needs_an_empty_edge():
    """Neither an own road nor another's may lie there."""
    game = two(
        {"settlements": [20], "roads": path(20, 21), "hand": ROAD},
        {"settlements": [23], "roads": path(23, 22, 21)},
    )
    refused(game, "build_road", edge=edge(20, 21))
    refused(game, "build_road", edge=edge(21, 22))


def test_a_road_does_not_touch_anothers_road():
    game = two({"settlements": [0], "hand": ROAD}, {"settlements": [20], "roads": path(20, 21)})
    assert set(legal(game, "build_road")) == {edge(0, 1), edge(0, 8)}


def test_a_road_does_not_connect_through_an_opponents_building():
    """An own road does not connect through a vertex that holds an opponent's building."""
    for piece in ("settlements", "cities"):
        game = two(
            {"settlements": [19], "roads": path(19, 20, 21), "hand": ROAD},
            {piece: [21]},
        )
        refused(game, "build_road", edge=edge(21, 22))
        refused(game, "build_road", edge=edge(21, 11))
        assert can(game, "build_road", edge=edge(20, 31))


def test_a_road_connects_through_an_own_building():
    seat = {"settlements": [19, 21], "roads": path(19, 20, 21), "hand": ROAD}
    assert can(two(seat), "build_road", edge=edge(21, 22))


def test_an_edge_at_an_opponents_building_can_be_reached_from_its_other_end():
    game = two(
        {"settlements": [19], "roads": path(19, 20, 21) + path(20, 31, 32, 33, 22), "hand": ROAD},
        {"settlements": [21]},
    )
    assert can(game, "build_road", edge=edge(21, 22))


def test_a_settlement_built_on_a_road_closes_it_at_once():
    """The opponent's new settlement bars the way on from there."""
    game = two(
        {"settlements": [23], "roads": path(23, 22, 21), "hand": SETTLEMENT},
        {"settlements": [19], "roads": path(19, 20, 21), "hand": ROAD},
    )
    act(game, "build_settlement", vertex=21)
    act(game, "end_turn")
    act(game, "roll", outcome=(6, 6))
    refused(game, "build_road", edge=edge(21, 11))
    assert can(game, "build_road", edge=edge(20, 31))


def test_a_settlement_costs_brick_lumber_wool_and_grain():
    game = two({"settlements": [20], "roads": path(20, 21, 22), "hand": SETTLEMENT})
    act(game, "build_settlement", vertex=22)
    assert player(game, 0)["settlements"] == [20, 22]
    assert hand(game, 0) == {}
    assert set(bank(game).values()) == {19}


@pytest.mark.parametrize("lacking", one_less(SETTLEMENT))
def test_a_settlement_needs_all_its_cards(lacking):
    game = two({"settlements": [20], "roads": path(20, 21, 22), "hand": lacking})
    refused(game, "build_settlement", vertex=22)


def test_a_settlement_touches_an_own_road():
    """On an empty vertex that keeps the distance rule and touches an own road."""
    game = two({"settlements": [20], "roads": path(20, 21, 22, 23), "hand": SETTLEMENT})
    assert legal(game, "build_settlement") == [22, 23]


def test_a_settlement_does_not_need_a_building_of_its_own_beside():
    """Not at the end of another's road."""
    game = two({"hand": SETTLEMENT}, {"settlements": [20], "roads": path(20, 21, 22)})
    assert legal(game, "build_settlement") == []


@pytest.mark.parametrize("piece", ["settlements", "cities"])
def test_a_settlement_keeps_the_distance_to_every_building(piece):
    game = two(
        {"settlements": [20], "roads": path(20, 21, 22, 23), "hand": SETTLEMENT},
        {piece: [24]},
    )
    assert legal(game, "build_settlement") == [22]


def test_a_settlement_may_be_built_on_an_opponents_road():
    game = two(
        {"settlements": [24], "roads": path(24, 23, 22), "hand": SETTLEMENT},
        {"settlements": [20], "roads": path(20, 21, 22)},
    )
    assert can(game, "build_settlement", vertex=22)


def test_a_settlement_needs_an_empty_vertex():
    game = two(
        {"settlements": [20], "roads": path(20, 21, 22), "hand": SETTLEMENT}, {"cities": [22]}
    )
    refused(game, "build_settlement", vertex=22)
    refused(game, "build_settlement", vertex=20)


def test_a_city_costs_2_grain_and_3_ore_and_replaces_an_own_settlement():
    """City (2 grain, 3 ore): replaces an own settlement."""
    game = two({"settlements": [20], "hand": CITY})
    act(game, "build_city", vertex=20)
    assert (player(game, 0)["settlements"], player(game, 0)["cities"]) == ([], [20])
    assert hand(game, 0) == {}
    assert set(bank(game).values()) == {19}
    assert player(game, 0)["points"] == 2


@pytest.mark.parametrize("lacking", one_less(CITY))
def test_a_city_needs_all_its_cards(lacking):
    refused(two({"settlements": [20], "hand": lacking}), "build_city", vertex=20)


def test_a_city_replaces_nothing_but_an_own_settlement():
    game = two({"cities": [20], "hand": CITY}, {"settlements": [40]})
    assert legal(game, "build_city") == []


def test_a_development_card_costs_wool_grain_and_ore():
    game = two({"hand": CARD}, deck=["monopoly", "knight"])
    act(game, "buy_development_card")
    assert player(game, 0)["cards"]["monopoly"] == 1
    assert hand(game, 0) == {}
    assert set(bank(game).values()) == {19}


@pytest.mark.parametrize("lacking", one_less(CARD))
def test_a_development_card_needs_all_its_cards(lacking):
    refused(two({"hand": lacking}), "buy_development_card")


def test_a_development_card_is_the_top_of_the_deck():
    """The top card of the shuffled deck."""
    order = ["year_of_plenty", "victory_point", "knight"]
    game = two({"hand": {"wool": 3, "grain": 3, "ore": 3}}, deck=order)
    assert game.snapshot()["deck"][:3] == order
    held = []
    for card in order:
        before = player(game, 0)["cards"][card]
        act(game, "buy_development_card")
        held.append(player(game, 0)["cards"][card] - before)
    assert held == [1, 1, 1]
    assert len(game.snapshot()["deck"]) == 22


def test_a_development_card_named_is_drawn_and_the_deck_keeps_the_others():
    game = two({"hand": CARD}, deck=["knight"])
    act(game, "buy_development_card", outcome=Card.MONOPOLY)
    assert player(game, 0)["cards"]["monopoly"] == 1
    assert sorted(game.snapshot()["deck"]).count("monopoly") == 1
    assert len(game.snapshot()["deck"]) == 24


def test_no_development_card_once_the_deck_is_empty():
    """While one is left."""
    played = {"knight": 13, "road_building": 2, "year_of_plenty": 2, "monopoly": 2}
    rich = {"wool": 2, "grain": 2, "ore": 2}
    game = position(
        [{"hand": rich}, {"cards_played": played, "cards": {"victory_point": 5}}],
        rules=Rules(num_players=2, victory_points=15),
    )
    assert game.snapshot()["deck"] == ["knight"]
    act(game, "buy_development_card")
    assert game.snapshot()["deck"] == []
    refused(game, "buy_development_card")


def test_a_piece_can_be_built_only_while_the_player_has_one_left():
    """Fifteen roads, five settlements, four cities on the board: nothing more, at any wealth."""
    roads = path(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 37, 36, 35, 34, 33)
    rich = {"brick": 9, "lumber": 9, "wool": 9, "grain": 9, "ore": 9}
    seat = {
        "roads": roads,
        "settlements": [16, 18, 20, 22, 24],
        "cities": [0, 2, 4, 6],
        "hand": rich,
    }
    game = position([seat, {}], rules=Rules(num_players=2, victory_points=22))
    for kind in ("build_road", "build_settlement", "build_city"):
        assert legal(game, kind) == []
    assert can(game, "buy_development_card")
