"""The board network's layers of places on a CPU, forward and back, in compiled code.

`board_network.at_places` says what is computed; here it stands as a program of a few operations,
which the way back runs in reverse. Sixteen games go through it together: one row of a workspace has
a number of each of them, so that vector instructions serve all and a core's cache holds the rows.
Letters: K games, L games in a block, N numbers of an observation, W size of an embedding, n and m
numbers of a place before and after an operation.
"""

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.board_network import OF_EDGE, OF_HEX, OF_VERTEX, adjacency, shapes
from catan_pz.board.topology import EDGE_VERTICES, HEX_VERTICES
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import ConstInt64Matrix, Float32Array, Float32Matrix, Int64Matrix
from catan_pz.observation.segments import PLACES
from catan_pz.terms import MAX_PLAYERS, NUM_EDGES, NUM_HEXES, NUM_RESOURCES, NUM_VERTICES

LANES: Final = 16
"""L."""

MULTIPLY, RELU, SHARE, POOL, EDGE_ENDS, TO_VERTICES, HEX_CORNERS = range(7)
"""Operations: add a product; leave what is positive; add to all places alike; add the sum of all
places times their factors, of each edge's ends, of the edges at each vertex, of each hex's corners.
"""

WEIGHTS: Final = (
    *("vertex_1", "edge_1", "edge_1_vertex", "vertex_2", "vertex_2_edge", "edge_2"),
    *("edge_2_vertex", "hex", "hex_vertex", "vertex_head", "edge_head", "hex_head"),
)
"""The layers in `board_network.shapes` whose weights, one behind the other, the program takes."""

_BOARD: Final = PLACES["edge_road"].stop


class Program(NamedTuple):
    """What stands where in a workspace, and what to do.

    Attributes:
        inputs: (n, 3) rows: to the first, add the product of the others.
        steps: (n, 8): the operation, first row and end of what it reads and of what it writes, n,
            m, and where its weights, or the first row of its factors, are.
        ones, tenths, computed: rows of 1 and of 0.1, and where what is computed begins.
        shared, out: first rows of what places get, (5 W), and of the results, (4 W + 2 V + E + H).
        rows: of a workspace.
    """

    inputs: Int64Matrix
    steps: Int64Matrix
    ones: int
    tenths: int
    computed: int
    shared: int
    out: int
    rows: int


