"""Catan as a game of OpenSpiel: every roll, card drawn and theft is a chance node.

Importing the module registers `python_catan`:

    game = pyspiel.load_game("python_catan(num_players=3,trading=True)")

Letters: N numbers of an observation.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

try:
    import pyspiel
except ImportError as error:
    raise ImportError('this game needs OpenSpiel: pip install "catan-pz[openspiel]"') from error

from catan_pz.actions import describe_action
from catan_pz.checks import check_count, check_number, not_possible
from catan_pz.events import outcome_code, outcome_from_code
from catan_pz.game.game import Game
from catan_pz.observation.segments import SIZE, named_views
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS

SHORT_NAME: Final = "python_catan"
_MOST_DECISIONS_A_TURN: Final = 200
_NUM_ROLLS: Final = 36
_LARGEST_INT: Final = 2**31 - 1
"""OpenSpiel uses C's int."""
_DEFAULTS: Final[dict[str, Any]] = {
    "num_players": 2,
    "trading": False,
    "victory_points": 10,
    "max_turns": 1000,
    "boards": 64,
    "point_reward": 0.0,
}


def _game_type(num_players: int, point_reward: float) -> Any:
    """The properties of a game with these parameters, in the form of OpenSpiel."""
    kinds = pyspiel.GameType
    is_zero_sum = num_players == 2 and not point_reward
    return kinds(
        short_name=SHORT_NAME,
        long_name="Settlers of Catan",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if is_zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.REWARDS if point_reward else kinds.RewardModel.TERMINAL,
        max_num_players=MAX_PLAYERS,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_DEFAULTS,
    )


class CatanGame(pyspiel.Game):
    """The game with its parameters.

    Parameters: `num_players`, `trading`, `victory_points` and `max_turns` as in `Rules`;
    `boards`: number of boards, of which the first chance node draws one; `point_reward`: the
    reward of each victory point gained, from 0, besides 1 for a win and -1 for a loss.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = _DEFAULTS | (params or {})
        self.boards = check_count("boards", given["boards"], most=_LARGEST_INT)
        turns = _LARGEST_INT // _MOST_DECISIONS_A_TURN
        turns = check_count("max_turns", given["max_turns"], most=turns)
        self.point_reward = check_number("point_reward", given["point_reward"], least=0)
        names = ("num_players", "trading", "victory_points", "max_turns")
        self.rules = Rules(**{name: given[name] for name in names})
        most = 1 + self.point_reward * (given["victory_points"] + 2)
        kind = _game_type(self.rules.num_players, self.point_reward)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.rules.num_actions,
            max_chance_outcomes=max(self.boards, _NUM_ROLLS),
            num_players=self.rules.num_players,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0 if kind.utility == pyspiel.GameType.Utility.ZERO_SUM else None,
            max_game_length=_MOST_DECISIONS_A_TURN * turns,
        )
        super().__init__(kind, info, params or {})

    def new_initial_state(self) -> "CatanState":
        """The state before the board is drawn."""
        return CatanState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "CatanObserver":
        """An observer of states."""
        return CatanObserver(iig_obs_type, params)


class CatanState(pyspiel.State):
    """A state: a chance node where a board, a roll, a card or a theft is drawn.

    `game` is None before the board is drawn.
    """

    def __init__(self, game: CatanGame) -> None:
        super().__init__(game)
        self._rules = game.rules
        self._boards = game.boards
        self._point_reward = game.point_reward
        self.game: Game | None = None
        self._pending = -1
        self._paid = self._returns()

    def current_player(self) -> int:
        """The seat to move, or OpenSpiel's id of chance or the end."""
        if self.game is None or self._pending >= 0:
            return int(pyspiel.PlayerId.CHANCE)
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return self.game.player

    def _legal_actions(self, player: int) -> list[int]:
        assert self.game is not None
        return [] if player != self.game.player else self.game.legal_actions().tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Boards, or the chance outcomes of the action just chosen, with probabilities."""
        if self.game is None:
            return [(board, 1 / self._boards) for board in range(self._boards)]
        outcomes = self.game.outcomes(self._pending)
        return [(outcome_code(outcome), share) for outcome, share in outcomes.items()]

    def _apply_action(self, action: int) -> None:
        if self.game is None:
            self.game = Game(self._rules, seed=action)
            return
        before, follows_decision = self._returns(), self._pending >= 0
        if follows_decision:
            self.game.step(self._pending, outcome_from_code(self._pending, action))
            self._pending = -1
        elif self.game.outcomes(action):
            self.game.check(action)
            self._pending = action
        else:
            self.game.step(action)
        gained = self._returns() - before
        self._paid = gained + self._paid if follows_decision else gained

    def _returns(self) -> NDArray[np.float64]:
        if self.game is None:
            return np.zeros(self._rules.num_players)
        returns = self.game.points * self._point_reward
        if self.game.winner is not None:
            returns = returns - 1
            returns[self.game.winner] += 2
        return np.asarray(returns, np.float64)

    def is_terminal(self) -> bool:
        """Whether a player has won or the turn limit is reached."""
        return self.game is not None and (self.game.is_over or self.game.is_truncated)

    def rewards(self) -> list[float]:
        """The reward of each seat from the last decision and the chance outcome after it."""
        return list(self._paid.tolist())

    def returns(self) -> list[float]:
        """The reward of each seat since the start."""
        return list(self._returns().tolist())

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return " ".join(str(value) for value in describe_action(action).values())
        if self.game is None:
            return f"board {action}"
        outcome = outcome_from_code(self._pending, action)
        return str(outcome) if isinstance(outcome, tuple) else outcome.name.lower()

    def __str__(self) -> str:
        """The actions so far, which identify the state."""
        return " ".join(str(action) for action in self.history())


class CatanObserver:
    """A seat's view: the package's observation, (N,) float32, and its segments by name."""

    def __init__(self, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise ValueError(f"params must be empty, got {params}")
        if iig_obs_type is not None:
            kind = iig_obs_type.public_info, iig_obs_type.perfect_recall, iig_obs_type.private_info
            seen = True, False, pyspiel.PrivateInfoType.SINGLE_PLAYER
            if kind != seen:
                raise not_possible("(public_info, perfect_recall, private_info)", kind, f"{seen}")
        self.tensor: NDArray[np.float32] = np.zeros(SIZE, np.float32)
        self.dict = named_views(self.tensor)

    def set_from(self, state: CatanState, player: int) -> None:
        """Write a seat's view of a state."""
        if state.game is None:
            self.tensor.fill(0)
        else:
            self.tensor[:] = state.game.observe_scaled(player)

    def string_from(self, state: CatanState, player: int) -> str | None:
        """A seat's view, with the numbers in natural units as hexadecimal digits."""
        return "" if state.game is None else state.game.observe(player).tobytes().hex()


pyspiel.register_game(_game_type(_DEFAULTS["num_players"], _DEFAULTS["point_reward"]), CatanGame)
