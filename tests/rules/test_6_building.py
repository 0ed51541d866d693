"""6. Building and buying."""

import pytest

from catan_pz.terms import Card
from tests.helpers import (
    CARD,
    CITY,
    ROAD,
    SETTLEMENT,
    act,
    bank,
    can,
    edge,
    hand,
    legal,
    next_turn,
    path,
    player,
    refused,
    table,
)

ALONG = {"settlements": [20], "roads": path(20, 21, 22)}
PURCHASES = {
    "build_road": (ROAD, {"edge": edge(20, 31)}, {"roads": sorted(path(31, 20, 21, 22))}),
    "build_settlement": (SETTLEMENT, {"vertex": 22}, {"settlements": [20, 22], "points": 2}),
    "build_city": (CITY, {"vertex": 20}, {"settlements": [], "cities": [20], "points": 2}),
    "buy_development_card": (CARD, {}, {"points": 1}),
}


@pytest.mark.parametrize("kind", PURCHASES)
def test_costs(kind):
    """Road (brick, lumber), settlement (brick, lumber, wool, grain), city (2 grain, 3 ore),
    card (wool, grain, ore). What is paid goes to the bank."""
    cost, where, built = PURCHASES[kind]
    game = act(table({**ALONG, "hand": cost}, deck=["knight"]), kind, **where)
    assert player(game, 0).items() >= built.items()
    assert hand(game, 0) == {}
    assert set(bank(game).values()) == {19}
    for r, n in cost.items():
        refused(table({**ALONG, "hand": {**cost, r: n - 1}}), kind, **where)


def around(*vertices):
    """The edges from the first vertex to each of the others."""
    return [edge(vertices[0], v) for v in vertices[1:]]


ROADS = {
    "an own building": (
        {"settlements": [20], "cities": [40]},
        {},
        around(20, 19, 21, 31) + around(40, 39, 41, 30),
    ),
    "your road": (
        {"settlements": [20], "roads": path(20, 21)},
        {},
        around(20, 19, 31) + around(21, 11, 22),
    ),
    "not another's road": (
        {"settlements": [0]},
        {"settlements": [20], "roads": path(20, 21)},
        around(0, 1, 8),
    ),
    "not where one lies": (
        {"settlements": [20], "roads": path(20, 21)},
        {"settlements": [23], "roads": path(23, 22, 21)},
        around(20, 19, 31) + around(21, 11),
    ),
    "not through an opponent's settlement": (
        {"settlements": [19], "roads": path(19, 20, 21)},
        {"settlements": [21]},
        around(19, 9, 18) + around(20, 31),
    ),
    "not through an opponent's city": (
        {"settlements": [19], "roads": path(19, 20, 21)},
        {"cities": [21]},
        around(19, 9, 18) + around(20, 31),
    ),
    "through an own building": (
        {"settlements": [19, 21], "roads": path(19, 20, 21)},
        {},
        around(19, 9, 18) + around(20, 31) + around(21, 11, 22),
    ),
}


@pytest.mark.parametrize("case", ROADS)
def test_a_road_is_built_on_an_empty_edge_that_touches_an_own_road_or_building(case):
    seat, other, edges = ROADS[case]
    assert sorted(legal(table({**seat, "hand": ROAD}, other), "build_road")) == sorted(edges)


def test_an_edge_at_an_opponents_building_can_be_reached_from_its_other_end():
    roads = path(19, 20, 21) + path(20, 31, 32, 33, 22)
    game = table({"settlements": [19], "roads": roads, "hand": ROAD}, {"settlements": [21]})
    assert can(game, "build_road", edge=edge(21, 22))


def test_a_settlement_built_on_a_road_closes_it_at_once():
    """The opponent's new settlement bars the way on from there."""
    game = table(
        {"settlements": [23], "roads": path(23, 22, 21), "hand": SETTLEMENT},
        {"settlements": [19], "roads": path(19, 20, 21), "hand": ROAD},
    )
    next_turn(act(game, "build_settlement", vertex=21))
    refused(game, "build_road", edge=edge(21, 11))
    assert can(game, "build_road", edge=edge(20, 31))


FAR_ALONG = {"settlements": [20], "roads": path(20, 21, 22, 23)}
SETTLEMENTS = {
    "your road": (FAR_ALONG, {}, [22, 23]),
    "not another's road": ({}, {"settlements": [20], "roads": path(20, 21, 22)}, []),
    "far from a settlement": (FAR_ALONG, {"settlements": [24]}, [22]),
    "far from a city": (FAR_ALONG, {"cities": [24]}, [22]),
    "an empty vertex": (ALONG, {"cities": [22]}, []),
    "on an opponent's road": (
        {"settlements": [24], "roads": path(24, 23, 22)},
        {"settlements": [20], "roads": path(20, 21, 22)},
        [22],
    ),
}


@pytest.mark.parametrize("case", SETTLEMENTS)
def test_a_settlement_is_built_on_an_empty_vertex_by_the_distance_rule_at_an_own_road(case):
    seat, other, vertices = SETTLEMENTS[case]
    assert legal(table({**seat, "hand": SETTLEMENT}, other), "build_settlement") == vertices


def test_a_city_replaces_nothing_but_an_own_settlement():
    game = table({"cities": [20], "settlements": [0], "hand": CITY}, {"settlements": [40]})
    assert legal(game, "build_city") == [0]


def test_a_development_card_is_the_top_of_the_deck():
    order = ["year_of_plenty", "victory_point", "knight"]
    game = table({"hand": {"wool": 3, "grain": 3, "ore": 3}}, deck=order)
    assert game.snapshot()["deck"][:3] == order
    for k, card in enumerate(order, start=1):
        act(game, "buy_development_card")
        assert player(game, 0)["cards"][card] == 1
        assert sum(player(game, 0)["cards"].values()) == k
    assert len(game.snapshot()["deck"]) == 22


def test_a_development_card_named_is_drawn_and_the_deck_keeps_the_others():
    game = table({"hand": CARD}, deck=["knight"])
    act(game, "buy_development_card", outcome=Card.MONOPOLY)
    assert player(game, 0)["cards"]["monopoly"] == 1
    assert game.snapshot()["deck"].count("monopoly") == 1
    assert len(game.snapshot()["deck"]) == 24


def test_no_development_card_once_the_deck_is_empty():
    """While one is left."""
    played = {"knight": 13, "road_building": 2, "year_of_plenty": 2, "monopoly": 2}
    other = {"cards_played": played, "cards": {"victory_point": 5}}
    game = table({"hand": {"wool": 2, "grain": 2, "ore": 2}}, other, victory_points=15)
    assert game.snapshot()["deck"] == ["knight"]
    act(game, "buy_development_card")
    assert game.snapshot()["deck"] == []
    refused(game, "buy_development_card")
