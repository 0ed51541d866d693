"""Parameter types of rules, as annotations: one name for Python, mypy and numba.

Besides these aliases rules take `int`, `float`, `bool`, `np.uint64`, and bundles: a `NamedTuple`
of any of these. A bundle is free in compiled code and costs a call from Python 0.07 us a field.
"""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Final, TypeAlias, get_args, get_type_hints

import numpy as np
from numba import types
from numpy.typing import NDArray

Int8Array: TypeAlias = Annotated[NDArray[np.int8], types.int8[::1]]
Int8Matrix: TypeAlias = Annotated[NDArray[np.int8], types.int8[:, ::1]]
Int8Cube: TypeAlias = Annotated[NDArray[np.int8], types.int8[:, :, ::1]]
Int16Matrix: TypeAlias = Annotated[NDArray[np.int16], types.int16[:, ::1]]
Int16Cube: TypeAlias = Annotated[NDArray[np.int16], types.int16[:, :, ::1]]
Int64Array: TypeAlias = Annotated[NDArray[np.int64], types.int64[::1]]
Int64Matrix: TypeAlias = Annotated[NDArray[np.int64], types.int64[:, ::1]]
ConstInt64Array: TypeAlias = Annotated[
    NDArray[np.int64], types.Array(types.int64, 1, "C", readonly=True)
]
ConstInt64Matrix: TypeAlias = Annotated[
    NDArray[np.int64], types.Array(types.int64, 2, "C", readonly=True)
]
UInt64Array: TypeAlias = Annotated[NDArray[np.uint64], types.uint64[::1]]
UInt64Matrix: TypeAlias = Annotated[NDArray[np.uint64], types.uint64[:, ::1]]
Float32Array: TypeAlias = Annotated[NDArray[np.float32], types.float32[::1]]
Float32Matrix: TypeAlias = Annotated[NDArray[np.float32], types.float32[:, ::1]]
Float64Array: TypeAlias = Annotated[NDArray[np.float64], types.float64[::1]]
Float64Matrix: TypeAlias = Annotated[NDArray[np.float64], types.float64[:, ::1]]
BoolArray: TypeAlias = Annotated[NDArray[np.bool_], types.boolean[::1]]

_SCALARS: Final[dict[Any, Any]] = {
    int: types.int64,
    float: types.float64,
    bool: types.boolean,
    np.uint64: types.uint64,
}


def signature_of(function: Callable[..., Any]) -> tuple[Any, ...]:
    """Numba types of a rule's parameters, from their annotations."""
    where = f"{function.__module__}.{function.__qualname__}: parameter"
    return tuple(
        _numba_type(f"{where} {name!r}", parameter.annotation)
        for name, parameter in inspect.signature(function).parameters.items()
    )


def _numba_type(where: str, annotation: Any) -> Any:
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    for extra in get_args(annotation)[1:]:
        if isinstance(extra, types.Type):
            return extra
    if isinstance(annotation, type) and hasattr(annotation, "_fields"):
        hints = get_type_hints(annotation, include_extras=True)
        fields = [_numba_type(f"{where}: field {name!r}", hint) for name, hint in hints.items()]
        return types.BaseTuple.from_types(fields, annotation)
    raise TypeError(
        f"rule {where} needs an annotation that names a numba type: int, float, bool, np.uint64, "
        "an alias such as those of catan_pz.kernels.types, or a NamedTuple of these; it has "
        f"{annotation!r}"
    )
