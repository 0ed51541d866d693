"""One seat of a game for Gymnasium: given agents play the other seats inside `step`."""

from collections import deque
from collections.abc import Mapping
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import logger, spaces
from numpy.typing import NDArray

from catan_pz.agents.random import RandomAgent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.registry import Opponents, as_opponents
from catan_pz.agents.table import Table
from catan_pz.checks import as_action, check_choice, check_reset_options, check_seed
from catan_pz.encoders import Encoder
from catan_pz.engine.play import FINISHED, MOVER
from catan_pz.env.match import ILLEGAL_REWARD, Match
from catan_pz.env.painter import RENDER_FPS, RENDER_MODES, PaintedGame, Painter
from catan_pz.env.registration import register_all
from catan_pz.env.spaces import observation_space
from catan_pz.game.game import Game, IllegalActionError
from catan_pz.rewards import Reward
from catan_pz.rules import OPTIONS, RuleOptions, Rules


class SingleSeatEnv(PaintedGame, gymnasium.Env[Any, Any]):
    """Catan for one learner: `step` plays its action and the opponents' up to its next one.

    The reward of a step is the sum of the seat's rewards until it decides again or the game ends,
    an opponent's win included. Observations are those of `raw_env` without the mask.

    Infos have `action_mask`, (A,) int8, 1 for each legal action, all ones once the episode has
    ended and no action counts. The last one of an episode also has `won` (0 or 1), `points`
    (own), `turns`, `decisions` (own) and `illegal` (0 or 1).

    Args:
        seat: the learner's seat, or "random" for one drawn in each episode.
        opponents: None for random players, an `Agent` or its name for all other seats, or
            a sequence of these for each seat in turn order from the learner's left.
        illegal: "end": an illegal action ends the episode with reward -1, and the first one
            warns; "raise": it raises an error.
        rules, observation, reward, render_mode, options: as for `raw_env`.

    Attributes:
        seat: the learner's seat in this episode.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (Gymnasium declares it so)
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        *,
        seat: int | str = 0,
        opponents: Opponents = None,
        illegal: str = "end",
        rules: Rules | str | None = None,
        observation: Encoder | str = "flat",
        reward: Reward | str | None = None,
        render_mode: str | None = None,
        **options: Unpack[RuleOptions],
    ) -> None:
        rules = Rules.of(SingleSeatEnv, rules, options)
        check_choice("seat", seat, (*range(rules.num_players), "random"))
        check_choice("illegal", illegal, ("end", "raise"))
        self._seat_option = seat
        self._illegal = illegal
        listed = as_opponents(opponents, rules.num_players - 1)
        self._opponents = [RandomAgent() if one is None else one for one in listed]
        self.render_mode = render_mode
        self._painter = Painter(render_mode)
        self._match = Match(rules, reward, observation=observation)
        self.observation_space = observation_space(self._match.encoder)
        self.action_space = spaces.Discrete(rules.num_actions)
        self.seat = 0 if seat == "random" else int(seat)
        self._table: Table | None = None
        self._origin = self.game.origin
        self._decisions = 0
        self._is_on = self._has_warned = False

    def action_masks(self) -> NDArray[np.bool_]:
        """(A,) True for each legal action; all True once the episode has ended."""
        if self._table is None:
            raise RuntimeError("no episode has started: call reset() first")
        if self._is_on:
            self._check_game()
        return np.asarray(self._info()["action_mask"], np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a game and play the opponents up to the learner's first decision.

        Args:
            seed: from 0 to 2**64 - 1; determines this episode and the following ones.
            options: "state" is the JSON state of an unfinished game, with the rules of this
                environment, to start the episode from. Chance continues with the state's own
                generator; the opponents know what the state's "knowledge" says.
        """
        if seed is not None:
            seed = check_seed(seed)
        check_reset_options(options, ("state",))
        start = self._game_of(options["state"]) if options else None
        super().reset(seed=seed)
        self._end_episode()
        draw = self.np_random.integers(2**64, size=2, dtype=np.uint64)
        num_players = self._match.rules.num_players
        if self._seat_option == "random":
            self.seat = int(self.np_random.integers(num_players))
        if start is None:
            self._match.reset(int(draw[0]))
        else:
            self._match.replace(start)
        self._origin = self.game.origin
        seats = deque([None, *self._opponents])
        seats.rotate(self.seat)
        self._table = Table(self.game, list(seats), seat_seeds(int(draw[1]), num_players))
        self._decisions = 0
        self._is_on = True
        try:
            self._play_others(self.game.player)
        except BaseException:
            self._end_episode()
            raise
        if start is not None and (start.is_over or start.is_truncated):
            self._end_episode()
            raise ValueError(f"options['state']: the game ends before seat {self.seat} decides")
        self._show()
        return self._observe(), self._info()

    def _game_of(self, state: Mapping[str, Any]) -> Game:
        """The unfinished game of a JSON state."""
        game, rules = Game.from_snapshot(state), self._match.rules
        if game.rules != rules:
            names = [k for k in OPTIONS if getattr(rules, k) != getattr(game.rules, k)]
            raise ValueError(f"options['state'] and this environment differ in the rules {names}")
        if game.is_over or game.is_truncated:
            raise ValueError("options['state'] is a finished game")
        return game

    def _check_game(self) -> None:
        """Refuse a game that isn't the one followed by the opponents, or waits for one of them."""
        game = self._match.game
        if game.origin is not self._origin or game.player != self.seat:
            raise RuntimeError(
                "the game was changed from outside, so the opponents can't continue: call "
                "reset(), with options={'state': ...} to start from a state"
            )

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action, and the opponents' up to the learner's next decision.

        If an opponent, a listener of the game or the reward raises, the episode ends.
        """
        if not self._is_on:
            raise RuntimeError("no episode has started: call reset() first")
        self._check_game()
        action = as_action(action)
        mask = self.game.mask
        if self._illegal == "end" and not (0 <= action < len(mask) and mask[action]):
            self._warn_of(action)
            self._end_episode()
            return self._observe(), ILLEGAL_REWARD, True, False, self._final_info(illegal=1)
        code = self._match.play(action)
        self._decisions += 1
        try:
            reward = self._reward(code) + self._play_others(code)
        except BaseException:
            self._end_episode()  # an opponent may be to move
            raise
        self._show()
        game = self.game
        terminated, truncated = game.is_over, game.is_truncated
        if not (terminated or truncated):
            return self._observe(), reward, False, False, self._info()
        self._end_episode()
        return self._observe(), reward, terminated, truncated, self._final_info(illegal=0)

    def _warn_of(self, action: int) -> None:
        """Warn once about an illegal action, with the reason."""
        if not self._has_warned:
            self._has_warned = True
            try:
                self.game.check(action)
            except IllegalActionError as error:
                logger.warn(f"an illegal action ended the episode with reward -1: {error}")

    def _play_others(self, code: int) -> float:
        """Play up to the learner's decision or the end; return the learner's reward meanwhile."""
        reward = 0.0
        while code & MOVER != self.seat and not code & FINISHED:
            assert self._table is not None
            code = self._match.play(self._table.decide())
            reward += self._reward(code)
        return reward

    def _end_episode(self) -> None:
        self._is_on = False
        if self._table is not None:
            self._table.close()

    def _reward(self, code: int) -> float:
        """The learner's reward of a step."""
        rewards = self._match.rewards(code)
        return 0.0 if rewards is None else rewards[self.seat]

    def _observe(self) -> Any:
        return self._match.observe(self.seat)[0]

    def _info(self) -> dict[str, Any]:
        mask = self.game.mask
        return {"action_mask": mask.copy() if self._is_on else np.ones_like(mask)}

    def _final_info(self, *, illegal: int) -> dict[str, Any]:
        game = self.game
        return self._info() | {
            "won": int(game.winner == self.seat),
            "points": int(game.points[self.seat]),
            "turns": game.turn,
            "decisions": self._decisions,
            "illegal": illegal,
        }

    def close(self) -> None:
        """Release the opponents, and close the window, if there is one."""
        self._end_episode()
        self._painter.close()


register_all()
