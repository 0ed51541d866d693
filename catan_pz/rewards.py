"""Rewards, computed from terms counted from the events of a step.

`engine.tally` counts F small numbers for each seat in a step, one per `RewardTerm`. Most rewards
are weighted sums of these (`LinearReward`): one matrix product rewards a game, or a whole batch of
games on any device. Letters: P = 4 seats (absent ones stay zero), F reward terms, B games.
"""

from collections.abc import Collection
from typing import Any, Final, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import check_number, not_possible
from catan_pz.engine.tally import NUM_TERMS as NUM_TERMS  # noqa: PLC0414 (shown to others)
from catan_pz.engine.tally import RewardTerm as RewardTerm  # noqa: PLC0414 (shown to others)
from catan_pz.terms import MAX_PLAYERS

LARGEST_WEIGHT: Final = 1e35
"""The largest weight of a term: sums of all terms stay finite in float32."""


@runtime_checkable
class Reward(Protocol):
    """The interface of rewards; any callable with these arguments is one.

    It may have an attribute `depends_on`, the `RewardTerm`s that it depends on: in steps where all
    of them are zero for every seat, the reward is zero without a call.
    """

    def __call__(self, terms: NDArray[np.int8], games: np.ndarray) -> NDArray[Any]:
        """(B, 4) rewards of every seat for a step, real numbers that are finite in float32.

        Args:
            terms: (B, 4, F) int8, the counts by seat and `RewardTerm`. The axis of seats has
                length 4 in games of two and three players too; absent seats have zeros.
            games: (B,) records of `engine.state.STATE`, after the step; not to be written to.
                `games["num_players"]`, (B,), is the number of seats in play.
        """
        ...


def _weight(name: str, given: object) -> float:
    return check_number(name, given, least=-LARGEST_WEIGHT, most=LARGEST_WEIGHT)


class LinearReward:
    """A weighted sum of the reward terms.

    Args:
        **weights: weight of each `RewardTerm`, a number from -1e35 to 1e35, by its name in lower
            case; zero if omitted. The attribute `weights` has them all, (F,) float64.
    """

    def __init__(self, **weights: float) -> None:
        terms = {term.name.lower(): term for term in RewardTerm}
        unknown = sorted(set(weights) - set(terms))
        if unknown:
            raise ValueError(f"unknown weights {unknown}; possible: {list(terms)}")
        self.weights: NDArray[np.float64] = np.zeros(NUM_TERMS)
        for name, weight in weights.items():
            self.weights[terms[name]] = _weight(name, weight)
        self.weights.flags.writeable = False

    @property
    def depends_on(self) -> frozenset[RewardTerm]:
        """The terms with non-zero weight."""
        return frozenset(term for term in RewardTerm if self.weights[term] != 0)

    def __call__(self, terms: NDArray[np.int8], games: np.ndarray) -> NDArray[np.float64]:
        """(B, 4) rewards for terms (B, 4, F)."""
        return terms @ self.weights

    def __repr__(self) -> str:
        terms = {k.name.lower(): float(self.weights[k]) for k in sorted(self.depends_on)}
        return f"{type(self).__name__}({', '.join(f'{k}={w:g}' for k, w in terms.items())})"


class WinLoss(LinearReward):
    """+1 for the winner, -1 for each other seat; zero before the end."""

    def __init__(self) -> None:
        super().__init__(won=1.0, lost=-1.0)


class PointsGained(LinearReward):
    """`point` for each point that a seat gains or, negative, loses; `win` for a win or loss."""

    def __init__(self, point: float = 1.0, win: float = 0.0) -> None:
        win = _weight("win", win)
        super().__init__(points_gained=_weight("point", point), won=win, lost=-win)


class PointsAndWin(PointsGained):
    """0.1 for each point gained, 1 for a win, -1 for a loss."""

    def __init__(self) -> None:
        super().__init__(point=0.1, win=1.0)


class PointsHeld(LinearReward):
    """Own points after each own move.

    Source: G. E. Rocco, "DQN-based approaches for complex board games", master thesis,
    Trieste, 2023.
    """

    def __init__(self) -> None:
        super().__init__(points_held=1.0)


class RoadHeld(LinearReward):
    """Length of the own longest continuous road after each own move; source as for `PointsHeld`."""

    def __init__(self) -> None:
        super().__init__(road_held=1.0)


class GainOrPenalty(LinearReward):
    """k for each point gained; an own decision without a gain costs k for each point held.

    Source: Xenou, Chalkiadakis, Afantenos, "Deep Reinforcement Learning in Strategic Board
    Game Environments", EUMAS 2018. There a learner makes only some decisions of a seat, and points
    are compared between its decisions: `between` does that.
    """

    def __init__(self, k: float = 0.01) -> None:
        self.k = _weight("k", k)
        super().__init__(points_won=self.k, points_held_in_vain=-self.k)

    def between(self, before: int, now: int) -> float:
        """Reward of a decision made at `before` points if the next one is made at `now` points."""
        return self.k * (now - before) if now > before else -self.k * now


class WinAndLead(LinearReward):
    """At the end only: win or loss, and `point` for each point ahead of the best other seat.

    Source: Gendre and Kaneko, "Playing Catan with Cross-dimensional Neural Network", 2020, for two
    players.
    """

    def __init__(self, win: float = 0.75, point: float = 0.02) -> None:
        win = _weight("win", win)
        super().__init__(won=win, lost=-win, final_lead=_weight("point", point))


