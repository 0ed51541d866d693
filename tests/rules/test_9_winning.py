"""9. Special cards and winning."""

import pytest

from catan_pz import Rules
from catan_pz.game.position import position
from catan_pz.terms import Card
from tests.helpers import act, edge, kinds, path, player, roll

pytestmark = pytest.mark.purepython

ROAD = {"brick": 1, "lumber": 1}
SETTLEMENT = {"brick": 1, "lumber": 1, "wool": 1, "grain": 1}


def of(*players, **entries):
    """A position of as many players as are given (two at least), after the roll."""
    seats = [*players, *[{}] * (2 - len(players))]
    entries.setdefault("rules", Rules(num_players=len(seats)))
    return position(seats, **entries)


def army(game):
    return game.snapshot()["largest_army_owner"]


def longest(game):
    return game.snapshot()["longest_road_owner"]


def length(game, p):
    return player(game, p)["road_length"]


# Largest army.


def play_knight(game):
    act(game, "play_knight")
    if game.is_over:
        return game
    game.step(int(game.legal_actions()[0]))  # the robber, to any hex
    return game


def test_largest_army_goes_to_the_first_with_3_knights():
    """Largest army, 2 points: first to 3 knights played."""
    game = of({"cards": {"knight": 1}, "cards_played": {"knight": 1}})
    assert army(play_knight(game)) is None
    game = of({"cards": {"knight": 1}, "cards_played": {"knight": 2}})
    assert army(play_knight(game)) == 0
    assert (player(game, 0)["points"], player(game, 0)["visible_points"]) == (2, 2)


def test_knights_in_hand_do_not_count():
    assert army(of({"cards": {"knight": 5}, "cards_played": {"knight": 2}})) is None


def test_largest_army_stays_with_its_holder_on_a_tie():
    """Passes only to a player with strictly more."""
    rival = {"cards_played": {"knight": 3}}
    game = of({"cards": {"knight": 1}, "cards_played": {"knight": 2}}, rival)
    assert army(game) == 1
    play_knight(game)
    assert army(game) == 1
    assert [player(game, p)["points"] for p in (0, 1)] == [0, 2]


def test_largest_army_passes_to_a_player_with_more():
    rival = {"cards_played": {"knight": 3}}
    game = of({"cards": {"knight": 1}, "cards_played": {"knight": 3}}, rival, largest_army_owner=1)
    play_knight(game)
    assert army(game) == 0
    assert [player(game, p)["points"] for p in (0, 1)] == [2, 0]


# Longest road.


def test_longest_road_goes_to_the_first_with_5():
    """Longest road, 2 points: first to a continuous road of 5."""
    game = of({"settlements": [20], "roads": path(20, 21, 22, 23, 24), "hand": ROAD})
    assert longest(game) is None
    assert length(game, 0) == 4
    act(game, "build_road", edge=edge(24, 25))
    assert longest(game) == 0
    assert length(game, 0) == 5
    assert player(game, 0)["points"] == player(game, 0)["visible_points"] == 3


def test_five_roads_that_do_not_hang_together_are_no_longest_road():
    seat = {"settlements": [20, 40], "roads": path(20, 21, 22, 23), "hand": ROAD}
    game = of(seat)
    act(game, "build_road", edge=edge(40, 41))
    assert (length(game, 0), longest(game)) == (3, None)


def test_a_fork_counts_by_its_longest_trail():
    """The longest trail: each road used once."""
    fork = path(20, 21, 22, 23) + path(21, 11, 10)
    assert length(of({"settlements": [20], "roads": fork}), 0) == 4  # 10-11-21-22-23


def test_a_loop_counts():
    ring = path(20, 21, 22, 33, 32, 31, 20)
    assert length(of({"settlements": [20], "roads": ring}), 0) == 6
    tail = ring + path(22, 23, 24)
    assert length(of({"settlements": [20], "roads": tail}), 0) == 8


def test_two_loops_on_one_vertex_count_by_the_roads_of_one_trail():
    """Two rings that share a side: 11 roads, of which one trail uses each but once."""
    rings = [*path(20, 21, 22, 33, 32, 31, 20), *path(22, 23, 24, 35, 34, 33)]
    assert length(of({"settlements": [20], "roads": rings}), 0) == 11


def test_closing_a_loop_lengthens_the_road():
    open_ring = path(20, 21, 22, 33, 32, 31)
    game = of({"settlements": [20], "roads": open_ring, "hand": ROAD})
    assert length(game, 0) == 5
    act(game, "build_road", edge=edge(31, 20))
    assert length(game, 0) == 6


