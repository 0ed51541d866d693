"""`validate` finds each kind of fault: records spoilt on purpose, one field at a time."""

import pytest

from catan_pz import Game, Rules
from catan_pz.board.topology import VERTEX_EDGES
from catan_pz.engine.violations import Violation
from catan_pz.game.position import position
from catan_pz.terms import Phase
from tests.helpers import act, path

pytestmark = pytest.mark.purepython


def sound():
    """A position of three players with a bit of everything; its record can be spoilt."""
    seats = [
        {
            "settlements": [18],
            "cities": [0],
            "roads": path(18, 19, 20, 21, 22, 23),
            "hand": {"brick": 2, "ore": 1},
            "cards": {"knight": 1, "victory_point": 1},
            "cards_played": {"knight": 3},
        },
        {"settlements": [40], "roads": path(40, 41), "hand": {"wool": 2}, "cards": {"monopoly": 1}},
        {"settlements": [52], "roads": path(52, 53), "hand": {"grain": 1}},
    ]
    return position(seats, rules=Rules(num_players=3))


def offered():
    """The same position with an offer out."""
    return act(sound(), "offer", give={"brick": 1}, get={"wool": 1})


def robbing(*others):
    """Seat 0 is to choose whom to rob at hex 4; two of the others can be robbed unless given."""
    hands = others or ({"wool": 1}, {"grain": 1})
    seats = [{"settlements": [v], "hand": h} for v, h in zip((9, 11), hands, strict=True)]
    return position([{}, *seats], rules=Rules(num_players=3), phase="steal", robber=4)


def discarding(**entries):
    """Seat 1 of four rolled a seven: seat 1 holds 8 cards, 2 holds 7, 3 holds 9, 0 holds 10."""
    hands = ({"brick": 10}, {"lumber": 8}, {"wool": 7}, {"grain": 9})
    course = {"turn_player": 1, "player_to_move": 1, "to_discard": [5, 4, 0, 4]}
    players = [{"hand": hand} for hand in hands]
    return position(players, rules=Rules(), phase="discard", **(course | entries))


def change(name, value, *where):
    """Add to one number of a record."""

    def spoil(s):
        if where:
            s[name][where] += value
        else:
            s[name] += value

    return spoil


def put(name, value, *where):
    """Replace one number of a record."""

    def spoil(s):
        if where:
            s[name][where] = value
        else:
            s[name] = value

    return spoil


V = Violation
SPOILT = {
    "a card more in the bank": (change("bank", 1, 0), V.RESOURCE_COUNT),
    "a card more in a hand": (change("hand", 1, 1, 3), V.RESOURCE_COUNT),
    "a negative hand": (put("hand", -1, 2, 0), V.RESOURCE_COUNT),
    "a development card more": (change("cards", 1, 0, 3), V.DECK_COUNT),
    "a card of the deck gone": (change("deck_left", -1), V.DECK_COUNT),
    "new cards that aren't held": (put("new_cards", 3, 0), V.DECK_COUNT),
    "16 roads": (put("roads", (1 << 16) - 1, 2, 0), V.PIECE_COUNT),
    "six settlements": (
        put("settlements", sum(1 << v for v in (2, 4, 6, 47, 50, 52)), 2),
        V.PIECE_COUNT,
    ),
    "a road on a road": (lambda s: s["roads"].__setitem__((2, 0), s["roads"][0, 0]), V.OVERLAP),
    "two buildings on a vertex": (put("cities", 1 << 40, 2), V.OVERLAP),
    "a city on the own settlement": (put("cities", 1 << 52, 2), V.OVERLAP),
    "neighbors too near": (put("cities", 1 << 51, 2), V.DISTANCE_RULE),
    "a loose road": (change("roads", 1, 2, 1), V.LOOSE_ROAD),
    "nobody holds the longest road": (put("longest_road_owner", -1), V.LONGEST_ROAD),
    "another holds the longest road": (put("longest_road_owner", 1), V.LONGEST_ROAD),
    "nobody holds the largest army": (put("largest_army_owner", -1), V.LARGEST_ARMY),
    "another holds the largest army": (put("largest_army_owner", 2), V.LARGEST_ARMY),
    "doubts about the own hand": (put("above", 1, 0, 0, 0), V.KNOWLEDGE),
    "a bound below zero": (put("below", 9, 1, 0, 0), V.KNOWLEDGE),
    "a bound beyond all cards": (put("above", 9, 1, 2, 0), V.KNOWLEDGE),
    "another to move": (put("player", 1), V.TURN),
    "main before the roll": (put("rolled", 0), V.TURN),
    "roll after the roll": (put("phase", 2), V.TURN),
    "robber off the board": (put("robber", 19), V.TURN),
    "free roads in the main phase": (put("free_roads", 1), V.TURN),
    "a discard in the main phase": (put("to_discard", 1, 0), V.TURN),
    "set-up with cities": (put("phase", 0), V.SETUP),
    "an answer without an offer": (put("answer", 1, 1), V.OFFER),
    "a bundle without an offer": (put("offer_give", 1, 0, 0), V.OFFER),
    "more offers than allowed": (put("offers_made", 4), V.OFFER),
    "a winner in a game that goes on": (put("winner", 0), V.WINNER),
    "over without a winner": (put("phase", 11), V.WINNER),
    "ten points and no win": (put("points", 10, 0), V.WINNER | V.STALE),
    "no legal action": (put("legal", 0, slice(None)), V.NO_ACTION | V.STALE),
    "a legal action too many": (put("legal", 1 << 30, 3), V.STALE),
    "points miscounted": (change("points", 1, 1), V.STALE),
    "visible points miscounted": (change("visible_points", 1, 1), V.STALE),
    "hand size miscounted": (change("hand_size", 1, 1), V.STALE),
    "road length miscounted": (change("road_length", 1, 1), V.STALE),
    "a trade rate too good": (put("rate", 2, 1, 0), V.STALE),
    "crowded vertices forgotten": (put("crowded", 0), V.STALE),
    "road ends forgotten": (put("road_ends", 0, 0), V.STALE),
    "reach forgotten": (put("reach", 0, 0, 0), V.STALE),
    "hexes of a number forgotten": (put("token_hexes", -1, 6, 0), V.STALE),
}


