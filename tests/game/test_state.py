"""States as JSON: exact keys, round trips at every phase, and what is refused."""

import copy
import json
from functools import reduce
from typing import Any

import numpy as np
import pytest

from catan_pz import Game, Rules
from catan_pz.game.position import position
from catan_pz.terms import Phase
from tests.engine.games import random_game
from tests.helpers import CARD, RESOURCES, RULE_SETS, act, edge, path, player

TWO = Rules(num_players=2)


def check_round_trip(game):
    """Plain JSON, whose text and back gives values of the same types, and the same game."""
    state = game.snapshot()
    again = json.loads(json.dumps(state))
    assert repr(again) == repr(state)
    other = Game.from_snapshot(again)
    assert other.games.tobytes() == game.games.tobytes()
    assert other.rules == game.rules
    assert other.snapshot() == state
    assert (other.mask == game.mask).all()


def test_round_trip_along_random_games():
    phases = set()
    for rules in (*RULE_SETS.values(), Rules(victory_points=3, trading=False)):
        for step, (game, _) in enumerate(random_game(rules, seed=3, most=500)):
            if step % 7 == 0 or game.phase not in phases:
                phases.add(game.phase)
                check_round_trip(game)
        phases.add(game.phase)
        check_round_trip(game)
    assert phases == set(Phase)


def trader():
    seats = [{"hand": {"brick": 2}}, {"hand": {"ore": 2}}, {"hand": {"ore": 1, "wool": 1}}]
    return position(seats, rules=Rules(num_players=3, offer_form="both"))


def answering():
    return act(trader(), "offer", give={"brick": 1}, get={"ore": 1})


def counter_composing():
    game = act(act(answering(), "accept"), "compose_give", resource="wool")
    return act(game, "compose_get", resource="brick")


def won():
    seat = {"cities": [0, 2, 4], "settlements": [20, 22, 24], "hand": {"grain": 2, "ore": 3}}
    return act(position([seat, {}, {}, {}]), "build_city", vertex=20)


def test_restore_brings_the_rules_along():
    game = Game(seed=1)
    other = Game(seed=5, num_players=2, trading=False)
    game.restore(other.snapshot())
    assert game.rules == other.rules
    assert game.games.tobytes() == other.games.tobytes()
    assert len(game.mask) == 252


# What the entries mean.


def test_the_deck_lists_the_next_card_first():
    game = position([{"hand": CARD}, {}, {}, {}], deck=["monopoly"])
    assert game.snapshot()["deck"][0] == "monopoly"
    assert player(act(game, "buy_development_card"), 0)["cards"]["monopoly"] == 1


def test_dice_keep_the_last_throw():
    game = position([{}, {}, {}, {}], phase="roll")
    assert game.snapshot()["dice"] == [0, 0]
    act(game, "roll", outcome=(2, 6))
    act(game, "end_turn")
    assert game.snapshot()["dice"] == [2, 6]


def test_new_cards_are_emptied_at_the_end_of_the_turn():
    game = position([{"hand": CARD}, {}, {}, {}], deck=["knight"])
    assert player(act(game, "buy_development_card"), 0)["new_cards"]["knight"] == 1
    after = player(act(game, "end_turn"), 0)
    assert (after["new_cards"]["knight"], after["cards"]["knight"]) == (0, 1)


def test_an_answer_being_composed_stands_in_answers():
    state = counter_composing().snapshot()
    assert (state["phase"], state["player_to_move"], state["turn_player"]) == ("compose", 2, 0)
    assert state["offer"]["answers"][1] == "accept"
    assert state["offer"]["answers"][2]["give"]["wool"] == 1
    assert state["offer"]["answers"][2]["get"]["brick"] == 1


def test_in_setup_the_turn_player_is_who_places():
    game = act(Game(seed=0), "build_settlement", vertex=20)
    state = act(game, "build_road", edge=edge(20, 21)).snapshot()
    assert (state["turn_player"], state["player_to_move"]) == (1, 1)


def test_when_over_the_winner_is_to_move_and_no_offer_is_out():
    state = won().snapshot()
    assert (state["phase"], state["winner"], state["player_to_move"]) == ("over", 0, 0)
    assert state["offer"] is None


# Broken JSON: each a ValueError that names the entry.


