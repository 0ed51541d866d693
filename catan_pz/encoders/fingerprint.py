"""A few numbers that tell apart encoders of one name and layout that give other observations.

Letters: K samples, N numbers of an observation.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.encoders.base import Encoder
from catan_pz.observation.segments import SCALES, SIZE

TOLERANCE: Final = 1e-4
"""Difference of a sum that still counts as the same, as a part of the sum of absolute values: other
processors and versions of libraries round otherwise."""

_SAMPLES: Final = 4
_GOLDEN: Final = (5**0.5 - 1) / 2


def _spread(count: int) -> NDArray[np.float64]:
    """(count,) numbers in [0, 1), spread evenly and in no order."""
    return np.arange(1, count + 1, dtype=np.float64) * _GOLDEN % 1


def _samples() -> NDArray[np.int8]:
    """(K, N) numbers in the ranges of observations, of no game that could be."""
    most = np.round(1 / SCALES).astype(np.int64)
    parts = _spread(SIZE * _SAMPLES).reshape(SIZE, _SAMPLES).T  # each number differs among samples
    return np.ascontiguousarray((parts * (most + 1)).astype(np.int8))


def _sums(encoder: Encoder) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] | None:
    """For each segment (K,) weighted sums of the encoded samples, and of their absolute values."""
    try:
        with np.errstate(all="ignore"):
            seen = encoder.encode(_samples())
        parts = seen if encoder.is_dict else {encoder.segments[0].name: seen}
        sums = {}
        for name, part in parts.items():
            numbers = np.asarray(part, np.float64).reshape(_SAMPLES, -1)
            weights = _spread(numbers.shape[1])
            sums[name] = numbers @ weights, np.abs(numbers) @ weights
    except Exception:  # an encoder may take observations of real games alone
        return None
    return sums if all(np.isfinite(absolute).all() for _, absolute in sums.values()) else None


def fingerprint(encoder: Encoder) -> dict[str, list[float]] | None:
    """JSON numbers that change with what an encoder gives; None where it refuses the samples."""
    sums = _sums(encoder)
    if sums is None:
        return None
    return {name: [float(f"{number:.8g}") for number in own] for name, (own, _) in sums.items()}


def fits(encoder: Encoder, noted: Mapping[str, Any] | None) -> bool:
    """Whether an encoder gives the numbers of a fingerprint, or there is none to compare."""
    sums = _sums(encoder)
    if noted is None or sums is None:
        return True
    return noted.keys() == sums.keys() and all(
        len(noted[name]) == len(own)
        and bool((np.abs(own - np.asarray(noted[name], float)) <= TOLERANCE * absolute).all())
        for name, (own, absolute) in sums.items()
    )
