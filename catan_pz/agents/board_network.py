"""A graph network that shares its weights across the vertices, edges and hexes of the board.

The same small layers compute the embedding of every vertex, edge and hex, first from its own
features, then by message passing from its neighbours. Written once for NumPy, which plays, and
torch, which learns.

Letters: K games, N numbers of an observation, A actions, H hexes, V vertices, E edges, B harbors, W
size of an embedding, D units of the dense layers, n numbers of a place. Places come first: an array
(V * K, W) has the embeddings of the first vertex in all games, then those of the second one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import BUILD_CITY, BUILD_ROAD, MOVE_ROBBER
from catan_pz.agents.model_files import check_weights
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
OF_HEX: Final = len(TERRAIN_COUNTS) + 3
OF_VERTEX: Final = NUM_RESOURCES + 1 + _NUM_HARBOR_KINDS + 3 * MAX_PLAYERS
OF_EDGE: Final = MAX_PLAYERS
LEVELS: Final = (0.1, 0.2, 0.3, 0.4)
"""Own cards of a resource, scaled, each of which is a feature: costs are thresholds."""

OF_ALL: Final = SIZE - ELSEWHERE + NUM_RESOURCES * (1 + len(LEVELS))


def _touching(table: NDArray[np.int64]) -> NDArray[np.float32]:
    """(rows, V) 1 where a vertex is among a row's entries."""
    matrix = np.zeros((len(table), NUM_VERTICES), np.float32)
    np.put_along_axis(matrix, table, 1, axis=1)
    return matrix


def adjacency() -> dict[str, NDArray[np.float32]]:
    """Matrices of what touches: 1 in a place's row for each place of the other kind at it.

    "vertex_vertices" (V, V) tells the other ends of a vertex' edges.
    """
    edge_vertices, hex_vertices = _touching(EDGE_VERTICES), _touching(HEX_VERTICES)
    both_ends = edge_vertices.T @ edge_vertices
    return {
        "vertex_hexes": hex_vertices.T,
        "vertex_harbors": _touching(HARBOR_VERTICES).T,
        "vertex_edges": edge_vertices.T,
        "vertex_vertices": both_ends - np.diag(both_ends.diagonal()),
        "edge_vertices": edge_vertices,
        "hex_vertices": hex_vertices,
    }


def shapes(width: int, dense: int, actions: int) -> dict[str, tuple[int, ...]]:
    """The layers' arrays by name for W, D and A: weights (in, out), and biases (out,)."""
    layers: dict[str, tuple[int, ...]] = {
        "context": (OF_ALL, 2 * width),
        "vertex_1": (OF_VERTEX, width),
        "vertex_1_context": (2 * width, width),
        "edge_1": (OF_EDGE, width),
        "edge_1_vertex": (width, width),
        "vertex_2": (width, width),
        "vertex_2_edge": (width, width),
        "vertex_2_context": (2 * width, width),
        "edge_2": (width, width),
        "edge_2_vertex": (width, width),
        "hex": (OF_HEX, width),
        "hex_vertex": (width, width),
        "hex_context": (2 * width, width),
        "vertex_head": (width, 2),
        "edge_head": (width, 1),
        "hex_head": (width, 1),
        "dense_1": (OF_ALL + 4 * width, dense),
        "dense_2": (dense, dense),
        "dense_head": (dense, actions),
    }
    without = [name for name in layers if name.endswith(("_context", "_vertex", "_2_edge"))]
    biases = {f"{name}_bias": shape[1:] for name, shape in layers.items() if name not in without}
    return layers | biases


def evaluate(layer: Mapping[str, Array], arithmetic: Any, x: Array) -> tuple[Array, Array]:
    """The forward pass: (K, A) logits or Q-values, and (K, D) features for a value head.

    Args:
        layer: its arrays, as in `shapes`.
        arithmetic: what NumPy and torch write or do fastest in different ways; see `InNumPy`.
        x: (K, N) scaled observations.
    """
    affine, relu, join = arithmetic.affine, arithmetic.relu, arithmetic.join
    hand = x[:, PLACES["own_hand"]]
    levels = [(hand - (level - 0.1)).clip(0, 0.1) * 10 for level in LEVELS]
    everything = join([x[:, ELSEWHERE:], _yields(x).sum(0) * 0.1, *levels], 1)
    context = relu(affine(everything, layer["context"], layer["context_bias"]))
    pooled, at_vertex, at_edge, at_hex = _at_places(layer, arithmetic, x, context)
    d = relu(arithmetic.affine_of([everything, *pooled], layer["dense_1"], layer["dense_1_bias"]))
    d = relu(affine(d, layer["dense_2"], layer["dense_2_bias"]))
    dense = affine(d, layer["dense_head"], layer["dense_head_bias"])
    pieces = arithmetic.split(dense, _PIECES)
    return join(_by_action(pieces, at_vertex, at_edge, at_hex), 1), d


