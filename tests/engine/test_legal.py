"""The mask against an independent reading of the rulebook, for every action at every step."""

from collections import Counter

import pytest

from catan_pz import describe_action
from tests.engine.games import KIND_OF, random_game
from tests.engine.reference_legal import Reference
from tests.helpers import RULE_SETS

ACTIONS = [describe_action(a) for a in range(389)]


def differences(game):
    """Actions on which the mask and the reference disagree."""
    reference = Reference(game.snapshot())
    return [
        (ACTIONS[a], bool(legal))
        for a, legal in enumerate(game.mask)
        if reference.allows(ACTIONS[a]) != legal
    ]


def compare(name, seed, most):
    for step, (game, _) in enumerate(random_game(RULE_SETS[name], seed, most)):
        wrong = differences(game)
        assert not wrong, f"step {step}, phase {game.phase.name}: {wrong[:5]}"


@pytest.mark.parametrize("name", RULE_SETS)
def test_mask_is_what_the_rulebook_allows(name):
    compare(name, 1, most=350)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 105))
@pytest.mark.parametrize("name", RULE_SETS)
def test_mask_is_what_the_rulebook_allows_in_whole_games(name, seed):
    compare(name, seed, most=5000)


def test_the_games_compared_play_every_kind_of_action():
    played = Counter()
    for name in ("base", "both_forms", "one_v_one"):
        played.update(KIND_OF[a] for _, a in random_game(RULE_SETS[name], 1, most=2500))
    assert set(played) == set(KIND_OF)
