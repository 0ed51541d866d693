"""Atomics, calls by address, prefetching, bits as bytes.

Only compiled code can call these.
"""

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from catan_pz.kernels.fast.packed_calls import PACKED_TYPE

CACHE_LINE: Final = 64
"""Bytes of a cache line."""


def _item(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
    """Pointer to an item of an array; array and index are the first two arguments."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return cgutils.gep(builder, array.data, arguments[1])


@intrinsic
def load_acquire(_context: Any, array: Any, index: Any) -> Any:
    """Return array[index] of an int64 array, with acquire ordering."""

    def load(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        pointer = _item(context, builder, signature, arguments)
        return builder.load_atomic(pointer, ordering="acquire", align=8)

    return types.int64(array, types.int64), load


@intrinsic
def store_release(_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Write array[index] of an int64 array, with release ordering."""

    def store(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        pointer = _item(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], pointer, ordering="release", align=8)
        return context.get_dummy_value()

    return types.none(array, types.int64, types.int64), store


@intrinsic
def compare_exchange(_context: Any, array: Any, index: Any, expected: Any, desired: Any) -> Any:
    """Write `desired` to array[index] if it equals `expected`; return whether it did."""

    def exchange(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        pointer = _item(context, builder, signature, arguments)
        both = builder.cmpxchg(pointer, arguments[2], arguments[3], "seq_cst", "seq_cst")
        return builder.extract_value(both, 1)

    return types.boolean(array, types.int64, types.int64, types.int64), exchange


@intrinsic
def fetch_add(_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Add `value` to array[index], with relaxed ordering; return the item as it was before."""

    def add(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        pointer = _item(context, builder, signature, arguments)
        return builder.atomic_rmw("add", pointer, arguments[2], "monotonic")

    return types.int64(array, types.int64, types.int64), add


@intrinsic
def call_packed(_context: Any, address: Any, words: Any, first: Any, last: Any) -> Any:
    """Call packed code (`packed_calls`) at an address for games first to last - 1."""

    def jump(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        packed = builder.inttoptr(arguments[0], PACKED_TYPE.as_pointer())
        given = builder.inttoptr(arguments[1], PACKED_TYPE.args[0])
        return builder.call(packed, [given, arguments[2], arguments[3]])

    return types.int64(types.int64, types.int64, types.int64, types.int64), jump


@intrinsic
def call_sleep(_context: Any, address: Any, length: Any) -> Any:
    """Call the system's sleep function at an address, with a length in its own units."""

    def jump(context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        number = ir.IntType(32)
        sleep = builder.inttoptr(arguments[0], ir.FunctionType(number, [number]).as_pointer())
        builder.call(sleep, [builder.trunc(arguments[1], number)])
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), jump


@intrinsic
def prefetch(_context: Any, games: Any, i: Any) -> Any:
    """Start loading all cache lines of games[i] without waiting."""

    def emit(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        game = _item(context, builder, signature, arguments)
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        read, high_locality, data_cache = number(0), number(3), number(1)
        for start in range(0, context.get_abi_sizeof(game.type.pointee), CACHE_LINE):
            line = cgutils.gep(builder, builder.bitcast(game, pointer), start)
            builder.call(function, [line, read, high_locality, data_cache])
        return context.get_dummy_value()

    return types.none(games, types.int64), emit


@intrinsic
def spell_bits(_context: Any, array: Any, first: Any, members: Any) -> Any:
    """Write the 64 bits of an int64 into an int8 array from index `first` on, each as 0 or 1."""

    def emit(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        place = _item(context, builder, signature, arguments)
        bits = builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), 64))
        numbers = builder.zext(bits, ir.VectorType(ir.IntType(8), 64))
        builder.store(numbers, builder.bitcast(place, numbers.type.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.none(array, types.int64, types.int64), emit
