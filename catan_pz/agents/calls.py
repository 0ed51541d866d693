"""Calls from Python on compiled players: one decision in each of many games."""

from catan_pz.agents import policies
from catan_pz.engine.rule import entry


@entry
def choose_random(observations, masks, draws, actions):
    """Choose in each game as `RandomAgent` does."""
    for i in range(masks.shape[0]):
        actions[i] = policies.random_action(observations[i], masks[i], draws[i])
