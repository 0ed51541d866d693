"""Agents that play in the batches of a training: loaded by name, and checked."""

from catan_pz import agents
from catan_pz.agents.base import Agent
from catan_pz.checks import not_possible, quoted
from catan_pz.rules import Rules


def load_stateless(option: str, name: str, rules: Rules) -> Agent:
    """A stateless agent for games of these rules.

    Args:
        option: that names it, for errors.
        name: of the agent.
        rules: of the games.

    Raises:
        ValueError: names the option and the agent, if it isn't stateless or not for these rules.
    """
    agent = agents.load(name)
    if not agent.stateless:
        raise not_possible(f"option {option}", name, "stateless agents")
    try:
        agent.check_rules(rules)
    except ValueError as error:
        raise ValueError(f"option {option}={quoted(name)}: {error}") from None
    return agent
