"""Masks and steps of random games against independent readings of the rulebook."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from catan_pz import Game
from tests.engine.games import ACTIONS, KIND_OF, choose
from tests.engine.reference_legal import Reference
from tests.engine.reference_play import Play
from tests.helpers import RULE_SETS

LEFT_OUT = ("knowledge", "rng")


def follow(rules, seed, most):
    """Play a random game with named outcomes beside the references; count the actions."""
    rng = np.random.default_rng(seed)
    game = Game(replace(rules, skip_forced=False), seed=seed)
    played = Counter()
    before = game.snapshot()
    for step in range(most):
        reference = Reference(before)
        allowed = [reference.allows(words) for words in ACTIONS[: len(game.mask)]]
        wrong = [ACTIONS[a] for a in np.flatnonzero(game.mask != allowed)]
        assert not wrong, f"step {step}, phase {game.phase.name}: legality of {wrong[:5]}"
        actions = game.legal_actions()
        if len(actions) == 0:
            break
        action = choose(rng, actions)
        possible = list(game.outcomes(action))
        outcome = possible[rng.integers(len(possible))] if possible else None
        game.step(action, outcome=outcome)
        after = game.snapshot()
        expected = Play(before, ACTIONS[action], outcome).state
        for name in after.keys() - {*LEFT_OUT}:
            assert after[name] == expected[name], f"step {step}, {ACTIONS[action]}: {name}"
        played[KIND_OF[action]] += 1
        before = after
    return played


def test_actions_are_legal_and_do_what_the_rulebook_says():
    played = Counter()
    for name, rules in RULE_SETS.items():
        played += follow(rules, 1, most=250)
        assert played, name
    assert set(played) == set(KIND_OF)


@pytest.mark.parametrize("seed", range(2))
def test_whole_games_are_won_as_the_rulebook_says(seed):
    """Shorter games to their end: the winner and all points agree."""
    rules = replace(RULE_SETS["without_trade"], victory_points=6, num_players=2 + seed)
    assert follow(rules, seed, most=10_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
def test_actions_do_what_the_rulebook_says_in_whole_games(name):
    games = [follow(RULE_SETS[name], seed, most=20_000) for seed in range(200, 205)]
    assert len(sum(games, Counter())) >= 13
