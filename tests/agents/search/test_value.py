"""Odds of winning: certain where a game is finished, calibrated where it is not."""

import numpy as np
import pytest

from catan_pz.agents.search import search_calls, simulator
from catan_pz.agents.search.rollout import HEURISTIC
from catan_pz.agents.search.simulator import Scratch, value_net
from catan_pz.agents.search.value import DELAY, NET_SIZE
from catan_pz.rules import Rules
from catan_pz.runtime.game import Game
from tests.agents.search.play import duel, in_the_middle, play_out
from tests.helpers import act

RULES = Rules(trading=False)


def win_probabilities_of(game: Game, since: int | None = None) -> np.ndarray:
    scratch = Scratch(game.rules.num_actions)
    turn = game.turn if since is None else since
    search_calls.estimate(
        game.games, 0, turn, value_net(), scratch.features, scratch.win_probabilities
    )
    return scratch.win_probabilities


def test_a_finished_game_is_won_by_its_winner() -> None:
    game = duel({"grain": 2, "ore": 3}, turn=30)
    act(game, "build_city", vertex=6)
    assert win_probabilities_of(game).tolist() == [1, 0, 0, 0]
    assert win_probabilities_of(game, 20)[0] == pytest.approx(1 - 10 * DELAY)


def test_a_truncated_game_is_won_by_nobody() -> None:
    game = duel({}, rules=Rules(num_players=2, trading=False, max_turns=5), turn=4)
    act(game, "end_turn")
    assert game.is_truncated
    assert win_probabilities_of(game).tolist() == [0, 0, 0, 0]


def test_win_probabilities_sum_to_one_over_those_who_play() -> None:
    for players in (2, 3, 4):
        game, _ = in_the_middle(Rules(trading=False, num_players=players), 2, 200)
        chances = win_probabilities_of(game)
        assert chances.sum() == pytest.approx(1)
        assert (chances[:players] > 0).all()
        assert (chances[players:] == 0).all()


def test_more_is_better() -> None:
    poor = win_probabilities_of(duel({}, phase="roll"))[0]
    assert win_probabilities_of(duel({"grain": 2, "ore": 3}, phase="roll"))[0] > poor
    assert poor > 0.8  # nine points against two


def test_win_probabilities_are_calibrated() -> None:
    """In positions of games between heuristic players, gathered by what is foretold."""
    foretold, won = [], []
    for seed in range(300):
        game = Game(RULES, seed=10_000 + seed)
        play_out(game.games, HEURISTIC, seed, 12 + seed % 36)
        chances = win_probabilities_of(game)
        play_out(game.games, HEURISTIC, seed, 10**6)
        foretold += chances.tolist()
        won += [game.winner == p for p in range(4)]
    groups = np.digitize(foretold, [0.1, 0.2, 0.3, 0.45, 0.65])
    for group in range(6):
        here = groups == group
        assert here.sum() > 20
        mean, share = np.mean(np.array(foretold)[here]), np.mean(np.array(won)[here])
        error = (mean * (1 - mean) / here.sum()) ** 0.5
        assert abs(mean - share) < 3.5 * error, (group, mean, share)


def test_another_network_must_have_the_right_size(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(simulator, "NET_FILE", tmp_path / "value.npy")
    value_net.cache_clear()
    np.save(tmp_path / "value.npy", np.zeros(NET_SIZE - 1, np.float32))
    try:
        with pytest.raises(ValueError, match="needed"):
            value_net()
    finally:
        value_net.cache_clear()
