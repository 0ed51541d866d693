"""What the wrappers of the package do otherwise than PettingZoo's, or besides."""

import numpy as np
import pytest

from catan_pz import action_id, catan_v0
from tests.env.play import play_random

ROLL = action_id("roll")


def first_legal(seen):
    return int(np.flatnonzero(seen["action_mask"])[0])


def play_illegal(env):
    """Play an illegal action; the offender."""
    offender = env.agent_selection
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    return offender


def test_outcomes_can_be_named_in_pettingzoos_loop():
    env = catan_v0.env(num_players=2, trading=False)
    env.reset(seed=3)
    named = 0
    for _agent in env.agent_iter(60):
        seen = env.last()[0]
        if seen["action_mask"][ROLL]:
            env.step_with_outcome(ROLL, (3, 4))
            assert env.unwrapped.snapshot()["dice"] == [3, 4]
            named += 1
        else:
            env.step(first_legal(seen))
    assert named > 3


@pytest.mark.parametrize("mask_in_info", [False, True])
def test_masks_show_no_game_once_an_illegal_action_has_ended_it(mask_in_info):
    env = catan_v0.env(num_players=3, trading=False, mask_in_info=mask_in_info)
    env.reset(seed=1)
    play_random(env, 20)
    before = {agent: dict(info) for agent, info in env.infos.items()}
    masks = [info["action_mask"].copy() for info in before.values() if mask_in_info]
    play_illegal(env)
    assert all(env.terminations.values())
    for agent in env.possible_agents:
        assert not env.observe(agent)["action_mask"].any()
        assert set(env.infos[agent]) == set(before[agent])
        assert not mask_in_info or env.infos[agent]["action_mask"].all()
    for info, mask in zip(before.values(), masks, strict=False):
        np.testing.assert_array_equal(info["action_mask"], mask)
    while env.agents:
        seen, _, _, _, info = env.last()
        assert not seen["action_mask"].any()
        assert not mask_in_info or info["action_mask"].all()
        env.step(None)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
    env.reset(seed=2)
    assert env.last()[0]["action_mask"].any()


def test_what_was_observed_is_the_callers():
    env = catan_v0.env(num_players=2)
    env.reset(seed=1)
    seen = env.last()[0]
    action = first_legal(seen)
    seen.pop("action_mask")[:] = 1
    env.step(action)
    env.last()[0]["action_mask"][:] = 1
    env.step(ROLL)
    assert all(env.terminations.values())


@pytest.mark.parametrize("actions", [{}, {"player_1": 74}, None, [74], 74])
def test_the_parallel_environment_names_the_agent_to_move(actions):
    env = catan_v0.parallel_env(trading=False)
    env.reset(seed=1)
    before = env.unwrapped.snapshot()
    with pytest.raises(ValueError, match=r"actions=.* allowed: a dict with .* 'player_0'"):
        env.step(actions)
    assert env.unwrapped.snapshot() == before
    env.step({"player_0": int(env.unwrapped.game.legal_actions()[0])})