@cache
def program(w: int) -> Program:
    """The program for embeddings of a size."""
    v, e, h = NUM_VERTICES, NUM_EDGES, NUM_HEXES
    sizes = {
        "board": (_BOARD, 1),
        "ones": (e, 1),
        "tenths": (e, 1),
        "own": (v, 1),
        "others": (v, 1),
        "vertex_in": (v, OF_VERTEX),
        "edge_in": (e, OF_EDGE),
        "hex_in": (h, OF_HEX),
        **{f"shared_{k}": (1, w) for k in range(5)},
        "vertex_1": (v, w),
        "spread_1": (v, w),
        "edge_1": (e, w),
        "edges_at": (v, w),
        "vertex_2": (v, w),
        "spread_2": (v, w),
        "edge_2": (e, w),
        "corners": (h, w),
        "hex": (h, w),
        "of_own": (1, w),
        "of_others": (1, w),
        "of_all": (1, w),
        "of_edges": (1, w),
        "vertex_out": (v, 2),
        "edge_out": (e, 1),
        "hex_out": (h, 1),
    }
    starts = dict(
        zip(sizes, np.cumsum([0, *(a * b for a, b in sizes.values())]).tolist(), strict=False)
    )
    counts = [int(np.prod(shapes(w, 1, 1)[name])) for name in WEIGHTS]
    weights = dict(zip(WEIGHTS, np.cumsum([0, *counts]).tolist(), strict=False))
    steps = []

    def step(operation: int, source: str, target: str, other: int = 0) -> None:
        ends = [
            one for name in (source, target) for one in (starts[name], int(np.prod(sizes[name])))
        ]
        ends[1], ends[3] = ends[0] + ends[1], ends[2] + ends[3]
        steps.append([operation, *ends, sizes[source][1], sizes[target][1], other])

    def layer(name: str, shared: int, *products: tuple[str, str]) -> None:
        step(SHARE, f"shared_{shared}", name, starts["ones"])
        for source, weight in products:
            step(MULTIPLY, source, name, weights[weight])

    layer("vertex_1", 0, ("vertex_in", "vertex_1"))
    step(RELU, "vertex_1", "vertex_1")
    step(MULTIPLY, "vertex_1", "spread_1", weights["edge_1_vertex"])
    layer("edge_1", 3, ("edge_in", "edge_1"))
    step(EDGE_ENDS, "spread_1", "edge_1")
    step(RELU, "edge_1", "edge_1")
    step(TO_VERTICES, "edge_1", "edges_at")
    layer("vertex_2", 1, ("vertex_1", "vertex_2"), ("edges_at", "vertex_2_edge"))
    step(RELU, "vertex_2", "vertex_2")
    step(MULTIPLY, "vertex_2", "spread_2", weights["edge_2_vertex"])
    layer("edge_2", 4, ("edge_1", "edge_2"))
    step(EDGE_ENDS, "spread_2", "edge_2")
    step(RELU, "edge_2", "edge_2")
    step(HEX_CORNERS, "vertex_2", "corners")
    layer("hex", 2, ("hex_in", "hex"), ("corners", "hex_vertex"))
    step(RELU, "hex", "hex")
    for source, target, factors in (
        *(("vertex_2", "of_own", "own"), ("vertex_2", "of_others", "others")),
        *(("vertex_2", "of_all", "tenths"), ("edge_2", "of_edges", "tenths")),
    ):
        step(POOL, source, target, starts[factors])
    for name, source in (("vertex", "vertex_2"), ("edge", "edge_2"), ("hex", "hex")):
        step(MULTIPLY, source, f"{name}_out", weights[f"{name}_head"])
    rows = starts["hex_out"] + h
    constants = starts["ones"], starts["tenths"], starts["own"]
    inputs = np.array(_inputs(starts))
    return Program(inputs, np.array(steps), *constants, starts["shared_0"], starts["of_own"], rows)


def _inputs(starts: dict[str, int]) -> list[tuple[int, int, int]]:
    """The rows of `Program.inputs`."""
    here = {
        name: np.eye(n) for name, n in (("v", NUM_VERTICES), ("e", NUM_EDGES), ("h", NUM_HEXES))
    }
    touching, one = adjacency(), starts["ones"]
    terrain, pips = PLACES["hex_terrain"].start, PLACES["hex_pips"].start
    rows: list[tuple[int, int, int]] = []

    def take(  # wide: n of the numbers of a place at the source, to one of those at the target
        target: str, size: int, to: int, at: Any, source: int, n: int, of: int, factor: int = -1
    ) -> None:
        for place, other in zip(*at.nonzero(), strict=True):
            for i in range(n):
                row = starts[target] + place * size + to + i
                rows.append((row, source + other * of + i, one if factor < 0 else factor + other))

    at_hex, of_hex = touching["vertex_hexes"], OF_HEX - 3
    take("vertex_in", OF_VERTEX, 0, at_hex, terrain, NUM_RESOURCES, of_hex, pips)
    take("vertex_in", OF_VERTEX, NUM_RESOURCES, at_hex, PLACES["hex_robber"].start, 1, 1, pips)
    kinds, p = NUM_RESOURCES + 1, MAX_PLAYERS
    to, building, road = kinds, PLACES["vertex_building"].start, PLACES["edge_road"].start
    for at, source, n in (
        (touching["vertex_harbors"], PLACES["harbor"].start, kinds),
        (here["v"], building, p),
        (touching["vertex_vertices"], building, p),
        (touching["vertex_edges"], road, p),
    ):
        take("vertex_in", OF_VERTEX, to, at, source, n, n)
        to += n
    take("edge_in", OF_EDGE, 0, here["e"], road, p, p)
    take("hex_in", OF_HEX, 0, here["h"], terrain, of_hex, of_hex)
    for k, name in enumerate(("hex_pips", "hex_robber", "hex_number_token")):
        take("hex_in", OF_HEX, of_hex + k, here["h"], PLACES[name].start, 1, 1)
    take("own", 1, 0, here["v"], building, 1, p)
    for k in range(1, p):
        take("others", 1, 0, here["v"], building + k, 1, p)
    return rows


