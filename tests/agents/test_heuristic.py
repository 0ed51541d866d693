"""What the heuristic player does, part by part, in positions by hand on the beginner board."""

from dataclasses import astuple

import pytest

from catan_pz import Game, Rules, describe_action
from catan_pz.agents.heuristic.agent import HeuristicAgent
from catan_pz.agents.heuristic.weights import Weights
from catan_pz.game.position import position
from catan_pz.game.view import view_of
from tests.helpers import act, path

pytestmark = pytest.mark.purepython

QUIET = Rules(trading=False)
HOME = {"settlements": [20, 42], "roads": [*path(20, 21), *path(42, 43)]}


def table(*players, **entries):
    """A position of four; seats not given have nothing."""
    return position([*players, *[{}] * (4 - len(players))], **entries)


def choice(game, weights=None):
    """What the heuristic player would do, in words."""
    agent = HeuristicAgent(weights)
    agent.reset(game.player, game.rules, 1)
    view = view_of(game, game.player)
    return describe_action(agent.act(view))


def kind(game, weights=None):
    return choice(game, weights)["kind"]


def test_a_city_or_a_settlement_that_wins_is_built():
    points = {"cities": [10, 20, 42, 45], "hand": {"ore": 3, "grain": 2}}
    nearly = {**points, "settlements": [34], "cities": [10, 20, 42]}
    rules = Rules(victory_points=8, trading=False)
    assert choice(table(nearly, rules=rules)) == {"kind": "build_city", "vertex": 34}
    spot = {**nearly, "hand": {"brick": 1, "lumber": 1, "wool": 1, "grain": 1}}
    spot["roads"] = path(34, 35, 36)
    assert kind(table(spot, rules=rules)) == "build_settlement"


def test_a_knight_that_wins_is_played():
    army = {"cities": [10, 20, 42, 45], "cards_played": {"knight": 2}, "cards": {"knight": 1}}
    for phase in ("roll", "main"):
        assert kind(table(army, rules=QUIET, phase=phase)) == "play_knight"


def test_a_road_that_wins_is_built():
    way = path(20, 21, 22, 23, 24)
    nearly = {"cities": [10, 20, 42, 45], "roads": way, "hand": {"brick": 1, "lumber": 1}}
    game = table(nearly, rules=QUIET)
    assert kind(game) == "build_road"
    act(game, **choice(game))
    assert game.winner == 0


def test_a_city_is_built_where_it_brings_most():
    # Vertex 20 has hills 6, fields 9 and forest 11, vertex 53 pasture 11 alone.
    game = table({"settlements": [20, 53], "hand": {"ore": 3, "grain": 2}}, rules=QUIET)
    assert choice(game) == {"kind": "build_city", "vertex": 20}


def test_without_cards_the_turn_ends():
    assert kind(table(HOME, rules=QUIET)) == "end_turn"
    assert kind(table(HOME, phase="roll", rules=QUIET)) == "roll"


def test_a_road_is_built_towards_a_spot_ahead_of_the_rest():
    game = table({**HOME, "hand": {"brick": 1, "lumber": 1}}, rules=QUIET)
    assert kind(game) == "build_road"
    assert kind(game, Weights().without("roads")) == "end_turn"


def test_the_bank_gives_what_a_city_lacks():
    game = table({**HOME, "hand": {"ore": 2, "grain": 2, "wool": 4}}, rules=QUIET)
    assert choice(game) == {"kind": "maritime_trade", "give": "wool", "get": "ore"}
    assert kind(game, Weights().without("bank")) == "end_turn"
    act(game, **choice(game))
    assert kind(game) == "build_city"


def test_cards_for_the_next_goal_are_not_given_to_the_bank():
    game = table({**HOME, "hand": {"ore": 2, "grain": 1}}, rules=QUIET)
    assert kind(game) == "end_turn"


def test_first_settlements_go_where_production_is_rich_and_varied():
    game = Game(seed=1, board="beginner", trading=False)
    vertex = choice(game)["vertex"]
    pips = {v: worth(game, v) for v in range(54) if game.mask[74 + v]}
    assert pips[vertex] >= sorted(pips.values())[-6]
    act(game, "build_settlement", vertex=vertex)
    assert kind(game) == "build_road"


