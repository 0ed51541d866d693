"""Actions as the hierarchical player sees them: ten kinds, and the ways of each.

What the ten kinds leave out (rolling, moving the robber, stealing, discarding) are kinds of their
own here, which nothing learns to choose. Letters: A actions, W ways of an executor; "..." any
leading axes.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz import actions
from catan_pz.observation.segments import PLACES
from catan_pz.published.factored import UNUSED, Factored, Head
from catan_pz.terms import (
    NUM_EDGES,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
)

KINDS: Final = (
    "settlement",
    "road",
    "city",
    "buy card",
    "bank trade",
    "knight",
    "monopoly",
    "year of plenty",
    "road building",
    "end turn",
)
"""What the orchestrator chooses from, in the order of its outputs."""

NUM_KINDS: Final = len(KINDS)
SETTLEMENT: Final = KINDS.index("settlement")
ROAD: Final = KINDS.index("road")
TRADE: Final = KINDS.index("bank trade")
END_TURN: Final = KINDS.index("end turn")
AFTER_ROLL: Final = slice(KINDS.index("monopoly"), END_TURN)
"""Cards that this player plays after the roll alone, though the rules allow them before it."""

NUM_SWAPS: Final = NUM_RESOURCES * NUM_RESOURCES
"""Bank trades as pairs of resources: same for same is a way too, and never legal."""

_SWAPS: Final = actions.MARITIME_SWAPS @ (NUM_RESOURCES, 1)
_ONE: Final = np.zeros(1, np.int64)

_TABLE: Final = (
    (0, actions.BUILD_SETTLEMENT, "vertex", np.arange(NUM_VERTICES)),
    (1, actions.BUILD_ROAD, "edge", np.arange(NUM_EDGES)),
    (2, actions.BUILD_CITY, "vertex", np.arange(NUM_VERTICES)),
    (3, actions.BUY_DEVELOPMENT_CARD, "", _ONE),
    (4, actions.MARITIME_TRADE, "swap", _SWAPS),
    (5, actions.PLAY_KNIGHT, "", _ONE),
    (6, actions.PLAY_MONOPOLY, "resource", np.arange(NUM_RESOURCES)),
    (7, actions.PLAY_YEAR_OF_PLENTY, "pair", np.arange(len(actions.PLENTY_PAIRS))),
    (8, actions.PLAY_ROAD_BUILDING, "", _ONE),
    (9, actions.END_TURN, "", _ONE),
    (10, actions.ROLL, "", _ONE),
    (11, actions.MOVE_ROBBER, "hex", np.arange(NUM_HEXES)),
    (12, actions.STEAL, "seat", np.arange(actions.NUM_OPPONENTS)),
    (13, actions.DISCARD, "resource", np.arange(NUM_RESOURCES)),
)
"""Kind, first action, head of the way, and the ways of the actions."""

_HEADS: Final = (
    Head("kind", len(_TABLE)),
    Head("vertex", NUM_VERTICES),
    Head("edge", NUM_EDGES),
    Head("swap", NUM_SWAPS),
    Head("resource", NUM_RESOURCES),
    Head("pair", len(actions.PLENTY_PAIRS)),
    Head("hex", NUM_HEXES),
    Head("seat", actions.NUM_OPPONENTS),
)


def _factored() -> Factored:
    names = [head.name for head in _HEADS]
    choices = np.full((actions.NUM_ACTIONS_WITHOUT_TRADE, len(names)), UNUSED)
    for kind, first, head, ways in _TABLE:
        choices[first : first + len(ways), 0] = kind
        if head:
            choices[first : first + len(ways), names.index(head)] = ways
    return Factored(_HEADS, choices)


FACTORED: Final = _factored()
"""The action table without player trade: a kind, then a way. The first ten kinds are `KINDS`."""

KIND_OF: Final = FACTORED.choices[:, 0]
"""(A,) kind of each action."""


def _ways(kind: int) -> NDArray[np.int64]:
    """(W,) the action of each way of a kind, `NO_ACTION` where there is none."""
    _, first, head, ways = _TABLE[kind]
    size = next(one.size for one in _HEADS if one.name == head)
    table = np.full(size, actions.NO_ACTION)
    table[ways] = first + np.arange(len(ways))
    table.flags.writeable = False
    return table


EXECUTORS: Final = {"settlement": _ways(SETTLEMENT), "road": _ways(ROAD), "trade": _ways(TRADE)}
"""The executors that learn, by name: (W,) the action of each of their outputs."""

EXECUTOR_OF: Final = {SETTLEMENT: "settlement", ROAD: "road", TRADE: "trade"}
"""Which executor picks a way of each kind; ways of other kinds are drawn at random."""

_FREE_ROADS: Final = PLACES["free_roads"].start
_ROAD_LENGTH: Final = PLACES["road_length"].start
_POINTS: Final = PLACES["own_points"].start


def weights_of_ways() -> NDArray[np.int64]:
    """(A,) how likely each way of a kind is when it is drawn.

    Two resources of a year of plenty are drawn one after the other: unlike ones have two orders.
    """
    weights = np.ones(actions.NUM_ACTIONS_WITHOUT_TRADE, np.int64)
    unlike = actions.PLENTY_PAIRS[:, 0] != actions.PLENTY_PAIRS[:, 1]
    weights[actions.PLAY_YEAR_OF_PLENTY + np.flatnonzero(unlike)] = 2
    weights.flags.writeable = False
    return weights


WAY_WEIGHTS: Final = weights_of_ways()


def legal_kinds(legal: NDArray[Any]) -> NDArray[np.bool_]:
    """(..., kinds) bool: kinds of which an action is legal, from masks (..., A).

    Before the roll a knight is the only card.
    """
    kinds = np.asarray(FACTORED.mask(0, legal))
    kinds[..., AFTER_ROLL] &= legal[..., actions.ROLL, None] == 0
    return kinds


def legal_ways(legal: NDArray[Any], executor: str) -> NDArray[np.bool_]:
    """(..., W) ways of an executor that are legal, from masks (..., A)."""
    ways = EXECUTORS[executor]
    return np.asarray((legal[..., ways] != 0) & (ways != actions.NO_ACTION))


def orchestrated(legal: NDArray[Any]) -> NDArray[np.bool_]:
    """(...) whether the orchestrator is asked: in an own turn, once the dice are rolled.

    Before the roll it is asked where a knight can be played: to end the turn then means to roll.
    """
    before = (legal[..., actions.ROLL] != 0) & (legal[..., actions.PLAY_KNIGHT] != 0)
    return np.asarray((legal[..., actions.END_TURN] != 0) | before)


def kinds_to_choose(legal: NDArray[Any]) -> NDArray[np.bool_]:
    """(..., 10) the kinds that the orchestrator may choose where it is asked."""
    kinds = legal_kinds(legal)[..., :NUM_KINDS]
    kinds[..., END_TURN] |= legal[..., actions.ROLL] != 0
    return np.asarray(kinds)


def of_kind(legal: NDArray[Any], kind: NDArray[Any] | int) -> NDArray[np.bool_]:
    """(..., A) legal actions of a kind (...): to end the turn before the roll is to roll."""
    kind = np.asarray(kind)[..., None]
    rolls = (kind == END_TURN) & (np.arange(len(KIND_OF)) == actions.ROLL)
    return np.asarray((legal != 0) & ((kind == KIND_OF) | rolls))


def places_free_road(units: NDArray[np.int8]) -> NDArray[np.bool_]:
    """(...) whether a road building card is being played, whose executor doesn't learn."""
    return np.asarray(units[..., _FREE_ROADS] > 0)


def points(units: NDArray[np.int8]) -> NDArray[np.int8]:
    """(...) own points in observations (..., N)."""
    return units[..., _POINTS]


def road_length(units: NDArray[np.int8]) -> NDArray[np.int8]:
    """(...) length of the own longest road in observations (..., N)."""
    return units[..., _ROAD_LENGTH]
