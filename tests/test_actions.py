"""Actions in words and their ids: the table, and the way there and back."""

import itertools
import json

import pytest

from catan_pz import Game, action_id, describe_action
from catan_pz.actions import ACTION_KINDS
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


def test_kinds_cover_the_table_without_gaps():
    assert [a for kind in ACTION_KINDS for a in kind.ids] == list(range(389))
    assert [a for kind in ACTION_KINDS if not kind.trading for a in kind.ids] == list(range(252))
    assert [(k.name, k.first, k.count) for k in ACTION_KINDS] == [row[:3] for row in TABLE]
    assert [len(Game(seed=0, trading=trading).mask) for trading in (True, False)] == [389, 252]


def test_there_and_back():
    for a in range(389):
        description = describe_action(a)
        assert json.loads(json.dumps(description)) == description
        assert action_id(description.pop("kind"), **description) == a


def test_places_seats_and_resources_are_counted_up():
    for first, name, values in (
        (2, "edge", range(72)),
        (74, "vertex", range(54)),
        (128, "vertex", range(54)),
        (205, "hex", range(19)),
        *((first, "seat", (1, 2, 3)) for first in (224, 385)),
        *((first, "resource", RESOURCES) for first in (200, 227, 372, 377)),
    ):
        found = [describe_action(first + k)[name] for k in range(len(values))]
        assert found == list(values)


def test_pairs_are_in_lexicographic_order_and_trades_give_major():
    pairs = [list(pair) for pair in itertools.combinations_with_replacement(RESOURCES, 2)]
    assert [describe_action(185 + k)["pair"] for k in range(15)] == pairs
    swaps = [{"kind": "maritime_trade", "give": give, "get": get} for give, get in SWAPS]
    assert [describe_action(232 + k) for k in range(20)] == swaps


SWAPS = [(give, get) for give in RESOURCES for get in RESOURCES if give != get]


OFFERS = range(252, 372)


def test_the_order_of_offers():
    """1:1, 2:1, 1+1:1, then the mirror images of 2:1 and 1+1:1 in the same order."""
    singles = [({give: 1}, {get: 1}) for give, get in SWAPS]
    doubles = [({give: 2}, {get: 1}) for give, get in SWAPS]
    two = itertools.combinations(RESOURCES, 2)
    pairs = [({a: 1, b: 1}, {get: 1}) for a, b in two for get in RESOURCES if get not in (a, b)]
    mirrored = [(get, give) for give, get in doubles + pairs]
    found = [(described["give"], described["get"]) for described in map(describe_action, OFFERS)]
    assert found == [*singles, *doubles, *pairs, *mirrored]
    assert action_id("offer", give={"ore": 1, "wool": 1}, get={"brick": 1}) == 292 + 8 * 3


def test_names_may_come_in_any_order():
    straight = action_id("play_year_of_plenty", pair=["brick", "ore"])
    assert action_id("play_year_of_plenty", pair=["ore", "brick"]) == straight
    full = {**dict.fromkeys(RESOURCES, 0), "wool": 2}
    plain = action_id("offer", give={"wool": 2}, get={"ore": 1})
    assert action_id("offer", give=full, get={"ore": 1}) == plain


def test_a_description_is_the_callers_own():
    describe_action(252)["give"]["brick"] = 9
    describe_action(185)["pair"].append("ore")
    assert describe_action(252)["give"] == {"brick": 1}
    assert describe_action(185)["pair"] == ["brick", "brick"]


@pytest.mark.parametrize("a", [-1, 389])
def test_ids_that_do_not_exist(a):
    with pytest.raises(ValueError, match=str(a)):
        describe_action(a)


WRONG = {
    "unknown kind": ("build_castle", {}, "build_castle"),
    "missing argument": ("build_road", {}, "edge"),
    "wrong argument": ("build_road", {"vertex": 1}, "edge"),
    "argument of none": ("roll", {"edge": 1}, "roll"),
    "negative vertex": ("build_city", {"vertex": -1}, "build_city"),
    "seat 0": ("steal", {"seat": 0}, "steal"),
    "gold": ("discard", {"resource": "gold"}, "discard"),
    "one for itself": ("maritime_trade", {"give": "ore", "get": "ore"}, "maritime_trade"),
    "single card of plenty": ("play_year_of_plenty", {"pair": ["ore"]}, "play_year_of_plenty"),
    "both sides": ("offer", {"give": {"ore": 1}, "get": {"ore": 1}}, "offer"),
    "too many": ("offer", {"give": {"wool": 3}, "get": {"ore": 1}}, "offer"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_words_that_make_no_action(wrong):
    kind, arguments, named = WRONG[wrong]
    with pytest.raises(ValueError, match=named):
        action_id(kind, **arguments)


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


@pytest.mark.parametrize(
    ("kind", "arguments", "hint"),
    [
        ("discard", {"resource": "wheat"}, "grain"),
        ("maritime_trade", {"give": "Sheep", "get": "ore"}, "wool"),
        ("offer", {"give": {"wood": 1}, "get": {"ore": 1}}, "lumber"),
        ("play_year_of_plenty", {"pair": ["clay", "ore"]}, "brick"),
        ("discard", {"resource": "grian"}, "grain"),
    ],
)
def test_players_words_for_resources_are_answered_with_the_rulebooks(kind, arguments, hint):
    with pytest.raises(ValueError, match=rf"did you mean '{hint}'\?"):
        action_id(kind, **arguments)
