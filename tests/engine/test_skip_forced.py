"""`skip_forced`: the same game with the decisions left out in which there is no choice."""

from dataclasses import replace

import numpy as np
import pytest

from catan_pz import Game, Rules
from catan_pz.events import Decision
from catan_pz.game.position import position
from tests.engine.games import choose
from tests.helpers import RULE_SETS, act

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
    """With nothing to do the turns pass until a 7 gives a choice of hexes."""
    rules = Rules(num_players=2, skip_forced=True, dice=[(1, 1), (3, 4)])
    game = position([{}, {}], rules=rules)
    act(game, "end_turn")
    assert game.snapshot()["phase"] == "move_robber"
    assert (game.turn, game.player) == (2, 0)


def test_without_the_option_each_is_a_decision():
    rules = Rules(num_players=2, dice=[(1, 1), (3, 4)])
    game = act(position([{}, {}], rules=rules), "end_turn")
    assert (game.turn, game.player, game.snapshot()["phase"]) == (1, 1, "roll")


def test_listeners_hear_of_forced_decisions():
    rules = Rules(num_players=2, skip_forced=True, dice=[(1, 1), (3, 4)])
    game = position([{}, {}], rules=rules)
    heard = []
    game.listeners.append(lambda _game, events: heard.append(Decision.of(events)))
    act(game, "end_turn")
    assert [(d.player, d.action, d.outcome) for d in heard] == [
        (0, 1, None),
        (1, 0, (1, 1)),
        (1, 1, None),
        (0, 0, (3, 4)),
    ]


def test_a_choice_with_nobody_payable_is_played_too():
    """Withdrawing is the only decision left, so it is played by the engine."""
    seats = [{"hand": {"wool": 1, "grain": 1}}, {"hand": {"ore": 1}}]
    unknown = {"min": {}, "max": {"brick": 1, "wool": 1, "grain": 1}}
    sure = [{"min": s["hand"], "max": s["hand"]} for s in seats]
    seats.append({"hand": {"brick": 1}})
    sure.append({"min": {"brick": 1}, "max": {"brick": 1}})
    rules = Rules(num_players=3, skip_forced=True)
    bounds = [sure, [unknown, sure[1], unknown], sure]
    game = position(seats, rules=rules, knowledge=bounds)
    act(game, "offer", give={"wool": 1}, get={"ore": 1})
    act(game, "offer", give={"ore": 1}, get={"brick": 1})
    act(game, "reject")
    assert (game.player, game.snapshot()["phase"]) == (0, "main")
    assert game.snapshot()["offers_made"] == 1
