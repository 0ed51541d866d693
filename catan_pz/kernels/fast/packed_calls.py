"""Packed entry points, which threads call without the interpreter, with arguments in memory.

An entry point whose first parameters are `games, first, last` gets packed code besides the
function that Python calls. Its C signature is always (words, first, last). The words hold a
flag and then every other argument: an int64 as it is, an array as its address and shape, a
bundle as its fields.
"""

import inspect
from collections import deque
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import as_dtype
from numpy.typing import NDArray

from catan_pz.checks import as_integer
from catan_pz.kernels.types import signature_of

SHARED: Final = ("games", "first", "last")
"""The first parameters of an entry point shared by threads."""
FAILED: Final = 0
"""Index of the word that a failed call sets to 1. Only an index out of bounds makes a call
fail, if numba checks bounds."""

_dtype_of = cache(as_dtype)

_NOTHING: Final = object()
"""Stands for an argument that the words don't hold."""

_WORD: Final = ir.IntType(64)
PACKED_TYPE: Final = ir.FunctionType(_WORD, [_WORD.as_pointer(), _WORD, _WORD])


def leaf_kinds(kind: Any) -> list[Any]:
    """The types of arrays and numbers in an argument; a bundle is split into its fields."""
    if isinstance(kind, types.BaseTuple):
        return [leaf for field in kind.types for leaf in leaf_kinds(field)]
    return [kind]


def _leaves(name: str, kind: Any, given: Any) -> Iterator[Any]:
    """The arrays and ints of an argument, with a bundle split into its fields."""
    if isinstance(kind, types.BaseTuple):
        if not isinstance(given, kind.instance_class):
            raise TypeError(f"{name} must be a {kind.instance_class.__name__}")
        for field, inner, value in zip(kind.fields, kind.types, given, strict=True):
            yield from _leaves(f"{name}.{field}", inner, value)
    elif not isinstance(kind, types.Array):
        yield as_integer(name, given)
    elif (
        isinstance(given, np.ndarray)
        and given.dtype == _dtype_of(kind.dtype)
        and given.ndim == kind.ndim
        and given.flags.c_contiguous
        and given.flags.aligned
        and (given.flags.writeable or not kind.mutable)
    ):
        yield given
    else:
        raise TypeError(f"{name} must be a {kind}")


def packed_name(descriptor: Any) -> str:
    """Symbol of the packed code of a compiled function."""
    return f"packed.{descriptor.llvm_func_name}"


def is_shareable(descriptor: Any) -> bool:
    """Whether a function gets packed code: its arguments are int64, arrays and bundles of these."""
    return tuple(descriptor.args[:3]) == SHARED and all(
        leaf == types.int64 or isinstance(leaf, types.Array)
        for given in descriptor.argtypes
        for leaf in leaf_kinds(given)
    )


def add_packed_code(context: Any, library: Any, descriptor: Any) -> None:
    """Add the packed code of a function to the library that holds it."""
    module = context.create_module("packed")
    called = ir.Function(
        module,
        context.call_conv.get_function_type(descriptor.restype, descriptor.argtypes),
        descriptor.llvm_func_name,
    )
    packed = ir.Function(module, PACKED_TYPE, packed_name(descriptor))
    builder = ir.IRBuilder(packed.append_basic_block("entry"))
    words, first, last = packed.args
    place = FAILED + 1

    def next_word() -> Any:
        nonlocal place
        place += 1
        return builder.load(cgutils.gep(builder, words, place - 1))

    def argument(kind: Any) -> Any:
        if isinstance(kind, types.BaseTuple):
            return context.make_tuple(builder, kind, [argument(field) for field in kind.types])
        if kind == types.int64:
            return next_word()
        array = context.make_array(kind)(context, builder)
        data = builder.inttoptr(next_word(), array.data.type)
        shape = [next_word() for _ in range(kind.ndim)]
        itemsize = context.get_constant(types.intp, _dtype_of(kind.dtype).itemsize)
        strides = [itemsize]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        populate_array(array, data, shape, strides, itemsize, meminfo=None)
        return array._getvalue()

    games = argument(descriptor.argtypes[0])
    rest = [argument(kind) for kind in descriptor.argtypes[len(SHARED) :]]
    status, result = context.call_conv.call_function(
        builder, called, descriptor.restype, descriptor.argtypes, [games, first, last, *rest]
    )
    with builder.if_then(status.is_error, likely=False):
        builder.store(_WORD(1), cgutils.gep(builder, words, FAILED))
    builder.ret(result if descriptor.restype == types.int64 else _WORD(0))
    library.add_ir_module(module)


class PackedCall:
    """Arguments of an entry point in memory; `fill` rewrites only changed ones.

    Args:
        dispatcher: of the entry point, compiled.
    """

    def __init__(self, dispatcher: Any) -> None:
        (result,) = dispatcher.overloads.values()
        self.address: int = result.library.get_pointer_to_function(packed_name(result.fndesc))
        function = dispatcher.py_func
        given = zip(inspect.signature(function).parameters, signature_of(function), strict=True)
        self.name = function.__name__
        self._kinds = [(name, kind) for name, kind in given if name not in SHARED[1:]]
        sizes = [
            sum(1 + getattr(leaf, "ndim", 0) for leaf in leaf_kinds(kind))
            for _, kind in self._kinds
        ]
        self._places = [FAILED + 1 + sum(sizes[:k]) for k in range(len(sizes))]
        self.words: NDArray[np.int64] = np.zeros(FAILED + 1 + sum(sizes), np.int64)
        self.words_address = int(self.words.ctypes.data)
        self._held: list[Any] = [_NOTHING] * len(sizes)
        # Words of bundles, which often alternate: their fields never change.
        self._known: deque[tuple[Any, int, NDArray[np.int64]]] = deque(maxlen=8)

    def fill(self, arguments: tuple[Any, ...]) -> None:
        """Write arguments, except `first` and `last`, over the previous ones."""
        held = self._held
        if len(arguments) != len(held):
            raise TypeError(f"{self.name}: {len(arguments)} arguments, must be {len(held)}")
        for k, given in enumerate(arguments):
            if given is not held[k]:
                self._put(k, given)

    def _put(self, k: int, given: Any) -> None:
        place = self._places[k]
        for bundle, at, known in self._known:
            if bundle is given and at == place:
                self.words[at : at + len(known)] = known
                self._held[k] = given
                return
        name, kind = self._kinds[k]
        # Check all before writing the first.
        for value in list(_leaves(f"{self.name}: argument {name!r}", kind, given)):
            words = [value.ctypes.data, *value.shape] if isinstance(value, np.ndarray) else [value]
            self.words[place : place + len(words)] = words
            place += len(words)
        if isinstance(given, tuple):
            start = self._places[k]
            self._known.append((given, start, self.words[start:place].copy()))
        self._held[k] = given  # keeps the array alive while its address is used
