"""Rewards: terms counted from the events of a step, and what each reward makes of them.

A step is one decision and, with `skip_forced`, the forced ones that follow it. For each seat
F small numbers are counted, one for each `RewardTerm`. Most rewards weigh and add these
(`LinearReward`), so that one matrix product rewards a game, or a whole batch of games on any
device. Letters: P = 4 seats (absent ones stay zero), F reward terms, B games.

Events (points, cards, robber, discards, cities) are added up over all decisions of a step,
forced ones included and for every seat. What a seat holds after a decision of its own is
counted for the decision that it took, never for forced ones. A truncated game has no winner
and no reward for its end.
"""

from collections.abc import Collection
from enum import IntEnum
from typing import Any, Final, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import DISCARD, MARITIME_TRADE, NO_ACTION
from catan_pz.checks import check_number, not_possible
from catan_pz.engine import events as ev
from catan_pz.engine.state import State
from catan_pz.engine.step import advance, forced_action
from catan_pz.engine.turn import is_truncated
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Matrix, Int16Matrix
from catan_pz.terms import MAX_PLAYERS, Phase


class RewardTerm(IntEnum):
    """What is counted for each seat in a step, as int8; sums stop at -128 and 127."""

    WON = 0
    """1 for the winner."""
    LOST = 1
    """1 for each other seat when somebody has won."""
    POINTS_GAINED = 2
    """Points gained less points lost, hidden ones included, in anybody's decisions."""
    POINTS_WON = 3
    """Points gained, without those lost: gains of single decisions, added up."""
    CARD_PLAYED = 4
    """Development cards played."""
    ROBBER_MOVED = 5
    """Times that the seat moved the robber."""
    CARDS_DISCARDED = 6
    """Resource cards discarded to a 7."""
    CITY_BUILT = 7
    """Cities built."""
    POINTS_HELD = 8
    """Points, hidden ones included, once the seat's own decision was played."""
    POINTS_HELD_IN_VAIN = 9
    """The same, but 0 where that decision gained a point."""
    ROAD_HELD = 10
    """Roads in its longest continuous road, once the seat's own decision was played."""
    FINAL_LEAD = 11
    """When somebody has won: own points less those of the best other seat."""


NUM_TERMS: Final = len(RewardTerm)
"""F, the number of reward terms."""

_MOST, _LEAST = 127, -128

LARGEST_WEIGHT: Final = 1e35
"""The largest weight of a term: sums of all terms stay finite in float32."""

SEAT: Final = 3
"""Bits of a `step_code` that hold the seat to move."""
OVER: Final = 4
"""Its bit for a game that is won."""
TRUNCATED: Final = 8
"""Its bit for a game that is truncated."""
FINISHED: Final = OVER | TRUNCATED
TERMS_SHIFT: Final = 4
"""The bit from which on it holds the set of the terms that aren't zero."""

# Plain numbers: on CUDA compiled rules can't index with enums.
_CARDS_DISCARDED = RewardTerm.CARDS_DISCARDED.value
_CARD_PLAYED = RewardTerm.CARD_PLAYED.value
_CITY_BUILT = RewardTerm.CITY_BUILT.value
_FINAL_LEAD = RewardTerm.FINAL_LEAD.value
_LOST = RewardTerm.LOST.value
_POINTS_GAINED = RewardTerm.POINTS_GAINED.value
_POINTS_HELD = RewardTerm.POINTS_HELD.value
_POINTS_HELD_IN_VAIN = RewardTerm.POINTS_HELD_IN_VAIN.value
_POINTS_WON = RewardTerm.POINTS_WON.value
_ROAD_HELD = RewardTerm.ROAD_HELD.value
_ROBBER_MOVED = RewardTerm.ROBBER_MOVED.value
_WON = RewardTerm.WON.value


@kernel
def add_term(terms: Int8Matrix, p: int, term: int, n: int) -> None:
    """Add n to a term of p."""
    total = int(terms[p, term]) + n
    terms[p, term] = max(_LEAST, min(_MOST, total))


