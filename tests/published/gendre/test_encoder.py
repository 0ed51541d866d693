"""The planes and scalars of Gendre and Kaneko, in positions worked out by hand."""

import numpy as np
import pytest

from catan_pz import encoders
from catan_pz.game import position
from catan_pz.rules import Rules
from tests.helpers import act


@pytest.fixture(scope="module")
def game():
    players = [
        {
            "settlements": [3, 10],
            "cities": [21],
            "roads": [7],
            "hand": {"brick": 4, "lumber": 2, "ore": 3, "grain": 1, "wool": 5},
            "cards": {"knight": 2, "monopoly": 1, "victory_point": 1},
            "new_cards": {"knight": 1},
            "cards_played": {"knight": 3},
        },
        {
            "settlements": [0],
            "roads": [0, 6],
            "hand": {"ore": 6},
            "cards": {"road_building": 1, "year_of_plenty": 1},
            "cards_played": {"knight": 1},
        },
    ]
    rules = Rules(num_players=2, trading=False)
    return position(players, rules=rules, turn=40, card_played=True, seed=1)


@pytest.fixture(scope="module")
def seen(game):
    return encoders.load("gendre").encode(game.observe(0))


def shown(planes, plane):
    """Row, column and number of each cell of a plane that isn't zero."""
    rows, columns = np.nonzero(planes[plane])
    found = zip(rows.tolist(), columns.tolist(), planes[plane][rows, columns].tolist(), strict=True)
    return sorted(found)


# The beginner board, row by row: the number token and what the hex produces.
BOARD = [
    ["10 ore", "2 wool", "9 lumber"],
    ["12 grain", "6 brick", "4 wool", "10 brick"],
    ["9 grain", "11 lumber", "desert", "3 lumber", "8 ore"],
    ["8 lumber", "3 ore", "4 grain", "5 wool"],
    ["5 brick", "6 grain", "11 wool"],
]


def test_number_tokens_lie_in_the_planes_of_their_resources(seen):
    """The hexes of row r lie in row 5 + 2r of the grid, four columns apart."""
    found = {}
    for plane, resource in enumerate(("brick", "lumber", "ore", "grain", "wool")):
        for row, column, token in shown(seen["planes"], plane):
            found[row, column] = f"{token:.0f} {resource}"
    expected = {}
    for k, line in enumerate(BOARD):
        first = 10 - 2 * (len(line) - 1)
        for j, tile in enumerate(line):
            if tile != "desert":
                expected[1 + 2 * k, first + 4 * j] = tile
    assert found == expected
    assert shown(seen["planes"], 5) == shown(seen["planes"], 6) == [(5, 10, 1)]


def test_roads_and_buildings_lie_on_the_grid(seen):
    planes = seen["planes"]
    # Edge 0 leads along the top of the first hex; 6 and 7 are its left and its right side.
    assert shown(planes, 7) == [(1, 8, 1)]
    assert shown(planes, 8) == [(0, 5, 1), (1, 4, 1)]
    # Vertices 0 to 6 fill the top row from column 4 on, 7 to 15 row 2 from column 2, 16 to 26
    # row 4 from column 0, every other column.
    assert shown(planes, 15) == [(0, 10, 1), (2, 8, 1), (4, 10, 2)]
    assert shown(planes, 16) == [(0, 4, 1)]


def test_harbors_lie_at_the_vertices_that_they_serve(seen):
    planes = seen["planes"]
    assert [len(shown(planes, plane)) for plane in range(9, 15)] == [2, 2, 2, 2, 2, 8]
    # 2:1 for lumber at vertices 7 and 17, for grain at 3 and 4, 3:1 at 0 and 1.
    assert shown(planes, 10) == [(2, 2, 1), (4, 2, 1)]
    assert shown(planes, 12) == [(0, 10, 1), (0, 12, 1)]
    assert {(0, 4, 1), (0, 6, 1)} <= set(shown(planes, 14))


