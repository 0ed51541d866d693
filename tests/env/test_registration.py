"""The names under which Gymnasium and PettingZoo make the environments."""

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from catan_pz import catan_v0
from catan_pz.env.registration import register_all
from catan_pz.env.single_seat import SingleSeatEnv
from catan_pz.env.vector.gymnasium import CatanVectorEnv

SINGLE_SEAT = "catan_pz/SingleSeat-v0"

needs_list = pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="PettingZoo has a list of names from 1.27 on"
)


@needs_list
@pytest.mark.parametrize("name", ["catan/catan-v0", "catan/catan"])
def test_pettingzoo_makes_the_aec_environment(name):
    env = pettingzoo.make("aec", name, num_players=3, trading=False)
    env.reset(seed=1)
    assert env.num_agents == 3
    assert str(env) == "catan_v0"
    assert env.action_space("player_0").n == 252


@needs_list
@pytest.mark.parametrize("name", ["catan/catan-v0", "catan/catan"])
def test_pettingzoo_makes_the_parallel_environment(name):
    env = pettingzoo.make("parallel", name, num_players=3, mask_in_info=True)
    assert isinstance(env, pettingzoo.ParallelEnv)
    observations, infos = env.reset(seed=1)
    assert list(observations) == list(infos) == ["player_0", "player_1", "player_2"]
    assert env.metadata["name"] == "catan_v0"


@needs_list
def test_pettingzoo_without_a_list_of_names_is_no_error(monkeypatch):
    monkeypatch.delattr(pettingzoo, "register")
    register_all()


def test_gymnasium_makes_the_single_seat():
    env = gymnasium.make(SINGLE_SEAT, trading=False)
    assert isinstance(env.unwrapped, SingleSeatEnv)
    assert env.spec.id == SINGLE_SEAT


def test_gymnasium_makes_the_batch():
    options = {"seat": "random", "trading": False, "num_players": 3}
    env = gymnasium.make_vec(SINGLE_SEAT, num_envs=5, **options)
    assert isinstance(env, CatanVectorEnv)
    assert (env.num_envs, env.spec.id) == (5, SINGLE_SEAT)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, info = env.reset(seed=3)
    for _ in range(10):
        assert env.observation_space.contains(seen)
        actions = env.action_space.sample(mask=tuple(info["action_mask"]))
        seen, *_, info = env.step(actions)
    env.close()


def test_gymnasiums_own_vectors_have_the_same_masks_in_their_infos():
    env = gymnasium.make_vec(SINGLE_SEAT, num_envs=2, vectorization_mode="sync", trading=False)
    assert isinstance(env, SyncVectorEnv)
    _, info = env.reset(seed=3)
    for _ in range(5):
        assert info["action_mask"].shape == (2, 252)
        assert info["action_mask"].dtype == np.int8
        actions = env.action_space.sample(mask=tuple(info["action_mask"]))
        *_, info = env.step(actions)
    env.close()


def test_the_names_need_no_import_before():
    env = gymnasium.make(f"catan_pz.catan_v0:{SINGLE_SEAT}", num_players=2)
    assert env.unwrapped.game.rules.num_players == 2
    assert catan_v0.env().unwrapped.metadata["name"] == "catan_v0"
