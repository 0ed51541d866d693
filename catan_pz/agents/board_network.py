"""A graph network that shares its weights across the vertices, edges and hexes of the board.

The same small layers compute the embedding of every vertex, edge and hex, first from its own
features, then by message passing from its neighbours. What is learned at one place holds for all,
and no layer has to learn the board's geometry. Written once for NumPy, which plays, and torch,
which learns.

Letters: K games, N numbers of an observation, A actions, H hexes, V vertices, E edges, B
harbors, P seats, R resources, W size of an embedding, C for what is the same for all
places, D units of the dense layers. Places come first: arrays are (V, K, W).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import BUILD_CITY, BUILD_ROAD, BUILD_SETTLEMENT, MOVE_ROBBER, STEAL
from catan_pz.board.topology import EDGE_VERTICES, HARBOR_VERTICES, HEX_VERTICES
from catan_pz.observation.segments import PLACES, SCALES, SIZE
from catan_pz.terms import (
    MAX_PLAYERS,
    NUM_EDGES,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    TERRAIN_COUNTS,
)

Array = Any
"""A NumPy array or a torch tensor."""

ELSEWHERE: Final = PLACES["own_hand"].start
"""Where the part of an observation begins that belongs to no place of the board."""

ROWS: Final = 32
"""Games that NumPy evaluates at a time: their embeddings fit a core's cache."""

_NUM_HARBOR_KINDS: Final = NUM_RESOURCES + 1
_OF_HEX: Final = len(TERRAIN_COUNTS) + 3
_OF_VERTEX: Final = NUM_RESOURCES + 1 + _NUM_HARBOR_KINDS + 3 * MAX_PLAYERS
_OF_EDGE: Final = MAX_PLAYERS
_LEVELS: Final = (0.1, 0.2, 0.3, 0.4)
"""Own cards of a resource, scaled, each of which is a feature: costs are thresholds."""

_OF_ALL: Final = SIZE - ELSEWHERE + NUM_RESOURCES * (1 + len(_LEVELS))


def _touching(table: NDArray[np.int64]) -> NDArray[np.float32]:
    """(rows, V) 1 where a vertex is among a row's entries."""
    matrix = np.zeros((len(table), NUM_VERTICES), np.float32)
    np.put_along_axis(matrix, table, 1, axis=1)
    return matrix


def adjacency() -> dict[str, NDArray[np.float32]]:
    """Which places touch: "hex_vertex" (H, V), "edge_vertex" (E, V), "harbor_vertex" (B, V)."""
    return {
        "hex_vertex": _touching(HEX_VERTICES),
        "edge_vertex": _touching(EDGE_VERTICES),
        "harbor_vertex": _touching(HARBOR_VERTICES),
    }


def shapes(width: int, dense: int, actions: int) -> dict[str, tuple[int, ...]]:
    """The layers' arrays by name: weights (in, out), and biases (out,).

    Args:
        width: W, size of an embedding; the shared context takes twice as much.
        dense: D, units of the dense layers.
        actions: A.
    """
    layers: dict[str, tuple[int, ...]] = {
        "context": (_OF_ALL, 2 * width),
        "vertex_1": (_OF_VERTEX, width),
        "vertex_1_context": (2 * width, width),
        "edge_1": (_OF_EDGE, width),
        "edge_1_vertex": (width, width),
        "vertex_2": (width, width),
        "vertex_2_edge": (width, width),
        "vertex_2_context": (2 * width, width),
        "edge_2": (width, width),
        "edge_2_vertex": (width, width),
        "hex": (_OF_HEX, width),
        "hex_vertex": (width, width),
        "hex_context": (2 * width, width),
        "vertex_head": (width, 2),
        "edge_head": (width, 1),
        "hex_head": (width, 1),
        "dense_1": (_OF_ALL + 4 * width, dense),
        "dense_2": (dense, dense),
        "dense_head": (dense, actions),
    }
    without = [name for name in layers if name.endswith(("_context", "_vertex", "_2_edge"))]
    biases = {f"{name}_bias": shape[1:] for name, shape in layers.items() if name not in without}
    return layers | biases


