"""What plain Python has no words for: memory that threads share, and memory ahead of its use.

Only compiled code may call these, but for `fetch`, which does nothing in Python.
"""

from collections.abc import Callable
from typing import Any, Final

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from catan_pz.compiler.packed_calls import PACKED_TYPE

CACHE_LINE: Final = 64
"""Bytes that the memory gives at once."""


def _item(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
    """Pointer to the item of an array; array and index are the first arguments."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return cgutils.gep(builder, array.data, arguments[1])


@intrinsic
def look(_context: Any, array: Any, place: Any) -> Any:
    """array[place] as it is now, whoever wrote it, and all that was written before it."""

    def load(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        pointer = _item(context, builder, signature, arguments)
        return builder.load_atomic(pointer, ordering="acquire", align=8)

    return types.int64(array, types.int64), load


@intrinsic
def tell(_context: Any, array: Any, place: Any, number: Any) -> Any:
    """Write array[place] for others to `look` at, after all that was written before."""

    def store(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        pointer = _item(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], pointer, ordering="release", align=8)
        return context.get_dummy_value()

    return types.none(array, types.int64, types.int64), store


@intrinsic
def replace(_context: Any, array: Any, place: Any, old: Any, new: Any) -> Any:
    """Write array[place] if it is `old`, as one act; whether it was."""

    def exchange(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        pointer = _item(context, builder, signature, arguments)
        both = builder.cmpxchg(pointer, arguments[2], arguments[3], "seq_cst", "seq_cst")
        return builder.extract_value(both, 1)

    return types.boolean(array, types.int64, types.int64, types.int64), exchange


@intrinsic
def take(_context: Any, array: Any, place: Any) -> Any:
    """array[place], and leave one more there, as one act."""

    def add(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        pointer = _item(context, builder, signature, arguments)
        return builder.atomic_rmw("add", pointer, ir.IntType(64)(1), "monotonic")

    return types.int64(array, types.int64), add


@intrinsic
def call(_context: Any, address: Any, words: Any, first: Any, last: Any) -> Any:
    """Call packed code (`engine.packing`) by its address on games first to last - 1."""

    def jump(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        packed = builder.inttoptr(arguments[0], PACKED_TYPE.as_pointer())
        given = builder.inttoptr(arguments[1], PACKED_TYPE.args[0])
        return builder.call(packed, [given, arguments[2], arguments[3]])

    return types.int64(types.int64, types.int64, types.int64, types.int64), jump


@intrinsic
def _fetch(_context: Any, games: Any, i: Any) -> Any:
    """Ask the memory for all of games[i]; nobody waits for it."""

    def ask(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        game = _item(context, builder, signature, arguments)
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        to_read, to_keep, data = number(0), number(3), number(1)
        for start in range(0, context.get_abi_sizeof(game.type.pointee), CACHE_LINE):
            line = cgutils.gep(builder, builder.bitcast(game, pointer), start)
            builder.call(prefetch, [line, to_read, to_keep, data])
        return context.get_dummy_value()

    return types.none(games, types.int64), ask


def _leave(games: Any, i: int) -> None:
    """Plain Python leaves the memory alone."""


fetch: Callable[[Any, int], None] = _leave if numba.config.DISABLE_JIT else _fetch
