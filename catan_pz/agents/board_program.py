"""The board network as a program for compiled code: a few operations on the numbers of one game.

It is a graph network that shares its weights across the vertices, edges and hexes of the board:
the same small layers compute the embedding of every vertex, edge and hex, first from its own
features, then by message passing from its neighbors. Each row of a matrix is padded with zeros to
whole tiles. Letters: V vertices, W size of an embedding, D dense units, A actions.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import BUILD_CITY, BUILD_ROAD, BUILD_SETTLEMENT, MOVE_ROBBER
from catan_pz.agents.tiles import LANES
from catan_pz.board.topology import EDGE_VERTICES, HARBOR_VERTICES, HEX_VERTICES
from catan_pz.kernels.types import Int64Matrix
from catan_pz.observation.segments import PLACES, SIZE
from catan_pz.terms import (
    MAX_PLAYERS,
    NUM_EDGES,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    TERRAIN_COUNTS,
)

ELSEWHERE: Final = PLACES["own_hand"].start
"""The start of the part of an observation outside the places of the board."""

_NUM_HARBOR_KINDS: Final = NUM_RESOURCES + 1
OF_TERRAIN: Final = len(TERRAIN_COUNTS)
OF_HEX: Final = OF_TERRAIN + 3
OF_VERTEX: Final = NUM_RESOURCES + 1 + _NUM_HARBOR_KINDS + 3 * MAX_PLAYERS
OF_EDGE: Final = MAX_PLAYERS
LEVELS: Final = (0.1, 0.2, 0.3, 0.4)
"""Counts of own cards of a resource, scaled, each a separate feature: costs are thresholds."""

OF_ALL: Final = SIZE - ELSEWHERE + NUM_RESOURCES * (1 + len(LEVELS))


def _touching(table: NDArray[np.int64]) -> NDArray[np.float32]:
    """(rows, V) 1 for each vertex among a row's entries."""
    matrix = np.zeros((len(table), NUM_VERTICES), np.float32)
    np.put_along_axis(matrix, table, 1, axis=1)
    return matrix


def adjacency() -> dict[str, NDArray[np.float32]]:
    """Incidence matrices: 1 in a place's row for each place of the other kind that touches it.

    "vertex_vertices" (V, V) has the other ends of a vertex's edges.
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
    """Shapes of the layers' arrays by name, for W, D and A: weights (in, out), biases (out,)."""
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


MULTIPLY, BIAS, RELU, POOL, EDGE_ENDS, TO_VERTICES, HEX_CORNERS = range(7)
"""Operations: add a product; write weights; ReLU; add the sum of all places times their factors, of
each edge's ends, of the edges at each vertex, of each hex's corners.
"""

YIELDS: Final = NUM_RESOURCES + 1
"""Pips of each hex: by resource, and under the robber."""


class Program(NamedTuple):
    """The layout of a game's numbers, and the operations on them.

    Attributes:
        steps: (n, 11): the operation; starts of its source and target; the larger number of places;
            numbers per place and stride between places of the source; the same of the target; and
            starts of weights, their transpose, and the target's initial values (-1 for none), or
            the start of the factors and their stride.
        pairs: (n, 2): where to add two consecutive numbers, and their index.
        outputs: (n, 6): first output and end; start and stride of each of the two terms.
        yields, one, computed, begun, latent: starts of the pips, of 1 and 0.1, of computed numbers,
            of those that aren't initialized to 0, and of the features for a value head.
        kept, size: number of a game's numbers for the backward pass, and of all.
        turned: size of all transposes.
    """

    steps: Int64Matrix
    pairs: Int64Matrix
    outputs: Int64Matrix
    yields: int
    one: int
    computed: int
    begun: int
    latent: int
    kept: int
    size: int
    turned: int


