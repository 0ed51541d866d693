"""11. What everybody knows."""

import numpy as np
import pytest

from catan_pz import Game, Rules
from catan_pz.game.position import position
from catan_pz.observation.segments import SIZE
from catan_pz.terms import Card, Resource
from tests.helpers import RESOURCES, RULE_SETS, act, path

pytestmark = pytest.mark.purepython

HANDS = [{"hand": {"brick": 2}}, {"hand": {"ore": 2}}, {"hand": {"wool": 1, "grain": 1}}]
THREE = Rules(num_players=3)


def three(*changes, **entries):
    """A position of three players; each change is merged into a seat."""
    seats = [HANDS[p] | (changes[p] if p < len(changes) else {}) for p in range(3)]
    return position(seats, rules=entries.pop("rules", THREE), **entries)


def seen(game, viewer):
    return game.observe(viewer).tobytes()


def differs(viewer, one, other):
    """Whether a viewer can tell two positions apart."""
    return seen(one, viewer) != seen(other, viewer)


PUBLIC = {
    "the board": {"board_seed": 3},
    "roads": {"seat": {"settlements": [0], "roads": path(0, 1)}},
    "settlements": {"seat": {"settlements": [0]}},
    "cities": {"seat": {"cities": [0]}},
    "number of resource cards": {"seat": {"hand": {"brick": 3}}},
    "number of development cards": {"seat": {"cards": {"knight": 1}}},
    "cards played": {"seat": {"cards_played": {"monopoly": 1}}},
    "dice": {"entries": {"dice": [2, 3]}},
    "robber": {"entries": {"robber": 3}},
}


@pytest.mark.parametrize("fact", PUBLIC)
def test_public(fact):
    """Public: the board, all pieces, numbers of cards, cards played, bank, deck's size, dice."""
    change = PUBLIC[fact]
    entries = dict(change.get("entries", {}))
    if "board_seed" in change:
        entries["board"] = Rules(board=Game(seed=3).snapshot()["board"]).board
    other = three(change.get("seat", {}), **entries)
    for viewer in (1, 2):
        assert differs(viewer, three(), other)


def test_the_bank_is_public():
    """The bank shows what all hands sum to."""
    one, other = three(), three({"hand": {"lumber": 2}})
    assert differs(1, one, other)


def test_unplayed_development_cards_are_hidden_from_all_but_their_owner():
    one, other = three({"cards": {"knight": 1}}), three({"cards": {"monopoly": 1}})
    assert differs(0, one, other)
    for viewer in (1, 2):
        assert not differs(viewer, one, other)


def test_victory_point_cards_are_hidden_from_all_but_their_owner():
    one, other = three({"cards": {"knight": 1}}), three({"cards": {"victory_point": 1}})
    for viewer in (1, 2):
        assert not differs(viewer, one, other)


def test_the_decks_order_is_hidden_from_all():
    one, other = three(deck=["knight", "monopoly"]), three(deck=["monopoly", "knight"])
    for viewer in range(3):
        assert not differs(viewer, one, other)


def theft(stolen):
    """Player 0 steals from player 1, who holds wool and ore."""
    seats = [{}, {"settlements": [10], "hand": {"ore": 1, "wool": 1}}, {}]
    game = position(seats, rules=THREE, phase="move_robber")
    return act(game, "move_robber", hex=4, outcome=stolen)


def test_the_types_of_stolen_cards_are_hidden_from_all_but_the_two():
    ore, wool = theft(Resource.ORE), theft(Resource.WOOL)
    assert differs(0, ore, wool)
    assert differs(1, ore, wool)
    assert not differs(2, ore, wool)


def test_who_stole_from_whom_is_public():
    """The third player sees both hands change in number."""
    game = theft(Resource.ORE)
    facts = game.snapshot()
    assert [sum(p["hand"].values()) for p in facts["players"]] == [1, 1, 0]
    bounds = facts["knowledge"][2]
    assert bounds[0]["max"]["ore"] == bounds[0]["max"]["wool"] == 1


def test_a_card_bought_is_known_to_its_buyer_alone():
    def bought(card):
        seats = [{"hand": {"wool": 1, "grain": 1, "ore": 1}}, {}, {}]
        return act(position(seats, rules=THREE), "buy_development_card", outcome=card)

    knight, monopoly = bought(Card.KNIGHT), bought(Card.MONOPOLY)
    assert differs(0, knight, monopoly)
    assert not differs(1, knight, monopoly)


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
        options = game.legal_actions()
        if len(options) == 0:
            return
        game.step(int(rng.choice(options)))
        yield game.snapshot()


@pytest.mark.parametrize("name", ["base", "three", "one_v_one"])
def test_the_sum_of_all_hands_is_public(name):
    """For an observer the sum of all hands for each resource is 19 less the bank."""
    for state in random_states(RULE_SETS[name], seed=2):
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


def test_every_player_knows_the_own_hand():
    for state in random_states(RULE_SETS["base"], seed=5):
        for p, seat in enumerate(state["players"]):
            own = state["knowledge"][p][p]
            assert own["min"] == own["max"] == seat["hand"]


def test_what_a_seat_sees_is_one_vector_of_the_same_size():
    assert {three().observe(viewer).shape for viewer in range(3)} == {(SIZE,)}