@pytest.mark.parametrize("fault", SPOILT)
def test_each_fault_is_found(fault):
    spoil, expected = SPOILT[fault]
    game = sound()
    assert game.validate() == Violation.NONE
    spoil(game.games[0])
    assert expected in game.validate()


WITHOUT_A_CARD = {
    "free roads": {"phase": Phase.FREE_ROAD, "free_roads": 2},
    "the robber before the roll": {"phase": Phase.MOVE_ROBBER, "rolled": 0},
    "a theft before the roll": {"phase": Phase.STEAL, "rolled": 0},
}


@pytest.mark.parametrize("fault", WITHOUT_A_CARD)
def test_what_only_a_card_brings_needs_one_played(fault):
    game = robbing()
    for name, value in WITHOUT_A_CARD[fault].items():
        game.games[name] = value
    assert Violation.TURN in game.validate()
    game.games["card_played"] = 1
    assert Violation.TURN not in game.validate()


@pytest.mark.parametrize("others", [({"wool": 1}, {}), ({}, {})])
def test_a_theft_waits_only_for_a_choice_of_several(others):
    assert robbing().validate() == Violation.NONE
    with pytest.raises(ValueError, match="TURN"):
        robbing(*others)


DISCARDS = {
    "somebody before the others": {"player_to_move": 3},
    "one who is due nothing": {"player_to_move": 2},
    "one fewer later": {"to_discard": [4, 4, 0, 4]},
    "some of few cards": {"to_discard": [5, 4, 3, 4]},
    "nothing of many cards": {"to_discard": [5, 4, 0, 0]},
    "more than half": {"to_discard": [5, 5, 0, 4]},
    "all": {"to_discard": [5, 8, 0, 4]},
}


@pytest.mark.parametrize("fault", DISCARDS)
def test_discards_go_round_from_the_roller_half_of_each_hand(fault):
    assert discarding().validate() == Violation.NONE
    with pytest.raises(ValueError, match="TURN"):
        discarding(**DISCARDS[fault])


def test_a_discard_that_has_begun_comes_of_a_hand_above_the_limit():
    """One who has 4 cards and is to discard 1 had 6 at most, of which none is due."""
    assert discarding(to_discard=[5, 1, 0, 4]).validate() == Violation.NONE
    assert discarding(player_to_move=3, to_discard=[5, 0, 0, 4]).validate() == Violation.NONE
    one_due = {"rules": Rules(num_players=2), "phase": "discard", "to_discard": [1, 0]}
    assert position([{"hand": {"brick": 5}}, {}], **one_due).validate() == Violation.NONE
    with pytest.raises(ValueError, match="TURN"):
        position([{"hand": {"brick": 4}}, {}], **one_due)


