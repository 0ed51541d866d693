"""PettingZoo's usual wrappers, with direct access to the attributes of the wrapped environment."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import numpy as np
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from catan_pz.checks import not_possible
from catan_pz.game.game import IllegalActionError


class _Shortcuts:
    """Looks attributes up in the environment itself, `_raw`, before the wrapper's own look-up.

    The way through every wrapper costs several times as much as a step of the game.
    """

    _raw: Any
    agent_selection = property(attrgetter("_raw.agent_selection"))
    agents = property(attrgetter("_raw.agents"))
    terminations = property(attrgetter("_raw.terminations"))
    truncations = property(attrgetter("_raw.truncations"))
    rewards = property(attrgetter("_raw.rewards"))
    infos = property(attrgetter("_raw.infos"))
    _cumulative_rewards = property(attrgetter("_raw._cumulative_rewards"))


class TerminateIllegal(_Shortcuts, TerminateIllegalWrapper[str, Any, Any]):
    """An illegal action ends the game for all agents; the offender gets `illegal_reward`.

    A warning names the phase, the action and the missing condition.
    """

    def __init__(self, env: Any, illegal_reward: float) -> None:
        self._raw = env.unwrapped
        self._ended: object = None
        super().__init__(env, illegal_reward)

    @property
    def _terminated(self) -> bool:
        """Whether an illegal action ended the game, until a reset or restore."""
        return self._ended is self._raw.game.origin

    @_terminated.setter
    def _terminated(self, has_ended: bool) -> None:
        self._ended = self._raw.game.origin if has_ended else None

    def observe(self, agent: str) -> Any:
        """What an agent sees."""
        observation = self.env.observe(agent)
        if self._terminated:  # the game itself is unaware of the end
            observation["action_mask"][:] = 0
        return observation

    def step(self, action: Any) -> None:
        """Play a legal action directly; leave the rest to PettingZoo's wrapper."""
        raw = self._raw
        agent, mask = raw.agent_selection, raw.game.mask
        is_dead = raw.terminations[agent] or raw.truncations[agent]
        if not is_dead and mask[action]:
            self.env.step(action)
            return
        self._prev_obs = {"action_mask": mask}
        super().step(action)
        if not is_dead:
            try:
                raw.game.check(int(action))
            except IllegalActionError as error:
                EnvLogger._generic_warning(f"[WARNING]: {error}")
            for one, info in raw.infos.items():  # as at any end: no action counts any more
                if "action_mask" in info:
                    raw.infos[one] = {"action_mask": np.ones_like(info["action_mask"])}

    def step_with_outcome(self, action: Any, outcome: Any) -> None:
        """`raw_env.step_with_outcome`; an illegal action raises an error."""
        self.env.step_with_outcome(action, outcome)


class AssertOutOfBounds(_Shortcuts, AssertOutOfBoundsWrapper[str, Any, Any]):
    """An action outside the action space raises an AssertionError."""

    def __init__(self, env: Any) -> None:
        self._raw = env.unwrapped
        super().__init__(env)

    def step(self, action: Any) -> None:
        """Play an action."""
        agent = self._raw.agent_selection
        space = self._raw.action_spaces[agent]
        if isinstance(action, bool | np.bool_) or not space.contains(action):  # bools index masks
            is_dead = self.terminations[agent] or self.truncations[agent]
            if not (is_dead and action is None):
                allowed = f"an int from 0 to {int(space.n) - 1}"
                raise AssertionError(str(not_possible("action", action, allowed)))
        self.env.step(action)


class OrderEnforcing(_Shortcuts, OrderEnforcingWrapper[str, Any, Any]):
    """Raises the errors of PettingZoo's wrapper of the same name before `reset`."""

    _has_reset: bool

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game."""
        self.env.reset(seed=seed, options=options)
        self._raw = self.env.unwrapped
        self._has_reset = True
        self._has_updated = True

    def step_with_outcome(self, action: Any, outcome: Any) -> None:
        """`raw_env.step_with_outcome`, a step like any other for PettingZoo's `agent_iter`."""
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        self.env.step_with_outcome(action, outcome)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation and reward of the agent to move, its flags and info."""
        if not self._has_reset:
            return super().last(observe)
        raw = self._raw
        agent = raw.agent_selection
        return (
            self.observe(agent) if observe else None,
            raw._cumulative_rewards[agent],
            raw.terminations[agent],
            raw.truncations[agent],
            raw.infos[agent],
        )

    def __str__(self) -> str:
        return str(self.env)


class TurnBasedParallel(turn_based_aec_to_parallel_wrapper[str, Any, Any]):
    """The parallel interface, with the infos of the wrapped environment and nothing more.

    PettingZoo's wrapper adds the name of the agent to move to the infos from the first step on.
    Libraries that keep infos in arrays accept neither strings nor keys that `reset` lacks.
    """

    @property
    def agents(self) -> list[str]:
        """The agents of the current game, also after `restore`."""
        env = self.aec_env
        return [a for a in env.agents if not (env.terminations[a] or env.truncations[a])]

    @agents.setter
    def agents(self, agents: list[str]) -> None:
        """Ignored: agents follow from the environment."""

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play the action of the agent to move; return the results by agent."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        mover = self.aec_env.agent_selection
        if not isinstance(actions, Mapping) or mover not in actions:
            raise not_possible("actions", actions, f"a dict with the action of {mover!r}")
        results: tuple[dict[str, Any], ...] = super().step(actions)
        for info in results[-1].values():
            info.pop("active_agent", None)
        return results
