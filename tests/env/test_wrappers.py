"""What the wrappers of the package do otherwise than PettingZoo's, or besides."""

import numpy as np
import pytest

from catan_pz import action_id, catan_v0

ROLL = action_id("roll")


def first_legal(seen):
    return int(np.flatnonzero(seen["action_mask"])[0])


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


def test_an_outcome_before_reset_is_refused():
    with pytest.raises(AssertionError, match="reset"):
        catan_v0.env().step_with_outcome(ROLL, (3, 4))


def to_the_end(env, observations):
    while env.agents:
        movers = {a: seen for a, seen in observations.items() if seen["action_mask"].any()}
        observations, *_ = env.step({a: first_legal(seen) for a, seen in movers.items()})


def test_the_parallel_environment_goes_on_from_a_game_that_is_restored():
    env = catan_v0.parallel_env(num_players=2, trading=False, max_turns=4)
    with pytest.raises(AttributeError, match="agents"):
        _ = env.agents
    observations, _ = env.reset(seed=1)
    saved = env.unwrapped.snapshot()
    to_the_end(env, observations)
    finished = env.unwrapped.snapshot()
    env.unwrapped.restore(saved)
    assert env.agents == env.possible_agents
    mover = env.unwrapped.agent_selection
    action = first_legal(env.unwrapped.observe(mover))
    observations, rewards, *_ = env.step({mover: action})
    assert list(rewards) == env.possible_agents
    assert env.unwrapped.snapshot() != saved
    to_the_end(env, observations)
    assert env.unwrapped.snapshot() == finished
    env.unwrapped.restore(finished)
    assert env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})
