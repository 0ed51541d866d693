"""5. Seven, robber, stealing."""

import pytest

from catan_pz import action_id
from catan_pz.board.topology import HEX_VERTICES
from catan_pz.terms import Resource
from tests.helpers import (
    act,
    bank,
    before_roll,
    can,
    hand,
    hands,
    kinds,
    legal,
    phase,
    refused,
    roll,
    table,
)


def seven(*seats, **entries):
    return roll(before_roll(*seats, **entries), 7)


def to_move_robber(*seats, **entries):
    return table(*seats, phase="move_robber", **entries)


def due(game):
    return game.snapshot()["to_discard"]


def discard_all(game, resource):
    """The player to move discards what is due, all of one resource."""
    seat = game.player
    while game.player == seat and phase(game) == "discard":
        act(game, "discard", resource=resource)


def test_on_a_7_nobody_produces():
    assert hands(seven({"cities": [10, 20]}, {"settlements": [40]})) == [{}, {}]


@pytest.mark.parametrize(
    ("limit", "cards", "lost"),
    [(7, 7, 0), (7, 8, 4), (7, 9, 4), (7, 15, 7), (4, 4, 0), (4, 5, 2), (9, 9, 0), (9, 10, 5)],
)
def test_more_than_7_cards_cost_half_rounded_down(limit, cards, lost):
    """Every player holding more than 7 cards (O: `discard_limit`) discards half."""
    game = seven({"hand": {"brick": cards}}, discard_limit=limit)
    assert due(game) == [lost, 0]
    discard_all(game, "brick")
    assert hand(game, 0) == {"brick": cards - lost}
    assert phase(game) == "move_robber"


def test_how_many_each_discards_is_fixed_at_the_roll():
    """A hand that has come under the limit while discarding goes on discarding."""
    game = seven({"hand": {"brick": 9, "ore": 1}})
    for left in (5, 4, 3, 2, 1):
        assert due(game)[0] == left
        act(game, "discard", resource="brick")
    assert hand(game, 0) == {"brick": 4, "ore": 1}
    assert due(game) == [0, 0]


def test_players_discard_in_turn_order_from_the_roller_on():
    """Those with too many; then the roller moves the robber."""
    seats = [{"hand": {"wool": 11}}, {"hand": {"ore": 7}}, {"hand": {"brick": 8}}, {}]
    for roller, order in ((2, [2] * 4 + [0] * 5), (3, [0] * 5 + [2] * 4)):
        game = seven(*seats, turn_player=roller, player_to_move=roller)
        assert due(game) == [5, 0, 4, 0]
        for p in order:
            assert (game.player, kinds(game)) == (p, {"discard"})
            game.step(int(game.legal_actions()[0]))
        assert (game.player, kinds(game)) == (roller, {"move_robber"})


def test_a_players_own_choice_is_made_card_by_card():
    """The bank receives each card at once."""
    game = seven({"hand": {"brick": 7, "ore": 1}})
    assert legal(game, "discard") == ["brick", "ore"]
    act(game, "discard", resource="ore")
    assert bank(game) == {"brick": 12, "lumber": 19, "wool": 19, "grain": 19, "ore": 19}
    assert legal(game, "discard") == ["brick"]
    refused(game, "discard", resource="ore")
    act(game, "discard", resource="brick")
    assert bank(game)["brick"] == 13


def test_discarded_cards_are_public():
    """What an observer may think possible follows each card that is discarded."""
    unknown = {"min": {}, "max": {"brick": 8, "ore": 8}}
    sure = [{"min": h, "max": h} for h in ({"brick": 8}, {"ore": 8}, {})]
    bounds = [sure, sure, [unknown, unknown, sure[2]]]
    game = seven({"hand": {"brick": 8}}, {"hand": {"ore": 8}}, {}, knowledge=bounds)
    for _ in range(4):
        act(game, "discard", resource="brick")
    # Of eight cards four were bricks: the other four may be of either kind.
    seen = game.snapshot()["knowledge"][2][0]
    assert (seen["max"]["brick"], seen["max"]["ore"]) == (4, 4)