@kernel
def clear_terms(terms: Int8Matrix) -> None:
    """Set all terms, (P, F), to zero."""
    for p in range(MAX_PLAYERS):
        for term in range(NUM_TERMS):
            terms[p, term] = 0


@kernel
def add_end_terms(s: State, terms: Int8Matrix) -> None:
    """Count who has won, and by how much."""
    for p in range(s.num_players):
        best = 0
        for q in range(s.num_players):
            if q != p:
                best = max(best, int(s.points[q]))
        add_term(terms, p, _WON if p == s.winner else _LOST, 1)
        add_term(terms, p, _FINAL_LEAD, int(s.points[p]) - best)


@kernel
def add_event_terms(events: Int16Matrix, k: int, terms: Int8Matrix) -> None:
    """Count event k of a decision."""
    kind, p = int(events[k, ev.KIND]), int(events[k, ev.SEAT])
    if kind == ev.POINTS_CHANGED:
        change = int(events[k, ev.AMOUNT])
        add_term(terms, p, _POINTS_GAINED, change)
        if change > 0:
            add_term(terms, p, _POINTS_WON, change)
    elif kind == ev.CARD_PLAYED:
        add_term(terms, p, _CARD_PLAYED, 1)
    elif kind == ev.ROBBER_MOVED:
        add_term(terms, p, _ROBBER_MOVED, 1)
    elif kind == ev.CITY_BUILT:
        add_term(terms, p, _CITY_BUILT, 1)
    elif kind == ev.DECISION and DISCARD <= events[k, ev.WHAT] < MARITIME_TRADE:
        add_term(terms, p, _CARDS_DISCARDED, 1)


@kernel
def add_own_terms(s: State, p: int, terms: Int8Matrix) -> None:
    """Count what p holds once the decision that it took is played."""
    add_term(terms, p, _POINTS_HELD, int(s.points[p]))
    add_term(terms, p, _ROAD_HELD, int(s.road_length[p]))
    if terms[p, _POINTS_WON] == 0:
        add_term(terms, p, _POINTS_HELD_IN_VAIN, int(s.points[p]))


@kernel
def play_decision(
    s: State, a: int, script: Int8Matrix, forced: int, events: Int16Matrix, terms: Int8Matrix
) -> int:
    """Play one decision of a step, write its events and add its terms.

    The first decision of a step, which is not `forced`, clears the terms. Returns the forced
    action that follows, or NO_ACTION at the end of the step.
    """
    p = int(s.player)
    ev.step_with_events(s, a, script, forced, events)
    if forced == 0:
        clear_terms(terms)
    for k in range(1, int(events[0, 0]) + 1):
        add_event_terms(events, k, terms)
    if forced == 0:
        add_own_terms(s, p, terms)
    if s.phase == Phase.OVER:
        add_end_terms(s, terms)
    return forced_action(s)


@kernel
def advance_with_terms(
    s: State, a: int, script: Int8Matrix, events: Int16Matrix, terms: Int8Matrix
) -> None:
    """Play a decision and the forced ones that follow, and count the terms (P, F) of the step.

    `events` is left with those of the last decision.
    """
    forced = 0
    while a != NO_ACTION:
        a = play_decision(s, a, script, forced, events, terms)
        forced = 1


@kernel
def advance_and_count(
    s: State, a: int, script: Int8Matrix, dense: int, events: Int16Matrix, terms: Int8Matrix
) -> bool:
    """Play a decision and count the reward terms; return whether any may matter.

    Where the reward depends on the end of the game alone (not `dense`), no events are written.
    """
    if dense:
        advance_with_terms(s, a, script, events, terms)
        return True
    advance(s, a, script)
    if s.phase != Phase.OVER:
        return False
    clear_terms(terms)
    add_end_terms(s, terms)
    return True


