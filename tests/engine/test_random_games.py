"""Random games of every kind of rules: nothing is ever broken, and every game ends."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from catan_pz.engine import chance, course, derive, legal
from catan_pz.engine.deal import deal_of, script_of
from catan_pz.engine.play import Log, new_log, play
from catan_pz.engine.state import STATE, States, as_games
from catan_pz.engine.violations import Violation
from catan_pz.game import calls as game_calls
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Int8Matrix, Int64Array
from catan_pz.terms import Phase
from tests.engine.games import random_game
from tests.helpers import RESOURCES, RULE_SETS

STALE = Violation.STALE.value


@entry
def play_and_check(
    games: States, raw: Int8Matrix, most: int, script: Int8Matrix, log: Log, actions: Int64Array
):
    """Play games[0] at random, checked after each step; return what was broken, or 0.

    games[1] is the same with derived fields worked out from scratch; `raw` are the bytes of both.

    Half of all decisions prefer anything to trade between players and to ending the turn,
    so that games get far. `actions` counts decisions: all, and the longest turn's.
    """
    s = games[0]
    n = legal.count_legal(s)
    in_turn = 0
    while n > 0 and actions[0] < most:
        a = legal.pick_legal(s, chance.draw_below(s, n))
        if chance.draw_below(s, 2) == 0:
            for _ in range(8):
                if a != 1 and a < 252:
                    break
                a = legal.pick_legal(s, chance.draw_below(s, n))
        turn = int(s.turn)
        play(s, a, script, log)
        actions[0] += 1
        in_turn = in_turn + 1 if s.turn == turn else 0
        actions[1] = max(actions[1], in_turn)
        games[1] = s
        derive.derive(games[1])
        broken = course.find_violations(s)
        for k in range(raw.shape[1]):
            if raw[0, k] != raw[1, k]:
                broken |= STALE
        if broken != 0:
            return broken
        n = legal.count_legal(s)
    return 0


def play_game(name, rules, seed, most):
    """Play a whole game; return its length in decisions and what became of it."""
    games = as_games(np.zeros(2, STATE))
    raw = games.view(np.ndarray).view(np.int8).reshape(2, -1)
    game_calls.deal_game(
        games,
        0,
        np.uint64(seed),
        deal_of(rules),
        np.zeros(rules.num_actions, np.int8),
    )
    counts = np.zeros(2, np.int64)
    broken = play_and_check(games, raw, most, script_of(rules), new_log(), counts)
    assert broken == 0, f"{name}, seed {seed}, decision {counts[0]}: {Violation(broken)!r}"
    if games["phase"][0] == Phase.OVER:
        return int(counts[0]), "won"
    most_turns = rules.max_turns
    truncated = most_turns is not None and games["turn"][0] >= most_turns
    return int(counts[0]), "truncated" if truncated else "still going on"


def play_games(name, rules, seeds, most):
    """Play whole games; return their lengths in decisions by what became of them."""
    lengths = {"won": [], "truncated": [], "still going on": []}
    for seed in seeds:
        length, end = play_game(name, rules, seed, most)
        lengths[end].append(length)
    return lengths


def report(capsys, facts):
    """Print how many games ended how, and the longest of each."""
    with capsys.disabled():
        sys.stdout.write("\n")
        for name, lengths in facts.items():
            parts = [f"{len(n)} {end}, longest {max(n)}" for end, n in lengths.items() if n]
            sys.stdout.write(f"{name}: {'; '.join(parts)}\n")


@pytest.mark.parametrize("name", RULE_SETS)
def test_random_games_break_nothing_and_end(name):
    lengths = play_games(name, RULE_SETS[name], range(6), most=200_000)
    assert len(lengths["won"]) + len(lengths["truncated"]) == 6
    assert len(lengths["won"]) >= 2


@pytest.mark.slow
def test_10_000_random_games_break_nothing_and_end(capsys):
    facts = {
        name: play_games(name, rules, range(1000, 1667), most=1_000_000)
        for name, rules in RULE_SETS.items()
    }
    assert not any(lengths["still going on"] for lengths in facts.values())
    report(capsys, facts)


@pytest.mark.slow
def test_games_without_a_limit_of_turns(capsys):
    """Without `max_turns` games may go on for longer, and are won all the same."""
    facts = {
        name: play_games(name, replace(rules, max_turns=None), range(5000, 5050), most=200_000)
        for name, rules in RULE_SETS.items()
    }
    assert sum(len(lengths["won"]) for lengths in facts.values()) > 600
    report(capsys, facts)


def recounted(state, p):
    """Points of a seat counted from its pieces and cards."""
    seat = state["players"][p]
    visible = len(seat["settlements"]) + 2 * len(seat["cities"])
    visible += 2 * (state["longest_road_owner"] == p) + 2 * (state["largest_army_owner"] == p)
    return visible, visible + seat["cards"]["victory_point"]


def check_conservation(state):
    """19 cards of each resource, 25 development cards, pieces, points."""
    players = state["players"]
    for r in RESOURCES:
        assert state["bank"][r] + sum(p["hand"][r] for p in players) == 19
        assert state["bank"][r] >= 0
    deck = {
        "knight": 14,
        "road_building": 2,
        "year_of_plenty": 2,
        "monopoly": 2,
        "victory_point": 5,
    }
    for card, total in deck.items():
        held = sum(p["cards"][card] + p["cards_played"][card] for p in players)
        assert state["deck"].count(card) + held == total
    roads = [e for p in players for e in p["roads"]]
    buildings = [v for p in players for v in p["settlements"] + p["cities"]]
    assert len(roads) == len(set(roads))
    assert len(buildings) == len(set(buildings))
    for p, seat in enumerate(players):
        assert len(seat["roads"]) <= 15
        assert len(seat["settlements"]) <= 5
        assert len(seat["cities"]) <= 4
        assert (seat["visible_points"], seat["points"]) == recounted(state, p)


@pytest.mark.parametrize("name", ["base", "both_forms", "one_v_one", "long"])
def test_cards_pieces_and_points_add_up_at_each_step(name):
    for game, _ in random_game(RULE_SETS[name], seed=7, most=500):
        check_conservation(game.snapshot())
        assert game.validate() == Violation.NONE
