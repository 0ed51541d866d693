"""Rewards: what happened in a step, written by compiled rules, and what each reward pays for it.

A step is one decision and, with `skip_forced`, the forced ones that follow it. For each
seat the rules write F small numbers, the `Happened` of that seat. Most rewards weigh and
add these (`LinearReward`), so that one matrix product pays a game, or a whole batch of
games on any device. Letters: P = 4 seats (absent ones stay zero), F kinds of things that
happen, B games.

Events (points, cards, robber, discards, cities) are added up over all decisions of a
step, forced ones included and for every seat. What a seat holds after a decision of its
own is noted for the decision that was chosen, never for forced ones, which nobody took.
A truncated game has no winner and pays nothing for its end.
"""

from enum import IntEnum
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import (
    BUILD_CITY,
    BUY_DEVELOPMENT_CARD,
    DISCARD,
    MARITIME_TRADE,
    MOVE_ROBBER,
    PLAY_KNIGHT,
    STEAL,
)
from catan_pz.compiler.rule import rule
from catan_pz.compiler.types import Int8Matrix
from catan_pz.engine.legal import count_legal, pick_legal
from catan_pz.engine.state import State
from catan_pz.engine.step import step
from catan_pz.engine.turn import is_truncated
from catan_pz.terms import MAX_PLAYERS, Phase


class Happened(IntEnum):
    """What is noted for each seat in a step, as int8; sums stop at -128 and 127."""

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


NUM_HAPPENED: Final = len(Happened)
"""F, kinds of things that happen."""

_MOST, _LEAST = 127, -128
_SEAT_BITS = 8

SEAT: Final = 3
"""Bits of a step's `report` that hold the seat to move."""
OVER: Final = 4
"""Its bit for a game that is won."""
TRUNCATED: Final = 8
"""Its bit for a game that is truncated."""
FINISHED: Final = OVER | TRUNCATED
HAPPENED_SHIFT: Final = 4
"""The bit from which on it holds the set of what happened."""

# Plain numbers: on CUDA compiled rules can't index with enums.
_CARDS_DISCARDED = Happened.CARDS_DISCARDED.value
_CARD_PLAYED = Happened.CARD_PLAYED.value
_CITY_BUILT = Happened.CITY_BUILT.value
_FINAL_LEAD = Happened.FINAL_LEAD.value
_LOST = Happened.LOST.value
_POINTS_GAINED = Happened.POINTS_GAINED.value
_POINTS_HELD = Happened.POINTS_HELD.value
_POINTS_HELD_IN_VAIN = Happened.POINTS_HELD_IN_VAIN.value
_POINTS_WON = Happened.POINTS_WON.value
_ROAD_HELD = Happened.ROAD_HELD.value
_ROBBER_MOVED = Happened.ROBBER_MOVED.value
_WON = Happened.WON.value


@rule
def note(happened: Int8Matrix, p: int, kind: int, n: int) -> None:
    """Add n to what happened to p."""
    total = int(happened[p, kind]) + n
    happened[p, kind] = max(_LEAST, min(_MOST, total))


@rule
def note_action(happened: Int8Matrix, p: int, a: int) -> None:
    """Note what p did."""
    if PLAY_KNIGHT <= a < MOVE_ROBBER:
        note(happened, p, _CARD_PLAYED, 1)
    elif MOVE_ROBBER <= a < STEAL:
        note(happened, p, _ROBBER_MOVED, 1)
    elif DISCARD <= a < MARITIME_TRADE:
        note(happened, p, _CARDS_DISCARDED, 1)
    elif BUILD_CITY <= a < BUY_DEVELOPMENT_CARD:
        note(happened, p, _CITY_BUILT, 1)


@rule
def play_decision(s: State, a: int, script: Int8Matrix, happened: Int8Matrix, chosen: int) -> None:
    """Play one decision and note what happened; `chosen` is 0 for a forced one."""
    p = int(s.player)
    before = 0
    for q in range(s.num_players):
        before |= int(s.points[q]) << (_SEAT_BITS * q)
    step(s, a, script)
    note_action(happened, p, a)
    for q in range(s.num_players):
        gained = int(s.points[q]) - ((before >> (_SEAT_BITS * q)) & 255)
        note(happened, q, _POINTS_GAINED, gained)
        if gained > 0:
            note(happened, q, _POINTS_WON, gained)
        elif q == p and chosen == 1:
            note(happened, p, _POINTS_HELD_IN_VAIN, int(s.points[p]))
    if chosen == 1:
        note(happened, p, _POINTS_HELD, int(s.points[p]))
        note(happened, p, _ROAD_HELD, int(s.road_length[p]))


