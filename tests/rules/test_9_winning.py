"""9. Special cards and winning."""

import pytest

from catan_pz import Rules
from catan_pz.terms import Card
from tests.helpers import (
    CARD,
    CITY,
    ROAD,
    SETTLEMENT,
    act,
    edge,
    kinds,
    next_turn,
    path,
    phase,
    player,
    table,
)


def army(game):
    return game.snapshot()["largest_army_owner"]


def longest(game):
    return game.snapshot()["longest_road_owner"]


def lengths(game):
    return [seat["road_length"] for seat in game.snapshot()["players"]]


def points(game):
    return [seat["visible_points"] for seat in game.snapshot()["players"]]


# Largest army.


@pytest.mark.parametrize(
    ("played", "rivals", "before", "after"),
    [(1, 0, None, None), (2, 0, None, 0), (2, 3, 1, 1), (3, 3, 1, 0)],
    ids=["two knights", "first to 3", "a tie", "strictly more"],
)
def test_largest_army(played, rivals, before, after):
    """Largest army, 2 points: first to 3 knights played; passes only to strictly more."""
    seat = {"cards": {"knight": 5}, "cards_played": {"knight": played}}
    rival = {"cards_played": {"knight": rivals}}
    game = table(seat, rival, largest_army_owner=before)
    act(game, "play_knight")
    assert army(game) == after
    assert points(game) == [2 * (after == p) for p in (0, 1)]


# Longest road.

RING = path(20, 21, 22, 33, 32, 31, 20)
LINE = path(19, 20, 21, 22, 23, 24, 25)
TRAILS = {
    "a fork": (path(20, 21, 22, 23) + path(21, 11, 10), {}, 4),  # 10-11-21-22-23
    "a loop": (RING, {}, 6),
    "a loop with a tail": (RING + path(22, 23, 24), {}, 8),
    "two loops that share a side": (RING + path(22, 23, 24, 35, 34, 33), {}, 11),
    "own buildings": (path(20, 21, 22, 23, 24, 25), {}, 5),
    "an opponent's settlement in the middle": (LINE, {"settlements": [22]}, 3),
    "an opponent's city in the middle": (LINE, {"cities": [22]}, 3),
    "an opponent's settlement near the end": (LINE, {"settlements": [24]}, 5),
    "one on a loop": (RING, {"settlements": [22]}, 6),
    "two on a loop": (RING, {"settlements": [22, 32]}, 4),  # 22-21-20-31-32
    "one between loop and tail": (RING + path(22, 23, 24), {"settlements": [22]}, 6),
}


@pytest.mark.parametrize("case", TRAILS)
def test_a_road_counts_by_its_longest_trail(case):
    """Each road used once; a loop counts; an opponent's building on a vertex ends the trail there,
    and one may begin and end at it."""
    roads, other, expected = TRAILS[case]
    own = {"settlements": [20], "cities": [24] if case == "own buildings" else []}
    game = table({**own, "roads": roads}, other)
    assert lengths(game) == [expected, 0]
    assert longest(game) == (0 if expected >= 5 else None)


GROWING = {
    "the fifth road": ([20], path(20, 21, 22, 23, 24), (24, 25), 4, 5),
    "another place": ([20, 40], path(20, 21, 22, 23), (40, 41), 3, 3),
    "closing a loop": ([20], path(20, 21, 22, 33, 32, 31), (31, 20), 5, 6),
    "joining two": ([18, 22], path(18, 19, 20) + path(21, 22, 23), (20, 21), 2, 5),
}


@pytest.mark.parametrize("case", GROWING)
def test_longest_road_goes_to_the_first_with_5(case):
    settlements, roads, new, before, after = GROWING[case]
    game = table({"settlements": settlements, "roads": roads, "hand": ROAD})
    assert (lengths(game)[0], longest(game)) == (before, 0 if before >= 5 else None)
    act(game, "build_road", edge=edge(*new))
    assert (lengths(game)[0], longest(game)) == (after, 0 if after >= 5 else None)
    assert points(game)[0] == len(settlements) + 2 * (after >= 5)


def test_longest_road_passes_only_to_a_strictly_longer_road():
    holder = {"settlements": [47], "roads": path(47, 48, 49, 50, 51, 52)}
    seat = {"settlements": [20], "roads": path(20, 21, 22, 23, 24)}
    game = table({**seat, "hand": {"brick": 2, "lumber": 2}}, holder)
    assert longest(game) == 1
    act(game, "build_road", edge=edge(24, 25))
    assert (lengths(game), longest(game)) == ([5, 5], 1)  # a tie: it stays
    act(game, "build_road", edge=edge(25, 26))
    assert longest(game) == 0
    assert points(game) == [3, 1]


