"""Rewards that raise or give what is none: an error that names them, and all goes on."""

import numpy as np
import pytest

from catan_pz import Game, catan_v0
from catan_pz.batch.cpu import CpuBatch
from catan_pz.env.self_play import SelfPlayEnv
from catan_pz.env.single_seat import SingleSeatEnv
from catan_pz.env.vector.single_learner import SingleLearnerBatch

pytestmark = pytest.mark.purepython


class FailsAt:
    """Fails at one call, in a way."""

    def __init__(self, call, way):
        self.call = call
        self.way = way

    def __call__(self, terms, games):
        self.call -= 1
        return self.way(games) if self.call == 0 else np.ones((len(games), 4))


def play(env, decisions):
    """Play the first legal action of the learner in a single-seat environment."""
    for _ in range(decisions):
        env.step(int(np.flatnonzero(env.action_masks())[0]))


def play_batch(batch, steps):
    for _ in range(steps):
        batch.step(batch.sample())


def raises(_games):
    raise KeyError("mine")


def writes(games):
    games["turn"] = 0
    return np.zeros((len(games), 4))


WRONG_REWARDS = {
    "raises": (raises, KeyError, "mine"),
    "writes": (writes, ValueError, "FailsAt.*writes to its arguments"),
    "None": (lambda _games: None, ValueError, "FailsAt.*must give real numbers"),
    "text": (lambda games: np.full((len(games), 4), "1"), ValueError, "must give real numbers"),
    "NaN": (lambda games: np.full((len(games), 4), np.nan), ValueError, "FailsAt.*finite"),
    "too large": (lambda games: np.full((len(games), 4), 1e300), ValueError, "FailsAt.*float32"),
    "shape": (lambda games: np.zeros((len(games) + 1, 4)), ValueError, "FailsAt.*shape"),
    "ragged": (lambda _games: [[1.0], [1.0, 2.0]], ValueError, "FailsAt.*must give real numbers"),
    "a number": (lambda _games: 1.0, ValueError, r"FailsAt.*shape \(\)"),
}


@pytest.mark.parametrize("way", WRONG_REWARDS)
def test_a_wrong_reward_leaves_the_environment_usable(way):
    fail, error, named = WRONG_REWARDS[way]
    env = catan_v0.raw_env(num_players=3, reward=FailsAt(5, fail))
    env.reset(seed=7)
    quiet = Game(seed=7, num_players=3)
    for step in range(1, 9):
        action = int(np.flatnonzero(quiet.mask)[0])
        quiet.step(action)
        if step == 5:
            with pytest.raises(error, match=named):
                env.step(action)
            assert set(env.rewards.values()) == {0.0}
        else:
            env.step(action)
            assert set(env.rewards.values()) == {1.0}
        assert env.snapshot() == quiet.snapshot()
        assert env.agent_selection == f"player_{quiet.player}"


@pytest.mark.parametrize("way", WRONG_REWARDS)
def test_a_wrong_reward_leaves_other_environments_usable(way):
    fail, error, named = WRONG_REWARDS[way]
    self_play = SelfPlayEnv(num_players=3, reward=FailsAt(1, fail))
    _, info = self_play.reset(seed=1)
    with pytest.raises(error, match=named):
        self_play.step(int(np.flatnonzero(info["action_mask"])[0]))
    self_play.step(int(np.flatnonzero(self_play.game.mask)[0]))
    single = SingleSeatEnv(num_players=3, reward=FailsAt(2, fail))
    single.reset(seed=1)
    with pytest.raises(error, match=named):
        play(single, 9)
    with pytest.raises(RuntimeError, match="no episode is on"):
        single.step(0)
    single.reset(seed=2)
    play(single, 1)


@pytest.mark.parametrize("way", WRONG_REWARDS)
def test_a_wrong_reward_leaves_batches_usable(way):
    fail, error, named = WRONG_REWARDS[way]
    batch = CpuBatch(3, seed=1, num_players=2, max_turns=1, reward=FailsAt(10**9, fail))
    ended = 0
    while not ended:
        batch._reward.call = 1
        with pytest.raises(error, match=named):
            batch.step(batch.sample())
        ended = int(batch.done.sum())
        assert (batch.reward == 0).all()
    batch._reward.call = 2
    batch.step(batch.sample())  # those that ended are followed
    assert (batch.reward == 1).all()
    learning = SingleLearnerBatch(3, seed=1, num_players=2, reward=FailsAt(20, fail))
    with pytest.raises(error, match=named):
        play_batch(learning, 20)
    learning.reset(seed=1)
    play_batch(learning, 1)
