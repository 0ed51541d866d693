"""Depth 2: an own action, the roll, a reply."""

import numpy as np
import pytest

from catan_pz.actions import BUY_DEVELOPMENT_CARD, END_TURN, ROLL
from catan_pz.agents.random import EVOLVED, VALUE
from catan_pz.agents.search.look_ahead import DEPTH, look_ahead
from catan_pz.agents.value.choice import Judge
from catan_pz.agents.value.network import shipped
from catan_pz.engine.state import STATE, as_games
from catan_pz.game.game import Game
from catan_pz.terms import Phase
from tests.agents.search.play import DUEL, in_the_middle, quick_choice, work_for

SEED = 5


def play_one(game: Game, policy: int) -> None:
    legal = game.legal_actions()
    game.step_once(int(legal[0]) if len(legal) == 1 else quick_choice(game.games, policy, SEED))


def by_brute_force(game: Game, turn: int, viewer: int) -> float:
    """The turn played on, then every pair of dice."""
    while not game.is_over and game.turn == turn:
        play_one(game, VALUE)
    total, judge = 0.0, Judge(DUEL, shipped(2))
    for outcome, probability in game.outcomes(ROLL).items():
        after, replied = game.copy(), False
        after.step_once(ROLL, outcome)
        while not (replied or after.is_over) and after.turn == game.turn:
            replied = after.phase == Phase.MAIN
            play_one(after, EVOLVED)
        total += probability * judge.win_probabilities(after.games, viewer)[viewer]
    return total


@pytest.mark.parametrize("action", [END_TURN, BUY_DEVELOPMENT_CARD])
def test_depth_2_is_what_brute_force_finds(action: int) -> None:
    places = (in_the_middle(DUEL, seed, 150)[0] for seed in range(60))
    game = next(one for one in places if one.phase == Phase.MAIN and one.mask[action])
    expected = 0.0
    for outcome, probability in (game.outcomes(action) or {None: 1.0}).items():
        after = game.copy()
        after.step_once(action, outcome)
        expected += probability * by_brute_force(after, game.turn, game.player)
    found, scratch = np.zeros(1), as_games(np.zeros(DEPTH, STATE))
    actions, work = np.array([action]), work_for(game.games)
    look_ahead(as_games(game.games), actions, np.uint64(SEED), scratch, work, found)
    assert found[0] == pytest.approx(expected, rel=1e-6)
