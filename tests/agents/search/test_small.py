"""Searches and choices of the greedy player, small enough to run uncompiled as well."""

import numpy as np
import pytest

from catan_pz.agents.random import GREEDY
from catan_pz.game.game import Game
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from tests.agents.search.play import (
    METHODS,
    RIVAL,
    decided,
    duel,
    play_out,
    quick_choice,
    searcher,
    seen,
    values_at_end,
)
from tests.helpers import act

pytestmark = pytest.mark.purepython

TRADERS = Rules(num_players=2, offer_form="both")
SETTLED = {"cities": [], "settlements": [6]}


def test_rollouts_play_to_the_end() -> None:
    game = Game(Rules(num_players=2, trading=False, victory_points=4), seed=1)
    play_out(game.games, GREEDY, 5, 400)
    assert game.is_over
    assert values_at_end(game)[game.winner or 0] == 1


@pytest.mark.parametrize("method", METHODS)
def test_they_choose(method: str) -> None:
    game = duel({"grain": 1, "ore": 3, "wool": 4}, second=RIVAL)
    action, _ = decided(game, method=method, simulations=14, turns=1, determinizations=2)
    assert action in game.legal_actions()


def test_a_tree_moves_on() -> None:
    game = duel({"wool": 8})
    agent = searcher(game, method="uct", simulations=30, turns=0, determinizations=1)
    game.step(agent.act(seen(game)))
    agent.act(seen(game))
    assert agent.last["simulations"] == 30
    assert agent.last["visits"].sum() > 30  # those of the first decision go on counting


@pytest.mark.parametrize(
    ("ore", "give", "get", "answer"),
    [(2, "ore", "wool", 383), (3, "brick", "ore", 384)],
    ids=["accept", "reject"],
)
def test_the_quick_player_answers_what_helps_it(ore: int, give: str, get: str, answer: int) -> None:
    """Three ore are a city for seat 1."""
    second = {"hand": {"grain": 2, "ore": ore, "wool": 2}}
    game = duel({"ore": 1, "brick": 1}, first=SETTLED, second=second, rules=TRADERS)
    act(game, "offer", give={give: 1}, get={get: 1})
    assert game.phase == Phase.ANSWER
    assert quick_choice(game.games, GREEDY) == answer
    game.step(383)
    assert quick_choice(game.games, GREEDY) in {385, 388}


def test_the_quick_player_completes_what_is_composed() -> None:
    game = duel({"wool": 3}, second={"hand": {"ore": 2}}, rules=TRADERS)
    act(game, "compose_give", resource="wool")
    for action in (381, 382):  # for ore; send
        assert quick_choice(game.games, GREEDY) == action
        game.step(action)


def test_the_quick_player_robs_discards_and_plays_cards() -> None:
    game = duel({"wool": 9, "ore": 1}, second={"hand": {"ore": 2}})
    data = game.snapshot() | {"phase": "discard", "to_discard": [5, 0], "dice": [3, 4]}
    assert quick_choice(Game.from_snapshot(data).games, GREEDY) == 229  # wool
    game = duel({"wool": 1}, phase="move_robber", second={"hand": {"ore": 2}})
    game.step(quick_choice(game.games, GREEDY))
    assert game.state["hand_size"][0] == 2
    cards = {"year_of_plenty": 1}
    game = duel({"grain": 2, "ore": 1}, first={"cards": cards, "settlements": [6]})
    assert quick_choice(game.games, GREEDY) == 199  # two ore
    game = duel({}, first={"cards": {"road_building": 1}, **SETTLED})
    assert quick_choice(game.games, GREEDY) == 184
    game.step(184)
    before = game.state["roads"].copy()
    game.step(quick_choice(game.games, GREEDY))
    assert (np.array(game.state["roads"]) != before).any()
