"""Every encoder in every environment of many games, and the global state."""

import copy

import numpy as np
import pytest

from catan_pz import encoders
from catan_pz.env.spaces import encoder_of_space, observation_space
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from tests.env.test_observations import OwnHand, same

QUICK = {"num_players": 2, "trading": False, "max_turns": 30, "victory_points": 4}

everywhere = pytest.mark.parametrize("observation", [*encoders.names(), OwnHand()], ids=str)


@everywhere
def test_batches_give_what_the_encoder_makes_of_each_view(observation):
    batch = SingleLearnerBatch(6, seed=1, observation=observation, alternate=True, **QUICK)
    for _ in range(10):
        assert same(batch.seen, batch.encoder.encode(batch.observation))
        before, kept = batch.seen, copy.deepcopy(batch.seen)
        batch.step(batch.sample())
        assert same(before, kept)  # two sets of arrays take turns
    batch.restart(np.array([True, False] * 3))
    assert same(batch.seen, batch.encoder.encode(batch.observation))
    batch.reset(7)
    assert same(batch.seen, batch.encoder.encode(batch.observation))
    other = SingleLearnerBatch(6, seed=9, observation=observation, **QUICK)
    other.set_state(batch.get_state())
    assert same(other.seen, batch.seen)


@pytest.mark.parametrize("observation", ["units", "dict", OwnHand()], ids=str)
def test_torchrl(observation):
    pytest.importorskip("torchrl")
    from torchrl.envs.utils import check_env_specs

    from catan_pz.env.vector.torchrl import CatanTorchRLEnv

    env = CatanTorchRLEnv(4, seed=1, observation=observation, **QUICK)
    check_env_specs(env)
    data = env.rollout(40, break_when_any_done=False)
    assert env.observation_spec.is_in(data[:, -1].select(*env.observation_spec.keys()))


def test_a_policy_of_another_space_needs_the_encoder_named():
    for name in ("flat", "dict", "units"):
        assert encoder_of_space(observation_space(encoders.load(name))).name == name
    planes = observation_space(encoders.load("planes"))
    assert encoder_of_space(planes, "planes").name == "planes"
    with pytest.raises(ValueError, match="observation must name the encoder"):
        encoder_of_space(planes)
    with pytest.raises(ValueError, match="observation='graph' doesn't fit: the learner"):
        encoder_of_space(planes, "graph")
