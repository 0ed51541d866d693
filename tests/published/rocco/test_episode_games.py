"""Games side by side: numbers, figures, what a seat sees, what a checkpoint keeps."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="takes the extra `train`")

from catan_pz.published.rocco.episode_games import EpisodeGames
from catan_pz.rules import Rules

RULES = Rules.make("rocco", max_turns=30)


def made(both_seats=True):
    return EpisodeGames(RULES, 3, 5, both_seats=both_seats, curve_turn=10)


def played(games, finished):
    """Random play until so many games are over."""
    while len(games.finished) < finished:
        games.batch.step(games.batch.sample())
        games.count()


def test_games_are_numbered_as_they_begin():
    games = made()
    assert games.episodes.tolist() == [0, 1, 2]
    assert games.learner.tolist() == [0, 1, 0]
    played(games, 4)
    assert len(set(games.episodes.tolist())) == 3
    assert games.episodes.max() == len(games.finished) + 2
    np.testing.assert_array_equal(games.learner, games.episodes % 2)
    first = made(both_seats=False)
    played(first, 4)
    assert first.learner.tolist() == [0, 0, 0]


def test_figures_are_those_of_the_learner():
    games, at_turn = made(), {}
    while not games.finished:
        games.batch.step(games.batch.sample())
        for i in range(3):
            game = games.batch.game(i)
            if game.turn >= 10 and i not in at_turn:
                at_turn[i] = int(game.points[i % 2])
        over = games.over()
        last = {int(i): games.batch.game(int(i)) for i in over}
        games.count()
    i = min(last)
    assert games.finished[0] == {
        "points_at_turn": at_turn[i],
        "points": int(last[i].points[i % 2]),
        "won": 0,
        "turns": 30,
    }


def test_a_seat_sees_its_own_observation():
    games = made()
    rows = np.arange(3)
    for _ in range(40):
        for seat in (0, 1):
            units, masks = games.seen_by(rows, np.full(3, seat))
            for i in range(3):
                game = games.batch.game(i)
                np.testing.assert_array_equal(units[i], game.observe(seat))
                expected = game.mask if game.player == seat else np.zeros_like(game.mask)
                np.testing.assert_array_equal(masks[i], expected)
        games.batch.step(games.batch.sample())
        games.count()
