"""4. Production."""

import pytest

from catan_pz.board.generators import BEGINNER_BOARD
from catan_pz.game.position import position
from catan_pz.rules import Board
from catan_pz.terms import Resource
from tests.helpers import bank, hands, roll

pytestmark = pytest.mark.purepython

BRICK, LUMBER = Resource.BRICK, Resource.LUMBER


def before_the_roll(*players, **entries):
    """A position of four before the roll; seats not given have nothing."""
    return position([*players, *[{}] * (4 - len(players))], phase="roll", **entries)


def with_bank_of(resource, left, *players):
    """A position in which the bank has few cards of a resource, and a far-off player the rest."""
    holder = {"hand": {resource: 19 - left}}
    return before_the_roll(*players, *[{}] * (3 - len(players)), holder)


def test_a_settlement_receives_one_card():
    """Each hex with the rolled number gives 1 card to each adjacent settlement."""
    game = roll(before_the_roll({"settlements": [10]}), 6)  # hills 6
    assert hands(game) == [{"brick": 1}, {}, {}, {}]
    assert bank(game)["brick"] == 18


def test_a_city_receives_two_cards():
    """2 to each adjacent city."""
    game = roll(before_the_roll({"cities": [10]}), 6)
    assert hands(game) == [{"brick": 2}, {}, {}, {}]
    assert bank(game)["brick"] == 17


def test_every_player_receives_also_out_of_turn():
    game = roll(before_the_roll({"settlements": [9]}, {"cities": [11]}, {"settlements": [20]}), 6)
    assert hands(game) == [{"brick": 1}, {"brick": 2}, {"brick": 1}, {}]


def test_each_building_at_a_hex_receives():
    game = roll(before_the_roll({"settlements": [9, 20], "cities": [11]}), 6)
    assert hands(game)[0] == {"brick": 4}


def test_both_hexes_of_a_number_produce():
    # 8: mountains (hex 11) and forest (hex 12); vertices 37 and 39.
    game = roll(before_the_roll({"settlements": [37], "cities": [39]}), 8)
    assert hands(game)[0] == {"ore": 1, "lumber": 2}


def test_other_numbers_bring_nothing():
    game = before_the_roll({"settlements": [10]})
    for number in (3, 4, 5, 8, 9, 11, 12):
        assert hands(roll(game.copy(), number))[0] == {}


def test_the_hex_with_the_robber_gives_nothing():
    """And without the robber: hills 6 is barred, the other 6 (fields, hex 17) is not."""
    game = before_the_roll({"settlements": [10], "cities": [50]}, robber=4)
    assert hands(roll(game, 6))[0] == {"grain": 2}


def test_a_vertex_between_two_hexes_of_the_number_receives_from_both():
    # Fields 12 and hills 6 change tokens with others, so that vertex 9 lies between two 8s.
    tokens = list(BEGINNER_BOARD.tokens)
    for h, other in ((3, 11), (4, 12)):
        tokens[h], tokens[other] = tokens[other], tokens[h]
    board = Board(BEGINNER_BOARD.terrains, tuple(tokens), BEGINNER_BOARD.harbors)
    game = before_the_roll({"settlements": [9]}, board=board)
    assert hands(roll(game, 8))[0] == {"grain": 1, "brick": 1}


@pytest.mark.parametrize("left", [0, 1, 2])
def test_shortage_with_two_claimants_gives_nobody_any(left):
    """If two or more players are due some and the bank can't pay all, nobody gets any."""
    game = with_bank_of("brick", left, {"settlements": [10]}, {"cities": [20]})
    assert bank(game)["brick"] == left
    roll(game, 6)
    assert hands(game) == [{}, {}, {}, {"brick": 19 - left}]
    assert bank(game)["brick"] == left


def test_no_shortage_when_the_bank_can_pay_exactly():
    game = roll(with_bank_of("brick", 3, {"settlements": [10]}, {"cities": [20]}), 6)
    assert hands(game)[:2] == [{"brick": 1}, {"brick": 2}]
    assert bank(game)["brick"] == 0


@pytest.mark.parametrize("left", [0, 1, 2])
def test_shortage_with_one_claimant_gives_what_is_left(left):
    """If only one player is due some, that player gets what is left."""
    game = roll(with_bank_of("brick", left, {"cities": [10], "settlements": [20]}), 6)
    assert hands(game)[0] == ({"brick": left} if left else {})
    assert bank(game)["brick"] == 0


def test_one_claimant_with_several_buildings_is_still_one():
    game = roll(with_bank_of("brick", 3, {}, {"cities": [10, 20]}), 6)
    assert hands(game)[1] == {"brick": 3}


def test_shortage_is_judged_for_each_resource_by_itself():
    """Lumber lacks for two claimants; ore, of the same roll, is paid."""
    game = with_bank_of(
        "lumber", 1, {"settlements": [39, 37]}, {"settlements": [29], "cities": [25]}
    )
    roll(game, 8)
    assert hands(game)[:2] == [{"ore": 1}, {"ore": 2}]
    assert bank(game)["lumber"] == 1


def test_one_claimant_of_one_resource_and_two_of_the_other():
    """Lumber lacks for its only claimant, who gets what is left; ore is paid in full."""
    game = with_bank_of("lumber", 1, {"cities": [39], "settlements": [37]}, {"settlements": [25]})
    roll(game, 8)
    assert hands(game)[:2] == [{"lumber": 1, "ore": 1}, {"ore": 1}]


def twin_forests():
    """A board whose two 9s are both forests: hexes 2 and 8."""
    tokens = list(BEGINNER_BOARD.tokens)
    tokens[8], tokens[7] = 9, 11
    return Board(BEGINNER_BOARD.terrains, tuple(tokens), BEGINNER_BOARD.harbors)


def test_two_hexes_of_one_resource_count_together_for_a_shortage():
    """What is due of a resource is due from both of its hexes: two players, three cards."""
    holder = {"hand": {"lumber": 17}}
    seats = [{"settlements": [6]}, {"cities": [18]}, {}, holder]
    game = roll(before_the_roll(*seats, board=twin_forests()), 9)
    assert hands(game)[:2] == [{}, {}]
    assert bank(game)["lumber"] == 2


def test_one_claimant_at_two_hexes_of_one_resource_gets_what_is_left():
    seats = [{"settlements": [6], "cities": [18]}, {}, {}, {"hand": {"lumber": 17}}]
    game = roll(before_the_roll(*seats, board=twin_forests()), 9)
    assert hands(game)[0] == {"lumber": 2}


def test_two_hexes_of_one_resource_are_paid_when_the_bank_has_enough():
    seats = [{"settlements": [6]}, {"cities": [18]}, {}, {"hand": {"lumber": 16}}]
    game = roll(before_the_roll(*seats, board=twin_forests()), 9)
    assert hands(game)[:2] == [{"lumber": 1}, {"lumber": 2}]
    assert bank(game)["lumber"] == 0


def test_a_claim_at_the_robbers_hex_is_no_claim():
    """The robber on one of the two hexes leaves one claimant, who gets what is left."""
    seats = [{"settlements": [6]}, {"cities": [18]}, {}, {"hand": {"lumber": 18}}]
    game = roll(before_the_roll(*seats, board=twin_forests(), robber=2), 9)
    assert hands(game)[:2] == [{}, {"lumber": 1}]


def test_the_desert_never_produces():
    game = before_the_roll({"cities": [21]}, robber=0)  # hills 6, pasture 4, desert
    for number in (2, 3, 5, 8, 9, 10, 11, 12):
        assert hands(roll(game.copy(), number))[0] == {}
