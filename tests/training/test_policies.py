"""Policies of Stable-Baselines3 on the board network."""

from copy import deepcopy

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from stable_baselines3.common.callbacks import BaseCallback

from catan_pz.env.vector.sb3 import CatanVecEnv
from catan_pz.training.board_ppo import BoardPPO
from catan_pz.training.policies import BoardPolicy, LegalActions


class StockPolicy(BoardPolicy):
    """With the distribution and the optimizer of sb3-contrib."""

    def _build(self, lr_schedule):
        super()._build(lr_schedule)
        self.action_dist = MaskableCategoricalDistribution(self.action_space.n)
        self.optimizer = torch.optim.Adam(self.parameters(), lr_schedule(1), eps=1e-5)


class Nothing(BaseCallback):
    def _on_step(self):
        return True


def learner(policy, games, algorithm=MaskablePPO):
    sizes = {"width": 8, "dense": 16}
    return algorithm(
        policy, games, n_steps=16, batch_size=64, policy_kwargs=sizes, seed=1, device="cpu"
    )


@pytest.mark.parametrize("algorithm", [MaskablePPO, BoardPPO])
def test_an_update_is_that_of_sb3_contribs_own_parts(algorithm):
    games = CatanVecEnv(16, observation="units", seed=3)
    one, stock = learner(BoardPolicy, games, algorithm), learner(StockPolicy, games)
    _, callback = one._setup_learn(256, Nothing())
    one.collect_rollouts(games, callback, one.rollout_buffer, 16)
    stock.set_logger(one.logger)
    stock.rollout_buffer = deepcopy(one.rollout_buffer)
    before = deepcopy(one.policy.state_dict())
    logged = []
    for model in (one, stock):
        np.random.seed(7)  # noqa: NPY002
        model.train()
        logged.append(dict(model.logger.name_to_value))
    for name, number in logged[1].items():
        assert logged[0][name] == pytest.approx(number, rel=1e-2, abs=1e-4), name
    for name, array in one.policy.state_dict().items():
        torch.testing.assert_close(array, stock.policy.state_dict()[name], rtol=1e-3, atol=1e-4)
    assert not torch.equal(array, before[name])


def test_illegal_actions_are_never_sampled_others_by_their_probability():
    torch.manual_seed(0)
    spread = LegalActions(torch.tensor([[9.0, 1.0, 0.0, 9.0]]).expand(20_000, -1))
    spread.apply_masking(np.array([[0, 1, 1, 0]]).repeat(20_000, 0))
    shares = spread.sample().bincount(minlength=4) / 20_000
    torch.testing.assert_close(shares, spread.probs[0], rtol=0, atol=0.02)
    assert shares[0] == shares[3] == 0