def evaluate(
    layer: Mapping[str, Array],
    touch: Mapping[str, Array],
    x: Array,
    relu: Callable[[Array], Array],
    join: Callable[[list[Array], int], Array],
) -> tuple[Array, Array]:
    """The forward pass.

    Args:
        layer: its arrays, as in `shapes`.
        touch: `adjacency`, as arrays of the same kind.
        x: (K, N) scaled observations.
        relu: the larger of each number and 0.
        join: puts arrays together along an axis.

    Returns:
        (K, A) logits or Q-values, and (K, D) features for a value head.
    """
    games = len(x)

    def placed(name: str, places: int) -> Array:  # (places, K, ...)
        return x[:, PLACES[name]].reshape(games, places, -1).swapaxes(0, 1)

    def gathered(which: Array, what: Array) -> Array:
        """Sums of what touches, (rows, columns) with (columns, K, n) to (rows, K, n)."""
        flat = what.reshape(what.shape[0], -1)
        return (which @ flat).reshape(which.shape[0], games, -1)

    hex_vertex, edge_vertex = touch["hex_vertex"], touch["edge_vertex"]
    terrain = placed("hex_terrain", NUM_HEXES)
    pips, robber = placed("hex_pips", NUM_HEXES), placed("hex_robber", NUM_HEXES)
    yields = terrain[:, :, :NUM_RESOURCES] * pips
    building, road = placed("vertex_building", NUM_VERTICES), placed("edge_road", NUM_EDGES)
    sides = edge_vertex.sum(0)[:, None, None]
    beside = gathered(edge_vertex.T, gathered(edge_vertex, building)) - sides * building

    hand = x[:, PLACES["own_hand"]]
    levels = [(hand - (level - 0.1)).clip(0, 0.1) * 10 for level in _LEVELS]
    everything = join([x[:, ELSEWHERE:], yields.sum(0) * 0.1, *levels], 1)
    context = relu(everything @ layer["context"] + layer["context_bias"])

    vertex = [
        gathered(hex_vertex.T, join([yields, pips * robber], 2)),
        gathered(touch["harbor_vertex"].T, placed("harbor", len(HARBOR_VERTICES))),
        building,
        beside,
        gathered(edge_vertex.T, road),
    ]
    v = join(vertex, 2) @ layer["vertex_1"] + layer["vertex_1_bias"]
    v = relu(v + context @ layer["vertex_1_context"])
    e = gathered(edge_vertex, v @ layer["edge_1_vertex"])
    e = relu(e + road @ layer["edge_1"] + layer["edge_1_bias"])
    w = v @ layer["vertex_2"] + layer["vertex_2_bias"]
    w = w + gathered(edge_vertex.T, e @ layer["vertex_2_edge"])
    w = relu(w + context @ layer["vertex_2_context"])
    e = e @ layer["edge_2"] + layer["edge_2_bias"]
    e = relu(e + gathered(edge_vertex, w @ layer["edge_2_vertex"]))
    number = placed("hex_number_token", NUM_HEXES)
    h = join([terrain, pips, robber, number], 2) @ layer["hex"] + layer["hex_bias"]
    h = relu(h + gathered(hex_vertex, w @ layer["hex_vertex"]) + context @ layer["hex_context"])

    own = (w * building[:, :, :1]).sum(0)
    others = (w * building[:, :, 1:].sum(2)[:, :, None]).sum(0)
    whole = join([everything, own, others, w.sum(0) * 0.1, e.sum(0) * 0.1], 1)
    d = relu(whole @ layer["dense_1"] + layer["dense_1_bias"])
    d = relu(d @ layer["dense_2"] + layer["dense_2_bias"])
    outputs = d @ layer["dense_head"] + layer["dense_head_bias"]

    at_vertex = w @ layer["vertex_head"] + layer["vertex_head_bias"]
    at_edge = (e @ layer["edge_head"] + layer["edge_head_bias"])[:, :, 0].T
    at_hex = (h @ layer["hex_head"] + layer["hex_head_bias"])[:, :, 0].T
    # One output of the dense head for each kind of action is a bias that all its places share.
    parts = [
        outputs[:, :BUILD_ROAD],
        outputs[:, BUILD_ROAD : BUILD_ROAD + 1] + at_edge,
        outputs[:, BUILD_SETTLEMENT : BUILD_SETTLEMENT + 1] + at_vertex[:, :, 0].T,
        outputs[:, BUILD_CITY : BUILD_CITY + 1] + at_vertex[:, :, 1].T,
        outputs[:, BUILD_CITY + NUM_VERTICES : MOVE_ROBBER],
        outputs[:, MOVE_ROBBER : MOVE_ROBBER + 1] + at_hex,
        outputs[:, STEAL:],
    ]
    return join(parts, 1), d


@dataclass(frozen=True)
class BoardNetwork:
    """The network with its weights, in NumPy.

    Attributes:
        arrays: float32, by the names of `shapes`.

    Raises:
        ValueError: names what doesn't fit.
    """

    kind: ClassVar[str] = "board"
    arrays: Mapping[str, NDArray[np.float32]]

    def __post_init__(self) -> None:
        missing = sorted(shapes(1, 1, 1).keys() ^ self.arrays.keys())
        if missing:
            raise ValueError(f"network: {missing} must be there, and no others")
        for name, shape in shapes(self.width, self.dense, self.num_actions).items():
            array = self.arrays[name]
            if array.shape != shape:
                raise ValueError(f"network: {name} has the shape {array.shape}, must have {shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"network: {name} has weights that aren't finite")

    @property
    def width(self) -> int:
        """W."""
        return len(self.arrays["vertex_1_bias"])

    @property
    def dense(self) -> int:
        """D."""
        return len(self.arrays["dense_2_bias"])

    @property
    def inputs(self) -> int:
        """N, numbers that it takes."""
        return SIZE

    @property
    def num_actions(self) -> int:
        """A."""
        return len(self.arrays["dense_head_bias"])

    @property
    def options(self) -> dict[str, Any]:
        """What a file must say beside the arrays."""
        return {}

    def text(self) -> str:
        """The network in a few words."""
        return f"board network, embeddings of {self.width}, two dense layers of {self.dense}"

    @cached_property
    def _touch(self) -> dict[str, NDArray[np.float32]]:
        return adjacency()

    def evaluate(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """(K, A) logits or Q-values, from flat observations (K, N)."""
        outputs, _ = evaluate(self.arrays, self._touch, inputs, _relu, np.concatenate)
        return np.asarray(outputs, np.float32)

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """(K, A) logits or Q-values, from observations (K, N) in natural units."""
        outputs = np.empty((len(observations), self.num_actions), np.float32)
        for start in range(0, len(outputs), ROWS):
            part = slice(start, start + ROWS)
            x = np.minimum(observations[part] * SCALES, np.float32(1))
            outputs[part] = self.evaluate(x)
        return outputs


def _relu(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.maximum(x, 0, out=x)