def _placed(x: Array, name: str, places: int) -> Array:  # (places, K, n)
    return x[:, PLACES[name]].reshape(len(x), places, -1).swapaxes(0, 1)


def _yields(x: Array) -> Array:
    """(H, K, R) pips of each hex, of the resource that it yields."""
    terrain, pips = _placed(x, "hex_terrain", NUM_HEXES), _placed(x, "hex_pips", NUM_HEXES)
    return terrain[:, :, :NUM_RESOURCES] * pips


def _at_places(
    layer: Mapping[str, Array], arithmetic: Any, x: Array, context: Array
) -> tuple[list[Array], Array, Array, Array]:
    """The layers of places, which know the context (K, 2 W) of the rest.

    Gives what is pooled, (K, 3 W) and (K, W) of vertices and edges, and the outputs at each place,
    (V * K, 2), (E * K, 1) and (H * K, 1).
    """
    games, width = len(x), len(layer["vertex_1_bias"])
    affine, relu, join = arithmetic.affine, arithmetic.relu, arithmetic.join

    def around(name: str, what: Array) -> Array:
        """(rows * K, n) sums of what touches, from (columns, K, n) or (columns * K, n)."""
        size = what.shape[-1]
        flat = what.reshape(-1, games * size)
        return arithmetic.gathered(name, flat).reshape(-1, size)

    def everywhere(at_places: Array, shared: Array) -> Array:
        """(places * K, W) with what is the same for all places of a game, (K, W), added."""
        return (at_places.reshape(-1, games * width) + shared.reshape(-1)).reshape(-1, width)

    terrain = _placed(x, "hex_terrain", NUM_HEXES)
    pips, robber = _placed(x, "hex_pips", NUM_HEXES), _placed(x, "hex_robber", NUM_HEXES)
    building, road = _placed(x, "vertex_building", NUM_VERTICES), _placed(x, "edge_road", NUM_EDGES)
    vertex = [
        around("vertex_hexes", join([_yields(x), pips * robber], 2)),
        around("vertex_harbors", _placed(x, "harbor", len(HARBOR_VERTICES))),
        building.reshape(-1, MAX_PLAYERS),
        around("vertex_vertices", building),
        around("vertex_edges", road),
    ]
    shared = affine(context, layer["vertex_1_context"], layer["vertex_1_bias"])
    v = relu(everywhere(join(vertex, 1) @ layer["vertex_1"], shared))
    e = around("edge_vertices", v @ layer["edge_1_vertex"])
    roads = affine(road.reshape(-1, MAX_PLAYERS), layer["edge_1"], layer["edge_1_bias"])
    e = relu(roads + e)
    shared = affine(context, layer["vertex_2_context"], layer["vertex_2_bias"])
    w = affine(around("vertex_edges", e), layer["vertex_2_edge"], v @ layer["vertex_2"])
    w = relu(everywhere(w, shared))
    # Each edge has two ends, of which each brings half of the bias.
    ends = affine(w, layer["edge_2_vertex"], layer["edge_2_bias"] * 0.5)
    e = relu(affine(e, layer["edge_2"], around("edge_vertices", ends)))
    number = _placed(x, "hex_number_token", NUM_HEXES)
    h = join([terrain, pips, robber, number], 2).reshape(-1, OF_HEX) @ layer["hex"]
    h = affine(around("hex_vertices", w), layer["hex_vertex"], h)
    h = relu(everywhere(h, affine(context, layer["hex_context"], layer["hex_bias"])))

    own, others = building[:, :, :1], building[:, :, 1:].sum(2)[:, :, None]
    weights = join([own, others, 0 * own + 0.1], 2).swapaxes(0, 1).swapaxes(1, 2)
    at_vertices = w.reshape(NUM_VERTICES, games, width).swapaxes(0, 1)
    of_vertices = (weights @ at_vertices).reshape(games, 3 * width)
    of_edges = e.reshape(NUM_EDGES, games, width).sum(0) * 0.1
    at_vertex = affine(w, layer["vertex_head"], layer["vertex_head_bias"])
    at_edge = affine(e, layer["edge_head"], layer["edge_head_bias"])
    at_hex = affine(h, layer["hex_head"], layer["hex_head_bias"])
    return [of_vertices, of_edges], at_vertex, at_edge, at_hex


