"""11. What everybody knows."""

import numpy as np
import pytest

from catan_pz import Game
from catan_pz.terms import Resource
from tests.helpers import RESOURCES, RULE_SETS, act, path, play_randomly, table

HANDS = [{"hand": {"brick": 2}}, {"hand": {"ore": 2}}, {"hand": {"wool": 1, "grain": 1}}]


def three(seat=None, **entries):
    """A position of three players; seat 0 has what is given beside or instead."""
    return table(HANDS[0] | (seat or {}), *HANDS[1:], **entries)


def differs(viewer, one, other):
    """Whether a viewer can tell two positions apart."""
    return one.observe(viewer).tobytes() != other.observe(viewer).tobytes()


PUBLIC = {
    "the board": {"board": Game(seed=3).snapshot()["board"]},
    "roads": {"seat": {"settlements": [0], "roads": path(0, 1)}},
    "settlements": {"seat": {"settlements": [0]}},
    "cities": {"seat": {"cities": [0]}},
    "number of resource cards": {"seat": {"hand": {"brick": 3}}},
    "the bank": {"seat": {"hand": {"lumber": 2}}},
    "number of development cards": {"seat": {"cards": {"knight": 1}}},
    "cards played": {"seat": {"cards_played": {"monopoly": 1}}},
    "robber": {"robber": 3},
}


@pytest.mark.parametrize("fact", PUBLIC)
def test_public(fact):
    """Public: the board, all pieces, numbers of cards, cards played, bank, deck's size."""
    for viewer in (1, 2):
        assert differs(viewer, three(), three(**PUBLIC[fact]))


def test_dice_are_public():
    one, other = (act(three(phase="roll"), "roll", outcome=dice) for dice in ((1, 3), (2, 2)))
    assert all(differs(viewer, one, other) for viewer in range(3))


@pytest.mark.parametrize("card", ["monopoly", "victory_point"])
def test_unplayed_development_cards_are_hidden_from_all_but_their_owner(card):
    one, other = three({"cards": {"knight": 1}}), three({"cards": {card: 1}})
    assert [differs(viewer, one, other) for viewer in range(3)] == [True, False, False]


def test_the_decks_order_is_hidden_from_all():
    """A card drawn from it is known to its buyer alone."""
    orders = ["knight", "monopoly"], ["monopoly", "knight"]
    one, other = (three({"hand": {"wool": 1, "grain": 1, "ore": 1}}, deck=d) for d in orders)
    assert not any(differs(viewer, one, other) for viewer in range(3))
    for game in (one, other):
        act(game, "buy_development_card")
    assert [differs(viewer, one, other) for viewer in range(3)] == [True, False, False]


def theft(stolen):
    """Player 0 steals from player 1, who holds wool and ore."""
    victim = {"settlements": [10], "hand": {"ore": 1, "wool": 1}}
    game = table({}, victim, {}, phase="move_robber")
    return act(game, "move_robber", hex=4, outcome=stolen)


def test_the_types_of_stolen_cards_are_hidden_from_all_but_the_two():
    """Who stole from whom is public."""
    ore, wool = theft(Resource.ORE), theft(Resource.WOOL)
    assert [differs(viewer, ore, wool) for viewer in range(3)] == [True, True, False]
    facts = ore.snapshot()
    assert [sum(p["hand"].values()) for p in facts["players"]] == [1, 1, 0]
    thief = facts["knowledge"][2][0]
    assert thief["max"]["ore"] == thief["max"]["wool"] == 1


def test_production_and_setup_are_public():
    """After set-up and some rolls without a 7 every hand is known to everybody."""
    game = Game(seed=4, num_players=3)
    while game.snapshot()["phase"] != "main":
        options = game.legal_actions()
        game.step(int(options[0]), outcome=(4, 4) if options[0] == 0 else None)
    facts = game.snapshot()
    for bounds in facts["knowledge"]:
        for p, seat in enumerate(facts["players"]):
            assert bounds[p]["min"] == bounds[p]["max"] == seat["hand"]


def random_states(rules, seed, decisions=400):
    """The snapshots along a random game."""
    game, rng = Game(rules, seed=seed), np.random.default_rng(seed)
    for _ in range(decisions):
        yield play_randomly(game, 1, rng).snapshot()


@pytest.mark.parametrize("name", ["base", "three", "one_v_one"])
def test_the_sum_of_all_hands_is_public(name):
    """For an observer the sum of all hands for each resource is 19 less the bank."""
    for state in random_states(RULE_SETS[name], seed=2):
        for p, seat in enumerate(state["players"]):  # the own hand is known
            own = state["knowledge"][p][p]
            assert own["min"] == own["max"] == seat["hand"]
        for r in RESOURCES:
            total = 19 - state["bank"][r]
            assert sum(p["hand"][r] for p in state["players"]) == total
            for bounds in state["knowledge"]:
                assert sum(b["min"][r] for b in bounds) <= total <= sum(b["max"][r] for b in bounds)
                assert all(b["max"][r] <= total for b in bounds)


@pytest.mark.parametrize("name", ["two", "one_v_one"])
def test_with_two_players_the_others_resources_are_known_exactly(name):
    for seed in range(3):
        for state in random_states(RULE_SETS[name], seed):
            for observer in (0, 1):
                for p in (0, 1):
                    bounds = state["knowledge"][observer][p]
                    assert bounds["min"] == bounds["max"] == state["players"][p]["hand"]
