"""Policies that the method "gumbel" begins with."""

from functools import cache
from typing import Any, Final

from catan_pz.agents.base import Agent
from catan_pz.agents.registry import load
from catan_pz.rules import Rules

AUTO: Final = "auto"
"""In place of a model: the one of `MODELS` that fits the rules, if there is one."""

MODELS: Final = ("ppo-2p", "ppo-4p-notrade")
"""Policies that come with the package."""


@cache
def _model(name: str) -> Agent:
    return load(name)


def prior_for(rules: Rules, given: Any) -> Any:
    """The agent whose policy is the prior in games by some rules, or None.

    Args:
        rules: of the games.
        given: an agent, `AUTO` or None.
    """
    if given != AUTO:
        return given
    for agent in map(_model, MODELS):
        try:
            agent.check_rules(rules)
        except ValueError:
            continue
        return agent
    return None
