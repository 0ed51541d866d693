"""Searches small enough to run uncompiled as well, where coverage is measured."""

import numpy as np
import pytest

from catan_pz.agents.policies import GREEDY
from catan_pz.agents.search import search_calls
from catan_pz.game.game import Game
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from tests.agents.search.play import (
    METHODS,
    RIVAL,
    choice,
    duel,
    play_out,
    quick_choice,
    searcher,
    seen,
    work_for,
)
from tests.helpers import act, edge

pytestmark = pytest.mark.purepython

TRADERS = Rules(num_players=2, offer_form="both")


def test_rollouts_play_to_the_end() -> None:
    game = Game(Rules(num_players=2, trading=False, victory_points=4), seed=1)
    play_out(game.games, GREEDY, 5, 400)
    assert game.is_over
    w = work_for(game.games)
    search_calls.estimate(game.games, 0, game.turn, w)
    assert w.values[game.winner or 0] == 1


@pytest.mark.parametrize("method", METHODS)
def test_they_choose(method: str) -> None:
    game = duel({"grain": 1, "ore": 3, "wool": 4}, second=RIVAL)
    options = {"method": method, "simulations": 14, "turns": 1, "determinizations": 2}
    assert choice(game, **options)["kind"] in {"maritime_trade", "end_turn", "buy_development_card"}


def test_a_tree_moves_on() -> None:
    game = duel({"wool": 8})
    options = {"simulations": 30, "turns": 0, "determinizations": 1}
    agent = searcher(game, method="uct", **options)
    view = seen(game)
    game.step(agent.act(view))
    view = seen(game)
    assert view.mask.any()
    agent.act(view)
    assert agent.last["simulations"] == 30
    assert agent.last["visits"].sum() > 30  # those of the first decision go on counting


def test_offers_are_weighed() -> None:
    game = duel(
        {"brick": 1, "lumber": 1, "wool": 2},
        first={"cities": [], "settlements": [6, 16], "roads": [edge(16, 17), edge(17, 18)]},
        second={"hand": {"grain": 2, "ore": 1, "brick": 1}},
        rules=TRADERS,
    )
    agent = searcher(game, simulations=12, turns=0, determinizations=1)
    view = seen(game)
    assert view.mask[agent.act(view)]


def test_the_quick_player_answers_what_helps_it() -> None:
    """An ore completes the city of seat 1."""
    game = duel(
        {"ore": 1, "brick": 1},
        first={"cities": [], "settlements": [6]},
        second={"hand": {"grain": 2, "ore": 2, "wool": 2}},
        rules=TRADERS,
    )
    act(game, "offer", give={"ore": 1}, get={"wool": 1})
    assert game.phase == Phase.ANSWER
    assert quick_choice(game.games, GREEDY) == 383  # accept
    game.step(383)
    assert quick_choice(game.games, GREEDY) in {385, 388}
    other = duel(
        {"ore": 1, "brick": 1},
        first={"cities": [], "settlements": [6]},
        second={"hand": {"grain": 2, "ore": 3}},
        rules=TRADERS,
    )
    act(other, "offer", give={"brick": 1}, get={"ore": 1})
    assert quick_choice(other.games, GREEDY) == 384  # reject


def test_the_quick_player_completes_what_is_composed() -> None:
    game = duel({"wool": 3}, second={"hand": {"ore": 2}}, rules=TRADERS)
    act(game, "compose_give", resource="wool")
    act_by_quick_player = [quick_choice(game.games, GREEDY)]
    game.step(act_by_quick_player[-1])
    act_by_quick_player.append(quick_choice(game.games, GREEDY))
    assert act_by_quick_player == [381, 382]  # for ore; send


def test_the_quick_player_robs_discards_and_plays_cards() -> None:
    game = duel({"wool": 9, "ore": 1}, second={"hand": {"ore": 2}})
    data = game.snapshot()
    data |= {"phase": "discard", "to_discard": [5, 0], "dice": [3, 4]}
    game = Game.from_snapshot(data)
    assert quick_choice(game.games, GREEDY) == 229  # wool
    game = duel({"wool": 1}, phase="move_robber", second={"hand": {"ore": 2}})
    action = quick_choice(game.games, GREEDY)
    game.step(action)
    assert game.state["hand_size"][0] == 2
    # The best hex of the opponent: a vertex of it is theirs, none is the thief's.
    cards = {"year_of_plenty": 1}
    game = duel({"grain": 2, "ore": 1}, first={"cards": cards, "settlements": [6]})
    assert quick_choice(game.games, GREEDY) == 199  # two ore
    game = duel({}, first={"cards": {"road_building": 1}, "settlements": [6], "cities": []})
    assert quick_choice(game.games, GREEDY) == 184
    game.step(184)
    before = game.state["roads"].copy()
    game.step(quick_choice(game.games, GREEDY))
    assert (np.array(game.state["roads"]) != before).any()
