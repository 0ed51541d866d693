"""Random games of every kind of rules: nothing is ever broken, and every game ends."""

import random
from dataclasses import replace

import pytest

from catan_pz import Game
from catan_pz.engine.violations import Violation
from tests.engine.games import random_game
from tests.helpers import RESOURCES, RULE_SETS


def play_checked(rules, seed, most=200_000):
    """Play a random game, checked after each step.

    Half of all decisions prefer anything to trade between players and to ending the turn, so that
    games get far.
    """
    game, rng = Game(rules, seed=seed), random.Random(seed)
    for step in range(most):
        legal = game.legal_actions()
        if len(legal) == 0:
            break
        tries = rng.choice((1, 9))
        drawn = (int(legal[rng.randrange(len(legal))]) for _ in range(tries))
        a = next((a for a in drawn if a != 1 and a < 252), int(legal[rng.randrange(len(legal))]))
        game.step(a)
        broken = game.validate()
        assert not broken, f"{rules}, seed {seed}, step {step}: {broken!r}"
    return game


@pytest.mark.parametrize("name", RULE_SETS)
def test_random_games_break_nothing_and_end(name):
    games = [play_checked(RULE_SETS[name], seed) for seed in range(3)]
    assert all(game.is_over or game.is_truncated for game in games)
    assert any(game.is_over for game in games)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
def test_many_random_games_break_nothing_and_end(name):
    """Without a limit of turns games may go on for longer, and are won all the same."""
    endless = replace(RULE_SETS[name], max_turns=None)
    for seed in range(1000, 1100):
        game = play_checked(RULE_SETS[name] if seed % 10 else endless, seed)
        assert game.is_over or game.is_truncated


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
    deck = dict.fromkeys(("road_building", "year_of_plenty", "monopoly"), 2)
    deck |= {"knight": 14, "victory_point": 5}
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