def _whole(n: int) -> int:
    return -(-n // LANES) * LANES


@cache
def layout(
    width: int, dense: int, actions: int, separate_value: bool
) -> tuple[dict[str, tuple[int, ...]], list[int]]:
    """The network's concatenated arrays: shapes by name, and the size of each."""
    value = {"value_1": (SIZE, dense), "value_1_bias": (dense,)}
    value |= {"value_2": (dense, dense), "value_2_bias": (dense,)}
    arrays = shapes(width, dense, actions) | (value if separate_value else {})
    return arrays, [int(np.prod(s[:-1])) * _whole(s[-1]) for s in arrays.values()]


def views(shapes_of: Mapping[str, tuple[int, ...]], parts: Iterable[Any]) -> dict[str, Any]:
    """The arrays of a layout by name, from the numbers of each, in NumPy or torch."""
    of_names = zip(shapes_of.items(), parts, strict=True)
    return {n: part.reshape(*shape[:-1], -1)[..., : shape[-1]] for (n, shape), part in of_names}


class _Writer:
    """Writes the steps of a program."""

    def __init__(self, weights: dict[str, int]) -> None:
        self.weights, self.turned, self.end = weights, 0, _whole(ELSEWHERE + OF_ALL)
        self.steps: list[list[int]] = []
        self.starts = {name: part.start for name, part in PLACES.items()}
        self.starts |= {"everything": ELSEWHERE, "units": 0}
        # For each array: places, numbers per place, and the stride between places.
        self.arrays = {"everything": (1, OF_ALL, OF_ALL), "units": (1, SIZE, SIZE)}
        for name, places in (
            *((name, NUM_HEXES) for name in PLACES if name.startswith("hex_")),
            *(("vertex_building", NUM_VERTICES), ("edge_road", NUM_EDGES)),
        ):
            n = (PLACES[name].stop - PLACES[name].start) // places
            self.arrays[name] = places, n, n

    def place(self, name: str, places: int, n: int, far: int = 0) -> None:
        """Append an array to the layout."""
        self.arrays[name] = places, n, far or _whole(n)
        self.starts[name], self.end = self.end, self.end + _whole(places * (far or _whole(n)))

    def step(self, operation: int, source: str, target: str, *more: int, first: str = "") -> None:
        """Add a step."""
        (p, *between), (q, *there) = self.arrays[source], self.arrays[target]
        starts = self.starts[source], self.starts[target], max(p, q)
        x, y = (*more, 0, 0)[:2]
        last = self.starts[first] if first else -1
        self.steps.append([operation, *starts, *between, *there, x, y, last])

    def multiply(
        self, source: str, target: str, weight: str, row: int = 0, first: str = ""
    ) -> None:
        """Add a product to a target, which may begin with a row at each place."""
        (*_, far), (_, m, to) = self.arrays[source], self.arrays[target]
        back = -1
        if self.starts[source] > self.starts["vertex_in"]:  # computed, not an input
            back, self.turned = self.turned, self.turned + m * far
        self.step(MULTIPLY, source, target, self.weights[weight] + row * to, back, first=first)

    def layer(
        self, name: str, *products: tuple[str, str, int], around: tuple[int, str] | None = None
    ) -> None:
        """Add a layer: its biases or shared terms, products, and sums over neighbors."""
        first = f"shared_{name}" if self.arrays[name][0] > 1 else ""
        if not first:
            bias = name.removeprefix("shared_") + "_bias"
            self.step(BIAS, name, name, self.weights[bias])
        for source, weight, row in products:
            self.multiply(source, name, weight, row, first)
            first = ""
        if around:
            self.step(*around, name)
        if not name.startswith("shared_") and not name.endswith("_head"):
            self.step(RELU, name, name)


@cache
def program(width: int, dense: int, actions: int, separate_value: bool) -> Program:
    """The program for W, D and A."""
    shapes_of, counts = layout(width, dense, actions, separate_value)
    write = _Writer(dict(zip(shapes_of, np.cumsum([0, *counts]).tolist(), strict=False)))
    v, e, h = NUM_VERTICES, NUM_EDGES, NUM_HEXES
    write.place("yields", h, YIELDS, YIELDS)
    write.place("one", 1, 2)
    write.place("vertex_in", v, OF_VERTEX)
    pooled = [f"pooled_{k}" for k in range(4)]
    for name, places in (("edges_at", v), ("corners", h), *((name, 1) for name in pooled)):
        write.place(name, places, width)
    write.place("nothing", 1, width)
    write.place("context", 1, 2 * width)
    places_of = {"vertex_1": v, "edge_1": e, "vertex_2": v, "edge_2": e, "hex": h}
    heads = {"vertex_head": (v, 2), "edge_head": (e, 1), "hex_head": (h, 1)}
    for name, places in places_of.items():
        write.place(name, places, width)
    values = ["value_1", "value_2"] if separate_value else []
    for name in ("dense_1", "dense_2", *values):
        write.place(name, 1, dense)
    kept = write.end
    spreads = {"spread_1": (v, width), "spread_2": (v, width)}
    for name, (places, n) in {"dense_head": (1, actions), **spreads, **heads}.items():
        write.place(name, places, n)
    for name in (*places_of, *heads):
        write.place(f"shared_{name}", 1, write.arrays[name][1])

    write.layer("context", ("everything", "context", 0))
    for name in (*places_of, *heads):
        known = f"{name}_context" in shapes_of
        write.layer(f"shared_{name}", *[("context", f"{name}_context", 0)] * known)
    write.layer("vertex_1", ("vertex_in", "vertex_1", 0))
    write.multiply("vertex_1", "spread_1", "edge_1_vertex", first="nothing")
    write.layer("edge_1", ("edge_road", "edge_1", 0), around=(EDGE_ENDS, "spread_1"))
    write.step(TO_VERTICES, "edge_1", "edges_at")
    write.layer("vertex_2", ("vertex_1", "vertex_2", 0), ("edges_at", "vertex_2_edge", 0))
    write.multiply("vertex_2", "spread_2", "edge_2_vertex", first="nothing")
    write.layer("edge_2", ("edge_1", "edge_2", 0), around=(EDGE_ENDS, "spread_2"))
    write.step(HEX_CORNERS, "vertex_2", "corners")
    numbers = ("hex_pips", "hex_robber", "hex_number_token")
    of_hex = [(name, "hex", OF_TERRAIN + k) for k, name in enumerate(numbers)]
    write.layer("hex", ("hex_terrain", "hex", 0), *of_hex, ("corners", "hex_vertex", 0))
    for k in range(MAX_PLAYERS):
        owner = write.starts["vertex_building"] + k
        write.step(POOL, "vertex_2", pooled[min(k, 1)], owner, MAX_PLAYERS)
    for name, source in zip(pooled[2:], ("vertex_2", "edge_2"), strict=True):
        write.step(POOL, source, name, write.starts["one"] + 1)
    for name, source in zip(heads, ("vertex_2", "edge_2", "hex"), strict=True):
        write.layer(name, (source, name, 0))
    of_places = [(name, "dense_1", OF_ALL + k * width) for k, name in enumerate(pooled)]
    write.layer("dense_1", ("everything", "dense_1", 0), *of_places)
    for source, name in pairwise(("dense_1", "dense_2", "dense_head")):
        write.layer(name, (source, name, 0))
    for source, name in pairwise(("units", *values)):
        write.layer(name, (source, name, 0))
    steps = np.array(write.steps)
    return Program(
        steps,
        np.array(_pairs(write.starts)),
        np.array(_outputs(write.starts, actions)),
        yields=write.starts["yields"],
        one=write.starts["one"],
        computed=write.starts["vertex_in"],
        begun=write.starts["context"],
        latent=write.starts["value_2" if separate_value else "dense_2"],
        kept=kept,
        size=write.end,
        turned=write.turned,
    )


def _pairs(starts: dict[str, int]) -> list[tuple[int, int]]:
    """The rows of `Program.pairs`: the features of each vertex from its surroundings."""
    touching, to = adjacency(), starts["vertex_in"]
    rows: list[tuple[int, int]] = []
    for at, source, n in (
        (touching["vertex_hexes"], "yields", YIELDS),
        (touching["vertex_harbors"], "harbor", NUM_RESOURCES + 1),
        (np.eye(NUM_VERTICES), "vertex_building", MAX_PLAYERS),
        (touching["vertex_vertices"], "vertex_building", MAX_PLAYERS),
        (touching["vertex_edges"], "edge_road", MAX_PLAYERS),
    ):
        for place, other in zip(*(k.tolist() for k in at.nonzero()), strict=True):
            row, first = to + place * _whole(OF_VERTEX), starts[source] + other * n
            rows += [(row + i, first + i) for i in range(0, n, 2)]
        to += n
    return rows


def _outputs(starts: dict[str, int], actions: int) -> list[tuple[int, ...]]:
    """The rows of `Program.outputs`: the terms of each action's output."""
    dense, last = starts["dense_head"], 0
    rows: list[tuple[int, ...]] = []
    for first, count, at_places in (
        (BUILD_ROAD, NUM_EDGES, starts["edge_head"]),
        (BUILD_SETTLEMENT, NUM_VERTICES, starts["vertex_head"]),
        (BUILD_CITY, NUM_VERTICES, starts["vertex_head"] + 1),
        (MOVE_ROBBER, NUM_HEXES, starts["hex_head"]),
        (actions, 0, 0),
    ):
        rows.append((last, first, dense + last, 1, starts["nothing"], 0))
        last = first + count
        rows.append((first, last, dense + first, 0, at_places, LANES))
    return rows
