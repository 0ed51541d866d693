"""Gradients of the board network on a CPU: compiled code runs its program in reverse.

Letters as in `agents.board_program`, and K games.
"""

from typing import Final

import numpy as np

from catan_pz.agents.board_kernels import BLOCK, fields, gather, rectify
from catan_pz.agents.board_program import (
    BIAS,
    EDGE_ENDS,
    HEX_CORNERS,
    MULTIPLY,
    POOL,
    RELU,
    Program,
)
from catan_pz.agents.tiles import Matrix, multiply
from catan_pz.board.topology import EDGE_VERTICES, HEX_VERTICES
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Float32Array, Float32Matrix

GAMES: Final = 64
"""Games of a group: gradients are summed within each group, then over all groups, so the result
doesn't depend on the number of threads."""


@kernel
def add_scaled(a: Matrix, b: Matrix, c: Matrix, columns: int) -> None:
    """Add a scaled row to another."""
    multiply(a, b, c, c.at, 0, 1, columns, 1)


@kernel
def add_outer(x: Float32Array, row: Matrix, to: Matrix) -> None:
    """Add the outer product of mostly zero inputs and a row."""
    for k in range(len(x)):
        if x[k] != np.float32(0):
            here = Matrix(to.numbers, to.at + k * to.row, to.row, 1)
            add_scaled(Matrix(x, k, 0, 0), row, here, to.row)


@kernel
def run_steps_back(
    do: Program,
    turned: Float32Array,
    kept: Float32Array,
    d_work: Float32Array,
    d_weights: Float32Array,
    games: int,
) -> None:
    """Run the program for the games of a block in reverse, adding to the weights' gradients."""
    size = do.size
    for s in range(len(do.steps) - 1, -1, -1):
        operation, a, b, places, n, far, m, row, more, last, first = fields(do.steps[s])
        gradient = Matrix(d_weights, more, row, 1)
        if operation == MULTIPLY and places == 1 and last >= 0:
            of_target, of_source = Matrix(d_work, b, size, 1), Matrix(d_work, a, size, 1)
            multiply(Matrix(kept, a, 1, do.kept), of_target, gradient, more, row, n, row, games)
            back = Matrix(turned, last, far, 1)
            multiply(of_target, back, of_source, a, size, games, far, m)
            continue
        for g in range(games):
            at, d_at = g * do.kept, g * size
            x, d_y = a + at, b + d_at
            of_source, of_target = Matrix(d_work, a + d_at, far, 1), Matrix(d_work, d_y, row, 1)
            one = Matrix(kept, do.one, 0, 0)
            if operation == MULTIPLY and places == 1:
                add_outer(kept[x : x + n], of_target, gradient)
            elif operation == MULTIPLY:
                multiply(Matrix(kept, x, 1, far), of_target, gradient, more, row, n, row, places)
                if last >= 0:
                    back = Matrix(turned, last, far, 1)
                    multiply(of_target, back, of_source, of_source.at, far, places, far, m)
                if first >= 0:
                    shared = Matrix(d_work, first + d_at, 0, 1)
                    multiply(one, of_target, shared, shared.at, 0, 1, row, places)
            elif operation == BIAS:
                add_scaled(one, of_target, gradient, row)
            elif operation == RELU:
                rectify(kept[x : x + places * row], d_work[d_y : d_y + places * row])
            elif operation == POOL:
                factors = Matrix(kept, more + at * (last > 0), last, 0)
                multiply(factors, of_target, of_source, of_source.at, row, places, row, 1)
            elif operation == HEX_CORNERS:
                gather(HEX_VERTICES, one, of_target, of_source, True)
            else:
                gather(EDGE_VERTICES, one, of_target, of_source, operation == EDGE_ENDS)


@entry
def turn(do: Program, weights: Float32Array, turned: Float32Array) -> None:
    """Write transposes of the weights for the backward pass."""
    for s in range(len(do.steps)):
        step = do.steps[s]
        if step[0] == MULTIPLY and step[9] >= 0:
            for i in range(step[4]):
                for j in range(step[6]):
                    turned[step[9] + j * step[5] + i] = weights[step[8] + i * step[7] + j]


@kernel
def read_gradients(
    do: Program, d_work: Float32Array, d_out: Float32Array, d_latent: Float32Array
) -> None:
    """Start with the gradients of a game's results."""
    d_work[do.computed :] = np.float32(0)
    for k in range(len(do.outputs)):
        row = do.outputs[k]
        for i in range(row[1] - row[0]):
            d_work[row[2] + i * row[3]] += d_out[row[0] + i]
            d_work[row[4] + i * row[5]] += d_out[row[0] + i]
    for k in range(len(d_latent)):
        d_work[do.latent + k] += d_latent[k]


@entry
def run_back(  # wide: what is read, and what is written
    games: Float32Matrix,
    first: int,
    last: int,
    threads: int,
    do: Program,
    turned: Float32Array,
    d_latent: Float32Matrix,
    kept: Float32Matrix,
    works: Float32Matrix,
    d_weights: Float32Matrix,
) -> None:
    """Write the gradients of the weights, a row for every `GAMES` games.

    `games` are gradients of the results (K, A); `d_latent` are those of (K, D).
    """
    for thread in range(first, last):
        d_work = works[thread]
        for part in range(thread, len(d_weights), threads):
            d_weights[part] = np.float32(0)
            end = min((part + 1) * GAMES, len(games))
            for start in range(part * GAMES, end, BLOCK):
                count = min(BLOCK, end - start)
                for g in range(count):
                    d_game = d_work[g * do.size : (g + 1) * do.size]
                    read_gradients(do, d_game, games[start + g], d_latent[start + g])
                of_games = kept[start : start + count].reshape(-1)
                run_steps_back(do, turned, of_games, d_work, d_weights[part], count)