def test_joining_two_roads_counts_them_together():
    seat = {"settlements": [18, 22], "roads": path(18, 19, 20) + path(21, 22, 23), "hand": ROAD}
    game = of(seat)
    assert length(game, 0) == 2
    act(game, "build_road", edge=edge(20, 21))
    assert (length(game, 0), longest(game)) == (5, 0)


def test_own_buildings_do_not_end_a_trail():
    seat = {"settlements": [20, 22], "cities": [24], "roads": path(20, 21, 22, 23, 24, 25)}
    assert length(of(seat), 0) == 5


@pytest.mark.parametrize("piece", ["settlements", "cities"])
def test_an_opponents_building_ends_the_trail(piece):
    """An opponent's building on a vertex ends the trail there."""
    seat = {"settlements": [19], "roads": path(19, 20, 21, 22, 23, 24, 25)}
    assert length(of(seat, {piece: [22]}), 0) == 3
    assert length(of(seat, {piece: [24]}), 0) == 5


def test_a_trail_may_begin_and_end_at_an_opponents_building():
    """A six-road loop with one opponent's building on it counts 6."""
    ring = path(20, 21, 22, 33, 32, 31, 20)
    game = of({"settlements": [20], "roads": ring}, {"settlements": [22]})
    assert length(game, 0) == 6
    assert longest(game) == 0


def test_a_loop_with_two_opponents_buildings_counts_its_longer_part():
    ring = path(20, 21, 22, 33, 32, 31, 20)
    game = of({"settlements": [20], "roads": ring}, {"settlements": [22]}, {"settlements": [32]})
    assert length(game, 0) == 4  # 22-21-20-31-32


def test_a_tail_does_not_go_on_through_an_opponents_building_on_the_loop():
    ring = path(20, 21, 22, 33, 32, 31, 20)
    game = of({"settlements": [20], "roads": ring + path(22, 23, 24)}, {"settlements": [22]})
    assert length(game, 0) == 6


def test_longest_road_passes_only_to_a_strictly_longer_road():
    """It passes only to a strictly longer road."""
    holder = {"settlements": [47], "roads": path(47, 48, 49, 50, 51, 52)}
    hand = {"brick": 2, "lumber": 2}
    game = of({"settlements": [20], "roads": path(20, 21, 22, 23, 24), "hand": hand}, holder)
    assert longest(game) == 1
    act(game, "build_road", edge=edge(24, 25))
    assert (length(game, 0), length(game, 1), longest(game)) == (5, 5, 1)  # a tie: it stays
    act(game, "build_road", edge=edge(25, 26))
    assert longest(game) == 0
    assert [player(game, p)["visible_points"] for p in (0, 1)] == [3, 1]


# An opponent's settlement cuts the holder's road.


def cut(holder, *others):
    """Player 0 builds a settlement at vertex 20, on the road of player 1, who holds the card."""
    cutter = {"settlements": [32], "roads": path(32, 31, 20), "hand": SETTLEMENT}
    game = of(cutter, holder, *others, longest_road_owner=1)
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


def test_the_holder_keeps_the_card_while_no_other_road_is_longer():
    """And theirs is still 5 or more."""
    game = cut(LONG, TOP_5)
    assert (length(game, 1), longest(game)) == (6, 1)


def test_the_holder_keeps_the_card_on_a_tie_after_the_cut():
    game = cut(LONG, TOP_6, BOTTOM_6)
    assert [length(game, p) for p in (1, 2, 3)] == [6, 6, 6]
    assert longest(game) == 1
    assert player(game, 1)["visible_points"] == 3


def test_else_the_sole_longest_road_takes_it():
    """Else the sole longest road of 5 or more takes it."""
    game = cut(SIX, TOP_5)
    assert (length(game, 1), longest(game)) == (4, 2)
    assert [player(game, p)["visible_points"] for p in (1, 2)] == [1, 3]


def test_a_longer_road_takes_it_though_the_holder_still_has_5():
    game = cut(LONG, BOTTOM_7, TOP_6)
    assert (length(game, 1), longest(game)) == (6, 2)


def test_with_a_tie_among_others_nobody_holds_it():
    """With a tie among others, or none of 5, nobody holds it."""
    game = cut(SIX, TOP_5, BOTTOM_5)
    assert longest(game) is None
    assert [player(game, p)["visible_points"] for p in (1, 2, 3)] == [1, 1, 1]


