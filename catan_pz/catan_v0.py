"""Catan for PettingZoo: `env()`, `raw_env()`, `parallel_env()`."""

from typing import Any, Unpack

from catan_pz.encoders import Encoder
from catan_pz.env.aec import raw_env
from catan_pz.env.match import ILLEGAL_REWARD
from catan_pz.env.registration import register_all
from catan_pz.env.wrappers import (
    AssertOutOfBounds,
    OrderEnforcing,
    TerminateIllegal,
    TurnBasedParallel,
)
from catan_pz.rewards import Reward
from catan_pz.rules import RuleOptions, Rules

__all__ = ["env", "parallel_env", "raw_env"]


def env(
    *,
    rules: Rules | str | None = None,
    observation: Encoder | str = "flat",
    reward: Reward | str | None = None,
    render_mode: str | None = None,
    mask_in_info: bool = False,
    **options: Unpack[RuleOptions],
) -> Any:
    """The environment with PettingZoo's usual wrappers.

    An illegal action ends the game with reward -1 for the offender, an action outside the action
    space raises AssertionError, and so do calls in the wrong order. Arguments and errors are
    those of `raw_env`.
    """
    wrapped: Any = raw_env(
        rules=rules,
        observation=observation,
        reward=reward,
        render_mode=render_mode,
        mask_in_info=mask_in_info,
        **options,
    )
    wrapped = TerminateIllegal(wrapped, illegal_reward=ILLEGAL_REWARD)
    return OrderEnforcing(AssertOutOfBounds(wrapped))


def parallel_env(**arguments: Any) -> Any:
    """The environment in the parallel interface: only the action of the agent to move counts.

    Takes the arguments of `env`. The agent to move is the one whose mask in the observation is
    not all zeros.
    """
    return TurnBasedParallel(env(**arguments))


register_all()
