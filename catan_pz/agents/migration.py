"""Model files of earlier layouts of observations, brought to the present one.

Numbers are only ever added to the end of observations. A network that gets weights of zero for
them plays as it did before.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.board_network import ELSEWHERE
from catan_pz.observation.segments import LAYOUT, SIZE

EARLIER: Final = {"f8c944399972b752": 990}
"""Numbers in an observation, by the hash of the layout: without turns and the rules in force."""


def migrated(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """The arrays of a model file for the present layout.

    Args:
        header: the file's header.
        arrays: the network's arrays, which may be of an earlier layout.

    Raises:
        ValueError: for a layout that isn't known, or a network of another kind.
    """
    layout = header["layout"]
    if layout == LAYOUT:
        return dict(arrays)
    if layout not in EARLIER:
        raise ValueError(
            f"it was made for another layout of observations, {layout!r}; known are {LAYOUT!r} "
            f"and, for migration, {sorted(EARLIER)}"
        )
    kind, size = header["network"]["kind"], EARLIER[layout]
    if kind == "dense":
        return {**arrays, "weight_0": _widened(arrays["weight_0"], 1, size, SIZE - size)}
    if kind == "board":
        rows = {
            name: _widened(arrays[name], 0, size - ELSEWHERE, SIZE - size)
            for name in ("context", "dense_1")
        }
        return {**arrays, **rows}
    raise ValueError(f"its network is of the kind {kind!r}, which can't be migrated")


def _widened(weights: NDArray[Any], axis: int, place: int, count: int) -> NDArray[Any]:
    """Weights with zeros for new inputs, put in at a place along an axis."""
    return np.insert(weights, [place] * count, 0, axis=axis)
