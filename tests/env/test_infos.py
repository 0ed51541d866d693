"""Infos: empty, or with masks where a library looks for them there."""

import numpy as np
import pytest

from catan_pz import catan_v0
from tests.env.play import play_random


def assert_masks(infos, observations, mover):
    """The mover's info has its mask, others' infos all ones."""
    for agent, info in infos.items():
        mask = info["action_mask"]
        assert list(info) == ["action_mask"]
        assert mask.dtype == np.int8
        if agent == mover:
            np.testing.assert_array_equal(mask, observations[agent]["action_mask"])
        else:
            assert mask.all()


@pytest.mark.parametrize("make", [catan_v0.raw_env, catan_v0.env])
def test_infos_are_empty_unless_masks_are_asked_for(make):
    env = make(trading=False)
    env.reset(seed=1)
    play_random(env, 50)
    assert env.infos == {agent: {} for agent in env.possible_agents}


@pytest.mark.parametrize("make", [catan_v0.raw_env, catan_v0.env])
@pytest.mark.parametrize("skip_forced", [False, True])
def test_masks_in_infos(make, skip_forced):
    env = make(mask_in_info=True, skip_forced=skip_forced, num_players=3, max_turns=30)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(3000):
        observation, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            break
        observations = {agent: env.observe(agent) for agent in env.agents}
        assert_masks(env.infos, observations, env.agent_selection)
        np.testing.assert_array_equal(info["action_mask"], observation["action_mask"])
        env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
    assert truncated
    assert all(info["action_mask"].all() for info in env.infos.values())


def test_infos_of_steps_before_stay_as_they_were():
    env = catan_v0.raw_env(mask_in_info=True)
    env.reset(seed=1)
    before = {agent: info["action_mask"] for agent, info in env.infos.items()}
    copies = {agent: mask.copy() for agent, mask in before.items()}
    play_random(env, 30)
    for agent, mask in copies.items():
        np.testing.assert_array_equal(before[agent], mask)


def test_restored_games_have_masks_in_infos():
    env = catan_v0.raw_env(mask_in_info=True)
    env.reset(seed=1)
    play_random(env, 40)
    saved = env.snapshot()
    play_random(env, 5)
    env.restore(saved)
    observations = {agent: env.observe(agent) for agent in env.agents}
    assert_masks(env.infos, observations, env.agent_selection)


@pytest.mark.parametrize("mask_in_info", [False, True])
def test_infos_of_the_parallel_environment(mask_in_info):
    env = catan_v0.parallel_env(trading=False, max_turns=20, mask_in_info=mask_in_info)
    observations, infos = env.reset(seed=1)
    for agent in env.possible_agents:
        env.action_space(agent).seed(1)
    while env.agents:
        movers = [a for a, seen in observations.items() if seen["action_mask"].any()]
        if mask_in_info:
            assert_masks(infos, observations, *movers)
        else:
            assert set(map(len, infos.values())) == {0}
        # As a library does that samples from every agent's masked policy.
        masks = infos if mask_in_info else observations
        actions = {a: env.action_space(a).sample(m["action_mask"]) for a, m in masks.items()}
        observations, _, _, truncations, infos = env.step(actions)
    assert all(truncations.values())
    assert env.step({}) == ({}, {}, {}, {}, {})
