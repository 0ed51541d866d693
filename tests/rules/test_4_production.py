"""4. Production."""

import pytest

from catan_pz.board.generators import BEGINNER_BOARD
from catan_pz.rules import Board
from tests.helpers import bank, before_roll, hands, roll


def retokened(*swaps):
    """The beginner board with the number tokens of some pairs of hexes exchanged."""
    tokens = list(BEGINNER_BOARD.tokens)
    for h, other in swaps:
        tokens[h], tokens[other] = tokens[other], tokens[h]
    return Board(BEGINNER_BOARD.terrains, tuple(tokens), BEGINNER_BOARD.harbors)


BEGINNER = retokened()
TWO_EIGHTS = retokened((3, 11), (4, 12))
"""Vertex 9 lies between fields and hills of the same number."""
TWIN_FORESTS = retokened((7, 8))
"""The two 9s are both forests: hexes 2 and 8."""


def rolled(number, *seats, board=BEGINNER, lacking=None, left=19, **entries):
    """The hands of the first players after a roll; a far-off player has what the bank lacks."""
    holder = {"hand": {lacking: 19 - left}} if lacking else {}
    empty = [{}] * (3 - len(seats))
    game = before_roll(*seats, *empty, holder, board=board, **entries)
    roll(game, number)
    given = [hand for hand in hands(game)[:3] if hand]
    if lacking:
        assert bank(game)[lacking] == left - sum(hand.get(lacking, 0) for hand in given)
    return given


SETTLEMENT, CITY = {"settlements": [10]}, {"cities": [20]}  # both at hills 6
PRODUCTION = {
    "1 card to a settlement": (6, [SETTLEMENT], [{"brick": 1}]),
    "2 to a city": (6, [{"cities": [10]}], [{"brick": 2}]),
    "each building at a hex": (6, [{"settlements": [9, 20], "cities": [11]}], [{"brick": 4}]),
    "every player, also out of turn": (6, [SETTLEMENT, CITY], [{"brick": 1}, {"brick": 2}]),
    # 8: mountains (hex 11) and forest (hex 12); vertices 37 and 39.
    "both hexes": (8, [{"settlements": [37], "cities": [39]}], [{"ore": 1, "lumber": 2}]),
}


@pytest.mark.parametrize("case", PRODUCTION)
def test_each_hex_with_the_number_gives_to_adjacent_buildings(case):
    number, seats, expected = PRODUCTION[case]
    assert rolled(number, *seats) == expected


def test_other_numbers_bring_nothing():
    assert not any(rolled(number, SETTLEMENT) for number in (3, 4, 5, 8, 9, 11, 12))


def test_the_hex_with_the_robber_gives_nothing():
    """Hills 6 is barred, the other 6 (fields, hex 17) is not."""
    assert rolled(6, {"settlements": [10], "cities": [50]}, robber=4) == [{"grain": 2}]


def test_a_vertex_between_two_hexes_of_the_number_receives_from_both():
    given = rolled(8, {"settlements": [9]}, board=TWO_EIGHTS)
    assert given == [{"grain": 1, "brick": 1}]


def test_the_desert_never_produces():
    """The vertex touches hills 6, pasture 4 and the desert."""
    numbers = (2, 3, 5, 8, 9, 10, 11, 12)
    assert not any(rolled(number, {"cities": [21]}, robber=0) for number in numbers)


@pytest.mark.parametrize("left", [0, 1, 2])
def test_shortage(left):
    """Two or more players are due some: nobody gets any. Only one: it gets what is left."""
    assert rolled(6, SETTLEMENT, CITY, lacking="brick", left=left) == []
    alone = rolled(6, {"cities": [10], "settlements": [20]}, lacking="brick", left=left)
    assert alone == ([{"brick": left}] if left else [])


def test_no_shortage_when_the_bank_can_pay_exactly():
    expected = [{"brick": 1}, {"brick": 2}]
    assert rolled(6, SETTLEMENT, CITY, lacking="brick", left=3) == expected


def test_shortage_is_judged_for_each_resource_by_itself():
    """Lumber lacks, for two claimants or for one; ore, of the same roll, is paid."""
    seats = [{"settlements": [39, 37]}, {"settlements": [29], "cities": [25]}]
    assert rolled(8, *seats, lacking="lumber", left=1) == [{"ore": 1}, {"ore": 2}]
    seats = [{"cities": [39], "settlements": [37]}, {"settlements": [25]}]
    expected = [{"lumber": 1, "ore": 1}, {"ore": 1}]
    assert rolled(8, *seats, lacking="lumber", left=1) == expected


TWO_CLAIMANTS = [{"settlements": [6]}, {"cities": [18]}]
TWINS = {
    "two players, three cards": (TWO_CLAIMANTS, 2, 9, []),
    "enough": (TWO_CLAIMANTS, 3, 9, [{"lumber": 1}, {"lumber": 2}]),
    "one claimant": ([{"settlements": [6], "cities": [18]}], 2, 9, [{"lumber": 2}]),
    "a claim at the robber's hex is none": (TWO_CLAIMANTS, 1, 2, [{"lumber": 1}]),
}


@pytest.mark.parametrize("case", TWINS)
def test_two_hexes_of_one_resource_count_together_for_a_shortage(case):
    seats, left, robber, expected = TWINS[case]
    entries = {"board": TWIN_FORESTS, "robber": robber}
    assert rolled(9, *seats, lacking="lumber", left=left, **entries) == expected
