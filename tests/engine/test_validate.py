"""`validate` finds each kind of fault: records spoilt on purpose, one field at a time."""

import pytest

from catan_pz import Game
from catan_pz.board.topology import VERTEX_EDGES
from catan_pz.engine.state import DERIVED
from catan_pz.engine.violations import Violation
from catan_pz.terms import Phase
from tests.helpers import act, path, table

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
    return table(*seats)


def offered():
    """The same position with an offer out."""
    return act(sound(), "offer", give={"brick": 1}, get={"wool": 1})


def next_in_turn():
    """The same in the turn after."""
    return act(sound(), "end_turn")


def robbing(*others):
    """Seat 0 is to choose whom to rob at hex 4; two of the others can be robbed unless given."""
    hands = others or ({"wool": 1}, {"grain": 1})
    seats = [{"settlements": [v], "hand": h} for v, h in zip((9, 11), hands, strict=True)]
    return table({}, *seats, phase="steal", robber=4)


def discarding(**entries):
    """Seat 1 of four rolled a seven: seat 1 holds 8 cards, 2 holds 7, 3 holds 9, 0 holds 10."""
    hands = ({"brick": 10}, {"lumber": 8}, {"wool": 7}, {"grain": 9})
    course = {"turn_player": 1, "player_to_move": 1, "to_discard": [5, 4, 0, 4]}
    return table(*({"hand": hand} for hand in hands), phase="discard", **(course | entries))


def change(name, value, *where):
    """Add to one number of a record."""

    def spoil(games):
        games[name][(0, *where)] += value

    return spoil


def put(name, value, *where):
    """Replace one number of a record."""
    return lambda games: games[name].__setitem__((0, *where), value)


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
    return act(table(seat), "play_road_building")


def fifteenth_road(games):
    (e,) = path(34, 33)
    games["roads"][0, 0, e // 36] |= 1 << e % 36


def emptied_bank(games):
    games["hand"][0, 0] += games["bank"][0]
    games["bank"] = 0


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
    "a road on a road": (put("roads", 1 << path(18, 19)[0], 2, 0), V.OVERLAP),
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
}
OF_PHASES = {
    "a free road and no road left": (placing_free_road, fifteenth_road, V.TURN),
    "a discard before the roll": (discarding, put("rolled", 0), V.TURN),
    "a roll in set-up": (setting_up, put("rolled", 1), V.SETUP),
    "a card played in set-up": (setting_up, put("card_played", 1), V.SETUP),
    "turns before set-up": (setting_up, put("turn", 3), V.SETUP),
    "an empty bank in set-up": (setting_up, emptied_bank, V.SETUP),
    "cards offered that aren't held": (offered, put("offer_give", 5, 0, 0), V.OFFER),
    "nothing offered": (offered, put("offer_give", 0, 0, slice(None)), V.OFFER),
    "the maker to answer": (offered, put("player", 0), V.OFFER),
    "nothing asked for": (offered, put("offer_get", 0, 0, slice(None)), V.OFFER),
    "both sides alike": (offered, put("offer_get", 1, 0, 0), V.OFFER),
    "five cards": (offered, put("offer_get", 5, 0, 2), V.OFFER),
    "an answer of the maker": (offered, put("answer", 1, 0), V.OFFER),
    "an answer already given": (offered, put("answer", 2, 1), V.OFFER),
    "answered out of turn": (offered, put("answer", 2, 2), V.OFFER),
    "no offer counted": (offered, put("offers_made", 0), V.OFFER),
    "an offer before the roll": (next_in_turn, put("offers_made", 1), V.TURN),
    "a card bought before the roll": (next_in_turn, put("new_cards", 1, 0), V.TURN),
}
FAULTS = {name: (sound, *fault) for name, fault in SPOILT.items()} | OF_PHASES


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found(fault):
    make, spoil, expected = FAULTS[fault]
    game = make()
    assert game.validate() == Violation.NONE
    spoil(game.games)
    if expected not in game.validate():  # unless derived fields hide it
        assert expected in Game.from_games(game.games, game.rules).validate()


@pytest.mark.parametrize("name", DERIVED)
def test_each_derived_field_is_worked_out_anew(name):
    game = sound()
    game.games[name].reshape(-1)[0] += 1
    assert Violation.STALE in game.validate()


def test_every_flag_is_shown_to_be_raised():
    shown = Violation.NONE
    for *_, flags in FAULTS.values():
        shown |= flags
    assert set(shown) == set(Violation)


WITHOUT_A_CARD = {
    "free roads": [put("phase", Phase.FREE_ROAD), put("free_roads", 2)],
    "the robber before the roll": [put("phase", Phase.MOVE_ROBBER), put("rolled", 0)],
    "a theft before the roll": [put("phase", Phase.STEAL), put("rolled", 0)],
}


@pytest.mark.parametrize("fault", WITHOUT_A_CARD)
def test_what_only_a_card_brings_needs_one_played(fault):
    game = robbing()
    for spoil in WITHOUT_A_CARD[fault]:
        spoil(game.games)
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
    one_due = {"phase": "discard", "to_discard": [1, 0]}
    assert table({"hand": {"brick": 5}}, **one_due).validate() == Violation.NONE
    with pytest.raises(ValueError, match="TURN"):
        table({"hand": {"brick": 4}}, **one_due)


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