@kernel
def step_code(s: State, terms: Int8Matrix) -> int:
    """A step in one number.

    Who is to move (2 bits), whether the game is won, whether it is truncated, and from bit 4
    on the set of terms that aren't zero for everybody.
    """
    code = int(s.player)
    if s.phase == Phase.OVER:
        code |= OVER
    elif is_truncated(s):
        code |= TRUNCATED
    for p in range(s.num_players):
        for term in range(NUM_TERMS):
            if terms[p, term] != 0:
                code |= 1 << (TERMS_SHIFT + term)
    return code


@runtime_checkable
class Reward(Protocol):
    """What a reward must do; any object that can be called so will serve.

    It may have an attribute `depends_on`, each `RewardTerm` that it depends on: steps in
    which all of these are zero for everybody then have the reward zero without a call.
    """

    def __call__(self, terms: NDArray[np.int8], games: np.ndarray) -> NDArray[Any]:
        """Rewards of every seat for a step.

        Args:
            terms: (B, 4, F) int8, what was counted, by seat and `RewardTerm`. The axis of seats
                has length 4 in games of two and three players too; absent seats have zeros.
            games: (B,) records of `engine.state.STATE`, after the step; not to be written to.
                `games["num_players"]`, (B,), tells how many seats play.

        Returns:
            (B, 4) rewards, real numbers that are finite in float32; those of absent seats count
            for nobody. A mean over the players is a sum divided by their number, not a mean over
            the axis.
        """
        ...


def _weight(name: str, given: object) -> float:
    return check_number(name, given, least=-LARGEST_WEIGHT, most=LARGEST_WEIGHT)


class LinearReward:
    """A weighted sum of the reward terms.

    Args:
        **weights: weight of each `RewardTerm`, a number from -1e35 to 1e35, by its name in lower
            case; zero where left out.

    Attributes:
        weights: (F,) float64.
        depends_on: the terms whose weight isn't zero.

    Raises:
        ValueError: for a name that is not one of `RewardTerm`, or what isn't such a number;
            likewise for the numbers that the subclasses take.
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
        """The terms whose weight isn't zero."""
        return frozenset(term for term in RewardTerm if self.weights[term] != 0)

    def __call__(self, terms: NDArray[np.int8], games: np.ndarray) -> NDArray[np.float64]:
        """(B, 4) rewards for terms (B, 4, F)."""
        return terms @ self.weights

    def __repr__(self) -> str:
        terms = {k.name.lower(): float(self.weights[k]) for k in sorted(self.depends_on)}
        return f"{type(self).__name__}({', '.join(f'{k}={w:g}' for k, w in terms.items())})"


class WinLoss(LinearReward):
    """+1 for the winner, -1 for each other seat; nothing before."""

    def __init__(self) -> None:
        super().__init__(won=1.0, lost=-1.0)


class PointsGained(LinearReward):
    """The points that a seat gains, less those that it loses, in anybody's decisions.

    Args:
        point: reward for each point.
        win: added for the winner, and taken from each other seat.
    """

    def __init__(self, point: float = 1.0, win: float = 0.0) -> None:
        win = _weight("win", win)
        super().__init__(points_gained=_weight("point", point), won=win, lost=-win)


class PointsHeld(LinearReward):
    """Own points after each own move.

    Source: G. E. Rocco, "DQN-based approaches for complex board games", master thesis,
    Trieste, 2023.
    """

    def __init__(self) -> None:
        super().__init__(points_held=1.0)


class RoadHeld(LinearReward):
    """Length of the own longest continuous road after each own move.

    The sub-goal of the agents marked "*" for their choice of roads. Source: G. E. Rocco,
    "DQN-based approaches for complex board games", master thesis, Trieste, 2023.
    """

    def __init__(self) -> None:
        super().__init__(road_held=1.0)


class GainOrPenalty(LinearReward):
    """k for each point gained; an own decision that gains none costs k for each point held.

    Source: Xenou, Chalkiadakis, Afantenos, "Deep Reinforcement Learning in Strategic Board
    Game Environments", EUMAS 2018. There a learner takes only some decisions of a seat, and
    the points are compared from one of its decisions to the next: `between` is for that.

    Args:
        k: as in the paper.
    """

    def __init__(self, k: float = 0.01) -> None:
        self.k = _weight("k", k)
        super().__init__(points_won=self.k, points_held_in_vain=-self.k)

    def between(self, before: int, now: int) -> float:
        """Reward of a decision taken with `before` points when the next finds `now` points."""
        return self.k * (now - before) if now > before else -self.k * now