@rule
def note_end(s: State, happened: Int8Matrix) -> None:
    """Note who has won, and by how much."""
    for p in range(s.num_players):
        best = 0
        for q in range(s.num_players):
            if q != p:
                best = max(best, int(s.points[q]))
        note(happened, p, _WON if p == s.winner else _LOST, 1)
        note(happened, p, _FINAL_LEAD, int(s.points[p]) - best)


@rule
def advance_noting(s: State, a: int, script: Int8Matrix, happened: Int8Matrix) -> None:
    """Play a decision and the forced ones that follow, and write what happened, (P, F)."""
    for p in range(MAX_PLAYERS):
        for kind in range(NUM_HAPPENED):
            happened[p, kind] = 0
    play_decision(s, a, script, happened, 1)
    while s.skip_forced and count_legal(s) == 1:
        play_decision(s, pick_legal(s, 0), script, happened, 0)
    if s.phase == Phase.OVER:
        note_end(s, happened)


@rule
def report(s: State, happened: Int8Matrix) -> int:
    """A step in one number.

    Who is to move (2 bits), whether the game is won, whether it is truncated, and from bit 4
    on the set of what happened to anybody.
    """
    code = int(s.player)
    if s.phase == Phase.OVER:
        code |= OVER
    elif is_truncated(s):
        code |= TRUNCATED
    for p in range(s.num_players):
        for kind in range(NUM_HAPPENED):
            if happened[p, kind] != 0:
                code |= 1 << (HAPPENED_SHIFT + kind)
    return code


@runtime_checkable
class Reward(Protocol):
    """What a reward must do; any object that can be called so will serve.

    It may have an attribute `looks_at`, the kinds (`Happened`) that it depends on: steps in
    which all of these are zero for everybody then pay zero without a call.
    """

    def __call__(self, happened: NDArray[np.int8], games: np.ndarray) -> NDArray[Any]:
        """Pay every seat for a step.

        Args:
            happened: (B, P, F) int8, what happened, by seat and `Happened`.
            games: (B,) records of `engine.state.STATE`, after the step; not to be written to.

        Returns:
            (B, P) rewards, real numbers.
        """
        ...


class LinearReward:
    """Pays a fixed amount for each thing that happens.

    Args:
        **weights: reward for one unit of each `Happened`, by its name in lower case; what is
            left out pays nothing.

    Attributes:
        weights: (F,) float64.
        looks_at: the kinds that pay something.

    Raises:
        ValueError: for a name that is not one of `Happened`.
    """

    def __init__(self, **weights: float) -> None:
        kinds = {kind.name.lower(): kind for kind in Happened}
        unknown = sorted(set(weights) - set(kinds))
        if unknown:
            raise ValueError(f"unknown weights {unknown}; possible: {list(kinds)}")
        self.weights: NDArray[np.float64] = np.zeros(NUM_HAPPENED)
        for name, weight in weights.items():
            self.weights[kinds[name]] = weight
        self.weights.flags.writeable = False

    @property
    def looks_at(self) -> frozenset[Happened]:
        """The kinds that pay something."""
        return frozenset(kind for kind in Happened if self.weights[kind] != 0)

    def __call__(self, happened: NDArray[np.int8], games: np.ndarray) -> NDArray[np.float64]:
        """(B, P) rewards for what happened (B, P, F)."""
        return happened @ self.weights

    def __repr__(self) -> str:
        terms = {k.name.lower(): float(self.weights[k]) for k in sorted(self.looks_at)}
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
        super().__init__(points_gained=point, won=win, lost=-win)


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
        super().__init__(points_won=k, points_held_in_vain=-k)
        self.k = k

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
        super().__init__(won=win, lost=-win, final_lead=point)


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
        raise ValueError(
            f"option reward={reward!r} is not possible; allowed: one of {sorted(REWARDS)} or an "
            "object to be called as catan_pz.rewards.Reward says"
        )
    return reward


def weights_of(reward: Reward) -> NDArray[np.float64]:
    """(F,) weights of a linear reward, zeros for any other, as compiled rules take them."""
    weights = np.zeros(NUM_HAPPENED)
    if isinstance(reward, LinearReward):
        weights[:] = reward.weights
    return weights


def looked_at(reward: Reward) -> int:
    """The set of `Happened` that a reward depends on, as `report` gives it, or -1: all steps."""
    kinds = getattr(reward, "looks_at", None)
    return -1 if kinds is None else sum(1 << int(kind) for kind in set(kinds))


def looks_at_end_alone(reward: Reward) -> bool:
    """Whether a reward is linear and pays for the end of a game alone: no more need be noted."""
    end = 1 << _WON | 1 << _LOST | 1 << _FINAL_LEAD
    return isinstance(reward, LinearReward) and looked_at(reward) & ~end == 0
