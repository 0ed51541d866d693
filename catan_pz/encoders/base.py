"""What an encoder is: a function of what one seat may know, and of nothing else."""

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

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
        low: the least value.
        high: the greatest value.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    dtype: str = "float32"
    low: float = 0.0
    high: float = 1.0

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)


class Encoder(ABC):
    """A view of a seat's observation in the form that a learner wants.

    An encoder is given what one seat may know and nothing else, so it can leak nothing. It keeps
    nothing from one call to the next. `catan_pz.testing.check_encoder` checks both.

    Attributes:
        name: of the encoder; model files store it.
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
        """A hash of what it takes and gives: models for another layout can't be used."""
        described = [(s.name, list(s.shape), s.dtype) for s in self.segments]
        text = json.dumps([LAYOUT, self.name, described])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        return f"<encoder {self.name!r}>"
