import dataclasses

import numpy as np
import pytest

from catan_pz.agents.base import Agent, View, check_agent, view_of
from catan_pz.agents.random import RandomAgent
from catan_pz.observation.segments import SEGMENTS, SIZE
from catan_pz.runtime.game import Game

pytestmark = pytest.mark.purepython


@pytest.fixture
def game():
    game = Game(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(80):
        game.step(int(rng.choice(game.legal_actions())))
    return game


def test_a_view_holds_observation_and_mask_and_nothing_else(game):
    assert [field.name for field in dataclasses.fields(View)] == ["observation", "mask"]
    for seat in range(4):
        view = view_of(game, seat)
        assert not hasattr(view, "__dict__")
        assert view.observation.dtype == view.mask.dtype == np.int8
        np.testing.assert_array_equal(view.observation, game.observe(seat))
        assert view.mask.any() == (seat == game.player)


def test_a_view_does_not_touch_the_game(game):
    view = view_of(game, game.player)
    before = game.games.tobytes(), game.mask.tobytes()
    view.observation[:] = 99
    view.mask[:] = 1
    assert (game.games.tobytes(), game.mask.tobytes()) == before


def test_segments_are_views_of_the_observation(game):
    view = view_of(game, 2)
    assert list(view.segments) == [segment.name for segment in SEGMENTS]
    for part in view.segments.values():
        assert np.shares_memory(part, view.observation)
    assert sum(part.size for part in view.segments.values()) == SIZE


def test_random_play_is_uniform_over_legal_actions():
    mask = np.zeros(252, np.int8)
    mask[[3, 50, 251]] = 1
    rng = np.random.default_rng(1)
    view = View(np.zeros(SIZE, np.int8), mask)
    played = [RandomAgent().act(view, mask, rng) for _ in range(3000)]
    assert sorted(set(played)) == [3, 50, 251]
    assert min(played.count(action) for action in (3, 50, 251)) > 900


def test_random_play_follows_the_generator(game):
    view = view_of(game, game.player)
    choices = [RandomAgent().act(view, view.mask, np.random.default_rng(8)) for _ in range(3)]
    assert len(set(choices)) == 1
    assert view.mask[choices[0]]


def test_an_agent_must_act():
    with pytest.raises(TypeError, match="act"):
        Agent()
    with pytest.raises(ValueError, match="allowed: an Agent"):
        check_agent("random")