class WinAndTerms(LinearReward):
    """500 for a win, and dense terms before.

    5 for a point gained (a point lost costs as much), 5 for a development card played, 1 for
    moving the robber, -0.3 for each card discarded, 2.5 for a city. Source: H. Charlesworth,
    "Learning to Play Settlers of Catan with Deep Reinforcement Learning", 2022.
    """

    def __init__(self) -> None:
        super().__init__(
            won=500.0,
            points_gained=5.0,
            card_played=5.0,
            robber_moved=1.0,
            cards_discarded=-0.3,
            city_built=2.5,
        )


_SHARED: Final = [
    RewardTerm.CARD_PLAYED,
    RewardTerm.ROBBER_MOVED,
    RewardTerm.CARDS_DISCARDED,
    RewardTerm.CITY_BUILT,
]


class WinAndSharedTerms(WinAndTerms):
    """`WinAndTerms` as in its published code: all seats get cards, robber, discards and cities."""

    def __call__(self, terms: NDArray[np.int8], games: np.ndarray) -> NDArray[np.float64]:
        """(B, P) rewards for terms (B, P, F)."""
        shared = terms[..., _SHARED] @ self.weights[_SHARED]
        return terms @ self.weights - shared + shared.sum(-1, keepdims=True)


REWARDS: Final[dict[str, type[LinearReward]]] = {
    "win_loss": WinLoss,
    "points_gained": PointsGained,
    "points_and_win": PointsAndWin,
    "points_held": PointsHeld,
    "road_held": RoadHeld,
    "gain_or_penalty": GainOrPenalty,
    "win_and_lead": WinAndLead,
    "win_and_terms": WinAndTerms,
}
"""Rewards by name."""


def make_reward(reward: Reward | str | None = None) -> Reward:
    """A reward, given as an object, by its name in `REWARDS`, or None for `WinLoss`."""
    if reward is None:
        return WinLoss()
    if isinstance(reward, str) and reward in REWARDS:
        return REWARDS[reward]()
    if isinstance(reward, type) or not callable(reward):
        allowed = f"one of {sorted(REWARDS)} or an object as catan_pz.rewards.Reward describes it"
        raise not_possible("reward", reward, allowed, REWARDS)
    dependencies(reward)  # refuses anything but terms
    return reward


def is_linear(reward: Reward) -> TypeGuard[LinearReward]:
    """Whether a reward is only a weighted sum of terms, unchanged by a subclass."""
    if not isinstance(reward, LinearReward):
        return False
    own, plain = type(reward), LinearReward
    return own.__call__ is plain.__call__ and own.depends_on is plain.depends_on


def weights_of(reward: Reward) -> NDArray[np.float64]:
    """(F,) weights of a linear reward for compiled rules; zeros for any other reward."""
    weights = np.zeros(NUM_TERMS)
    if is_linear(reward):
        weights[:] = reward.weights
    return weights


def dependencies(reward: Reward) -> int:
    """The set of terms that a reward depends on, term k as bit k, or -1 for all steps."""
    terms = getattr(reward, "depends_on", None)
    if isinstance(reward, LinearReward) and not is_linear(reward):
        is_inherited = type(reward).depends_on is LinearReward.depends_on
        terms = None if is_inherited else terms  # it may depend on more than its weights
    if terms is None:
        return -1
    if not isinstance(terms, Collection) or not all(isinstance(term, RewardTerm) for term in terms):
        allowed = "a collection of catan_pz.rewards.RewardTerm"
        raise not_possible(f"reward {reward!r}: depends_on", terms, allowed)
    return sum(1 << term for term in set(terms))


def is_sparse(reward: Reward) -> bool:
    """Whether a reward is linear and depends only on the end of a game, so needs no events."""
    end = sum(1 << term for term in (RewardTerm.WON, RewardTerm.LOST, RewardTerm.FINAL_LEAD))
    return is_linear(reward) and dependencies(reward) & ~end == 0


def are_finite(numbers: Any) -> bool:
    """Whether the numbers of an array or tensor are finite in float32."""
    if hasattr(numbers, "isfinite"):  # a tensor
        return bool(numbers.float().isfinite().all())
    with np.errstate(over="ignore"):
        return bool(np.isfinite(np.asarray(numbers, np.float32)).all())


def reward_values(
    reward: Reward, terms: NDArray[np.int8], games: np.ndarray
) -> NDArray[np.floating[Any]]:
    """(B, 4) the rewards of every seat for a step, zero if its terms are zero.

    Args:
        reward: the reward; it gets read-only views or copies, without the games in which all
            terms that it depends on are zero.
        terms: (B, 4, F) int8, the counts.
        games: (B,) records of `engine.state.STATE`, after the step.
    """
    if is_linear(reward):
        return reward(terms, games)
    depends_on = dependencies(reward)
    if depends_on == -1:
        return _called(reward, terms, games)
    chosen = [term for term in range(NUM_TERMS) if depends_on >> term & 1]
    counts = terms[:, :, chosen].any(axis=(1, 2))
    values = np.zeros((len(games), MAX_PLAYERS))
    if counts.any():
        values[counts] = _called(reward, terms[counts], games[counts])
    return values


def _called(
    reward: Reward, terms: NDArray[np.int8], games: np.ndarray
) -> NDArray[np.floating[Any]]:
    """The values of a reward called from Python, checked."""
    values = np.asarray(reward(_sealed(terms), _sealed(games)))
    if values.dtype.kind not in "biuf":
        raise ValueError(f"reward {reward!r} gave {values.dtype}, must give real numbers")
    expected = (len(games), MAX_PLAYERS)
    if values.shape != expected:
        raise ValueError(
            f"reward {reward!r} gave shape {values.shape}, must give (B, {MAX_PLAYERS}), "
            f"here {expected}"
        )
    if not are_finite(values):
        raise ValueError(f"reward {reward!r} gave numbers that aren't finite in float32")
    return values


def _sealed(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
