"""Win probabilities where a simulation ends: certain where the game is finished."""

import numpy as np
import pytest

from catan_pz.agents.hosting import FromBelief
from catan_pz.agents.search import SearchAgent, search_calls
from catan_pz.agents.search.rollout import DELAY
from catan_pz.agents.value.net import Judge, shipped
from catan_pz.belief import Belief
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.game.view import view_of
from catan_pz.rules import Rules
from tests.agents.search.play import duel, in_the_middle, work_for
from tests.helpers import act


def win_probabilities_of(game: Game, since: int | None = None, viewer: int = 0) -> np.ndarray:
    w = work_for(game.games)
    search_calls.estimate(game.games, viewer, game.turn if since is None else since, w)
    return w.values[:4]


def test_a_finished_game_is_won_by_its_winner() -> None:
    game = duel({"grain": 2, "ore": 3}, turn=30)
    act(game, "build_city", vertex=6)
    assert win_probabilities_of(game).tolist() == [1, 0, 0, 0]
    assert win_probabilities_of(game, 20)[0] == pytest.approx(1 - 10 * DELAY)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_others_are_judged_by_the_value(players: int) -> None:
    game, _ = in_the_middle(Rules(trading=False, num_players=players), 2, 200)
    for viewer in range(players):
        found = win_probabilities_of(game, viewer=viewer)
        expected = Judge(game.rules, shipped(players)).win_probabilities(game.games, viewer)
        assert (found[:players] == expected).all()
        assert (found[players:] == 0).all()


def test_a_position_is_judged_as_the_agents_seat_knows_it() -> None:
    """Seat 1 is to move, and seat 0 has four cards of which it alone knows what they are."""
    rules = Rules(num_players=2, trading=False)
    hidden = {"settlements": [30], "cards": {"victory_point": 4}}
    seats = [hidden, {"settlements": [10], "hand": {"wool": 1}, "cards": {"knight": 1}}]
    game = position(seats, rules=rules, phase="roll", turn=31, turn_player=1, player_to_move=1)
    assert game.player == 1
    by_seat = [
        Judge(rules, shipped(2)).win_probabilities(game.games, viewer)[0] for viewer in range(2)
    ]
    assert abs(by_seat[0] - by_seat[1]) > 0.05
    agent = SearchAgent(simulations=4, turns=0)
    agent.reset(0, rules, 1)
    view = view_of(game, 0, FromBelief(Belief(0, game.state), game))
    assert agent.win_probabilities(view)[0] == pytest.approx(by_seat[0], abs=0.02)
