"""Products of matrices in vector registers: what LLVM doesn't find in loops by itself."""

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from catan_pz.kernels.backend import BACKEND

LANES: Final = 16
"""Columns of a tile: numbers that are computed side by side."""


def _make_tile(rows: int) -> Callable[..., None]:
    """What writes c[:rows, :LANES] = d + a[:rows, :steps] @ b[:steps, :LANES].

    The matrices stand in float32 arrays, d in that of c. Of each are given: where it begins, how
    far its next row is, and of a how far its next column is.
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
        first = ir.Constant(vector, ir.Undefined)
        alike = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        with cgutils.for_range(builder, steps) as loop:
            k = loop.index
            right = builder.load(wide(y, b_at, (k, b_row)), align=4)
            for r, total in zip(at, sums, strict=True):
                left = builder.load(place(x, a_at, (r, a_row), (k, a_column)))
                left = builder.insert_element(first, left, ir.Constant(ir.IntType(32), 0))
                left = builder.shuffle_vector(left, first, alike)
                product = builder.fmul(left, right, flags=("contract",))
                added = builder.fadd(builder.load(total), product, flags=("contract",))
                builder.store(added, total)
        for r, total in zip(at, sums, strict=True):
            builder.store(builder.load(total), wide(z, c_at, (r, c_row)), align=4)
        return context.get_dummy_value()

    return tile if BACKEND == "python" else intrinsic(lowered)


tile_1: Final = _make_tile(1)
tile_2: Final = _make_tile(2)
tile_4: Final = _make_tile(4)
