"""What searchers choose in positions set up in words."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from catan_pz.actions import action_id
from catan_pz.agents.base import Agent
from catan_pz.agents.random import HEURISTIC
from catan_pz.agents.search import SearchAgent
from catan_pz.agents.value.agent import ValueAgent
from catan_pz.game.game import Game
from catan_pz.game.view import View
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from tests.agents.search.play import (
    DUEL,
    METHODS,
    RIVAL,
    choice,
    decided,
    duel,
    quick_choice,
    seen,
)
from tests.helpers import path

KNIGHTS = {
    "cities": [0, 2],
    "settlements": [4, 6, 16, 18],
    "cards": {"knight": 1},
    "cards_played": {"knight": 2},
}
"""Nine points with one city less, and the largest army one knight away."""

WINS: dict[str, tuple[dict[str, int], dict[str, Any], dict[str, Any]]] = {
    "the city": ({"grain": 2, "ore": 4, "wool": 1}, {}, {"kind": "build_city"}),
    "the trade for what the city lacks": (
        {"grain": 1, "ore": 3, "wool": 4},
        {"second": RIVAL},
        {"kind": "maritime_trade", "give": "wool", "get": "grain"},
    ),
    "the knight": ({"wool": 1}, {"first": KNIGHTS, "phase": "roll"}, {"kind": "play_knight"}),
    "the monopoly on the rival's ore": (
        {"grain": 2, "lumber": 1},
        {"first": {"cards": {"monopoly": 1}}, "second": RIVAL},
        {"kind": "play_monopoly", "resource": "ore"},
    ),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("what", WINS)
def test_they_play_what_wins(what: str, method: str) -> None:
    hand, entries, expected = WINS[what]
    game = duel(hand, **entries)
    assert choice(game, method=method, simulations=300).items() >= expected.items()


@pytest.mark.purepython
@pytest.mark.parametrize("method", METHODS)
def test_they_choose_something_legal_by_a_few_simulations(method: str) -> None:
    game = duel({"grain": 1, "ore": 3, "wool": 4}, second=RIVAL)
    action, _ = decided(game, method=method, simulations=14, turns=1, determinizations=2)
    assert action in game.legal_actions()


def test_a_single_legal_action_is_played_at_once() -> None:
    game = Game(DUEL, seed=3)
    agent = SearchAgent(simulations=10**9)
    agent.reset(0, DUEL, 1)
    view = seen(game)
    mask = np.zeros_like(view.mask)
    mask[80] = 1
    view, drawn = replace(view, mask=mask), agent.random.count
    assert agent.act(view) == 80
    assert agent.last is None
    assert agent.random.count == drawn


ROADS = {"cities": [], "settlements": [6, 16], "roads": path(16, 17, 18)}
"""Seat 0 could settle at the end of its roads."""


def test_without_a_prior_the_one_offer_considered_is_that_of_the_player_of_rollouts() -> None:
    game = duel(
        {"brick": 1, "lumber": 1, "wool": 2},
        first=ROADS,
        second={"hand": {"grain": 2, "ore": 1, "brick": 1}},
        rules=Rules(num_players=2, offer_form="templates"),
    )
    offers = [a for a in game.legal_actions() if 252 <= a < 372]
    assert len(offers) > 8
    considered = decided(game, simulations=20, prior=None)[1]["actions"]
    assert [a for a in considered if a >= 252] == [quick_choice(game.games, HEURISTIC)]


def offered_to() -> Game:
    """Seat 1 is asked for ore and may make counter-offers."""
    hand = {"wool": 4, "grain": 2, "ore": 2, "brick": 1, "lumber": 1}
    game = duel(
        {"brick": 1, "lumber": 1, "ore": 3, "grain": 1},
        first=ROADS,
        second={"settlements": [22, 24], "hand": hand},
        rules=Rules(num_players=2, offer_form="templates", counter_offers=True),
    )
    game.step(action_id("offer", give={"brick": 1}, get={"ore": 1}))
    assert game.phase == Phase.ANSWER
    return game


class LastFirst(Agent):
    """Promises more of an action the larger its number."""

    def act(self, view: View) -> int:
        return int(np.flatnonzero(view.mask)[-1])

    def policy(self, view: View) -> NDArray[np.float64]:
        promised = view.mask * np.arange(1.0, len(view.mask) + 1)
        return promised / promised.sum()


def test_counter_offers_that_the_prior_promises_most_of_are_considered() -> None:
    game = offered_to()
    counters = [a for a in game.legal_actions() if 252 <= a < 372]
    considered = decided(game, simulations=20, offers=4, prior=LastFirst())[1]["actions"].tolist()
    assert {int(action_id("accept")), int(action_id("reject"))} <= set(considered)
    assert [a for a in considered if 252 <= a < 372] == counters[-4:]


def test_answers_are_those_of_a_prior_that_trades() -> None:
    game, value = offered_to(), ValueAgent()
    value.reset(1, game.rules, 1)
    assert decided(game, simulations=20) == (value.act(seen(game)), None)
