"""What an encoder is: a function of what one seat may know, and of nothing else."""

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import isnan, prod
from numbers import Real
from typing import Any

import numpy as np

from catan_pz.checks import not_possible
from catan_pz.encoders.arrays import Array
from catan_pz.observation.segments import LAYOUT


@dataclass(frozen=True)
class Segment:
    """One array that an encoder gives.

    Attributes:
        name: its key, where an encoder gives several.
        shape: its shape for one observation.
        meaning: axes, unit and meaning, for the documentation.
        dtype: name of its NumPy dtype; libraries expect "float32".
        low: the least value; infinite where there is none.
        high: the greatest value; infinite where there is none.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    dtype: str = "float32"
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        what = f"segment {self.name!r}"
        lengths = self.shape if isinstance(self.shape, tuple | list) else (0,)
        if not all(_is_length(n) for n in lengths):
            raise not_possible(f"{what}: shape", self.shape, "a tuple of ints from 1")
        if not _is_dtype(self.dtype):
            raise not_possible(f"{what}: dtype", self.dtype, "the name of a NumPy dtype of numbers")
        for bound in ("low", "high"):
            number = getattr(self, bound)
            if not isinstance(number, Real) or isnan(number):
                raise not_possible(f"{what}: {bound}", number, "a number")
        if self.low > self.high:
            raise not_possible(f"{what}: low", self.low, f"a number up to its high, {self.high}")

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)


def _is_length(n: object) -> bool:
    return isinstance(n, int | np.integer) and not isinstance(n, bool) and bool(n > 0)


def _is_dtype(name: object) -> bool:
    """Whether it names a dtype of integers, floats or truth values."""
    try:
        return isinstance(name, str) and np.dtype(name).kind in "biuf"
    except (TypeError, ValueError):
        return False


class Encoder(ABC):
    """A view of a seat's observation in the form that a learner wants.

    An encoder is given what one seat may know and nothing else, so it can leak nothing. It keeps
    nothing from one call to the next. `catan_pz.testing.check_encoder` checks both.

    Attributes:
        segments: what `encode` gives. An encoder of one segment gives its array, an encoder of
            several a dict of arrays by their names.
    """

    name: str
    segments: tuple[Segment, ...]

    @abstractmethod
    def encode(self, units: Array) -> Any:
        """The observations in this form.

        Args:
            units: (..., N) int8 in the natural units of `catan_pz.observation.segments`: a NumPy
                array, or a torch tensor on any device. It must not be written to.

        Returns:
            `(..., *shape)` for each segment: NumPy arrays for a NumPy array, tensors on the same
            device for a tensor.
        """

    @property
    def is_dict(self) -> bool:
        """Whether `encode` gives a dict of arrays, not one array."""
        return len(self.segments) > 1

    @property
    def size(self) -> int:
        """How many numbers it gives for one observation."""
        return sum(segment.size for segment in self.segments)

    @cached_property
    def layout(self) -> str:
        """A hash of its name and of the layouts that it takes and gives: models need the same."""
        described = [(s.name, list(s.shape), s.dtype) for s in self.segments]
        text = json.dumps([LAYOUT, self.name, described])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        return f"<encoder {getattr(self, 'name', type(self).__name__)!r}>"
