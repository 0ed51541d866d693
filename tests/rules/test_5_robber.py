"""5. Seven, robber, stealing."""

from dataclasses import replace

import pytest

from catan_pz import Rules
from catan_pz.board.topology import HEX_VERTICES
from catan_pz.game.position import position
from catan_pz.terms import Resource
from tests.helpers import act, bank, can, hand, hands, kinds, legal, refused, roll

pytestmark = pytest.mark.purepython


def before_the_roll(*players, **entries):
    """A position of four before the roll; seats not given have nothing."""
    return position([*players, *[{}] * (4 - len(players))], phase="roll", **entries)


def to_move_robber(*players, **entries):
    """A position of four in which player 0 has the robber to move."""
    seats = [*players, *[{}] * (4 - len(players))]
    return position(seats, phase="move_robber", **entries)


def test_on_a_7_nobody_produces():
    game = roll(before_the_roll({"cities": [10, 20]}, {"settlements": [40]}), 7)
    assert hands(game) == [{}, {}, {}, {}]


def discard_all(game, resource):
    """The player to move discards what is due, all of one resource."""
    seat = game.player
    while game.player == seat and game.snapshot()["phase"] == "discard":
        act(game, "discard", resource=resource)


@pytest.mark.parametrize(("cards", "due"), [(7, 0), (8, 4), (9, 4), (10, 5), (15, 7)])
def test_more_than_7_cards_cost_half_rounded_down(cards, due):
    """Every player holding more than 7 cards discards half, rounded down."""
    game = roll(before_the_roll({"hand": {"brick": cards}}), 7)
    assert game.snapshot()["to_discard"] == [due, 0, 0, 0]
    discard_all(game, "brick")
    assert hand(game, 0) == {"brick": cards - due}
    assert game.snapshot()["phase"] == "move_robber"


