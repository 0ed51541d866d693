"""Asking the memory for a game before it is needed, where a batch is larger than the caches.

A step reads a game here and there, which no processor foresees; on some tens of thousands
of games the memory's answers took half the time.
"""

from typing import Any, Final

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LINE: Final = 64
"""Bytes that the memory gives at once."""


def _nothing(games: Any, i: int) -> None:
    """Plain Python leaves the memory alone."""


@intrinsic
def _fetch(_context: Any, games: Any, i: Any) -> Any:
    """Ask for all of games[i]; nobody waits for it, and any i is allowed."""

    def ask(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        held = context.make_array(signature.args[0])(context, builder, arguments[0])
        game = cgutils.gep(builder, held.data, arguments[1])
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        to_read, to_keep, data = number(0), number(3), number(1)
        for start in range(0, context.get_abi_sizeof(game.type.pointee), LINE):
            line = cgutils.gep(builder, builder.bitcast(game, pointer), start)
            builder.call(prefetch, [line, to_read, to_keep, data])
        return context.get_dummy_value()

    return types.none(games, i), ask


fetch = _nothing if numba.config.DISABLE_JIT else _fetch
