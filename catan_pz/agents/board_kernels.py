"""The board network on a CPU, in compiled code.

`board_program` describes the computation. It runs for a few games at a time, whose numbers fit
into a core's cache. Letters as there, and K games.
"""

from typing import Final

import numpy as np

from catan_pz.agents.board_program import (
    BIAS,
    HEX_CORNERS,
    LEVELS,
    MULTIPLY,
    OF_TERRAIN,
    POOL,
    RELU,
    TO_VERTICES,
    YIELDS,
    Program,
)
from catan_pz.agents.tiles import Matrix, copy_numbers, multiply
from catan_pz.board.topology import EDGE_VERTICES, HEX_VERTICES
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import ConstInt64Matrix, Float32Array, Float32Matrix, Int64Array
from catan_pz.observation.segments import PLACES, SIZE
from catan_pz.terms import NUM_HEXES, NUM_RESOURCES

BLOCK: Final = 4
"""Games that go through the layers together."""

_TERRAIN: Final = PLACES["hex_terrain"].start
_PIPS: Final = PLACES["hex_pips"].start
_ROBBER: Final = PLACES["hex_robber"].start
_HAND: Final = PLACES["own_hand"].start


@kernel
def gather(table: ConstInt64Matrix, one: Matrix, x: Matrix, y: Matrix, back: bool) -> None:
    """Add to each row of a table the rows of its places, or the reverse."""
    for k in range(len(table)):
        for i in range(0, table.shape[1], 2):
            this, further = table[k, i], table[k, i + 1] - table[k, i]
            if back:
                source = Matrix(x.numbers, x.at + k * x.row, 0, 1)
                both = Matrix(y.numbers, y.at + this * y.row, further * y.row, 1)
                multiply(one, source, both, both.at, both.row, 2, x.row, 1)
            else:
                both = Matrix(x.numbers, x.at + this * x.row, further * x.row, 1)
                target = Matrix(y.numbers, y.at + k * y.row, 0, 1)
                multiply(one, both, target, target.at, 0, 1, x.row, 2)


@kernel
def rectify(sign: Float32Array, y: Float32Array) -> None:
    """Set y to zero where `sign` isn't positive."""
    for k in range(len(y)):
        y[k] *= np.float32(sign[k] > np.float32(0))


@kernel
def prepare(do: Program, x: Float32Array, work: Float32Array) -> None:
    """Write an observation and the features computed from it without weights."""
    copy_numbers(x, work[:SIZE])
    work[SIZE : do.yields] = np.float32(0)
    work[do.computed : do.begun] = np.float32(0)
    work[do.one], work[do.one + 1] = np.float32(1), np.float32(0.1)
    for h in range(NUM_HEXES):
        pips, at = x[_PIPS + h], do.yields + h * YIELDS
        for r in range(NUM_RESOURCES):
            work[at + r] = x[_TERRAIN + h * OF_TERRAIN + r] * pips
            work[SIZE + r] += work[at + r] * np.float32(0.1)
        work[at + NUM_RESOURCES] = x[_ROBBER + h] * pips
    at = SIZE + NUM_RESOURCES
    for level in LEVELS:
        for r in range(NUM_RESOURCES):
            above = x[_HAND + r] - np.float32(level - 0.1)
            work[at] = min(max(above, np.float32(0)), np.float32(0.1)) * np.float32(10)
            at += 1
    for k in range(len(do.pairs)):
        to, source = do.pairs[k, 0], do.pairs[k, 1]
        work[to] += work[source]
        work[to + 1] += work[source + 1]


@kernel
def fields(step: Int64Array) -> tuple[int, ...]:
    """The numbers of a step."""
    a, b, c, d, e, f = step[0], step[1], step[2], step[3], step[4], step[5]
    return a, b, c, d, e, f, step[6], step[7], step[8], step[9], step[10]


@kernel
def run_steps(do: Program, weights: Float32Array, work: Float32Array, games: int) -> None:
    """Run the program for the games of a block."""
    size = do.size
    for s in range(len(do.steps)):
        operation, a, b, places, n, far, _, row, more, last, first = fields(do.steps[s])
        if operation == MULTIPLY and places == 1:
            its, target = Matrix(work, a, size, 1), Matrix(work, b, size, 1)
            multiply(its, Matrix(weights, more, row, 1), target, b, size, games, row, n)
            continue
        for at in range(0, games * size, size):
            x, y, one = a + at, b + at, Matrix(work, do.one, 0, 0)
            source, target = Matrix(work, x, far, 1), Matrix(work, y, row, 1)
            if operation == MULTIPLY:
                d, d_row = (y, row) if first < 0 else (first + at, 0)
                multiply(source, Matrix(weights, more, row, 1), target, d, d_row, places, row, n)
            elif operation == BIAS:
                copy_numbers(weights[more : more + row], work[y : y + row])
            elif operation == RELU:
                rectify(work[x : x + places * row], work[y : y + places * row])
            elif operation == POOL:
                factors = Matrix(work, more + at * (last > 0), 0, last)
                multiply(factors, source, target, y, 0, 1, row, places)
            elif operation == HEX_CORNERS:
                gather(HEX_VERTICES, one, source, target, False)
            else:
                gather(EDGE_VERTICES, one, source, target, operation == TO_VERTICES)


@entry
def run_forward(  # wide: inputs and outputs
    games: Float32Matrix,
    first: int,
    last: int,
    threads: int,
    do: Program,
    weights: Float32Array,
    out: Float32Matrix,
    latent: Float32Matrix,
    works: Float32Matrix,
    kept: Float32Matrix,
) -> None:
    """Write the results (K, A) and (K, D) for games (K, N) of some of the threads.

    Each thread has a row of `works`. Numbers for the backward pass are kept, (K, n) or (0, n).
    """
    blocks = -(-len(games) // BLOCK)
    for thread in range(first, last):
        work = works[thread]
        for block in range(thread * blocks // threads, (thread + 1) * blocks // threads):
            start = block * BLOCK
            count = min(BLOCK, len(games) - start)
            for g in range(count):
                prepare(do, games[start + g], work[g * do.size : (g + 1) * do.size])
            run_steps(do, weights, work, count)
            for g in range(count):
                write_results(
                    do, work[g * do.size : (g + 1) * do.size], out[start + g], latent[start + g]
                )
                if len(kept):
                    copy_numbers(work[g * do.size : g * do.size + do.kept], kept[start + g])


@kernel
def write_results(do: Program, work: Float32Array, out: Float32Array, latent: Float32Array) -> None:
    """Write the outputs of a game and its features for a value head."""
    for k in range(len(do.outputs)):
        row = do.outputs[k]
        for i in range(row[1] - row[0]):
            out[row[0] + i] = work[row[2] + i * row[3]] + work[row[4] + i * row[5]]
    copy_numbers(work[do.latent : do.latent + len(latent)], latent)