def test_the_robber_must_move_to_another_hex():
    game = seven({}, robber=4)
    assert legal(game, "move_robber") == [h for h in range(19) if h != 4]
    refused(game, "move_robber", hex=4)
    act(game, "move_robber", hex=9)
    assert game.snapshot()["robber"] == 9
    assert (game.player, phase(game)) == (0, "main")


def test_the_roller_names_one_of_the_other_players_there():
    """If other players with at least 1 card have a building on that hex, the roller names one."""
    seats = [{"settlements": [10], "hand": {"ore": 1}}, {"cities": [20], "hand": {"wool": 2}}]
    game = act(to_move_robber({}, *seats, {"hand": {"ore": 1}}), "move_robber", hex=4)
    assert phase(game) == "steal"
    assert legal(game, "steal") == [1, 2]
    refused(game, "steal", seat=3)
    act(game, "steal", seat=2)
    assert hands(game) == [{"wool": 1}, {"ore": 1}, {"wool": 1}, {"ore": 1}]
    assert phase(game) == "main"


def test_seats_to_steal_from_are_counted_from_the_thief():
    seats = [{"settlements": [10], "hand": {"ore": 1}}, {"settlements": [20], "hand": {"wool": 1}}]
    game = to_move_robber(*seats, {}, {}, turn_player=3, player_to_move=3)
    act(game, "move_robber", hex=4)
    assert legal(game, "steal") == [1, 2]
    act(game, "steal", seat=1)
    assert hands(game) == [{}, {"wool": 1}, {}, {"ore": 1}]


def test_one_card_is_taken_each_equally_likely():
    """Takes one card at random from a victim; `tests/engine/test_stealing.py` counts."""
    victim = {"settlements": [10], "hand": {"ore": 1, "wool": 2, "brick": 5}}
    game = to_move_robber({}, victim)
    assert game.outcomes(action_id("move_robber", hex=4)) == {
        Resource.ORE: 1 / 8,
        Resource.WOOL: 2 / 8,
        Resource.BRICK: 5 / 8,
    }
    act(game, "move_robber", hex=4, outcome=Resource.ORE)
    assert hands(game) == [{"ore": 1}, {"wool": 2, "brick": 5}]


def test_the_type_is_known_to_the_two_of_them_alone():
    game = to_move_robber({}, {"settlements": [10], "hand": {"ore": 1, "wool": 1}}, {})
    act(game, "move_robber", hex=4, outcome=Resource.ORE)
    exact = {"brick": 0, "lumber": 0, "wool": 0, "grain": 0, "ore": 1}
    knowledge = game.snapshot()["knowledge"]
    for one_of_the_two in (0, 1):
        assert knowledge[one_of_the_two][0] == {"min": exact, "max": exact}
    assert knowledge[2][0] == {"min": exact | {"ore": 0}, "max": exact | {"wool": 1}}


SURE_THEFTS = {
    "one": [{"settlements": [10], "hand": {"ore": 3}}],
    "two buildings": [{"settlements": [10, 20], "hand": {"ore": 3}}],
    "a neighbor without cards": [{"settlements": [10], "hand": {"ore": 3}}, {"cities": [20]}],
}


@pytest.mark.parametrize("case", SURE_THEFTS)
def test_with_one_possible_victim_the_theft_is_carried_out_at_once(case):
    game = act(to_move_robber({}, *SURE_THEFTS[case]), "move_robber", hex=4)
    assert hands(game)[:2] == [{"ore": 1}, {"ore": 2}]
    assert phase(game) == "main"


@pytest.mark.parametrize(
    "seats",
    [
        [{"hand": {"ore": 3}}, {"hand": {"ore": 3}}],
        [{"settlements": [10], "hand": {"ore": 3}}],
        [{}, {"settlements": [10]}],
        [{}, {"settlements": [40], "hand": {"ore": 1}}],
    ],
    ids=["empty hex", "own building", "no cards", "another hex"],
)
def test_with_no_victim_there_is_no_theft(seats):
    game = to_move_robber(*seats)
    before = hands(game)
    act(game, "move_robber", hex=4)
    assert hands(game) == before
    assert phase(game) == "main"