def at(*where):
    def change(state: Any) -> None:
        *keys, last, value = where
        for key in keys:
            state = state[key]
        state[last] = value

    return change


BROKEN = {
    "another format": (at("format", "catan-pz-state/2"), "state.format: no such value"),
    "unknown option": (at("rules", "robbers", 2), "unknown option robbers"),
    "too few players": (at("players", []), "state.players: expected array of length 3, got 0"),
    "robber off the board": (at("robber", 19), "state.robber: expected int <= 18, got 19"),
    "deck of 51": (lambda s: s["deck"].extend(["knight"] * 26), "state.deck: .* length <= 25"),
    "no hand": (lambda s: s["players"][0].pop("hand"), r"players\[0\].hand is missing"),
    "edge 72": (at("players", 0, "roads", [72]), r"players\[0\].roads\[0\]: .* <= 71, got 72"),
    "a road twice": (
        at("players", 1, "roads", [5, 5]),
        r"players\[1\].roads: expected each number once",
    ),
    "wrong points": (at("players", 0, "points", 9), r"players\[0\].points=9 should be 0"),
    "new cards out of turn": (at("players", 2, "new_cards", "knight", 1), "in turn"),
    "owner of seat 3 of 3": (
        at("longest_road_owner", 3),
        "longest_road_owner must be from -1 to 2, got 3",
    ),
    "unknown phase": (at("phase", "lunch"), "state.phase: no such value 'lunch'"),
    "a long word": (at("phase", "a" * 10**6), r"state.phase: no such value 'a{100,200}\.\.\.$"),
    "half a surrogate pair": (at("phase", "\ud800"), r"state: '\\ud800' has half a surrogate"),
    "half a throw": (at("dice", [0, 5]), "state.dice: expected two numbers"),
    "to_discard too short": (at("to_discard", [0, 0]), "to_discard: .* length 3, got 2"),
    "no offer where one is due": (at("offer", None), "state.offer: expected one"),
    "an offer of another": (at("offer", "from", 1), "offer.from: expected turn_player, 0, got 1"),
    "an answer of the maker": (at("offer", "answers", 0, "accept"), r"answers\[0\]: expected null"),
    "a bound that excludes the truth": (
        at("knowledge", 1, 0, {"min": {}, "max": {}}),
        r"knowledge\[1\]\[0\]: expected bounds around \[2, 0, 0, 0, 0\]",
    ),
    "rng out of range": (at("rng", "state", 2**64), r"rng.state: expected int < 2\*\*64"),
    "board of 18 hexes": (lambda s: s["board"]["hexes"].pop(), "board"),
    "nested too deeply": (
        lambda s: s.update(robber=reduce(lambda value, _: [value], range(10**5), 9)),
        "robber: expected int",
    ),
    "an unknown entry of a hex": (
        at("board", "hexes", 3, "colour", "red"),
        r"state.board.hexes\[3\].colour is unknown",
    ),
    "an offer without trading": (at("rules", "trading", False), "offer: .* have no trading"),
    "another explicit board": (
        lambda s: s["rules"].update(board=Game(seed=2).snapshot()["board"]),
        "state.board differs",
    ),
}


@pytest.mark.parametrize("wrong", BROKEN)
def test_broken_json_is_refused_with_the_entry_named(wrong):
    change, named = BROKEN[wrong]
    state = answering().snapshot()
    Game.from_snapshot(state)
    change(state)
    with pytest.raises(ValueError, match=named):
        Game.from_snapshot(state)


def test_a_refused_state_leaves_the_game_untouched():
    game = Game(seed=1)
    before = game.games.tobytes()
    with pytest.raises(ValueError, match="robber"):
        game.restore(game.snapshot() | {"robber": 99})
    assert game.games.tobytes() == before
    assert game.rules == Rules()


# States that are well written but break the rules.


def base():
    seats = [
        {"settlements": [20], "roads": path(20, 21), "hand": {"ore": 2}},
        {"settlements": [40], "roads": path(40, 41), "cards": {"knight": 1}},
    ]
    return position(seats, rules=TWO).snapshot()


def offered(phase, give, get, answers):
    def change(state):
        state.update(
            phase=phase,
            player_to_move=0,
            offers_made=1,
            offer={"from": 0, "give": give, "get": get, "answers": answers},
        )

    return change


