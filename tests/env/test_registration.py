"""The names under which Gymnasium and PettingZoo make the environments."""

import gymnasium
import pettingzoo
import pytest
from gymnasium.vector import AutoresetMode

from catan_pz.env.single_seat import SingleSeatEnv
from catan_pz.env.vector.gymnasium import CatanVectorEnv

SINGLE_SEAT = "catan_pz/SingleSeat-v0"

needs_list = pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="PettingZoo has a list of names from 1.27 on"
)


@needs_list
@pytest.mark.parametrize("name", ["catan/catan-v0", "catan/catan"])
def test_pettingzoo_makes_the_environments(name):
    env = pettingzoo.make("aec", name, num_players=3, trading=False)
    env.reset(seed=1)
    assert (env.num_agents, str(env)) == (3, "catan_v0")
    parallel = pettingzoo.make("parallel", name, num_players=3, mask_in_info=True)
    assert isinstance(parallel, pettingzoo.ParallelEnv)
    assert list(parallel.reset(seed=1)[1]) == ["player_0", "player_1", "player_2"]


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


def test_the_names_need_no_import_before():
    env = gymnasium.make(f"catan_pz.catan_v0:{SINGLE_SEAT}", num_players=2)
    assert isinstance(env.unwrapped, SingleSeatEnv)
    assert (env.spec.id, env.unwrapped.game.rules.num_players) == (SINGLE_SEAT, 2)
