"""What the heuristic player does, part by part, in positions by hand on the beginner board."""

import numpy as np
import pytest

from catan_pz import Game, Rules, describe_action
from catan_pz.actions import BUILD_ROAD
from catan_pz.agents.heuristic.agent import HeuristicAgent
from catan_pz.agents.heuristic.plan import (
    BASKETS,
    CARD_UNIT,
    NEVER,
    TWELFTHS,
    Times,
    time_for,
    times_of,
)
from catan_pz.agents.heuristic.spots import longest_road_edge
from catan_pz.agents.heuristic.weights import Weights
from catan_pz.game.position import position
from catan_pz.game.view import view_of
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Float64Array, Int8Array
from catan_pz.terms import NUM_EDGES
from tests.helpers import act, path

pytestmark = pytest.mark.purepython

QUIET = Rules(trading=False)
HOME = {"settlements": [20, 42], "roads": [*path(20, 21), *path(42, 43)]}


def table(*players, **entries):
    return position([*players, *[{}] * (4 - len(players))], **entries)


def choice(game, weights=None):
    agent = HeuristicAgent(weights)
    agent.reset(game.player, game.rules, 1)
    view = view_of(game, game.player)
    return describe_action(agent.act(view))


def kind(game, weights=None):
    return choice(game, weights)["kind"]


ARMY = {"cities": [10, 20, 42, 45], "cards_played": {"knight": 2}, "cards": {"knight": 1}}
KNIGHT = {**HOME, "cards": {"knight": 1}}
PLENTY = {**HOME, "hand": {"ore": 2, "grain": 1}, "cards": {"year_of_plenty": 1}}
BANKER = {**HOME, "hand": {"ore": 2, "grain": 2, "wool": 4}}
TRADER = {"settlements": [20], "hand": {"ore": 2, "grain": 2, "wool": 2}}
ORE = {"settlements": [42], "hand": {"ore": 1, "lumber": 1}}


@pytest.mark.parametrize(
    ("player", "entries", "chosen", "part", "instead"),
    [
        (ARMY, {"phase": "roll"}, "play_knight", None, None),  # the largest army wins
        (ARMY, {}, "play_knight", None, None),
        (HOME, {}, "end_turn", None, None),
        (HOME, {"phase": "roll"}, "roll", None, None),
        ({**HOME, "hand": {"brick": 1, "lumber": 1}}, {}, "build_road", "roads", "end_turn"),
        ({**HOME, "hand": {"ore": 2, "grain": 1}}, {}, "end_turn", None, None),  # for a city
        (KNIGHT, {"phase": "roll", "robber": 4}, "play_knight", "knights", "roll"),
        (KNIGHT, {"phase": "roll", "robber": 0}, "roll", None, None),
        (PLENTY, {}, "play_year_of_plenty", "cards", "end_turn"),
        (BANKER, {}, "maritime_trade", "bank", "end_turn"),
    ],
)
def test_what_is_done_and_without_which_part_it_is_not(player, entries, chosen, part, instead):
    game = table(player, rules=QUIET, **entries)
    assert kind(game) == chosen
    if part is not None:
        assert kind(game, Weights().without(part)) == instead


@pytest.mark.parametrize(
    ("mine", "theirs", "give", "get", "answer"),
    [
        (TRADER, ORE, "ore", "wool", "accept"),
        (
            {**TRADER, "hand": {"ore": 3, "grain": 2}},
            {"hand": {"wool": 2}},
            "wool",
            "ore",
            "reject",
        ),
        (TRADER, {**ORE, "settlements": [], "cities": [42, 45, 34, 12]}, "ore", "wool", "reject"),
    ],
    ids=["completes a city", "spoils the plan", "helps one who is about to win"],
)
def test_offers_are_answered_by_what_they_are_worth(mine, theirs, give, get, answer):
    game = table({"settlements": [42]} | theirs, mine)
    act(game, "offer", give={give: 1}, get={get: 1})
    assert kind(game) == answer
    assert kind(game, Weights().without("answers")) == "reject"


