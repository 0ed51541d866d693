from typing import Any

import numpy as np
import pytest

from catan_pz import actions as table
from catan_pz.actions import action_id
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.render.log import action_words, log_line
from catan_pz.rules import Rules
from catan_pz.terms import Card, Resource
from tests.helpers import RULE_SETS

TWO = Rules(num_players=2, offer_form="both")


def told(
    game: Game, kind: str, outcome: Any = None, viewer: int | None = None, **arguments: Any
) -> str:
    return log_line(game.step_once(action_id(kind, **arguments), outcome), viewer)


def test_a_roll_tells_who_gets_what() -> None:
    game = position([{"settlements": [20]}, {"cities": [9]}], rules=TWO, phase="roll")
    assert (
        told(game.copy(), "roll", (5, 1))
        == "Player 0 rolls 5 + 1: 1 brick for Player 0, 2 brick for Player 1"
    )
    assert told(game.copy(), "roll", (1, 1)) == "Player 0 rolls 1 + 1: nothing for anybody"
    assert told(game.copy(), "roll", (3, 4)) == "Player 0 rolls 3 + 4"


def test_a_theft_is_told_to_the_two_alone() -> None:
    players = [{}, {"settlements": [9], "hand": {"ore": 1}}, {}]
    game = position(players, rules=Rules(num_players=3, trading=False), phase="move_robber")
    lines = {
        viewer: told(game.copy(), "move_robber", Resource.ORE, viewer, hex=4)
        for viewer in (None, 0, 1, 2)
    }
    shown = "Player 0 moves the robber and takes 1 ore from Player 1"
    assert lines == {None: shown, 0: shown, 1: shown, 2: shown.replace("1 ore", "a card")}


def test_a_bought_card_is_told_to_its_buyer_alone() -> None:
    game = position([{"hand": {"wool": 1, "grain": 1, "ore": 1}}, {}], rules=TWO)
    buy = "buy_development_card"
    assert told(game.copy(), buy, Card.MONOPOLY) == "Player 0 buys a development card: monopoly"
    assert told(game.copy(), buy, Card.MONOPOLY, viewer=1) == "Player 0 buys a development card"


def test_composing_is_told_to_its_maker_alone() -> None:
    game = position([{"hand": {"brick": 2}}, {"hand": {"ore": 1}}], rules=TWO)
    compose = "compose_give"
    words = "Player 0 adds 1 brick to what is given"
    assert told(game.copy(), compose, viewer=0, resource="brick") == words
    assert told(game.copy(), compose, viewer=1, resource="brick") == "Player 0 composes an offer"


def test_a_trade_from_offer_to_close() -> None:
    game = position([{"hand": {"brick": 2}}, {"hand": {"ore": 1}}], rules=TWO)
    offer = {"give": {"brick": 2}, "get": {"ore": 1}}
    assert told(game, "offer", **offer) == "Player 0 offers 2 brick for 1 ore"
    assert told(game, "accept") == "Player 1 accepts the offer"
    assert told(game, "close_with", seat=1) == "Player 0 trades with Player 1: 2 brick for 1 ore"


def test_composed_offers_and_counter_offers() -> None:
    game = position([{"hand": {"brick": 2}}, {"hand": {"ore": 1}}], rules=TWO)
    told(game, "compose_give", resource="brick")
    told(game, "compose_get", resource="ore")
    assert told(game, "compose_send") == "Player 0 offers 1 brick for 1 ore"
    told(game, "compose_give", resource="ore")
    told(game, "compose_get", resource="brick")
    told(game, "compose_get", resource="brick")
    assert told(game, "compose_send") == "Player 1 counters with 1 ore for 2 brick"


def test_the_bank_and_cards() -> None:
    hand = {"brick": 4}
    cards = {"monopoly": 1, "year_of_plenty": 1}
    game = position([{"hand": hand, "cards": cards}, {"hand": {"ore": 3}}], rules=TWO)
    assert told(game, "maritime_trade", give="brick", get="wool") == (
        "Player 0 gives the bank 4 brick for 1 wool"
    )
    assert told(game, "play_monopoly", resource="ore") == "Player 0 plays monopoly: 3 ore"


def test_a_win_is_told() -> None:
    rules = Rules(num_players=2, victory_points=3)
    game = position(
        [
            {
                "settlements": [20],
                "cities": [],
                "hand": {"grain": 2, "ore": 3},
                "cards": {"victory_point": 1},
            },
            {},
        ],
        rules=rules,
    )
    assert told(game, "build_city", vertex=20) == "Player 0 builds a city and wins"


def test_names() -> None:
    game = Game(seed=1)
    names = ["Ann", "search", "search", "Bob"]
    lines = [log_line(game.step_once(int(game.legal_actions()[0])), names=names) for _ in range(4)]
    assert lines[0] == "Ann builds a settlement"
    assert lines[3].startswith("search 1 ")


@pytest.mark.parametrize("name", ["base", "both_forms", "one_v_one"])
def test_every_decision_of_a_game_can_be_told(name: str) -> None:
    game, rng = Game(RULE_SETS[name], seed=8), np.random.default_rng(8)
    seats: range = range(game.rules.num_players)
    for _ in range(500):
        if not game.mask.any():
            break
        player = game.player
        events = game.step_once(int(rng.choice(game.legal_actions())))
        for viewer in (None, *seats):
            assert log_line(events, viewer).startswith(f"Player {player} ")


def test_every_action_has_words_of_its_own() -> None:
    words = [action_words(action) for action in range(table.NUM_ACTIONS)]
    assert len(set(words)) == table.NUM_ACTIONS
