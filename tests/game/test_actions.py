"""Actions in words and their ids: the table, and the way there and back."""

import itertools
import json

import numpy as np
import pytest

from catan_pz import Game, IllegalActionError, action_id, describe_action
from catan_pz.terms import Resource
from tests.helpers import RESOURCES

pytestmark = pytest.mark.purepython

TABLE = [
    ("roll", 0, 1, []),
    ("end_turn", 1, 1, []),
    ("build_road", 2, 72, ["edge"]),
    ("build_settlement", 74, 54, ["vertex"]),
    ("build_city", 128, 54, ["vertex"]),
    ("buy_development_card", 182, 1, []),
    ("play_knight", 183, 1, []),
    ("play_road_building", 184, 1, []),
    ("play_year_of_plenty", 185, 15, ["pair"]),
    ("play_monopoly", 200, 5, ["resource"]),
    ("move_robber", 205, 19, ["hex"]),
    ("steal", 224, 3, ["seat"]),
    ("discard", 227, 5, ["resource"]),
    ("maritime_trade", 232, 20, ["get", "give"]),
    ("offer", 252, 120, ["get", "give"]),
    ("compose_give", 372, 5, ["resource"]),
    ("compose_get", 377, 5, ["resource"]),
    ("compose_send", 382, 1, []),
    ("accept", 383, 1, []),
    ("reject", 384, 1, []),
    ("close_with", 385, 3, ["seat"]),
    ("withdraw", 388, 1, []),
]
"""Kind, first id, how many, names of the arguments."""


@pytest.mark.parametrize(("kind", "first", "count", "arguments"), TABLE)
def test_the_action_table(kind, first, count, arguments):
    ids = [a for a in range(389) if describe_action(a)["kind"] == kind]
    assert ids == list(range(first, first + count))
    for a in ids:
        assert sorted(describe_action(a)) == sorted(["kind", *arguments])


def test_the_sizes_of_the_action_space():
    assert TABLE[-1][1] + TABLE[-1][2] == 389
    assert len(Game(seed=0).mask) == 389
    assert len(Game(seed=0, trading=False).mask) == 252


@pytest.mark.parametrize("a", range(389))
def test_there_and_back(a):
    description = describe_action(a)
    kind = description.pop("kind")
    assert action_id(kind, **description) == a
    assert json.loads(json.dumps(description)) == description


def test_places_are_counted_up():
    assert [describe_action(2 + e)["edge"] for e in range(72)] == list(range(72))
    assert [describe_action(74 + v)["vertex"] for v in range(54)] == list(range(54))
    assert [describe_action(128 + v)["vertex"] for v in range(54)] == list(range(54))
    assert [describe_action(205 + h)["hex"] for h in range(19)] == list(range(19))


def test_seats_are_relative_1_to_3():
    for first in (224, 385):
        assert [describe_action(first + k)["seat"] for k in range(3)] == [1, 2, 3]


@pytest.mark.parametrize("first", [200, 227, 372, 377])
def test_resources_in_their_order(first):
    assert [describe_action(first + k)["resource"] for k in range(5)] == list(RESOURCES)


def test_year_of_plenty_pairs_in_lexicographic_order():
    pairs = [list(pair) for pair in itertools.combinations_with_replacement(RESOURCES, 2)]
    assert [describe_action(185 + k)["pair"] for k in range(15)] == pairs


SWAPS = [(give, get) for give in RESOURCES for get in RESOURCES if give != get]


def test_maritime_trades_are_give_major():
    swaps = [{"kind": "maritime_trade", "give": give, "get": get} for give, get in SWAPS]
    assert [describe_action(232 + k) for k in range(20)] == swaps


def test_the_order_of_offers():
    """1:1, 2:1, 1+1:1, then the mirror images of 2:1 and 1+1:1 in the same order."""
    singles = [({give: 1}, {get: 1}) for give, get in SWAPS]
    doubles = [({give: 2}, {get: 1}) for give, get in SWAPS]
    pairs = [
        ({a: 1, b: 1}, {get: 1})
        for a, b in itertools.combinations(RESOURCES, 2)
        for get in RESOURCES
        if get not in (a, b)
    ]
    mirrored = [(get, give) for give, get in doubles + pairs]
    expected = [*singles, *doubles, *pairs, *mirrored]
    assert [len(part) for part in (singles, doubles, pairs, mirrored)] == [20, 20, 30, 50]
    assert [
        (describe_action(a)["give"], describe_action(a)["get"]) for a in range(252, 372)
    ] == expected


