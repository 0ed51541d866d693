"""The options: their defaults, what is refused and how, and the way to JSON and back."""

import json
from itertools import repeat

import numpy as np
import pytest

from catan_pz import Game, Rules
from catan_pz.board.generators import BEGINNER_BOARD
from catan_pz.rules import PRESETS
from tests.helpers import RULE_SETS

pytestmark = pytest.mark.purepython

DEFAULTS = {
    "num_players": 4,
    "trading": True,
    "counter_offers": True,
    "offer_form": "templates",
    "max_offers_per_turn": 3,
    "victory_points": 10,
    "discard_limit": 7,
    "friendly_robber": False,
    "dice": "random",
    "board": "random",
    "no_adjacent_red": False,
    "first_player": 0,
    "skip_forced": False,
    "max_turns": 1000,
    "robber_on_desert": False,
}
"""Without those that JSON leaves out at their defaults, as it was before they came."""


def test_defaults():
    assert Rules().to_dict() == DEFAULTS


@pytest.mark.parametrize("rules", [*RULE_SETS.values(), Rules(board=BEGINNER_BOARD)])
def test_to_json_and_back(rules):
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_integers_and_bools_of_numpy_become_plain_ones():
    given = {"num_players": 2, "victory_points": 5, "max_turns": 9, "trading": False}
    of_numpy = {
        name: np.bool_(value) if isinstance(value, bool) else np.int16(value)
        for name, value in given.items()
    }
    rules = Rules(**of_numpy)
    assert rules == Rules(**given)
    assert json.dumps(rules.to_dict()) == json.dumps(Rules(**given).to_dict())


def test_missing_options_take_their_defaults():
    assert Rules.from_dict({"num_players": 2}) == Rules(num_players=2)
    for name in ("cls", "rules", "self"):
        with pytest.raises(ValueError, match=f"unknown option {name}=1"):
            Rules.from_dict({name: 1})


def test_presets_and_rules_with_some_options_replaced():
    assert set(PRESETS) == {"base", "one_v_one", "rocco", "charlesworth"}
    assert Rules.make("base") == Rules.make(None) == Rules()
    assert Rules.make("one_v_one", victory_points=12).victory_points == 12
    rules = Rules(num_players=3)
    assert Rules.make(rules, trading=False) == Rules(num_players=3, trading=False)
    with pytest.raises(ValueError, match="seafarers"):
        Rules.make("seafarers")
    with pytest.raises(ValueError, match="write rules='one_v_one'"):
        Rules.make(preset="one_v_one")
    for make in (Rules.make, Game):
        with pytest.raises(ValueError, match="robbers"):
            make(robbers=2)


WRONG = {
    "num_players": [5, True],
    "trading": [1],
    "counter_offers": ["no"],
    "offer_form": ["any"],
    "max_offers_per_turn": [-1],
    "victory_points": [2, 23],
    "discard_limit": [0, 96],
    "friendly_robber": [None],
    "dice": ["fair", [], [(1, 7)], [(1,)], ["12"]],
    "board": ["square", [], [-1], 5, ["a"]],
    "no_adjacent_red": ["yes"],
    "first_player": [1, "last"],
    "skip_forced": [1],
    "robber_on_desert": [1],
    "robber_spares_mover": [1],
    "dice_memory": [1],
    "max_offer_cards": [3, 96],
    "max_turns": [0],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
def test_a_wrong_option_is_named_with_its_value_and_what_is_allowed(name, value):
    with pytest.raises(ValueError, match=name) as error:
        Rules(**{name: value})
    assert repr(value) in str(error.value)
    assert "must be" in str(error.value)


@pytest.mark.parametrize(("name", "one"), [("board", 2**64 - 1), ("dice", (6, 6))])
def test_lists_that_are_too_long_are_refused(name, one):
    assert len(getattr(Rules(**{name: [one] * 10_000}), name)) == 10_000
    for many in ([one] * 10_001, repeat(one)):
        with pytest.raises(ValueError, match=f"{name} must be .* at most 10,000 of them"):
            Rules(**{name: many})


@pytest.mark.parametrize(
    ("part", "k", "name", "wrong", "said"),
    [
        (
            "hexes",
            2,
            "terrain",
            "forrest",
            r"unknown .* 'forrest' \(did you mean 'forest'\?\)",
        ),
        ("harbors", 1, "resource", "sheep", r"unknown resource 'sheep' \(did you mean 'wool'\?\)"),
        ("hexes", 2, "terrain", "hills", "terrains must hold 3 hills, got 4"),
    ],
)
def test_what_is_wrong_with_a_board_is_said_in_words(part, k, name, wrong, said):
    board = json.loads(json.dumps(BEGINNER_BOARD.to_dict()))
    board[part][k][name] = wrong
    with pytest.raises(ValueError, match=said):
        Rules(board=board)
