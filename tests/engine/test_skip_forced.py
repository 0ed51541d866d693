"""`skip_forced`: the same game with the decisions left out in which there is no choice."""

from dataclasses import replace

import numpy as np
import pytest

from catan_pz import Game
from catan_pz.events import Decision
from tests.engine.games import choose
from tests.helpers import RULE_SETS, act, phase, table

NAMES = ["base", "three", "one_v_one", "both_forms", "without_trade", "seeds"]


def record(game):
    """The whole record but for the option itself."""
    games = np.array(game.games)
    games["skip_forced"] = 0
    return games.tobytes()


def play_forced(game):
    """Play the decisions that are no choice, one by one."""
    played = 0
    while len(game.legal_actions()) == 1:
        game.step(int(game.legal_actions()[0]))
        played += 1
    return played


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_the_same_game_goes_on(name, seed):
    rules = replace(RULE_SETS[name], skip_forced=True)
    short = Game(rules, seed=seed)
    whole = Game(replace(rules, skip_forced=False), seed=seed)
    rng = np.random.default_rng(seed)
    forced = 0
    for _ in range(400):
        forced += play_forced(whole)
        assert record(whole) == record(short)
        assert (whole.mask == short.mask).all()
        if len(short.legal_actions()) == 0:
            break
        assert len(short.legal_actions()) > 1
        action = choose(rng, short.legal_actions())
        short.step(action)
        whole.step(action)
    assert forced > 20


def test_a_forced_roll_and_end_of_turn_are_played():
    """With nothing to do turns pass until a 7 gives a choice of hexes; listeners hear of all."""
    game = table(skip_forced=True, dice=[(1, 1), (3, 4)])
    heard = []
    game.listeners.append(lambda _game, events: heard.append(Decision.of(events)))
    act(game, "end_turn")
    assert (game.turn, game.player, phase(game)) == (2, 0, "move_robber")
    assert [(d.player, d.action, d.outcome) for d in heard] == [
        (0, 1, None),
        (1, 0, (1, 1)),
        (1, 1, None),
        (0, 0, (3, 4)),
    ]
    game = act(table(dice=[(1, 1), (3, 4)]), "end_turn")
    assert (game.turn, game.player, phase(game)) == (1, 1, "roll")


def test_a_choice_with_nobody_payable_is_played_too():
    """Withdrawing is the only decision left, so it is played by the engine."""
    hands = [{"wool": 1, "grain": 1}, {"ore": 1}, {"brick": 1}]
    unknown = {"min": {}, "max": {"brick": 1, "wool": 1, "grain": 1}}
    sure = [{"min": h, "max": h} for h in hands]
    bounds = [sure, [unknown, sure[1], unknown], sure]
    game = table(*({"hand": h} for h in hands), skip_forced=True, knowledge=bounds)
    act(game, "offer", give={"wool": 1}, get={"ore": 1})
    act(game, "offer", give={"ore": 1}, get={"brick": 1})
    act(game, "reject")
    assert (game.player, phase(game)) == (0, "main")
    assert game.snapshot()["offers_made"] == 1