POINTS = {"cities": [10, 20, 42], "settlements": [34]}
CITY_COST = {"ore": 3, "grain": 2}
SPOT = {"hand": {"brick": 1, "lumber": 1, "wool": 1, "grain": 1}, "roads": path(34, 35, 36)}
MONOPOLIST = {**HOME, "hand": {"grain": 2}, "cards": {"monopoly": 1}}
WEAK = {"settlements": [12], "hand": {"wool": 1}}
STRONG = {"cities": [22, 45, 50], "hand": {"ore": 4, "grain": 2}}
SHORT = Rules(victory_points=8, trading=False)


@pytest.mark.parametrize(
    ("players", "entries", "expected"),
    [
        # What wins is built.
        ([POINTS | {"hand": CITY_COST}], {"rules": SHORT}, {"kind": "build_city", "vertex": 34}),
        ([POINTS | SPOT], {"rules": SHORT}, {"kind": "build_settlement", "vertex": 36}),
        # The bank gives what a city lacks.
        ([BANKER], {}, {"kind": "maritime_trade", "give": "wool", "get": "ore"}),
        # The victim has more to lose than another.
        ([HOME, WEAK, STRONG], {"phase": "steal", "robber": 5}, {"kind": "steal", "seat": 2}),
        # A monopoly takes what the others hold, if that is enough.
        (
            [MONOPOLIST, {"hand": {"ore": 3}}, {"hand": {"ore": 2, "wool": 1}}],
            {},
            {"kind": "play_monopoly", "resource": "ore"},
        ),
        ([MONOPOLIST], {}, {"kind": "end_turn"}),
    ],
    ids=["city", "settlement", "bank", "victim", "monopoly", "no monopoly"],
)
def test_choices(players, entries, expected):
    assert choice(table(*players, **{"rules": QUIET} | entries)) == expected


def test_a_road_that_wins_is_built():
    way = path(20, 21, 22, 23, 24)
    nearly = {"cities": [10, 20, 42, 45], "roads": way, "hand": {"brick": 1, "lumber": 1}}
    game = table(nearly, rules=QUIET)
    assert kind(game) == "build_road"
    act(game, **choice(game))
    assert game.winner == 0


def test_first_settlements_go_where_production_is_rich_and_varied():
    game = Game(seed=1, board="beginner", trading=False)
    vertex = choice(game)["vertex"]
    pips = {v: worth(game, v) for v in range(54) if game.mask[74 + v]}
    assert pips[vertex] >= sorted(pips.values())[-6]
    act(game, "build_settlement", vertex=vertex)
    assert kind(game) == "build_road"


def worth(game, vertex):
    other = game.copy()
    act(other, "build_settlement", vertex=vertex)
    return int(other.state["pips"][0].sum())


def test_the_robber_goes_to_the_leader_and_never_home():
    leader = {"settlements": [44], "cities": [12, 24]}
    other = {"settlements": [39]}
    game = table(HOME, other, leader, phase="move_robber", rules=QUIET)
    hexes = {choice(game)["hex"]}
    # Hexes 4, 5 and 6 around vertex 12, and those around 24; none of ours (4, 7, 8, 13, 14, 17).
    assert hexes <= {5, 6, 10, 11, 15}


def test_discards_keep_the_plan():
    hand = {"ore": 3, "grain": 2, "lumber": 1, "wool": 4}
    game = table({**HOME, "hand": hand}, phase="discard", to_discard=[5, 0, 0, 0], rules=QUIET)
    thrown = []
    for _ in range(5):
        thrown.append(choice(game)["resource"])
        act(game, **choice(game))
    assert sorted(thrown) == ["lumber", *["wool"] * 4]


def test_offers_ask_for_what_lacks_and_vary():
    mine = {**HOME, "hand": {"ore": 2, "grain": 2, "wool": 2}}
    game = table(mine, {"hand": {"ore": 2}, "settlements": [12]}, {"hand": {"ore": 1}})
    first = choice(game)
    assert first == {"kind": "offer", "give": {"wool": 1}, "get": {"ore": 1}}
    made = []
    while kind(game) == "offer":
        made.append(str(choice(game)))
        act(game, **choice(game))
        while game.player != 0:
            act(game, "reject")
    assert 2 <= len(made) == len(set(made)) <= 3
    assert kind(game, Weights().without("offers")) == "end_turn"


