"""Every step of random games against an independent reading of what actions do."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from catan_pz import Game, describe_action
from tests.engine.games import choose
from tests.engine.reference_play import Play
from tests.helpers import RULE_SETS

LEFT_OUT = ("knowledge", "rng")


def compared(state):
    return {name: value for name, value in state.items() if name not in LEFT_OUT}


def follow(rules, seed, most):
    """Play a random game with named outcomes beside the reference; count the actions."""
    rng = np.random.default_rng(seed)
    game = Game(replace(rules, skip_forced=False), seed=seed)
    played = Counter()
    before = game.snapshot()
    for step in range(most):
        actions = game.legal_actions()
        if len(actions) == 0:
            break
        action = choose(rng, actions)
        possible = list(game.outcomes(action))
        outcome = possible[rng.integers(len(possible))] if possible else None
        game.step(action, outcome=outcome)
        after, words = game.snapshot(), describe_action(action)
        expected = Play(before, words, outcome).state
        for name, value in compared(after).items():
            assert value == expected[name], f"step {step}, {words}, {outcome}: {name}"
        played[words["kind"]] += 1
        before = after
    return played


@pytest.mark.parametrize("name", RULE_SETS)
def test_actions_do_what_the_rulebook_says(name):
    follow(RULE_SETS[name], 1, most=300)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
def test_actions_do_what_the_rulebook_says_in_whole_games(name):
    played = Counter()
    for seed in range(10):
        played += follow(RULE_SETS[name], 200 + seed, most=20_000)
    assert len(played) >= 13


def test_whole_games_are_won_as_the_rulebook_says():
    """Shorter games to their end: the winner and all points agree."""
    for seed in range(2):
        rules = replace(RULE_SETS["without_trade"], victory_points=6, num_players=2 + seed % 3)
        assert follow(rules, seed, most=10_000)
