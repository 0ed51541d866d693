"""What searchers choose in positions set up in words."""

from dataclasses import replace

import numpy as np
import pytest

from catan_pz.actions import action_id, describe_action
from catan_pz.agents.search import SearchAgent
from catan_pz.agents.search.simulator import best_offers
from catan_pz.game.game import Game
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from tests.agents.search.play import DUEL, METHODS, RIVAL, choice, duel, searcher, seen
from tests.helpers import path


@pytest.mark.parametrize("method", METHODS)
def test_they_build_the_city_that_wins(method: str) -> None:
    game = duel({"grain": 2, "ore": 4, "wool": 1})
    assert len(game.legal_actions()) > 2
    chosen = choice(game, method=method, simulations=60)
    assert chosen["kind"] == "build_city"


@pytest.mark.parametrize("method", METHODS)
def test_they_trade_for_the_card_that_the_winning_city_lacks(method: str) -> None:
    game = duel({"grain": 1, "ore": 3, "wool": 4}, second=RIVAL)
    chosen = choice(game, method=method, simulations=400)
    assert chosen == {"kind": "maritime_trade", "give": "wool", "get": "grain"}


@pytest.mark.parametrize("method", METHODS)
def test_they_play_the_knight_that_wins_the_largest_army(method: str) -> None:
    """Before the roll: nine points with one city less, and two knights out."""
    first = {
        "cities": [0, 2],
        "settlements": [4, 6, 16, 18],
        "cards": {"knight": 1},
        "cards_played": {"knight": 2},
    }
    game = duel({"wool": 1}, first=first, phase="roll")
    assert choice(game, method=method, simulations=60)["kind"] == "play_knight"


@pytest.mark.parametrize("method", METHODS)
def test_they_take_what_wins_by_monopoly(method: str) -> None:
    """The opponent holds all the ore that the winning city needs."""
    game = duel(
        {"grain": 2, "lumber": 1},
        first={"cards": {"monopoly": 1}},
        second=RIVAL,
    )
    assert choice(game, method=method, simulations=200) == {
        "kind": "play_monopoly",
        "resource": "ore",
    }


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


TRADERS = Rules(num_players=2, offer_form="templates")


def trading_table(**hands: dict[str, int]) -> Game:
    """Seat 0 could settle at the end of its roads; it is in turn."""
    first = {"settlements": [6, 16], "roads": path(16, 17, 18)}
    return duel(
        hands["own"], first=first | {"cities": []}, second={"hand": hands["other"]}, rules=TRADERS
    )


def test_offers_that_help_both_are_considered_and_no_others() -> None:
    game = trading_table(
        own={"brick": 1, "lumber": 1, "wool": 2}, other={"grain": 2, "ore": 1, "brick": 1}
    )
    offers = [a for a in game.legal_actions() if 252 <= a < 372]
    assert len(offers) > 8
    agent = searcher(game, simulations=20, offers=3)
    view = seen(game)
    assert view.mask[agent.act(view)]
    assert agent.last is not None
    considered = [int(a) for a in agent.last["actions"] if 252 <= a < 372]
    assert 0 < len(considered) <= 3
    assert set(considered) <= set(offers)


def answering_table() -> Game:
    """Seat 1 has wool to spare and lacks the ore that seat 0, in turn, holds."""
    second = {
        "settlements": [22, 24],
        "hand": {"wool": 4, "grain": 2, "ore": 2, "brick": 1, "lumber": 1},
    }
    rules = Rules(num_players=2, offer_form="templates", counter_offers=True)
    first = {"cities": [], "settlements": [6, 16], "roads": path(16, 17, 18)}
    hand = {"brick": 1, "lumber": 1, "ore": 3, "grain": 1}
    game = duel(hand, first=first, second=second, rules=rules)
    game.step(action_id("offer", give={"brick": 1}, get={"ore": 1}))
    return game


def test_counter_offers_that_both_need_are_considered() -> None:
    game = answering_table()
    assert game.phase == Phase.ANSWER
    counters = np.array([a for a in game.legal_actions() if 252 <= a < 372], np.int64)
    assert len(counters) > 12
    agent = searcher(game, simulations=20, offers=4)
    view = seen(game)
    assert view.mask[agent.act(view)]
    assert agent.last is not None
    considered = agent.last["actions"].tolist()
    assert {int(action_id("accept")), int(action_id("reject"))} <= set(considered)
    needed = best_offers(game.games, counters, 4)
    found = [a for a in considered if 252 <= a < 372]
    assert found == needed.tolist() != counters[:4].tolist()
    assert found
    assert all("ore" in describe_action(a)["get"] for a in found)