def test_with_none_of_5_nobody_holds_it():
    game = cut(SIX, rim(0, 1, 2, 3, 4))
    assert longest(game) is None
    assert player(game, 1)["visible_points"] == 1


def test_set_aside_until_one_player_alone_has_the_longest():
    """Until one player alone has the longest of 5 or more."""
    longer = {**TOP_5, "hand": ROAD}
    game = cut(SIX, longer, BOTTOM_5)
    assert longest(game) is None
    for _ in range(2):
        act(game, "end_turn")
        roll(game, 12)
    act(game, "build_road", edge=edge(5, 6))
    assert longest(game) == 2
    assert player(game, 2)["visible_points"] == 3


def test_set_aside_and_tied_again_stays_set_aside():
    """A third road of the same length is no sole longest road."""
    cutter = {"settlements": [32], "roads": path(32, 31, 20), "hand": SETTLEMENT}
    game = of(cutter, {**SIX, "hand": ROAD}, TOP_5, BOTTOM_5, longest_road_owner=1)
    act(game, "build_settlement", vertex=20)
    act(game, "end_turn")
    roll(game, 12)
    act(game, "build_road", edge=edge(24, 25))
    assert [length(game, p) for p in (1, 2, 3)] == [5, 5, 5]
    assert longest(game) is None


def test_the_old_holder_can_regain_it():
    """Set aside with none of 5, it goes to the first who has 5 again."""
    cutter = {"settlements": [32], "roads": path(32, 31, 20), "hand": SETTLEMENT}
    game = of(cutter, {**SIX, "hand": ROAD}, longest_road_owner=1)
    act(game, "build_settlement", vertex=20)
    assert longest(game) is None
    act(game, "end_turn")
    roll(game, 12)
    act(game, "build_road", edge=edge(24, 25))
    assert (length(game, 1), longest(game)) == (5, 1)


def test_the_cutter_may_take_it_and_win():
    """Player 0 cuts the holder and has the sole longest road: won at once, in the own turn."""
    cutter = {
        "settlements": [32],
        "cities": [40, 47],
        "roads": path(20, 31, 32, 42, 41, 40),
        "hand": SETTLEMENT,
        "cards": {"victory_point": 2},
    }
    game = of(cutter, SIX, longest_road_owner=1)
    act(game, "build_settlement", vertex=20)
    assert longest(game) == 0
    assert player(game, 0)["points"] == 10
    assert game.winner == 0


def test_a_settlement_at_the_end_of_a_road_cuts_nothing():
    five = {"settlements": [20], "roads": path(20, 21, 22, 23, 24, 25)}
    cutter = {"settlements": [14], "roads": path(14, 15, 25), "hand": SETTLEMENT}
    game = of(cutter, five)
    act(game, "build_settlement", vertex=25)
    assert (length(game, 1), longest(game)) == (5, 1)


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
    game = of(seat)
    assert player(game, 0)["points"] == 2 + 2 + 2 + 2 + 1
    assert player(game, 0)["visible_points"] == 8


NINE = {"cities": [0, 2, 4], "settlements": [20, 22, 24]}
CITY = {"grain": 2, "ore": 3}


def test_a_player_wins_with_10_points_at_once_in_the_own_turn():
    """At once when reached in it."""
    game = of({**NINE, "hand": CITY})
    assert player(game, 0)["points"] == 9
    act(game, "build_city", vertex=20)
    assert (game.winner, game.is_over) == (0, True)
    assert game.snapshot()["phase"] == "over"
    assert game.snapshot()["player_to_move"] == 0
    assert len(game.legal_actions()) == 0


LESS_BY_ONE = {
    3: {"cities": [0]},
    8: {"cities": [0, 2, 4], "settlements": [20]},
    15: {"cities": [0, 2, 4, 6], "settlements": [20, 22, 24], "cards": {"victory_point": 3}},
}
CARD = {"wool": 1, "grain": 1, "ore": 1}


@pytest.mark.parametrize("victory_points", LESS_BY_ONE)
def test_victory_points(victory_points):
    """10 points or more (O: `victory_points`)."""
    seat = {**LESS_BY_ONE[victory_points], "hand": CARD}
    game = of(seat, rules=Rules(num_players=2, victory_points=victory_points))
    assert player(game, 0)["points"] == victory_points - 1
    act(game, "buy_development_card", outcome=Card.VICTORY_POINT)
    assert game.winner == 0