LAWLESS = {
    "20 cards of ore": at("bank", "ore", 18),
    "set-up road without a new settlement": lambda s: s.update(phase="setup_road", rolled=False),
    "an acceptance not held": offered("close", {"ore": 1}, {"lumber": 1}, [None, "accept"]),
    "a counter-offer not held": offered(
        "close", {"ore": 1}, {"wool": 1}, [None, {"give": {"wool": 1}, "get": {"ore": 1}}]
    ),
    "closing after all rejected": offered("close", {"ore": 1}, {"lumber": 1}, [None, "reject"]),
}


@pytest.mark.parametrize("lawless", LAWLESS)
def test_a_state_that_breaks_the_rules_is_refused(lawless):
    state = base()
    Game.from_snapshot(state)
    LAWLESS[lawless](state)
    with pytest.raises(ValueError, match="state"):
        Game.from_snapshot(state)


def test_setup_settlement_with_all_settlements_placed():
    seats = [
        {"settlements": [0, 2], "roads": [*path(0, 1), *path(2, 3)]},
        {"settlements": [20, 40], "roads": [*path(20, 21), *path(40, 41)]},
    ]
    state = position(seats, rules=TWO, phase="roll").snapshot()
    Game.from_snapshot(state)
    with pytest.raises(ValueError, match="state"):
        Game.from_snapshot(copy.deepcopy(state) | {"phase": "setup_settlement"})


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"phase": np.zeros(3)}, "phase must be"),
        ({"players": [{"hand": {"ore": 10**30}}, {}]}, "hand.ore: expected int <= 127"),
        ({"players": [{"settlements": [20, 21]}, {}]}, "position breaks the rules"),
        ({"players": [{"hand": {"brick": 20}}, {}]}, "more than 19 cards"),
        ({"players": [{"knights": 3}, {}]}, "knights is unknown"),
        ({"rules": None, "turn": 20}, r"players are 2, but .* rules=Rules\(num_players=2\)"),
        ({"players": [{}, {}, {}]}, r"no seat 2; seats go from 0 to 1$"),
        ({"players": {0: {}, "1": {}}}, r"no seat '1'; seats go from 0 to 1$"),
        ({"robbers": 5}, "state.robbers is unknown"),
        ({"deck": ["knight"] * 15}, r"have \[15, 0, 0, 0, 0\] cards .* the game has \(14,"),
        (
            {"players": [{"cards": {"monopoly": 2}}, {}], "deck": ["monopoly"]},
            r"have \[0, 0, 0, 3, 0\] cards .* the game has \(14,",
        ),
    ],
)
def test_the_error_of_a_position_by_hand_says_what_is_wrong_and_what_is_allowed(changes, match):
    with pytest.raises(ValueError, match=match):
        position(**({"players": [{}, {}], "rules": TWO} | changes))


def test_seats_that_have_nothing_may_be_left_out():
    some = position([{"settlements": [20]}], rules=Rules(num_players=3))
    same = position({np.int64(0): {"settlements": [20]}}, rules=Rules(num_players=3))
    assert some.snapshot() == same.snapshot()
    assert position({1: {"settlements": [20]}}).rules == Rules()


def test_integers_and_bools_of_numpy_make_the_same_position():
    def set_up(number, flag):
        seat = {"hand": {"ore": number(2)}, "settlements": [number(20)]}
        entries = {"robber": number(4), "rolled": flag(True), "to_discard": [number(0)] * 2}
        return position([seat, {}], rules=TWO, seed=number(3), **entries).snapshot()

    assert json.dumps(set_up(np.uint8, np.bool_)) == json.dumps(set_up(int, bool))
    for odd in ({"robber": True}, {"robber": np.bool_(True)}, {"rolled": np.int64(1)}):
        with pytest.raises(ValueError, match=r"state\.\w+: expected"):
            position([{}, {}], rules=TWO, **odd)


def test_bounds_wider_than_sums_allow_are_narrowed():
    state = Game(seed=1).snapshot()
    wide = {"min": state["knowledge"][0][1]["min"], "max": dict.fromkeys(RESOURCES, 5)}
    state["knowledge"][0][1] = wide
    game = Game.from_snapshot(state)
    assert game.snapshot()["knowledge"][0][1]["max"] == dict.fromkeys(RESOURCES, 0)
