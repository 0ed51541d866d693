"""The PettingZoo environment: a thin adapter from `Game` to the AEC interface."""

from collections.abc import Mapping
from typing import Any, ClassVar, Unpack

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from catan_pz.checks import check_flag, check_seed, not_possible, quoted
from catan_pz.encoders import Encoder
from catan_pz.engine.play import FINISHED, MOVER, OVER
from catan_pz.env.match import Match
from catan_pz.env.painter import RENDER_FPS, RENDER_MODES, PaintedGame, Painter
from catan_pz.env.spaces import observation_space
from catan_pz.events import NamedOutcome
from catan_pz.game.game import Game
from catan_pz.observation.global_state import GLOBAL_SIZE
from catan_pz.rewards import Reward
from catan_pz.rules import RuleOptions, Rules
from catan_pz.terms import MAX_PLAYERS

AGENTS = tuple(f"player_{seat}" for seat in range(MAX_PLAYERS))

Observation = dict[str, Any]


class raw_env(PaintedGame, AECEnv[str, Observation, int | None]):  # noqa: N801 (PettingZoo's name)
    """Catan as an AEC environment without wrappers; one step is one decision of one player.

    Every agent observes `{"observation": ..., "action_mask": ...}`: its seat's information in
    the encoder's form, and an int8 mask (A,) of its legal actions, all zeros while another
    agent is to move. All agents end on the same step: terminated when a player has won,
    truncated after `max_turns` turns. Infos are empty unless `mask_in_info`.

    Args:
        rules: a `Rules`, a preset's name, or None for the base game.
        observation: an `Encoder`, or its name in `encoders.names()`: "flat" for one vector (N,),
            "dict" for its segments by name, and so on.
        reward: a `Reward`, its name in `rewards.REWARDS`, or None for win and loss.
        render_mode: "human", "ansi", "rgb_array" or None.
        mask_in_info: whether each agent's info also has its mask, as "action_mask", (A,) int8,
            for libraries that look there. It is all ones for an agent whose action doesn't
            count, because another agent is to move or the game is over.
        **options: single options of `Rules` that replace those of `rules`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "catan_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        *,
        rules: Rules | str | None = None,
        observation: Encoder | str = "flat",
        reward: Reward | str | None = None,
        render_mode: str | None = None,
        mask_in_info: bool = False,
        **options: Unpack[RuleOptions],
    ) -> None:
        super().__init__()
        self.render_mode = render_mode
        self._mask_in_info = check_flag("mask_in_info", mask_in_info)
        self._painter = Painter(render_mode)
        self._match = Match(Rules.of(raw_env, rules, options), reward, observation=observation)
        self._seeds = np.random.default_rng()
        self.possible_agents = list(AGENTS[: self.rules.num_players])
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        encoder, num_actions = self._match.encoder, self.rules.num_actions
        self.observation_spaces, self.action_spaces = {}, {}
        for agent in self.possible_agents:
            seen, mask = observation_space(encoder), spaces.Box(0, 1, (num_actions,), np.int8)
            both = {"observation": seen, "action_mask": mask}
            self.observation_spaces[agent] = spaces.Dict(both)
            self.action_spaces[agent] = spaces.Discrete(num_actions)
        self.state_space = spaces.Box(0.0, 1.0, (GLOBAL_SIZE,), np.float32)
        self._clear([])

    def observation_space(self, agent: str) -> spaces.Dict:
        """The observation space of an agent: the same object at each call."""
        self._seat_of(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Discrete(A): 389 actions with trade between players, 252 without."""
        self._seat_of(agent)
        return self.action_spaces[agent]

    def _seat_of(self, agent: str) -> int:
        seat = self._seats.get(agent)
        if seat is None:
            raise ValueError(f"unknown agent {quoted(agent)}; agents are {self.possible_agents}")
        return seat

    def _clear(self, agents: list[str]) -> None:
        """Set the attributes of a game's start for these agents."""
        self.agents = agents
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self.agent_selection = AGENTS[self.game.player]
        self._skip_agent_selection: str | None = None
        self._rewarded = False
        if self._mask_in_info:
            self._put_masks_in_infos()

    def _put_masks_in_infos(self) -> None:
        mask = self.game.mask
        mover = self.agent_selection if mask.any() else None
        for agent in self.agents:
            own = mask.copy() if agent == mover else np.ones_like(mask)
            self.infos[agent] = {"action_mask": own}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: from 0 to 2**64 - 1; the game is fully determined by it and by the actions.
                Without one the seed follows from that of an earlier `reset`, or is drawn.
            options: ignored, as PettingZoo's own tests pass some. "state", an option of
                `SingleSeatEnv`, is refused; use `restore` to continue from a state.
        """
        if options and "state" in options:
            raise not_possible("reset: options", options, "empty; restore(state) takes states")
        if seed is None:
            seed = int(self._seeds.integers(2**64, dtype=np.uint64))
        else:
            seed = check_seed(seed)
            self._seeds = np.random.default_rng(seed)
        self._match.reset(seed)
        self._clear(self.possible_agents[:])
        self._show()

    def step(self, action: Any) -> None:
        """Play an action of the agent to move, of any integer type; None if the game is over.

        An error leaves the game unchanged, with two exceptions: if the reward raises, the decision
        is played with zero rewards; if a listener of the game raises, the game needs a `reset`.
        """
        agent = self.agent_selection
        try:
            is_dead = self.terminations[agent] or self.truncations[agent]
        except KeyError:
            raise RuntimeError("no game has started: call reset() first") from None
        if is_dead:
            self._was_dead_step(action)
            return
        match = self._match
        code = match.play(action)
        self._cumulative_rewards[agent] = 0.0
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        self.agent_selection = AGENTS[code & MOVER]
        if self._mask_in_info:
            self._put_masks_in_infos()
        if code & FINISHED:
            self._finish(bool(code & OVER))
        rewards = match.rewards(code)
        if rewards is not None:
            self.rewards = dict(zip(self.agents, rewards, strict=False))
            self._rewarded = True
            self._accumulate_rewards()
        if self.render_mode == "human":
            self._show()

    def step_with_outcome(self, action: Any, outcome: NamedOutcome) -> None:
        """Play an action of the agent to move with a named chance outcome.

        The outcome is a pair of dice, a resource or a development card, as for `Game.step`.
        """
        agent = self.agent_selection
        if not self.agents or self.terminations[agent] or self.truncations[agent]:
            raise RuntimeError("no game has started: call reset() first")
        self.game.prepare(action, outcome)
        self.step(action)

    def _finish(self, is_won: bool) -> None:
        flags = self.terminations if is_won else self.truncations
        flags.update(dict.fromkeys(self.agents, True))

    def observe(self, agent: str) -> Observation:
        """An agent's current observation, in fresh arrays; valid for every possible agent any time.

        With "dict" the arrays of released observations are reused: write to their values, but
        not to their `shape` or `flags`.
        """
        seen, mask = self._match.observe(self._seat_of(agent))
        return {"observation": seen, "action_mask": mask}

    def state(self) -> NDArray[np.float32]:
        """(M,) the full-information vector of `observation.global_state`, for critics."""
        return self._match.state()

    def snapshot(self) -> dict[str, Any]:
        """The game as JSON values, with everything that determines its future."""
        return self.game.snapshot()

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from a snapshot, under its rules; rewards start from zero.

        A snapshot with another number of players or actions is refused; the game is unchanged.
        """
        self._match.replace(Game.from_snapshot(data))
        self._clear(self.possible_agents[:])
        if self.game.is_over or self.game.is_truncated:
            self._finish(self.game.is_over)
        self._show()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._painter.close()