_PIECES: Final = (
    *(BUILD_ROAD, 1, NUM_EDGES - 1, 1, NUM_VERTICES - 1, 1, NUM_VERTICES - 1),
    *(MOVE_ROBBER - BUILD_CITY - NUM_VERTICES, 1, NUM_HEXES - 1),
)
"""Of the dense head: columns of the actions without a place, and one for each kind with places."""


def _by_action(pieces: list[Array], at_vertex: Array, at_edge: Array, at_hex: Array) -> list[Array]:
    """What each action gets, in the order of the actions: (K, n) arrays that are A wide together.

    One output of the dense head for each kind of action is a bias that all its places share.
    """
    first, road, _, settlement, _, city, _, between, robber, _, last = pieces
    buildings = at_vertex.reshape(NUM_VERTICES, -1, 2)
    return [
        first,
        road + at_edge.reshape(NUM_EDGES, -1).T,
        settlement + buildings[:, :, 0].T,
        city + buildings[:, :, 1].T,
        between,
        robber + at_hex.reshape(NUM_HEXES, -1).T,
        last,
    ]


@dataclass(frozen=True)
class BoardNetwork:
    """The network with its weights, in NumPy."""

    kind: ClassVar[str] = "board"
    inputs: ClassVar[int] = SIZE
    options: ClassVar[Mapping[str, Any]] = {}  # what a file must say beside the arrays
    arrays: Mapping[str, NDArray[np.float32]]  # by the names of `shapes`

    def __post_init__(self) -> None:
        missing = sorted(shapes(1, 1, 1).keys() ^ self.arrays.keys())
        if missing:
            raise ValueError(f"network: {missing} must be there, and no others")
        check_weights(self.arrays, shapes(self.width, self.dense, self.num_actions), "network")

    @property
    def width(self) -> int:
        """W."""
        return len(self.arrays["vertex_1_bias"])

    @property
    def dense(self) -> int:
        """D."""
        return len(self.arrays["dense_2_bias"])

    @property
    def num_actions(self) -> int:
        """A."""
        return len(self.arrays["dense_head_bias"])

    def text(self) -> str:
        """The network in a few words."""
        return f"board network, embeddings of {self.width}, two dense layers of {self.dense}"

    def evaluate(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """(K, A) logits or Q-values, from flat observations (K, N)."""
        return np.asarray(evaluate(self.arrays, _IN_NUMPY, inputs)[0], np.float32)

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """(K, A) logits or Q-values, from observations (K, N) in natural units."""
        outputs = np.empty((len(observations), self.num_actions), np.float32)
        for start in range(0, len(outputs), ROWS):
            part = slice(start, start + ROWS)
            x = np.minimum(observations[part] * SCALES, np.float32(1))
            outputs[part] = self.evaluate(x)
        return outputs


class InNumPy:
    """Arithmetic of the forward pass in NumPy; what learns has the same in torch."""

    def __init__(self) -> None:
        self._matrices = adjacency()

    def gathered(self, name: str, what: Array) -> Array:
        """(rows, n) sums of what touches, by a matrix of `adjacency`, from (columns, n)."""
        return self._matrices[name] @ what

    def affine(self, x: Array, weight: Array, plus: Array) -> Array:
        """`x @ weight + plus`."""
        product = x @ weight
        product += plus
        return product

    def affine_of(self, parts: list[Array], weight: Array, plus: Array) -> Array:
        """The same for parts of x, put together along the second axis."""
        return self.affine(np.concatenate(parts, 1), weight, plus)

    def split(self, x: Array, sizes: tuple[int, ...]) -> list[Array]:
        """Parts of x along the second axis, of these sizes, and the rest."""
        return np.split(x, np.cumsum(sizes), 1)

    def relu(self, x: Array) -> Array:
        """The larger of each number and 0, in the place of x."""
        return np.maximum(x, 0, out=x)

    def join(self, parts: list[Array], axis: int) -> Array:
        """Arrays put together along an axis."""
        return np.concatenate(parts, axis)


_IN_NUMPY: Final = InNumPy()