POOR = {"settlements": [10, 40]}  # hexes 0 1 4 and 12 13 16
RICH = {"settlements": [24], "cities": [51]}  # hexes 6 10 11 and 17 18
SPARED = [0, 1, 4, 12, 13, 16]
FRIENDLY = {
    "2 visible points or fewer": ([{}, POOR, RICH], SPARED),
    "not the mover's own": ([POOR, RICH], []),
    "hidden points don't count": ([{}, POOR | {"cards": {"victory_point": 2}}], SPARED),
    "special cards count": ([{}, POOR | {"cards_played": {"knight": 3}}], []),
    "one poor is enough": ([{}, {"cities": [10, 40]}, {"settlements": [20]}], [4, 8]),
}


@pytest.mark.parametrize("case", FRIENDLY)
def test_friendly_robber(case):
    """O: not on a hex that touches a building of another player with 2 visible points or fewer."""
    seats, barred = FRIENDLY[case]
    game = to_move_robber(*seats, friendly_robber=True)
    assert legal(game, "move_robber") == [h for h in range(19) if h != 9 and h not in barred]
    assert len(legal(to_move_robber(*seats), "move_robber")) == 18


def test_friendly_robber_that_spares_the_mover():
    """`robber_spares_mover`: nor on a hex of the mover with 2 visible points or fewer."""
    options = {"friendly_robber": True, "robber_spares_mover": True}
    game = to_move_robber(POOR, RICH, **options)
    assert legal(game, "move_robber") == [h for h in range(19) if h != 9 and h not in SPARED]
    game = to_move_robber(RICH, {"cities": [10], "settlements": [40]}, **options)
    assert len(legal(game, "move_robber")) == 18


EVERYWHERE = (
    {"settlements": [10, 13]},  # hexes 0 1 4, 2 5 6
    {"settlements": [18, 35]},  # hexes 3 7 8, 10 11 15
    {"settlements": [40, 43]},  # hexes 12 13 16, 14 17 18
)
"""Three players with 2 points each who touch every hex but the desert."""


@pytest.mark.parametrize(("robber", "open_hexes"), [(9, {*range(19)} - {9}), (0, {9})])
def test_friendly_robber_fallback(robber, open_hexes):
    """Unless every hex but the present one is barred (then any other hex is allowed)."""
    game = to_move_robber({}, *EVERYWHERE, friendly_robber=True, robber=robber)
    assert set(legal(game, "move_robber")) == open_hexes


DESERT = 9
BESIDE_IT = [int(v) for v in HEX_VERTICES[DESERT]]


@pytest.mark.parametrize(("settlement", "open_before"), [(BESIDE_IT[0], False), (0, True)])
def test_robber_on_desert_may_go_there_and_takes_nothing(settlement, open_before):
    """`robber_on_desert`: the friendly robber may stand on the desert but takes nothing there."""
    poor = {"settlements": [settlement], "hand": {"ore": 2}}
    rich = {"cities": [BESIDE_IT[2], 53], "hand": {"ore": 1}}
    game = to_move_robber({}, poor, rich, friendly_robber=True, robber=0)
    assert can(game, "move_robber", hex=DESERT) == open_before
    options = {"friendly_robber": True, "robber_on_desert": True}
    game = to_move_robber({}, poor, rich, robber=0, **options)
    act(game, "move_robber", hex=DESERT)
    assert hands(game) == [{}, {"ore": 2}, {"ore": 1}]
    assert phase(game) == "main"


def test_robber_on_desert_is_for_the_friendly_robber():
    """Without `friendly_robber` a theft follows on the desert, too."""
    victim = {"settlements": [BESIDE_IT[0]], "hand": {"ore": 1}}
    game = to_move_robber({}, victim, robber_on_desert=True, robber=0)
    act(game, "move_robber", hex=DESERT)
    assert hands(game) == [{"ore": 1}, {}]