def workspace(w: int) -> NDArray[np.float32]:
    """(rows, L) for a block of games."""
    return np.empty((program(w).rows, LANES), np.float32)


@kernel
def load(x: Float32Matrix, game: int, work: Float32Matrix) -> None:
    """Write numbers of a block's games, (K, n), to rows (n, L); zeros where there are no games."""
    there = min(LANES, len(x) - game)
    for k in range(len(work)):
        for g in range(there):
            work[k, g] = x[game + g, k]
        for g in range(there, LANES):
            work[k, g] = 0.0


@kernel
def store(work: Float32Matrix, x: Float32Matrix, game: int) -> None:
    """Write rows (n, L) to what a block's games have, (K, n)."""
    for g in range(min(LANES, len(x) - game)):
        for k in range(len(work)):
            x[game + g, k] = work[k, g]


@kernel
def multiply(x: Float32Matrix, weight: Float32Array, y: Float32Matrix, n: int, m: int) -> None:
    """Add x @ weight to y, at each place."""
    whole = n - n % 4
    for p in range(len(x) // n):
        for i in range(0, whole, 4):
            a, w = p * n + i, i * m
            for j in range(m):
                for g in range(LANES):
                    y[p * m + j, g] += (
                        x[a, g] * weight[w + j]
                        + x[a + 1, g] * weight[w + m + j]
                        + x[a + 2, g] * weight[w + 2 * m + j]
                        + x[a + 3, g] * weight[w + 3 * m + j]
                    )
        for i in range(whole, n):
            for j in range(m):
                for g in range(LANES):
                    y[p * m + j, g] += x[p * n + i, g] * weight[i * m + j]


@kernel
def add_outer(x: Float32Matrix, dy: Float32Matrix, weight: Float32Matrix, n: int, m: int) -> None:
    """Add to the gradient of the weight of `multiply`."""
    places = len(x) // n
    whole = places - places % 4
    for p in range(0, whole, 4):
        for i in range(n):
            a, b = p * n + i, p * m
            for j in range(m):
                for g in range(LANES):
                    weight[i * m + j, g] += (
                        x[a, g] * dy[b + j, g]
                        + x[a + n, g] * dy[b + m + j, g]
                        + x[a + 2 * n, g] * dy[b + 2 * m + j, g]
                        + x[a + 3 * n, g] * dy[b + 3 * m + j, g]
                    )
    for p in range(whole, places):
        for i in range(n):
            for j in range(m):
                for g in range(LANES):
                    weight[i * m + j, g] += x[p * n + i, g] * dy[p * m + j, g]


@kernel
def gather(table: ConstInt64Matrix, x: Float32Matrix, y: Float32Matrix, n: int, back: bool) -> None:
    """Add to each row of a table what x has at the places in it, or the other way."""
    for row in range(len(table)):
        for k in range(table.shape[1]):
            a, b = n * (row if back else table[row, k]), n * (table[row, k] if back else row)
            for i in range(n):
                for g in range(LANES):
                    y[b + i, g] += x[a + i, g]


@kernel
def rectify(sign: Float32Matrix, y: Float32Matrix) -> None:
    """Zeros in y where there is no positive number in `sign`."""
    for k in range(len(y)):
        for g in range(LANES):
            y[k, g] *= np.float32(sign[k, g] > np.float32(0))


@kernel
def add_scaled(
    x: Float32Matrix, factors: Float32Matrix, y: Float32Matrix, n: int, back: bool
) -> None:
    """Add what each place has, times its factor, to what all have in common, or the other way."""
    for p in range(len(factors)):
        for i in range(n):
            a, b = (i, p * n + i) if back else (p * n + i, i)
            for g in range(LANES):
                y[b, g] += x[a, g] * factors[p, g]


@entry
def run_forward(
    do: Program,
    weights: Float32Array,
    x: Float32Matrix,
    shared: Float32Matrix,
    out: Float32Matrix,
    game: int,
    work: Float32Matrix,
) -> None:
    """Write the results for a block of games, from `game` on, and all that the way back needs."""
    load(x, game, work[: do.ones])
    work[do.ones : do.tenths] = np.float32(1)
    work[do.tenths : do.computed] = np.float32(0.1)
    work[do.computed :] = np.float32(0)
    load(shared, game, work[do.shared : do.shared + shared.shape[1]])
    for k in range(len(do.inputs)):
        for g in range(LANES):
            work[do.inputs[k, 0], g] += work[do.inputs[k, 1], g] * work[do.inputs[k, 2], g]
    for s in range(len(do.steps)):
        operation, n, m, other = do.steps[s, 0], do.steps[s, 5], do.steps[s, 6], do.steps[s, 7]
        a, b = work[do.steps[s, 1] : do.steps[s, 2]], work[do.steps[s, 3] : do.steps[s, 4]]
        if operation == MULTIPLY:
            multiply(a, weights[other:], b, n, m)
        elif operation == RELU:
            rectify(a, b)
        elif operation == SHARE:
            add_scaled(a, work[other : other + len(b) // n], b, n, True)
        elif operation == POOL:
            add_scaled(a, work[other : other + len(a) // n], b, n, False)
        elif operation == HEX_CORNERS:
            gather(HEX_VERTICES, a, b, n, False)
        else:
            gather(EDGE_VERTICES, a, b, n, operation == TO_VERTICES)
    store(work[do.out :], out, game)


@entry
def run_back(  # wide: what is read, and what is written
    do: Program,
    turned: Float32Array,
    work: Float32Matrix,
    d_out: Float32Matrix,
    game: int,
    d_work: Float32Matrix,
    d_weights: Float32Matrix,
    d_shared: Float32Matrix,
) -> None:
    """Add a block's part to the gradients of the weights, and write those of what places share."""
    d_work[do.computed : do.out] = np.float32(0)
    load(d_out, game, d_work[do.out :])
    for s in range(len(do.steps) - 1, -1, -1):
        operation, n, m, other = do.steps[s, 0], do.steps[s, 5], do.steps[s, 6], do.steps[s, 7]
        first, last = do.steps[s, 1], do.steps[s, 2]
        a, da, db = work[first:last], d_work[first:last], d_work[do.steps[s, 3] : do.steps[s, 4]]
        if operation == MULTIPLY:
            add_outer(a, db, d_weights[other:], n, m)
            if first >= do.shared:  # what is computed, not an input
                multiply(db, turned[other:], da, m, n)
        elif operation == RELU:
            rectify(a, da)
        elif operation == SHARE:
            add_scaled(db, work[other : other + len(db) // n], da, n, False)
        elif operation == POOL:
            add_scaled(db, work[other : other + len(a) // n], da, n, True)
        elif operation == HEX_CORNERS:
            gather(HEX_VERTICES, db, da, n, True)
        else:
            gather(EDGE_VERTICES, db, da, n, operation == EDGE_ENDS)
    store(d_work[do.shared : do.shared + d_shared.shape[1]], d_shared, game)