@pytest.mark.parametrize("name", ["offers_made", "new_cards"])
def test_a_turn_begins_with_nothing_bought_or_offered(name):
    game = act(sound(), "end_turn")
    assert game.phase == Phase.ROLL
    assert game.validate() == Violation.NONE
    game.games[name][0, ...] = 1
    assert Violation.TURN in game.validate()


OFFERS = {
    "cards that aren't held": put("offer_give", 5, 0, 0),
    "nothing asked for": put("offer_get", 0, 0, slice(None)),
    "both sides alike": put("offer_get", 1, 0, 0),
    "five cards": put("offer_get", 5, 0, 2),
    "an answer of the maker": put("answer", 1, 0),
    "an answer already given": put("answer", 2, 1),
    "answered out of turn": put("answer", 2, 2),
    "no offer counted": put("offers_made", 0),
}


@pytest.mark.parametrize("fault", OFFERS)
def test_each_fault_of_an_offer_is_found(fault):
    game = offered()
    assert game.validate() == Violation.NONE
    OFFERS[fault](game.games[0])
    assert Violation.OFFER in game.validate()


def test_every_flag_is_shown_to_be_raised():
    shown = Violation.NONE
    for _, flags in SPOILT.values():
        shown |= flags
    assert set(shown) == set(Violation)


def setting_up():
    """The second settlement of the last seat stands, its road is due."""
    game = Game(num_players=2, trading=False, board="beginner", seed=3)
    while game.state["settlements"][1].bit_count() < 1 or game.phase != Phase.SETUP_ROAD:
        game.step(int(game.legal_actions()[0]))
    return game


def placing_free_road():
    """Fourteen roads built, and one free road to place."""
    roads = path(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 37, 36, 35, 34)
    seat = {"settlements": [16], "roads": roads, "cards": {"road_building": 1}}
    return act(position([seat, {}], rules=Rules(num_players=2)), "play_road_building")


def fifteenth_road(s):
    (e,) = path(34, 33)
    s["roads"][0, e // 36] |= 1 << e % 36


def emptied_bank(s):
    s["hand"][0] += s["bank"]
    s["bank"] = 0


UNSOUND = {
    "a free road and no road left": (placing_free_road, fifteenth_road, V.TURN),
    "a discard before the roll": (discarding, put("rolled", 0), V.TURN),
    "a roll in set-up": (setting_up, put("rolled", 1), V.SETUP),
    "a card played in set-up": (setting_up, put("card_played", 1), V.SETUP),
    "turns before set-up": (setting_up, put("turn", 3), V.SETUP),
    "an empty bank in set-up": (setting_up, emptied_bank, V.SETUP),
}


@pytest.mark.parametrize("fault", UNSOUND)
def test_each_fault_of_a_phase_is_found(fault):
    make, spoil, expected = UNSOUND[fault]
    game = make()
    assert game.validate() == Violation.NONE
    spoil(game.games[0])
    assert expected in Game.from_games(game.games, game.rules).validate()


@pytest.mark.parametrize("seed", range(3))
def test_each_state_of_a_set_up_is_sound(seed):
    game = Game(seed=seed, num_players=4, first_player="random")
    while game.phase.name.startswith("SETUP"):
        assert game.validate() == Violation.NONE
        legal = game.legal_actions()
        game.step(int(legal[7 * seed % len(legal)]))


def test_in_the_setup_each_settlement_has_a_road_of_its_own():
    game = Game(num_players=2, trading=False, board="beginner", seed=3)
    while game.state["settlements"][1].bit_count() < 2 or game.phase == Phase.SETUP_ROAD:
        game.step(int(game.legal_actions()[0]))
    state = game.snapshot()
    seat = state["players"][1]
    first, second = seat["settlements"]
    free = [int(e) for e in VERTEX_EDGES[first] if e >= 0 and e not in seat["roads"]]
    seat["roads"] = sorted([*(e for e in seat["roads"] if e not in VERTEX_EDGES[second]), free[0]])
    seat["road_length"] = 2
    with pytest.raises(ValueError, match="SETUP"):
        Game.from_snapshot(state)