def worth(game, vertex):
    """Pips around a vertex."""
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


def test_the_victim_is_the_one_with_more_to_lose():
    weak = {"settlements": [12], "hand": {"wool": 1}}
    strong = {"cities": [22, 45, 50], "hand": {"ore": 4, "grain": 2}}
    game = table(HOME, weak, strong, phase="steal", robber=5, rules=QUIET)
    assert choice(game) == {"kind": "steal", "seat": 2}


def test_a_knight_drives_the_robber_off_before_the_roll():
    knight = {**HOME, "cards": {"knight": 1}}
    assert kind(table(knight, phase="roll", robber=4, rules=QUIET)) == "play_knight"
    assert kind(table(knight, phase="roll", robber=0, rules=QUIET)) == "roll"
    weights = Weights().without("knights")
    assert kind(table(knight, phase="roll", robber=4, rules=QUIET), weights) == "roll"


def test_a_year_of_plenty_completes_a_city():
    player = {**HOME, "hand": {"ore": 2, "grain": 1}, "cards": {"year_of_plenty": 1}}
    game = table(player, rules=QUIET)
    assert choice(game) == {"kind": "play_year_of_plenty", "pair": ["grain", "ore"]}
    assert kind(game, Weights().without("cards")) == "end_turn"


def test_a_monopoly_takes_what_the_others_hold():
    player = {**HOME, "hand": {"grain": 2}, "cards": {"monopoly": 1}}
    game = table(player, {"hand": {"ore": 3}}, {"hand": {"ore": 2, "wool": 1}}, rules=QUIET)
    assert choice(game) == {"kind": "play_monopoly", "resource": "ore"}
    assert kind(table(player, rules=QUIET)) == "end_turn"


def test_discards_keep_the_plan():
    hand = {"ore": 3, "grain": 2, "lumber": 1, "wool": 4}
    game = table({**HOME, "hand": hand}, phase="discard", to_discard=[5, 0, 0, 0], rules=QUIET)
    thrown = []
    for _ in range(5):
        thrown.append(choice(game)["resource"])
        act(game, **choice(game))
    assert sorted(thrown) == ["lumber", *["wool"] * 4]


def on_the_table(maker, answerer, give, get, **entries):
    """An offer of seat 0 that seat 1 is to answer."""
    game = table(maker, answerer, {}, {}, **entries)
    return act(game, "offer", give=give, get=get)


def test_an_offer_that_completes_a_city_is_accepted():
    mine = {"settlements": [20], "hand": {"ore": 2, "grain": 2, "wool": 2}}
    theirs = {"settlements": [42], "hand": {"ore": 1, "lumber": 1}}
    game = on_the_table(theirs, mine, {"ore": 1}, {"wool": 1})
    assert kind(game) == "accept"
    assert kind(game, Weights().without("answers")) == "reject"


def test_an_offer_that_spoils_the_plan_is_rejected():
    mine = {"settlements": [20], "hand": {"ore": 3, "grain": 2}}
    theirs = {"settlements": [42], "hand": {"wool": 2}}
    assert kind(on_the_table(theirs, mine, {"wool": 1}, {"ore": 1})) == "reject"


def test_nothing_is_traded_with_one_who_is_about_to_win():
    mine = {"settlements": [20], "hand": {"ore": 2, "grain": 2, "wool": 2}}
    theirs = {"cities": [42, 45, 34, 12], "hand": {"ore": 1, "lumber": 1}}
    assert kind(on_the_table(theirs, mine, {"ore": 1}, {"wool": 1})) == "reject"


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


def test_the_weights_settle_the_choice_and_nothing_else():
    changed = astuple(Weights().without("bank"))
    assert sum(one != other for one, other in zip(astuple(Weights()), changed, strict=True)) == 1
    assert HeuristicAgent().rows.tolist() == [astuple(Weights())] * 2
    assert not HeuristicAgent().rows.flags.writeable
