"""Matrix products in vector registers, which LLVM doesn't produce from loops by itself."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float32Array

LANES: Final = 16
"""Columns of a tile: numbers that are computed in parallel."""


def _alike(builder: ir.IRBuilder, number: Any, lanes: int) -> Any:
    """A vector of one number."""
    first = ir.Constant(ir.VectorType(ir.FloatType(), lanes), ir.Undefined)
    places = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
    number = builder.insert_element(first, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(number, first, places)


def _add_product(builder: ir.IRBuilder, total: Any, left: Any, right: Any) -> None:
    """Add the product of two vectors to a third one in memory."""
    product = builder.fmul(left, right, flags=("contract",))
    builder.store(builder.fadd(builder.load(total), product, flags=("contract",)), total)


def _make_tile(rows: int) -> Callable[..., None]:
    """A function that writes c[:rows, :LANES] = d + a[:rows, :steps] @ b[:steps, :LANES].

    The matrices are in float32 arrays, d in that of c. The arguments give each one's start and
    row stride, and a's column stride.
    """

    def tile(*given: Any) -> None:
        a, a_at, a_row, a_column, b, b_at, b_row, c, c_at, c_row, d_at, d_row, steps = given
        for r in range(rows):
            total = c[d_at + r * d_row :][:LANES].copy()
            for k in range(steps):
                total += a[a_at + r * a_row + k * a_column] * b[b_at + k * b_row :][:LANES]
            c[c_at + r * c_row :][:LANES] = total

    def lowered(  # type: ignore[no-untyped-def]  # wide: four matrices
        _context, a, a_at, a_row, a_column, b, b_at, b_row, c, c_at, c_row, d_at, d_row, steps
    ):
        numbers = [types.int64] * 5
        return types.none(a, *numbers[:3], b, *numbers[:2], c, *numbers), _emit

    def _emit(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        a, a_at, a_row, a_column, b, b_at, b_row, c, c_at, c_row, d_at, d_row, steps = arguments
        vector = ir.VectorType(ir.FloatType(), LANES)
        kinds = signature.args[0], signature.args[4], signature.args[7]
        x, y, z = (
            context.make_array(kind)(context, builder, given).data
            for kind, given in zip(kinds, (a, b, c), strict=True)
        )

        def place(data: Any, start: Any, *offsets: tuple[Any, Any]) -> Any:
            for count, far in offsets:
                start = builder.add(start, builder.mul(count, far))
            return builder.gep(data, [start])

        def wide(data: Any, start: Any, *offsets: tuple[Any, Any]) -> Any:
            return builder.bitcast(place(data, start, *offsets), vector.as_pointer())

        at = [ir.Constant(ir.IntType(64), r) for r in range(rows)]
        sums = [cgutils.alloca_once(builder, vector) for _ in at]
        for r, total in zip(at, sums, strict=True):
            builder.store(builder.load(wide(z, d_at, (r, d_row)), align=4), total)
        with cgutils.for_range(builder, steps) as loop:
            k = loop.index
            right = builder.load(wide(y, b_at, (k, b_row)), align=4)
            for r, total in zip(at, sums, strict=True):
                left = builder.load(place(x, a_at, (r, a_row), (k, a_column)))
                _add_product(builder, total, _alike(builder, left, LANES), right)
        for r, total in zip(at, sums, strict=True):
            builder.store(builder.load(total), wide(z, c_at, (r, c_row)), align=4)
        return context.get_dummy_value()

    return tile if BACKEND == "python" else intrinsic(lowered)


tile_1: Final = _make_tile(1)
tile_2: Final = _make_tile(2)
tile_4: Final = _make_tile(4)


@kernel
def copy_numbers(source: Float32Array, target: Float32Array) -> None:
    """Copy an array, since NumPy's assignment would allocate."""
    for k in range(source.shape[0]):
        target[k] = source[k]


class Matrix(NamedTuple):
    """A matrix among other numbers: its start, row stride and column stride."""

    numbers: Float32Array
    at: int
    row: int
    column: int


@kernel
def multiply(  # wide: four matrices and their sizes
    a: Matrix, b: Matrix, c: Matrix, d_at: int, d_row: int, rows: int, columns: int, steps: int
) -> None:
    """Write c = d + a @ b, (rows, columns), d among the numbers of c; b and c have no gaps."""
    x, x_row, next_x, y, y_row = a.numbers, a.row, a.column, b.numbers, b.row
    for j in range(0, columns, LANES):
        r = 0
        while r < rows:
            x_at, at, to = a.at + r * x_row, b.at + j, c.at + r * c.row + j
            z, z_row, of = c.numbers, c.row, d_at + r * d_row + j
            if r + 4 <= rows:
                tile_4(x, x_at, x_row, next_x, y, at, y_row, z, to, z_row, of, d_row, steps)
                r += 4
            elif r + 2 <= rows:
                tile_2(x, x_at, x_row, next_x, y, at, y_row, z, to, z_row, of, d_row, steps)
                r += 2
            else:
                tile_1(x, x_at, x_row, next_x, y, at, y_row, z, to, z_row, of, d_row, steps)
                r += 1


STRIP: Final = 32
"""Numbers that `add_rows` computes in parallel."""


def _make_add_rows() -> Callable[..., None]:
    """A function that adds the first n of some factors times rows of b to c[c_at:][:STRIP].

    All are float32 arrays except `places`, the starts of the rows in b, relative to `b_at`.
    """

    def add_rows(*given: Any) -> None:
        factors, places, n, b, b_at, c, c_at = given
        for k in range(n):
            c[c_at:][:STRIP] += factors[k] * b[b_at + places[k] :][:STRIP]

    def lowered(_context, factors, places, n, b, b_at, c, c_at):  # type: ignore[no-untyped-def]
        return types.none(factors, places, types.int64, b, types.int64, c, types.int64), _emit

    def _emit(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        _, _, n, _, b_at, _, c_at = arguments
        x, places, y, z = (
            context.make_array(signature.args[k])(context, builder, arguments[k]).data
            for k in (0, 1, 3, 5)
        )
        vector = ir.VectorType(ir.FloatType(), STRIP)
        target = builder.bitcast(builder.gep(z, [c_at]), vector.as_pointer())
        total = cgutils.alloca_once(builder, vector)
        builder.store(builder.load(target, align=4), total)
        with cgutils.for_range(builder, n) as loop:
            left = _alike(builder, builder.load(builder.gep(x, [loop.index])), STRIP)
            at = builder.add(builder.load(builder.gep(places, [loop.index])), b_at)
            row = builder.bitcast(builder.gep(y, [at]), vector.as_pointer())
            _add_product(builder, total, left, builder.load(row, align=4))
        builder.store(builder.load(total), target, align=4)
        return context.get_dummy_value()

    return add_rows if BACKEND == "python" else intrinsic(lowered)


add_rows: Final = _make_add_rows()
