"""Actions of the hierarchical player: ten kinds, and the actions of each.

Decisions outside the ten kinds (rolling, moving the robber, stealing, discarding) are separate
kinds here, which no network chooses. Letters: A actions, W outputs of an executor; "..." is any
leading axes.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz import actions
from catan_pz.observation.segments import PLACES
from catan_pz.terms import NUM_EDGES, NUM_RESOURCES, NUM_VERTICES

KINDS: Final = (
    *("build_settlement", "build_road", "build_city", "buy_development_card", "maritime_trade"),
    *("play_knight", "play_monopoly", "play_year_of_plenty", "play_road_building", "end_turn"),
)
"""The orchestrator's choices, in the order of its outputs."""

NUM_KINDS: Final = len(KINDS)
SETTLEMENT: Final = KINDS.index("build_settlement")
ROAD: Final = KINDS.index("build_road")
TRADE: Final = KINDS.index("maritime_trade")
END_TURN: Final = KINDS.index("end_turn")
AFTER_ROLL: Final = slice(KINDS.index("play_monopoly"), END_TURN)
"""Cards that this player plays only after the roll, though the rules allow them before."""


_NAMES: Final = [*KINDS, "roll", "move_robber", "steal", "discard"]
_OF_TABLE: Final = [kind for kind in actions.ACTION_KINDS if not kind.trading]
KIND_OF: Final = np.repeat(
    [_NAMES.index(kind.name) for kind in _OF_TABLE], [kind.count for kind in _OF_TABLE]
)
"""(A,) kind of each action without player trade; the first ten are `KINDS`."""
_MEMBERS: Final = (KIND_OF[:, None] == np.arange(KIND_OF.max() + 1)).astype(np.float32)


EXECUTORS: Final = {
    "settlement": actions.BUILD_SETTLEMENT + np.arange(NUM_VERTICES),
    "road": actions.BUILD_ROAD + np.arange(NUM_EDGES),
    "trade": actions.SWAP_ACTIONS.ravel(),
}
"""The learning executors, by name: (W,) the action of each of their outputs."""

EXECUTOR_OF: Final = {SETTLEMENT: "settlement", ROAD: "road", TRADE: "trade"}
"""The executor of each kind; actions of other kinds are drawn at random."""


WAY_WEIGHTS: Final = np.ones(len(KIND_OF), np.int64)
"""(A,) the weight of each action in random draws within its kind.

Two resources of a year of plenty are drawn one after the other: unlike ones have two orders."""
WAY_WEIGHTS[actions.PLENTY_ACTIONS[~np.eye(NUM_RESOURCES, dtype=bool)]] = 2


def legal_kinds(legal: NDArray[Any]) -> NDArray[np.bool_]:
    """(..., kinds) bool: kinds with a legal action, from masks (..., A).

    Before the roll a knight is the only card allowed.
    """
    kinds = np.asarray((legal != 0).astype(np.float32) @ _MEMBERS > 0)
    kinds[..., AFTER_ROLL] &= legal[..., actions.ROLL, None] == 0
    return kinds


def legal_ways(legal: NDArray[Any], executor: str) -> NDArray[np.bool_]:
    """(..., W) legal actions of an executor, from masks (..., A)."""
    ways = EXECUTORS[executor]
    return np.asarray((legal[..., ways] != 0) & (ways != actions.NO_ACTION))


def orchestrated(legal: NDArray[Any]) -> NDArray[np.bool_]:
    """(...) whether the orchestrator decides: in an own turn, once the dice are rolled.

    Before the roll it decides if a knight can be played; ending the turn then means rolling.
    """
    before = (legal[..., actions.ROLL] != 0) & (legal[..., actions.PLAY_KNIGHT] != 0)
    return np.asarray((legal[..., actions.END_TURN] != 0) | before)


def kinds_to_choose(legal: NDArray[Any]) -> NDArray[np.bool_]:
    """(..., 10) the kinds that the orchestrator may choose when it decides."""
    kinds = legal_kinds(legal)[..., :NUM_KINDS]
    kinds[..., END_TURN] |= legal[..., actions.ROLL] != 0
    return np.asarray(kinds)


def of_kind(legal: NDArray[Any], kind: NDArray[Any] | int) -> NDArray[np.bool_]:
    """(..., A) legal actions of a kind (...); ending the turn before the roll means rolling."""
    kind = np.asarray(kind)[..., None]
    rolls = (kind == END_TURN) & (np.arange(len(KIND_OF)) == actions.ROLL)
    return np.asarray((legal != 0) & ((kind == KIND_OF) | rolls))


def places_free_road(units: NDArray[np.int8]) -> NDArray[np.bool_]:
    """(...) whether a road building card is being played, whose executor doesn't learn."""
    return np.asarray(units[..., PLACES["free_roads"].start] > 0)
