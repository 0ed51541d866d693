"""Observations and actions of a game on a rotated or reflected board.

Letters: S symmetries, the first is the identity; N numbers of an observation; A actions.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import BUILD_CITY, BUILD_ROAD, BUILD_SETTLEMENT, MOVE_ROBBER, NUM_ACTIONS
from catan_pz.board.symmetries import SYMMETRIES, Permutation, Symmetry
from catan_pz.observation.segments import PLACES, SEGMENTS, SIZE

Orders = NDArray[np.int64]

_OF_PLACES: Final = {"hex": "hexes", "vertex": "vertices", "edge": "edges", "harbor": "harbors"}
"""Which permutation moves a segment, by the first word of its name."""

_FIRST_ACTIONS: Final = (
    (BUILD_ROAD, "edges"),
    (BUILD_SETTLEMENT, "vertices"),
    (BUILD_CITY, "vertices"),
    (MOVE_ROBBER, "hexes"),
)


def _moved_numbers(symmetry: Symmetry) -> Permutation:
    """(N,) the index of each number in the transformed observation."""
    moved = np.arange(SIZE)
    for segment in SEGMENTS:
        places = _OF_PLACES.get(segment.name.partition("_")[0])
        if places is not None:
            numbers = moved[PLACES[segment.name]].reshape(segment.shape[0], -1)
            numbers[:] = numbers[getattr(symmetry, places)]
    return moved


def _moved_actions(symmetry: Symmetry) -> Permutation:
    moved = np.arange(NUM_ACTIONS)
    for first, places in _FIRST_ACTIONS:
        targets: Permutation = getattr(symmetry, places)
        moved[first : first + len(targets)] = first + targets
    return moved


MOVED_ACTIONS: Final[Orders] = np.stack([_moved_actions(one) for one in SYMMETRIES])
"""(S, A) each action's counterpart on the transformed board."""

ACTION_ORDERS: Final[Orders] = MOVED_ACTIONS.argsort(1)
"""(S, A): `mask[..., ACTION_ORDERS[s]]` is the mask on the transformed board, and
`ACTION_ORDERS[s, a]` the original action of its action a."""

OBSERVATION_ORDERS: Final[Orders] = np.stack([_moved_numbers(s) for s in SYMMETRIES]).argsort(1)
"""(S, N): `observation[..., OBSERVATION_ORDERS[s]]` is the observation on that board."""

for _orders in (MOVED_ACTIONS, ACTION_ORDERS, OBSERVATION_ORDERS):
    _orders.flags.writeable = False
