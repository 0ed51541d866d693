"""The interface of encoders: functions of one seat's information only."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import not_possible
from catan_pz.encoders.arrays import Array
from catan_pz.observation.segments import LAYOUT, SCALES, SIZE

TOLERANCE: Final = 1e-4
"""Largest difference of equal sums, relative to the sum of absolute values: rounding differs
between processors and library versions."""

_SAMPLES: Final = 4
"""K, fixed observations that compare encoders of the same name and layout."""
_GOLDEN: Final = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Segment:
    """One array of an encoder's output.

    Attributes:
        name: its key, if an encoder gives several.
        shape: its shape for one observation.
        meaning: axes, unit and meaning, for the documentation.
        dtype: name of its NumPy dtype; libraries expect "float32".
        low: the least value, or -infinity.
        high: the greatest value, or infinity.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    dtype: str = "float32"
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Sequence):
            raise not_possible(f"segment {self.name!r}: shape", self.shape, "a tuple of ints")

    @property
    def size(self) -> int:
        """The number of values of one observation."""
        return prod(self.shape)


class Encoder(ABC):
    """Turns a seat's observation into the form that a learner needs.

    An encoder gets what one seat may know and nothing else, so it can't leak anything, and keeps no
    state between calls. `catan_pz.testing.check_encoder` checks both.

    Attributes:
        segments: what `encode` gives. An encoder of one segment gives its array, an encoder of
            several a dict of arrays by their names.
    """

    name: str
    segments: tuple[Segment, ...]

    @abstractmethod
    def encode(self, units: Array) -> Any:
        """The observations in this form, `(..., *shape)` for each segment.

        Args:
            units: (..., N) int8 in the natural units of `catan_pz.observation.segments`: a NumPy
                array, or a torch tensor on any device. It must not be written to. The result is of
                the same kind, and on the same device.
        """

    @property
    def is_dict(self) -> bool:
        """Whether `encode` gives a dict of arrays, not one array."""
        return len(self.segments) > 1

    @property
    def size(self) -> int:
        """The number of values of one encoded observation."""
        return sum(segment.size for segment in self.segments)

    @cached_property
    def layout(self) -> str:
        """A hash of the name and of the input and output layouts; models require the same one."""
        described = [(s.name, list(s.shape), s.dtype) for s in self.segments]
        text = json.dumps([LAYOUT, self.name, described])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        return f"<encoder {getattr(self, 'name', type(self).__name__)!r}>"


def check_output(encoder: Encoder, units: Array) -> None:
    """Refuse an encoder whose output doesn't fit its segments, for a batch (B, N) or one row."""
    check_segments(encoder)
    for given, where in ((units[[0, 0]], "two observations"), (units[[0]][0], "one observation")):
        named = named_arrays(encoder, encoder.encode(given), type(given), where)
        check_arrays(encoder, named, given.shape[:-1], where)


def check_segments(encoder: Encoder) -> None:
    """Refuse an encoder without segments, or with two of one name."""
    segments = getattr(encoder, "segments", ())
    if not segments:
        raise ValueError(f"{encoder}: segments are empty, must be one or more")
    names = [segment.name for segment in segments]
    if len(set(names)) < len(names):
        raise ValueError(f"{encoder}: segments have the names {names}, must differ")


def named_arrays(encoder: Encoder, given: Any, kind: type, where: str) -> dict[str, Array]:
    """An encoder's output, which must be arrays of a kind, as a dict by names of segments."""
    named = given if encoder.is_dict else {encoder.segments[0].name: given}
    expected = [segment.name for segment in encoder.segments]
    if not isinstance(named, dict) or list(named) != expected:
        told = f"the keys {list(named)}" if isinstance(named, dict) else type(named).__name__
        raise ValueError(
            f"{encoder}, {where}: gave {told}, must give a dict with the keys of its segments, in "
            f"order: {expected}"
        )
    for name, array in named.items():
        if not isinstance(array, kind):
            told = f"{type(array).__name__}, must be of {kind.__name__}"
            raise ValueError(f"{encoder}, {where}: {name!r} is of {told}")
    return named


def check_arrays(
    encoder: Encoder, named: dict[str, Array], leading: tuple[int, ...], where: str
) -> None:
    """Refuse arrays of another shape or dtype than the segments, or NumPy's out of their range.

    `leading` is the leading axes of the encoded observations.
    """
    for segment in encoder.segments:
        array = named[segment.name]
        shape, dtype = (*leading, *segment.shape), str(array.dtype).removeprefix("torch.")
        fault = ""
        if array.shape != shape:
            fault = f"has the shape {tuple(array.shape)} for {where}, must have {shape}"
        elif dtype != np.dtype(segment.dtype).name:
            fault = f"is {dtype} for {where}, must be {segment.dtype}"
        elif isinstance(array, np.ndarray):
            least, most = array.min(), array.max()
            if not (segment.low <= least and most <= segment.high):
                limits = f"[{segment.low}, {segment.high}]"
                fault = f"has values from {least} to {most} for {where}, must lie in {limits}"
        if fault:
            raise ValueError(f"{encoder}: {segment.name!r} {fault}")


def _spread(count: int) -> NDArray[np.float64]:
    """(count,) numbers in [0, 1), evenly spread, unsorted."""
    return np.arange(1, count + 1, dtype=np.float64) * _GOLDEN % 1


def _samples() -> NDArray[np.int8]:
    """(K, N) numbers in the ranges of observations, from no possible game."""
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
    except Exception:  # an encoder may accept only observations of real games
        return None
    return sums if all(np.isfinite(absolute).all() for _, absolute in sums.values()) else None


def fingerprint(encoder: Encoder) -> dict[str, list[float]] | None:
    """JSON numbers that depend on what an encoder computes; None if it refuses the samples."""
    sums = _sums(encoder)
    if sums is None:
        return None
    return {name: [float(f"{number:.8g}") for number in own] for name, (own, _) in sums.items()}


def fits(encoder: Encoder, noted: Mapping[str, Any] | None) -> bool:
    """Whether an encoder fits a fingerprint, or there is none to compare."""
    sums = _sums(encoder)
    if noted is None or sums is None:
        return True
    return noted.keys() == sums.keys() and all(
        len(noted[name]) == len(own)
        and bool((np.abs(own - np.asarray(noted[name], float)) <= TOLERANCE * absolute).all())
        for name, (own, absolute) in sums.items()
    )
