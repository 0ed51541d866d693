import re

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from catan_pz.env.vector.sb3 import CatanVecEnv
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.rewards import PointsGained
from catan_pz.rules import Rules
from catan_pz.training.imitation import (
    SEED_OFFSET,
    collect_demonstrations,
    discounted_returns,
    imitate,
)
from catan_pz.training.policies import BoardPolicy, NetworkArgs, policy_of

RULES = Rules(num_players=2, trading=False, victory_points=3, skip_forced=True)
REWARD = PointsGained()


def make_games(observation="units", rules=RULES):
    return CatanVecEnv(4, rules, seat="random", observation=observation, reward=REWARD, seed=1)


def collect(games, expert="weighted", count=600, gamma=0.9):
    return collect_demonstrations(expert, games, count, reward=REWARD, gamma=gamma, seed=1)


def test_demonstrations_are_what_was_played():
    shown = collect(make_games())
    assert len(shown) == 600
    batch = SingleLearnerBatch(4, RULES, seat="random", reward=REWARD, seed=1 + SEED_OFFSET)
    observations = shown.observations.reshape(150, 4, -1)
    masks = shown.masks.reshape(150, 4, -1)
    actions, returns, complete = (
        array.reshape(150, 4) for array in (shown.actions, shown.returns, shown.complete)
    )
    rewards, done = [], []
    for t in range(150):
        assert (observations[t] == batch.observation).all()
        assert (np.unpackbits(masks[t], axis=1, count=252) == batch.mask).all()
        batch.step(actions[t])
        rewards.append(batch.reward.copy())
        done.append(batch.done.copy())
    for game in range(4):
        ends = [t for t in range(150) if done[t][game]]
        assert ends
        for t in range(150):
            end = next((end for end in ends if end >= t), None)
            assert complete[t, game] == (end is not None)
            if end is not None:
                total = sum(0.9 ** (j - t) * rewards[j][game] for j in range(t, end + 1))
                assert returns[t, game] == pytest.approx(total, abs=1e-5)


def test_returns_by_hand():
    rewards = np.array([[1.0], [2.0], [4.0], [8.0], [1.0]])
    done = np.array([[False], [True], [False], [True], [False]])
    truncated = np.array([[False], [False], [False], [True], [False]])
    returns, complete = discounted_returns(rewards, done, truncated, 0.5)
    assert returns[:, 0].tolist() == [2.0, 2.0, 8.0, 8.0, 1.0]
    assert complete[:, 0].tolist() == [1, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("observation", "network"), [("units", "board"), ("flat", "dense"), ("dict", "board")]
)
def test_the_policy_comes_to_choose_as_its_expert(observation, network, capsys):
    torch.distributions.Distribution.set_default_validate_args(False)
    games = make_games(observation)
    args = NetworkArgs(observation=observation, network=network, width=8, embedding_size=4)
    policy, policy_kwargs = policy_of(args, BoardPolicy, separate_value=True)
    model = MaskablePPO(policy, games, policy_kwargs=policy_kwargs, seed=1, n_steps=8)
    given = {"reward": REWARD, "demonstrations": 600, "seed": 1, "epochs": 3, "batch_size": 16}
    last = imitate(model, games, "weighted", **given, learning_rate=0.01)
    told = re.findall(r"epoch (\d): .* ([\d.]+) %", capsys.readouterr().out)
    assert [epoch for epoch, _ in told] == ["1", "2", "3"]
    first, second, third = (float(percent) for _, percent in told)
    assert first <= second <= third == pytest.approx(100 * last, abs=0.06)


def test_an_expert_must_play_batches_of_these_rules():
    with pytest.raises(ValueError, match="expert must be stateless"):
        collect(make_games(), "search")
    with pytest.raises(ValueError, match=r"expert='ppo-4p': agent 'ppo-4p' .* 4 players"):
        collect(make_games(), "ppo-4p")
