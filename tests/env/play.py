"""Playing environments in tests."""

import numpy as np


def play_random(env, decisions=10**9, seed=0):
    """Play some random decisions at most; returns the actions."""
    rng, actions = np.random.default_rng(seed), []
    while len(actions) < decisions:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            break
        actions.append(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        env.step(actions[-1])
    return actions


def future(env, decisions=300):
    """An environment's behaviour in further random play: a list to compare."""
    seen, rng = [], np.random.default_rng(5)
    for _ in range(decisions):
        observation, reward, terminated, truncated, _ = env.last()
        flat = observation["observation"].tobytes(), observation["action_mask"].tobytes()
        seen.append((env.agent_selection, *flat, reward, terminated, truncated))
        if terminated or truncated:
            env.reset()
            continue
        env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return seen


def everything(env):
    """Everything that a step of a raw environment may change, to compare."""
    return (
        env.game.games.tobytes(),
        env.game.mask.tobytes(),
        env.agent_selection,
        list(env.agents),
        dict(env.rewards),
        dict(env._cumulative_rewards),
        dict(env.terminations),
        dict(env.truncations),
        {agent: dict(info) for agent, info in env.infos.items()},
    )