@pytest.mark.parametrize("limit", [4, 9])
def test_discard_limit(limit):
    """O: `discard_limit`."""
    rules = Rules(discard_limit=limit)
    at = before_the_roll({"hand": {"wool": limit}}, rules=rules)
    above = before_the_roll({"hand": {"wool": limit + 1}}, rules=rules)
    assert roll(at, 7).snapshot()["to_discard"] == [0, 0, 0, 0]
    assert roll(above, 7).snapshot()["to_discard"] == [(limit + 1) // 2, 0, 0, 0]


def test_every_player_with_too_many_discards():
    seats = [{"hand": {"brick": 8}}, {"hand": {"ore": 7}}, {"hand": {"wool": 11}}, {}]
    game = roll(before_the_roll(*seats), 7)
    assert game.snapshot()["to_discard"] == [4, 0, 5, 0]


def test_how_many_each_discards_is_fixed_at_the_roll():
    """A hand that has come under the limit while discarding goes on discarding."""
    game = roll(before_the_roll({"hand": {"brick": 9, "ore": 1}}), 7)
    for left in (5, 4, 3, 2, 1):
        assert game.snapshot()["to_discard"][0] == left
        act(game, "discard", resource="brick")
    assert hand(game, 0) == {"brick": 4, "ore": 1}
    assert game.snapshot()["to_discard"] == [0, 0, 0, 0]


def test_players_discard_in_turn_order_from_the_roller_on():
    """Players decide in turn order from the roller on."""
    full = {"hand": {"brick": 2, "lumber": 2, "wool": 2, "grain": 2}}
    game = before_the_roll(*[full] * 4, turn_player=2, player_to_move=2)
    roll(game, 7)
    order = []
    while game.snapshot()["phase"] == "discard":
        order.append(game.player)
        game.step(int(game.legal_actions()[0]))
    assert order == 4 * [2] + 4 * [3] + 4 * [0] + 4 * [1]
    assert (game.player, game.snapshot()["phase"]) == (2, "move_robber")


def test_a_roller_with_few_cards_lets_the_others_discard_first():
    game = roll(before_the_roll({}, {}, {"hand": {"wool": 8}}), 7)
    assert (game.player, kinds(game)) == (2, {"discard"})
    assert not can(game, "move_robber", hex=0)


def test_a_players_own_choice_is_made_card_by_card():
    """The bank receives each card at once."""
    game = roll(before_the_roll({"hand": {"brick": 7, "ore": 1}}), 7)
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
    known = {"min": {"brick": 8}, "max": {"brick": 8}}
    nothing = {"min": {}, "max": {}}
    seats = [{"hand": {"brick": 8}}, {"hand": {"ore": 8}}, {}]
    bounds = [
        [known, {"min": {"ore": 8}, "max": {"ore": 8}}, nothing],
        [known, {"min": {"ore": 8}, "max": {"ore": 8}}, nothing],
        [unknown, unknown, nothing],
    ]
    rules = Rules(num_players=3)
    game = roll(position(seats, rules=rules, phase="roll", knowledge=bounds), 7)
    for _ in range(4):
        act(game, "discard", resource="brick")
    # Four of five bricks gone in public: what is left of the eight cards is known less far.
    seen = game.snapshot()["knowledge"][2][0]
    assert seen["max"]["brick"] == 4
    assert seen["max"]["ore"] == 4


def test_the_robber_moves_after_the_discards():
    """The roller then moves the robber."""
    game = roll(before_the_roll({}, {"hand": {"wool": 8}}), 7)
    discard_all(game, "wool")
    assert (game.player, kinds(game)) == (0, {"move_robber"})


def test_the_robber_must_move_to_another_hex():
    """To another hex (it must move; the desert is allowed)."""
    game = to_move_robber(robber=4)
    assert legal(game, "move_robber") == [h for h in range(19) if h != 4]
    refused(game, "move_robber", hex=4)
    act(game, "move_robber", hex=9)
    assert game.snapshot()["robber"] == 9


def test_the_turn_goes_on_after_the_robber():
    game = roll(before_the_roll({"settlements": [0]}), 7)
    act(game, "move_robber", hex=1)
    assert (game.player, game.snapshot()["phase"]) == (0, "main")


TWO_AT_HILLS = (
    {},
    {"settlements": [10], "hand": {"ore": 1}},
    {"cities": [20], "hand": {"wool": 2}},
)


def test_the_roller_names_one_of_the_other_players_there():
    """If other players with at least 1 card have a building on that hex, the roller names one."""
    game = act(to_move_robber(*TWO_AT_HILLS), "move_robber", hex=4)
    assert game.snapshot()["phase"] == "steal"
    assert legal(game, "steal") == [1, 2]
    refused(game, "steal", seat=3)
    act(game, "steal", seat=2)
    assert hands(game) == [{"wool": 1}, {"ore": 1}, {"wool": 1}, {}]
    assert game.snapshot()["phase"] == "main"


def test_seats_to_steal_from_are_counted_from_the_thief():
    seats = [{"settlements": [10], "hand": {"ore": 1}}, {"settlements": [20], "hand": {"wool": 1}}]
    game = to_move_robber(*seats, turn_player=3, player_to_move=3)
    act(game, "move_robber", hex=4)
    assert legal(game, "steal") == [1, 2]
    act(game, "steal", seat=1)
    assert hands(game) == [{}, {"wool": 1}, {}, {"ore": 1}]


def test_one_card_is_taken_each_equally_likely():
    """Takes one card at random from a victim, each card in that hand equally likely."""
    seats = [{}, {"settlements": [10], "hand": {"ore": 1, "wool": 2, "brick": 5}}]
    game = to_move_robber(*seats)
    move = 205 + 4
    assert game.outcomes(move) == {
        Resource.ORE: 1 / 8,
        Resource.WOOL: 2 / 8,
        Resource.BRICK: 5 / 8,
    }
    drawn = {"ore": 0, "wool": 0, "brick": 0}
    for seed in range(800):
        trial = game.copy()
        trial.games["rng"][0] = seed
        act(trial, "move_robber", hex=4)
        (stolen,) = hand(trial, 0)
        drawn[stolen] += 1
    chi_square = sum(
        (drawn[r] - n) ** 2 / n for r, n in (("ore", 100), ("wool", 200), ("brick", 500))
    )
    assert chi_square < 13.8  # 2 degrees of freedom, 0.1 %


def test_the_card_stolen_can_be_named():
    game = to_move_robber({}, {"settlements": [10], "hand": {"ore": 1, "wool": 2}})
    act(game, "move_robber", hex=4, outcome=Resource.ORE)
    assert hands(game)[:2] == [{"ore": 1}, {"wool": 2}]


def test_the_type_is_known_to_the_two_of_them_alone():
    seats = [{}, {"settlements": [10], "hand": {"ore": 1, "wool": 1}}, {}]
    game = position(seats, rules=Rules(num_players=3), phase="move_robber")
    act(game, "move_robber", hex=4, outcome=Resource.ORE)
    exact = {"brick": 0, "lumber": 0, "wool": 0, "grain": 0, "ore": 1}
    knowledge = game.snapshot()["knowledge"]
    for one_of_the_two in (0, 1):
        assert knowledge[one_of_the_two][0] == {"min": exact, "max": exact}
    either = {"brick": 0, "lumber": 0, "wool": 1, "grain": 0, "ore": 1}
    none = dict.fromkeys(either, 0)
    assert knowledge[2][0] == {"min": none, "max": either}


def test_with_one_possible_victim_the_theft_is_carried_out_at_once():
    """With exactly one possible victim, with no decision."""
    game = to_move_robber({}, {"settlements": [10], "hand": {"ore": 1}})
    act(game, "move_robber", hex=4)
    assert hands(game)[:2] == [{"ore": 1}, {}]
    assert game.snapshot()["phase"] == "main"


def test_a_neighbor_without_cards_is_no_possible_victim():
    """Of two players on the hex, one with no cards: the theft is carried out at once."""
    game = to_move_robber({}, {"settlements": [10], "hand": {"ore": 1}}, {"cities": [20]})
    act(game, "move_robber", hex=4)
    assert hands(game)[:3] == [{"ore": 1}, {}, {}]


def test_two_buildings_of_one_player_are_one_victim():
    game = to_move_robber({}, {"settlements": [10, 20], "hand": {"ore": 3}})
    act(game, "move_robber", hex=4)
    assert hands(game)[:2] == [{"ore": 1}, {"ore": 2}]


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
    """With none there is no theft."""
    game = to_move_robber(*seats)
    before = hands(game)
    act(game, "move_robber", hex=4)
    assert hands(game) == before
    assert game.snapshot()["phase"] == "main"


FRIENDLY = Rules(friendly_robber=True)


def test_friendly_robber_spares_players_with_2_visible_points():
    """May not be put on a hex that touches a building of another player with 2 or fewer."""
    poor = {"settlements": [10, 40]}  # hexes 0 1 4 and 12 13 16
    rich = {"settlements": [24], "cities": [51]}  # hexes 6 10 11 and 17 18
    game = to_move_robber({}, poor, rich, rules=FRIENDLY)
    assert legal(game, "move_robber") == [2, 3, 5, 6, 7, 8, 10, 11, 14, 15, 17, 18]
    refused(game, "move_robber", hex=4)


def test_friendly_robber_does_not_spare_the_mover():
    game = to_move_robber({"settlements": [10]}, rules=FRIENDLY)
    assert can(game, "move_robber", hex=4)


def test_friendly_robber_looks_at_visible_points():
    """A hidden victory point card doesn't lift the protection."""
    poor = {"settlements": [10, 40], "cards": {"victory_point": 2}}
    game = to_move_robber({}, poor, rules=FRIENDLY)
    refused(game, "move_robber", hex=4)


def test_friendly_robber_counts_special_cards():
    """Two settlements and the largest army are 4 visible points."""
    armed = {"settlements": [10, 40], "cards_played": {"knight": 3}}
    game = to_move_robber({}, armed, rules=FRIENDLY)
    assert can(game, "move_robber", hex=4)


def test_a_hex_shared_by_a_poor_and_a_rich_player_is_barred():
    rich = {"cities": [10, 40]}
    game = to_move_robber({}, rich, {"settlements": [20]}, rules=FRIENDLY)
    refused(game, "move_robber", hex=4)
    assert can(game, "move_robber", hex=0)


EVERYWHERE = (
    {"settlements": [10, 13]},  # hexes 0 1 4, 2 5 6
    {"settlements": [18, 35]},  # hexes 3 7 8, 10 11 15
    {"settlements": [40, 43]},  # hexes 12 13 16, 14 17 18
)
"""Three players with 2 points each who touch every hex but the desert."""


def test_friendly_robber_fallback():
    """Unless every hex but the present one is barred (then any other hex is allowed)."""
    game = to_move_robber({}, *EVERYWHERE, rules=FRIENDLY, robber=9)
    assert legal(game, "move_robber") == [h for h in range(19) if h != 9]


def test_friendly_robber_with_one_hex_left():
    """One hex that is not barred is the only choice."""
    game = to_move_robber({}, *EVERYWHERE, rules=FRIENDLY, robber=0)
    assert legal(game, "move_robber") == [9]


DESERT = 9
BESIDE_IT = [int(v) for v in HEX_VERTICES[DESERT]]


def test_robber_on_desert_may_go_there_and_takes_nothing():
    """`robber_on_desert`: the friendly robber may stand on the desert but takes nothing there."""
    for settlement, open_before in ((BESIDE_IT[0], False), (0, True)):
        poor = {"settlements": [settlement], "hand": {"ore": 2}}
        rich = {"cities": [BESIDE_IT[2], 53], "hand": {"ore": 1}}
        game = to_move_robber({}, poor, rich, rules=FRIENDLY, robber=0)
        assert can(game, "move_robber", hex=DESERT) == open_before
        rules = replace(FRIENDLY, robber_on_desert=True)
        game = to_move_robber({}, poor, rich, rules=rules, robber=0)
        act(game, "move_robber", hex=DESERT)
        assert hands(game) == [{}, {"ore": 2}, {"ore": 1}, {}]
        assert game.snapshot()["phase"] in ("main", "roll")


def test_robber_on_desert_is_for_the_friendly_robber():
    """Without `friendly_robber` a theft follows on the desert, too."""
    victim = {"settlements": [BESIDE_IT[0]], "hand": {"ore": 1}}
    game = to_move_robber({}, victim, rules=Rules(robber_on_desert=True), robber=0)
    act(game, "move_robber", hex=DESERT)
    assert hands(game) == [{"ore": 1}, {}, {}, {}]


def test_without_the_option_nobody_is_spared():
    game = to_move_robber({}, {"settlements": [10]})
    assert can(game, "move_robber", hex=4)