# An opponent's settlement cuts the holder's road.


CUTTER = {"settlements": [32], "roads": path(32, 31, 20), "hand": SETTLEMENT}


def cut(holder, *others):
    """Player 0 builds a settlement at vertex 20, on the road of player 1, who holds the card."""
    game = table(CUTTER, holder, *others, longest_road_owner=1)
    return act(game, "build_settlement", vertex=20)


LONG = {"settlements": [18], "roads": path(18, 19, 20, 21, 22, 23, 24, 25, 26)}
"""Eight roads through vertex 20: cut there, six are left."""
SIX = {"settlements": [18], "roads": path(18, 19, 20, 21, 22, 23, 24)}
"""Six roads through vertex 20: cut there, four are left."""


def rim(*vertices):
    """Another player's road, from a settlement at its first vertex."""
    return {"settlements": [vertices[0]], "roads": path(*vertices)}


TOP_5 = rim(0, 1, 2, 3, 4, 5)
TOP_6 = rim(0, 1, 2, 3, 4, 5, 6)
BOTTOM_5 = rim(47, 48, 49, 50, 51, 52)
BOTTOM_6 = rim(47, 48, 49, 50, 51, 52, 53)
BOTTOM_7 = rim(39, 47, 48, 49, 50, 51, 52, 53)


CUTS = {
    "theirs is still longest": ((LONG, TOP_5), [6, 5], 1),
    "theirs is still 5, on a tie": ((LONG, TOP_6, BOTTOM_6), [6, 6, 6], 1),
    "a longer one, though theirs is 5": ((LONG, BOTTOM_7, TOP_6), [6, 7, 6], 2),
    "the sole longest": ((SIX, TOP_5), [4, 5], 2),
    "a tie among others": ((SIX, TOP_5, BOTTOM_5), [4, 5, 5], None),
    "none of 5": ((SIX, rim(0, 1, 2, 3, 4)), [4, 4], None),
}


@pytest.mark.parametrize("case", CUTS)
def test_an_opponents_settlement_cuts_the_holders_road(case):
    """The holder keeps the card while no other is longer and theirs is 5 or more; else the sole
    longest of 5 or more takes it; with a tie among others, or none of 5, nobody holds it."""
    seats, roads, owner = CUTS[case]
    game = cut(*seats)
    assert (lengths(game)[1:], longest(game)) == (roads, owner)
    assert points(game)[1:] == [1 + 2 * (owner == p) for p in range(1, len(seats) + 1)]


SET_ASIDE = {
    "one alone has the longest": ((SIX, {**TOP_5, "hand": ROAD}, BOTTOM_5), 2, (5, 6), 2),
    "a third road as long": (({**SIX, "hand": ROAD}, TOP_5, BOTTOM_5), 1, (24, 25), None),
    "the old holder regains it": (({**SIX, "hand": ROAD},), 1, (24, 25), 1),
}


@pytest.mark.parametrize("case", SET_ASIDE)
def test_set_aside_until_one_player_alone_has_the_longest(case):
    seats, builder, new, owner = SET_ASIDE[case]
    game = cut(*seats)
    assert longest(game) is None
    while game.player != builder:
        next_turn(game)
    act(game, "build_road", edge=edge(*new))
    assert longest(game) == owner


def test_the_cutter_may_take_it_and_win():
    """Player 0 cuts the holder and has the sole longest road: won at once, in the own turn."""
    seat = CUTTER | {"cities": [40, 47], "roads": path(20, 31, 32, 42, 41, 40)}
    game = table(seat | {"cards": {"victory_point": 2}}, SIX, longest_road_owner=1)
    act(game, "build_settlement", vertex=20)
    assert longest(game) == 0
    assert player(game, 0)["points"] == 10
    assert game.winner == 0


def test_a_settlement_at_the_end_of_a_road_cuts_nothing():
    five = {"settlements": [20], "roads": path(20, 21, 22, 23, 24, 25)}
    game = table({"settlements": [14], "roads": path(14, 15, 25), "hand": SETTLEMENT}, five)
    act(game, "build_settlement", vertex=25)
    assert (lengths(game)[1], longest(game)) == (5, 1)


# Points and winning.


def test_points():
    """Settlement 1, city 2, special cards 2 each, victory point cards 1 each."""
    seat = {
        "settlements": [0, 2],
        "cities": [20],
        "roads": path(20, 21, 22, 23, 24, 25),
        "cards_played": {"knight": 3},
        "cards": {"victory_point": 1},
    }
    game = table(seat)
    assert player(game, 0)["points"] == 2 + 2 + 2 + 2 + 1
    assert points(game) == [8, 0]


