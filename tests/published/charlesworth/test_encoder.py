"""The numbers of Charlesworth's observation, in a position worked out by hand."""

import numpy as np
import pytest

from catan_pz import encoders
from catan_pz.game import position
from tests.helpers import act, path
from tests.published.charlesworth.models import BOARD as RULES

OWN, CITY, LEFT, ACROSS = 10, 21, 0, 40
HAND = {"lumber": 2, "brick": 6, "grain": 0, "ore": 9, "wool": 12}

PLAYERS = [
    {
        "settlements": [OWN],
        "cities": [CITY],
        "roads": [7],
        "hand": HAND,
        "cards": {"knight": 1, "victory_point": 1},
        "cards_played": {"knight": 2, "monopoly": 1},
    },
    {
        "settlements": [LEFT],
        "roads": [0, 6],
        "hand": {"ore": 2, "lumber": 1},
        "cards": {"knight": 1},
    },
    {"cities": [ACROSS], "cards_played": {"knight": 3}},
    {"roads": path(23, 24, 25, 26, 37, 36)},
]


def encoded(name="charlesworth", players=PLAYERS):
    game = position(players, rules=RULES, turn=40, seed=1, rolled=True)
    return encoders.load(name).encode(game.observe(0))


@pytest.fixture(scope="module")
def seen():
    return encoded()


def ones(array):
    return np.flatnonzero(array).tolist()


def test_a_tile_has_robber_token_resource_and_corners(seen):
    # Mountains with 10; the own settlement is at the lower right, the next player's upper left.
    corner = [18 + 7 * k for k in range(6)]
    empty = [corner[k] for k in (0, 2, 3, 5)]
    assert ones(seen["tiles"][0]) == sorted(
        [1 + 10 - 2, 12 + 4, *empty, corner[4] + 1, corner[4] + 3, corner[1] + 1, corner[1] + 4]
    )
    # The desert with the robber counts as a 7; the own city is at its top.
    desert = seen["tiles"][9]
    assert desert[0] == 1
    assert ones(desert[1:12]) == [5]
    assert ones(desert[12:18]) == [0]
    assert ones(desert[corner[0] : corner[0] + 7]) == [2, 3]
    assert seen["tiles"].shape == (19, 60)
    assert seen["tiles"][:, 0].sum() == 1


def test_roads_and_harbors_lie_around_their_tile(seen):
    # Sides go clockwise from the upper right, 4 owners each. Road 0 is the upper left of hex 0.
    assert (5 * 4 + 1) in ones(seen["roads"][0])
    assert seen["roads"][0].sum() == 3
    # A 3:1 harbor at the upper left and the top of hex 0.
    assert ones(seen["harbors"][0]) == [0, 6]
    assert seen["harbors"].shape == (19, 36)


def test_the_player_is_in_bins(seen):
    player = seen["player"]
    # Lumber 2, brick 6, grain 0, ore 9, wool 12, in bins 0 1 2 3 4 5-7 8-10 11+.
    assert ones(player[:40]) == [2, 8 + 5, 16 + 0, 24 + 6, 32 + 7]
    # Settlement, city and a victory point card.
    assert ones(player[40:50]) == [4]
    # The settlement touches mountains 10, pasture 2, hills 6; the city hills 6, pasture 4, desert.
    production = {k: float(player[50 + k]) for k in ones(player[50:100])}
    assert production == {30 + 7: 1, 40 + 0: 1, 10 + 4: 3, 40 + 2: 2}
    # Another holds the longest road, of 5; another the largest army, of 3.
    assert player[100:104].tolist() == [0, 1 / 8, 0, 2 / 4]
    assert player[104:110].tolist() == [0] * 6
    # In the bank 16 lumber, 13 brick, 19 grain, 8 ore, 7 wool, in bins 0 1 2 3-5 6-7 8-10 11+.
    assert ones(player[110:145]) == [6, 7 + 6, 14 + 6, 21 + 5, 28 + 4]
    assert ones(player[145:152]) == [6]
    assert len(player) == 152


def test_opponents_are_told_alike(seen):
    left, across, right = seen["opponents"]
    # Every hand is known: lumber 1, ore 2.
    known = [1, 8, 16, 24 + 2, 32]
    assert ones(left[:40]) == ones(left[40:80]) == known
    assert ones(left[80:90]) == [1]
    assert {k: float(left[90 + k]) for k in ones(left[90:140])} == {30 + 7: 1}
    # A road of 2, the 3:1 harbor, the first seat, one hidden card.
    assert ones(left[140:]) == [1, 4, 10, 13 + 1]
    # Fields with 6 and forest with 8 lie above vertex 40: a city, and the largest army.
    assert across[142:144].tolist() == [1, 3 / 4]
    assert across[90:140].sum() == 2 * np.count_nonzero(across[90:140])
    assert ones(across[80:90]) == [4]
    assert right[140:142].tolist() == [1, 5 / 8]
    assert ones(right[80:90]) == [2]
    assert [ones(one[150:153]) for one in seen["opponents"]] == [[0], [1], [2]]
    assert seen["opponents"].shape == (3, 159)


def test_cards_are_counted_by_list(seen):
    assert seen["cards"].tolist() == [
        [1, 0, 0, 0, 1],
        [2, 0, 0, 1, 0],
        [0] * 5,
        [3, 0, 0, 0, 0],
        [0] * 5,
    ]
    assert seen["hand"].tolist() == [2, 6, 0, 9, 12, 0]


def offered(name):
    game = position(PLAYERS, rules=RULES, turn=40, seed=1, rolled=True)
    for action, resource in (*[("give", "brick")] * 2, ("get", "ore")):
        act(game, f"compose_{action}", resource=resource)
    act(game, "compose_send")
    return encoders.load(name).encode(game.observe(1))


def test_an_offer_tells_counts_or_flags():
    """Two bricks for an ore."""
    counts = [0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert offered("charlesworth")["offer"].tolist() == counts
    assert offered("charlesworth_flags")["offer"].tolist() == [min(n, 1) for n in counts]
    assert offered("charlesworth")["phase"].tolist()[:12] == [0] * 9 + [1, 0, 0]
    assert offered("charlesworth")["phase"].tolist()[12:] == [1, 0, 0, 3 / 4]


def test_without_the_longest_road_lengths_are_zero():
    seen = encoded(players=[*PLAYERS[:3], {}])
    assert seen["player"][100:102].tolist() == [0, 0]
    assert not seen["opponents"][:, 140:142].any()


def test_the_published_observation_leaves_roads_harbors_and_phase_out(seen):
    published = encoded("charlesworth_2022")
    assert set(seen) - set(published) == {"roads", "harbors", "phase"}
    for name, array in published.items():
        np.testing.assert_array_equal(array, seen[name])