def test_hidden_points_are_included():
    """Hidden ones included."""
    game = of({**NINE, "hand": CARD})
    act(game, "buy_development_card", outcome=Card.VICTORY_POINT)
    assert game.winner == 0
    assert player(game, 0)["visible_points"] == 9


def test_a_development_card_that_is_no_victory_point_does_not_win():
    game = of({**NINE, "hand": CARD})
    act(game, "buy_development_card", outcome=Card.KNIGHT)
    assert game.winner is None


def test_a_road_wins_by_the_longest_road():
    seat = {"cities": [0, 2, 4, 20], "roads": path(20, 21, 22, 23, 24), "hand": ROAD}
    game = of(seat)
    act(game, "build_road", edge=edge(24, 25))
    assert game.winner == 0


def test_a_free_road_wins_at_once():
    """The first of two free roads may win; the second isn't placed."""
    seat = {
        "cities": [0, 2, 4, 20],
        "roads": path(20, 21, 22, 23, 24),
        "cards": {"road_building": 1},
    }
    game = of(seat, phase="roll")
    act(game, "play_road_building")
    act(game, "build_road", edge=edge(24, 25))
    assert game.winner == 0
    assert game.snapshot()["free_roads"] == 0


def test_points_reached_in_anothers_turn_win_as_the_own_turn_starts():
    """Only in the own turn: at once when reached in it, or when the turn starts."""
    cutter = {"settlements": [32], "roads": path(32, 31, 20), "hand": SETTLEMENT}
    heir = {"cities": [0, 2, 4, 49], "roads": path(49, 50, 51, 52, 53, 45)}
    game = of(cutter, SIX, heir, longest_road_owner=1)
    act(game, "build_settlement", vertex=20)
    assert (longest(game), player(game, 2)["points"]) == (2, 10)
    assert game.winner is None
    act(game, "end_turn")
    roll(game, 12)
    assert game.winner is None
    act(game, "end_turn")
    assert game.winner == 2
    assert game.snapshot()["turn_player"] == 2
    assert game.snapshot()["rolled"] is False


def test_points_lost_before_the_own_turn_do_not_win():
    """Ten points held in others' turns alone are no win: player 1 takes the card back."""
    cutter = {"settlements": [32], "roads": path(32, 31, 20), "hand": SETTLEMENT}
    heir = {"cities": [0, 2, 4, 49], "roads": path(49, 50, 51, 52, 53, 45)}
    rival = {**SIX, "hand": {"brick": 2, "lumber": 2}}
    game = of(cutter, rival, heir, longest_road_owner=1)
    act(game, "build_settlement", vertex=20)
    assert player(game, 2)["points"] == 10
    act(game, "end_turn")
    roll(game, 12)
    act(game, "build_road", edge=edge(24, 25))
    act(game, "build_road", edge=edge(25, 26))
    assert (length(game, 1), longest(game)) == (6, 1)
    act(game, "end_turn")
    assert (game.winner, game.player) == (None, 2)


def test_a_player_with_the_points_who_is_not_in_turn_has_not_won():
    game = of({}, {"cities": [0, 2, 4, 6], "settlements": [20, 22]})
    assert player(game, 1)["points"] == 10
    assert game.winner is None
    assert kinds(game) == {"end_turn"}
    act(game, "end_turn")
    assert game.winner == 1


def test_max_turns_ends_a_game_without_a_winner():
    """A game that is truncated keeps its phase and has no winner."""
    game = of({}, rules=Rules(num_players=2, max_turns=2), turn=1)
    act(game, "end_turn")
    assert (game.is_truncated, game.is_over, game.winner) == (True, False, None)
    assert game.snapshot()["phase"] == "roll"
    assert len(game.legal_actions()) == 0


@pytest.mark.parametrize("limit", [0, -1, 2**31, 1.5, "none"])
def test_an_impossible_limit_of_turns_is_named(limit):
    with pytest.raises(ValueError, match=r"max_turns must be an int from 1 to \d+, or None, got"):
        Rules(max_turns=limit)
    assert Rules(max_turns=None).max_turns is None


def test_a_win_at_the_start_of_the_turn_comes_before_truncation():
    rules = Rules(num_players=2, max_turns=2)
    game = of({}, {"cities": [0, 2, 4, 6], "settlements": [20, 22]}, rules=rules, turn=1)
    act(game, "end_turn")
    assert (game.is_truncated, game.winner) == (False, 1)