def test_an_offer_is_composed_card_by_card():
    rules = Rules(offer_form="composed")
    mine = {**HOME, "hand": {"ore": 2, "grain": 2, "wool": 2}}
    game = table(mine, {"hand": {"ore": 2}, "settlements": [12]}, rules=rules)
    words = []
    while game.player == 0 and game.phase.name != "CLOSE" and len(words) < 5:
        words.append(choice(game))
        act(game, **choice(game))
    assert words == [
        {"kind": "compose_give", "resource": "wool"},
        {"kind": "compose_get", "resource": "ore"},
        {"kind": "compose_send"},
    ]


def test_the_weaker_partner_gets_the_trade():
    mine = {**HOME, "hand": {"ore": 2, "grain": 2, "wool": 2}}
    strong = {"cities": [12, 24], "hand": {"ore": 1}}
    weak = {"settlements": [45], "hand": {"ore": 1}}
    game = table(mine, strong, weak)
    act(game, "offer", give={"wool": 1}, get={"ore": 1})
    act(game, "accept")
    act(game, "accept")
    act(game, "reject")
    assert choice(game) == {"kind": "close_with", "seat": 2}


@pytest.mark.parametrize("limit", [5, 100])
def test_with_many_offers_to_make_a_turn_still_ends(limit):
    rules = Rules(max_offers_per_turn=limit)
    game = table({**HOME, "hand": {"ore": 2, "wool": 2}}, {"hand": {"ore": 9}}, rules=rules)
    agent, offers = HeuristicAgent(), 0
    agent.reset(0, rules, 3)
    while game.turn == 0:
        if game.player != 0:
            act(game, "reject")
            continue
        view = view_of(game, 0)
        action = agent.act(view)
        offers += describe_action(action)["kind"] == "offer"
        game.step(action)
    assert offers < 12


@entry
def time_until(hand: int, cost: int, pips: int, shares: int) -> int:
    return time_for(hand, cost, pips, shares)


@entry
def write_times(pips: int, shares: int, guess: Float64Array, times: Float64Array):
    found = times_of(pips, shares, Times(guess[0], guess[1], guess[2]))
    times[0], times[1], times[2] = found.mixed, found.cities, found.roads


def bundle(counts):
    return int(counts @ (1 << 8 * np.arange(5)))


def first_time(lacking, pips, shares):
    """The first by which all is paid."""
    left = pips * np.arange(NEVER)[:, None] - lacking
    is_paid = np.where(left < 0, left * TWELFTHS, left * shares).sum(1) >= 0
    return int(is_paid.argmax()) if is_paid.any() else NEVER


def test_times_are_the_first_by_which_all_is_paid():
    rng = np.random.default_rng(1)
    for _ in range(500):
        hand, cost = rng.integers(0, 5, 5), rng.integers(0, 6, 5)
        pips, shares = rng.integers(0, 9, 5) * rng.integers(0, 2, 5), rng.choice([3, 4, 6], 5)
        expected = first_time((cost - hand) * CARD_UNIT, pips, shares)
        found = time_until(bundle(hand), bundle(cost), bundle(pips), bundle(shares))
        assert found == expected

        expected = [first_time(basket, pips, shares) for basket in BASKETS]
        for guess in (np.zeros(3), rng.integers(0, NEVER, 3).astype(float)):
            write_times(bundle(pips), bundle(shares), guess, times := np.empty(3))
            assert list(times) == expected


@entry
def road_ahead(observation: Int8Array, mask: Int8Array) -> int:
    return longest_road_edge(observation, mask)


def test_the_road_that_makes_the_longest_one_longer():
    """Found as by building each that is legal."""
    rng, found = np.random.default_rng(1), set()
    for seed in range(8):
        game = Game(seed=seed, num_players=2, trading=False)
        while not game.is_over and game.turn < 60:
            roads = BUILD_ROAD + game.mask[BUILD_ROAD : BUILD_ROAD + NUM_EDGES].nonzero()[0]
            if len(roads) > 0:
                best, expected = game.state["road_length"][game.player], -1
                for road in roads:
                    other = game.copy()
                    other.step(road)
                    length = other.state["road_length"][game.player]
                    if length > best:
                        best, expected = length, road - BUILD_ROAD
                view = view_of(game, game.player)
                assert road_ahead(view.observation, view.mask) == expected
                found.add(int(expected))
            game.step(rng.choice(roads if len(roads) > 0 else game.mask.nonzero()[0]))
    assert -1 in found
    assert len(found) > 20
