"""Entry points that threads call without the interpreter, with their arguments in memory.

An entry point whose first parameters are `games, first, last` gets, beside the function that
Python calls, packed code. Its C signature is the same for all of them: (words, first, last).
The words hold a flag and then every other argument: an int64 as it is, an array as its address
and shape, a bundle as its fields.
"""

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import as_dtype
from numpy.typing import NDArray

from catan_pz.kernels.arguments import SHARED, Parameters, leaf_kinds

FAILED: Final = 0
"""Index of the word that a call sets to 1 when it fails: only an index out of bounds makes it
fail, where numba checks those."""

_NOTHING: Final = object()
"""In place of an argument that the words don't hold."""

_WORD: Final = ir.IntType(64)
PACKED_TYPE: Final = ir.FunctionType(_WORD, [_WORD.as_pointer(), _WORD, _WORD])


def packed_name(descriptor: Any) -> str:
    """Symbol of the packed code of a compiled function."""
    return f"packed.{descriptor.llvm_func_name}"


def is_shareable(descriptor: Any) -> bool:
    """Whether packed code is made for a function: it takes int64, arrays, and bundles of these."""
    return tuple(descriptor.args[:3]) == SHARED and all(
        leaf == types.int64 or isinstance(leaf, types.Array)
        for given in descriptor.argtypes
        for leaf in leaf_kinds(given)
    )


def _without_range(parameters: Any) -> list[Any]:
    return [parameters[0], *parameters[len(SHARED) :]]


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
        itemsize = context.get_constant(types.intp, as_dtype(kind.dtype).itemsize)
        strides = [itemsize]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        populate_array(array, data, shape, strides, itemsize, meminfo=None)
        return array._getvalue()

    games, *rest = [argument(kind) for kind in _without_range(descriptor.argtypes)]
    status, result = context.call_conv.call_function(
        builder, called, descriptor.restype, descriptor.argtypes, [games, first, last, *rest]
    )
    with builder.if_then(status.is_error, likely=False):
        builder.store(_WORD(1), cgutils.gep(builder, words, FAILED))
    builder.ret(result if descriptor.restype == types.int64 else _WORD(0))
    library.add_ir_module(module)


class PackedCall:
    """Arguments of an entry point in memory, rewritten only where they change.

    Args:
        dispatcher: of the entry point, compiled.

    Attributes:
        address: of the packed code.
        words: int64, what the packed code reads.
    """

    def __init__(self, dispatcher: Any) -> None:
        # OrderedDict's own values() takes an exception that comes meanwhile for a missing key.
        (result,) = dict.values(dispatcher.overloads)
        self.address: int = result.library.get_pointer_to_function(packed_name(result.fndesc))
        self._parameters = Parameters(dispatcher.py_func)
        sizes = [
            sum(1 + getattr(leaf, "ndim", 0) for leaf in leaf_kinds(kind))
            for kind in self._parameters.kinds
        ]
        self._places = [FAILED + 1 + sum(sizes[:k]) for k in range(len(sizes))]
        self.words: NDArray[np.int64] = np.zeros(FAILED + 1 + sum(sizes), np.int64)
        self.words_address = int(self.words.ctypes.data)
        self._held: list[Any] = [_NOTHING] * len(sizes)

    def fill(self, arguments: tuple[Any, ...]) -> None:
        """Write arguments, `first` and `last` left out, over those before.

        Raises:
            TypeError: for an argument of another type than the parameter's, or for more or
                fewer of them.
        """
        self._parameters.check_count(len(arguments))
        held = self._held
        for k, given in enumerate(arguments):
            if given is not held[k]:
                self._put(k, given)

    def _put(self, k: int, given: Any) -> None:
        place, leaves = self._places[k], self._parameters.checked(k, given)
        self._held[k] = _NOTHING  # in case an exception comes before all is written
        for value in leaves:
            words = [value.ctypes.data, *value.shape] if isinstance(value, np.ndarray) else [value]
            self.words[place : place + len(words)] = words
            place += len(words)
        self._held[k] = given  # an array must live as long as its address is used