NINE = {"cities": [0, 2, 4], "settlements": [20, 22, 24]}
EIGHT = {"cities": [0, 2, 4, 20], "roads": path(20, 21, 22, 23, 24)}
WINS = {
    "a city": (NINE | {"hand": CITY}, [("build_city", {"vertex": 20})]),
    "a road": (EIGHT | {"hand": ROAD}, [("build_road", {"edge": edge(24, 25)})]),
    "the first of two free roads": (
        EIGHT | {"cards": {"road_building": 1}},
        [("play_road_building", {}), ("build_road", {"edge": edge(24, 25)})],
    ),
}


@pytest.mark.parametrize("case", WINS)
def test_a_player_wins_with_10_points_at_once_in_the_own_turn(case):
    """At once when reached in it."""
    seat, actions = WINS[case]
    game = table(seat)
    for kind, where in actions:
        assert game.winner is None
        act(game, kind, **where)
    assert player(game, 0)["points"] == 10
    assert (game.winner, game.is_over, phase(game), game.player) == (0, True, "over", 0)
    assert game.snapshot()["free_roads"] == 0
    assert len(game.legal_actions()) == 0


LESS_BY_ONE = {
    3: {"cities": [0]},
    8: {"cities": [0, 2, 4], "settlements": [20]},
    10: NINE,
    15: {"cities": [0, 2, 4, 6], "settlements": [20, 22, 24], "cards": {"victory_point": 3}},
}


@pytest.mark.parametrize("victory_points", LESS_BY_ONE)
def test_victory_points(victory_points):
    """10 points or more (O: `victory_points`), hidden ones included."""
    start = table({**LESS_BY_ONE[victory_points], "hand": CARD}, victory_points=victory_points)
    assert player(start, 0)["points"] == victory_points - 1
    for card in (Card.KNIGHT, Card.VICTORY_POINT):
        game = act(start.copy(), "buy_development_card", outcome=card)
        assert game.winner == (0 if card == Card.VICTORY_POINT else None)
        assert points(game) == points(start)


HEIR = {"cities": [0, 2, 4, 49], "roads": path(49, 50, 51, 52, 53, 45)}
"""8 points, 10 with the longest road."""


def test_points_reached_in_anothers_turn_win_as_the_own_turn_starts():
    """Only in the own turn: at once when reached in it, or when the turn starts."""
    game = cut(SIX, HEIR)
    assert (longest(game), player(game, 2)["points"]) == (2, 10)
    assert game.winner is None
    assert next_turn(game).winner is None
    act(game, "end_turn")
    assert game.winner == game.snapshot()["turn_player"] == 2
    assert game.snapshot()["rolled"] is False


def test_points_lost_before_the_own_turn_do_not_win():
    """Ten points held in others' turns alone are no win: player 1 takes the card back."""
    game = cut({**SIX, "hand": {"brick": 2, "lumber": 2}}, HEIR)
    assert player(game, 2)["points"] == 10
    next_turn(game)
    act(game, "build_road", edge=edge(24, 25))
    act(game, "build_road", edge=edge(25, 26))
    assert (lengths(game)[1], longest(game)) == (6, 1)
    act(game, "end_turn")
    assert (game.winner, game.player) == (None, 2)


TEN = {"cities": [0, 2, 4, 6], "settlements": [20, 22]}


def test_a_player_with_the_points_who_is_not_in_turn_has_not_won():
    game = table({}, TEN)
    assert player(game, 1)["points"] == 10
    assert game.winner is None
    assert kinds(game) == {"end_turn"}
    assert act(game, "end_turn").winner == 1


def test_max_turns_ends_a_game_without_a_winner():
    """A game that is truncated keeps its phase; a win as the turn starts comes before."""
    game = act(table({}, max_turns=2, turn=1), "end_turn")
    assert (game.is_truncated, game.is_over, game.winner) == (True, False, None)
    assert phase(game) == "roll"
    assert len(game.legal_actions()) == 0
    game = act(table({}, TEN, max_turns=2, turn=1), "end_turn")
    assert (game.is_truncated, game.winner) == (False, 1)


@pytest.mark.parametrize("limit", [0, -1, 2**31, 1.5, "none"])
def test_an_impossible_limit_of_turns_is_named(limit):
    with pytest.raises(ValueError, match=r"max_turns must be an int from 1 to \d+, or None, got"):
        Rules(max_turns=limit)