class WinAndLead(LinearReward):
    """At the end alone: win or loss, and a little for each point of difference.

    The difference is to the best of the other seats. Source: Gendre and Kaneko, "Playing
    Catan with Cross-dimensional Neural Network", 2020, for two players.

    Args:
        win: for the winner; each other seat gets the negative.
        point: for each point of difference.
    """

    def __init__(self, win: float = 0.75, point: float = 0.02) -> None:
        win = _weight("win", win)
        super().__init__(won=win, lost=-win, final_lead=_weight("point", point))


class WinAndTerms(LinearReward):
    """500 for a win, and dense terms on the way.

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
    """`WinAndTerms` in which all seats get what is paid for cards, robber, discards and cities.

    So does the published code of that source, whoever acts.
    """

    def __call__(self, terms: NDArray[np.int8], games: np.ndarray) -> NDArray[np.float64]:
        """(B, P) rewards for terms (B, P, F)."""
        shared = terms[..., _SHARED] @ self.weights[_SHARED]
        return terms @ self.weights - shared + shared.sum(-1, keepdims=True)


REWARDS: Final[dict[str, type[LinearReward]]] = {
    "win_loss": WinLoss,
    "points_gained": PointsGained,
    "points_held": PointsHeld,
    "road_held": RoadHeld,
    "gain_or_penalty": GainOrPenalty,
    "win_and_lead": WinAndLead,
    "win_and_terms": WinAndTerms,
}
"""Rewards by name."""


def make_reward(reward: Reward | str | None = None) -> Reward:
    """A reward from itself, its name in `REWARDS`, or None for `WinLoss`.

    Raises:
        ValueError: for anything else.
    """
    if reward is None:
        return WinLoss()
    if isinstance(reward, str) and reward in REWARDS:
        return REWARDS[reward]()
    if isinstance(reward, type) or not callable(reward):
        allowed = f"one of {sorted(REWARDS)} or an object as catan_pz.rewards.Reward describes it"
        raise not_possible("option reward", reward, allowed, REWARDS)
    dependencies(reward)  # refuses what are no terms
    return reward


def is_linear(reward: Reward) -> TypeGuard[LinearReward]:
    """Whether a reward is its weighted terms and nothing else: no subclass changes them."""
    if not isinstance(reward, LinearReward):
        return False
    own, plain = type(reward), LinearReward
    return own.__call__ is plain.__call__ and own.depends_on is plain.depends_on


def weights_of(reward: Reward) -> NDArray[np.float64]:
    """(F,) weights of a linear reward, zeros for any other, as compiled rules take them."""
    weights = np.zeros(NUM_TERMS)
    if is_linear(reward):
        weights[:] = reward.weights
    return weights


def dependencies(reward: Reward) -> int:
    """The set of terms that a reward depends on, as `step_code` gives it, or -1: all steps.

    Raises:
        ValueError: names the reward if what it depends on are no reward terms.
    """
    terms = getattr(reward, "depends_on", None)
    if isinstance(reward, LinearReward) and not is_linear(reward):
        is_inherited = type(reward).depends_on is LinearReward.depends_on
        terms = None if is_inherited else terms  # it may look at more than its weights
    if terms is None:
        return -1
    if not isinstance(terms, Collection) or not all(isinstance(term, RewardTerm) for term in terms):
        allowed = "a collection of catan_pz.rewards.RewardTerm"
        raise not_possible(f"reward {reward!r}: depends_on", terms, allowed)
    return sum(1 << term for term in set(terms))


def is_sparse(reward: Reward) -> bool:
    """Whether a reward is linear and depends on the end of a game alone: no events are needed."""
    end = 1 << _WON | 1 << _LOST | 1 << _FINAL_LEAD
    return is_linear(reward) and dependencies(reward) & ~end == 0
