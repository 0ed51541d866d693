"""A game on a turned board is the same game."""

from dataclasses import replace

import numpy as np
import pytest

from catan_pz.agents.board_network import BoardNetwork
from catan_pz.agents.board_program import shapes
from catan_pz.board.symmetries import SYMMETRIES, Symmetry
from catan_pz.events import outcome_of
from catan_pz.game.game import Game
from catan_pz.game.state_json import board_of
from catan_pz.game.view import view_of
from catan_pz.observation.symmetries import ACTION_ORDERS, MOVED_ACTIONS, OBSERVATION_ORDERS
from catan_pz.rules import Board, Rules
from tests.helpers import play_randomly


def turned(board: Board, symmetry: Symmetry) -> Board:
    def moved(parts: tuple[int, ...], targets: np.ndarray) -> tuple[int, ...]:
        return tuple(np.array(parts)[targets.argsort()].tolist())

    return Board(
        moved(board.terrains, symmetry.hexes),
        moved(board.tokens, symmetry.hexes),
        moved(board.harbors, symmetry.harbors),
    )


def test_the_frame_leaves_three_turns_and_as_many_reflections() -> None:
    assert len(SYMMETRIES) == 6
    assert (SYMMETRIES[0].vertices == np.arange(54)).all()
    assert len({one.hexes.tobytes() for one in SYMMETRIES}) == 6


@pytest.mark.parametrize("s", range(1, 6))
def test_a_game_on_a_turned_board_is_the_same_game(s: int) -> None:
    rules = Rules(num_players=3, trading=False)
    game, rng = Game(rules, seed=s), np.random.default_rng(s)
    board = board_of(game.state)
    game = Game(replace(rules, board=board), seed=s)
    other = Game(replace(rules, board=turned(board, SYMMETRIES[s])), seed=s)
    for _ in range(400):
        if game.is_over:
            break
        action = int(rng.choice(game.legal_actions()))
        events = game.step_once(action)
        other.step_once(int(MOVED_ACTIONS[s, action]), outcome_of(events))
        seen, there = view_of(game, game.player), view_of(other, other.player)
        assert (seen.observation[OBSERVATION_ORDERS[s]] == there.observation).all()
        assert (game.mask[ACTION_ORDERS[s][: len(game.mask)]] == other.mask).all()


def test_the_board_network_sees_no_difference() -> None:
    rng = np.random.default_rng(0)
    sizes = shapes(8, 16, 252)
    network = BoardNetwork({k: rng.normal(0, 0.3, n).astype("f4") for k, n in sizes.items()})
    game = play_randomly(Game(Rules(trading=False), seed=3), 60)
    seen = view_of(game, game.player).observation[None]
    plain = network.logits(seen)[0]
    for s, order in enumerate(OBSERVATION_ORDERS):
        there = network.logits(seen[:, order])[0]
        assert np.allclose(plain[ACTION_ORDERS[s, :252]], there, atol=1e-4)