def test_examples():
    assert describe_action(2 + 12) == {"kind": "build_road", "edge": 12}
    assert action_id("maritime_trade", give="ore", get="brick") == 232 + 16
    assert action_id("offer", give={"ore": 1, "wool": 1}, get={"brick": 1}) == 292 + 8 * 3


def test_names_may_come_in_any_order():
    straight = action_id("play_year_of_plenty", pair=["brick", "ore"])
    assert action_id("play_year_of_plenty", pair=["ore", "brick"]) == straight
    full = {**dict.fromkeys(RESOURCES, 0), "wool": 2}
    plain = action_id("offer", give={"wool": 2}, get={"ore": 1})
    assert action_id("offer", give=full, get={"ore": 1}) == plain


def test_ids_may_be_numpy_integers():
    assert describe_action(np.int64(3)) == describe_action(3)
    assert action_id("build_road", edge=np.int64(3)) == 5


def test_a_description_is_the_callers_own():
    describe_action(252)["give"]["brick"] = 9
    describe_action(185)["pair"].append("ore")
    assert describe_action(252)["give"] == {"brick": 1}
    assert describe_action(185)["pair"] == ["brick", "brick"]


@pytest.mark.parametrize("a", [-1, 389, 10**9])
def test_ids_that_do_not_exist(a):
    with pytest.raises(ValueError, match=str(a)):
        describe_action(a)


WRONG = {
    "unknown kind": ("build_castle", {}, "build_castle"),
    "missing argument": ("build_road", {}, "edge"),
    "wrong argument": ("build_road", {"vertex": 1}, "edge"),
    "argument of none": ("roll", {"edge": 1}, "roll"),
    "edge 72": ("build_road", {"edge": 72}, "build_road"),
    "negative vertex": ("build_city", {"vertex": -1}, "build_city"),
    "a number in words": ("move_robber", {"hex": "3"}, "move_robber"),
    "half an edge": ("build_road", {"edge": 1.5}, "build_road"),
    "seat 0": ("steal", {"seat": 0}, "steal"),
    "seat 4": ("close_with", {"seat": 4}, "close_with"),
    "gold": ("discard", {"resource": "gold"}, "discard"),
    "one for itself": ("maritime_trade", {"give": "ore", "get": "ore"}, "maritime_trade"),
    "single card of plenty": ("play_year_of_plenty", {"pair": ["ore"]}, "play_year_of_plenty"),
    "three of plenty": ("play_year_of_plenty", {"pair": ["ore"] * 3}, "play_year_of_plenty"),
    "both sides": ("offer", {"give": {"ore": 1}, "get": {"ore": 1}}, "offer"),
    "empty side": ("offer", {"give": {}, "get": {"ore": 1}}, "offer"),
    "too many": ("offer", {"give": {"wool": 3}, "get": {"ore": 1}}, "offer"),
    "no bundle": ("offer", {"give": "wool", "get": {"ore": 1}}, "offer"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_words_that_make_no_action(wrong):
    kind, arguments, named = WRONG[wrong]
    with pytest.raises(ValueError, match=named):
        action_id(kind, **arguments)


ILLEGAL = {
    "not now": (0, IllegalActionError, "setup_settlement"),
    "no such action": (389, IllegalActionError, "389"),
    "negative": (-1, IllegalActionError, "-1"),
    "in words": ("roll", TypeError, "roll"),
    "half an action": (74.5, TypeError, "74.5"),
    "nothing": (None, TypeError, "None"),
}


@pytest.mark.parametrize("wrong", ILLEGAL)
def test_an_illegal_action_is_a_clear_error_and_changes_nothing(wrong):
    action, error, named = ILLEGAL[wrong]
    game = Game(seed=1)
    before = game.games.tobytes()
    with pytest.raises(error, match=named):
        game.step(action)
    assert game.games.tobytes() == before


def test_resources_are_names_or_enums():
    brick, ore = Resource.BRICK, Resource.ORE
    for kind, by_enum, by_name in (
        ("play_monopoly", {"resource": ore}, {"resource": "ore"}),
        ("play_year_of_plenty", {"pair": [ore, "brick"]}, {"pair": ["brick", "ore"]}),
        ("maritime_trade", {"give": ore, "get": brick}, {"give": "ore", "get": "brick"}),
        (
            "offer",
            {"give": {ore: 1}, "get": {brick: 1}},
            {"give": {"ore": 1}, "get": {"brick": 1}},
        ),
    ):
        assert action_id(kind, **by_enum) == action_id(kind, **by_name)
    with pytest.raises(ValueError, match="build_road"):
        action_id("build_road", edge=ore)
