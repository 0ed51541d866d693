"""Policies that the method "gumbel" begins with."""

import copy
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.registry import load
from catan_pz.agents.value.agent import ValueAgent
from catan_pz.rules import Rules
from catan_pz.runtime.view import View

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


def policy_of(prior: Any, view: View) -> NDArray[Any]:
    """(A,) probabilities of the actions."""
    if isinstance(prior, ValueAgent):
        return prior.policy(view)
    return np.asarray(prior.probabilities(view.observation[None], view.mask[None])[0])
