"""Policies that the methods "gumbel" and "puct" begin with."""

import copy
from typing import Any, Final

from catan_pz.agents.registry import load
from catan_pz.rules import Rules

AUTO: Final = "auto"
"""In place of an agent: the one that judges actions by the value."""


def prior_for(rules: Rules, given: Any) -> Any:
    """The agent whose policy is the prior in games by some rules, or None.

    Args:
        rules: of the games.
        given: an agent, `AUTO` or None.

    Raises:
        ValueError: if the agent doesn't play by them.
    """
    if given is None:
        return None
    prior = load("value") if given == AUTO else copy.copy(given)
    prior.check_rules(rules)
    return prior