def test_scalars_are_the_45_in_their_order(seen):
    assert seen["scalars"].tolist() == [
        *(4, 2, 3, 1, 5),  # brick, lumber, ore, grain, wool in hand
        *(14, 3, 3),  # pieces left
        3,  # knights played
        *(1, 0, 0, 1, 1),  # cards held: knight, monopoly, victory point
        *(1, 0, 0, 0, 0),  # a knight bought this turn
        *(0, 0, 0, 1, 0, 0),  # a settlement at the harbor for grain
        *(0, 1),  # largest army
        *(6, 13, 4, 4, 1, 2, 0, 0),  # the opponent
        *(15, 17, 10, 18, 14),  # bank
        15,  # 25 development cards less 4, 3, 2 and 1
        *(0, 0, 0, 0),  # rolled, a card was played
    ]


def test_a_table_of_four_shows_each_opponent_by_itself():
    """Seat 2 looks: seat 3 is its first opponent, then seats 0 and 1."""
    players = [
        {"settlements": [10], "roads": [7], "hand": {"wool": 2}},
        {"cities": [21], "cards": {"knight": 2}, "hand": {"ore": 1}},
        {"settlements": [0], "roads": [0, 6], "hand": {"brick": 3, "grain": 1}},
        {"settlements": [40], "hand": {"wool": 1, "grain": 1}, "cards_played": {"knight": 3}},
    ]
    game = position(players, rules=Rules(), turn=40, seed=1)
    seen = encoders.load("gendre_table").encode(game.observe(2))
    planes, scalars = seen["planes"], seen["scalars"].tolist()
    two = encoders.load("gendre").encode(game.observe(2))
    np.testing.assert_array_equal(planes[:8], two["planes"][:8])  # hexes, own roads
    np.testing.assert_array_equal(planes[11:18], two["planes"][9:16])  # harbors, own buildings
    assert [shown(planes, plane) for plane in (8, 9, 10)] == [[], [(1, 8, 1)], []]
    assert [shown(planes, plane) for plane in (17, 19, 20)] == [
        *([(0, 4, 1)], [(2, 8, 1)], [(4, 10, 2)])
    ]
    assert len(shown(planes, 18)) == 1
    assert scalars[:27] == two["scalars"].tolist()[:27]
    # Cards in hand, pieces left, knights played, development cards, longest road, largest army.
    assert scalars[27:51] == [
        *(2, 15, 4, 4, 3, 0, 0, 1),
        *(2, 14, 4, 4, 0, 0, 0, 0),
        *(1, 15, 5, 3, 0, 2, 0, 0),
    ]
    assert scalars[51:57] == [16, 19, 18, 17, 16, 20]
    assert scalars[57:66] == [0, 1, 0, 0, 0, 0, 1, 0, 3]
    assert scalars[66:] == [0] * 56


def test_a_table_shows_offers_and_answers():
    """Seat 0 gives a wool for an ore; the first asked counters, and the second rejects."""
    players = [
        {"settlements": [10], "hand": {"wool": 2}},
        {"settlements": [0], "hand": {"ore": 2}},
        {"settlements": [40], "hand": {"ore": 1}},
    ]
    game = position(players, rules=Rules(num_players=3), turn=40, seed=1)
    act(game, "offer", give={"wool": 1}, get={"ore": 1})
    act(game, "offer", give={"ore": 1}, get={"wool": 2})
    act(game, "reject")
    scalars = encoders.load("gendre_table").encode(game.observe(1))["scalars"].tolist()
    # Of brick, lumber, ore, grain, wool; the viewer is seat 1, seat 0 the last before an empty one.
    assert scalars[61:66] == [0, 0, 1, 0, 2]
    assert scalars[66:86] == [0, 0, 1, 0, 0, *[0] * 5, 0, 0, 0, 0, 1, *[0] * 5]
    assert scalars[86:106] == [0, 0, 0, 0, 2, *[0] * 5, 0, 0, 1, 0, 0, *[0] * 5]
    answers = [np.flatnonzero(scalars[first : first + 4]).tolist() for first in range(106, 122, 4)]
    assert answers[:2] == [[3], [2]]
