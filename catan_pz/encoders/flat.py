"""Observations as one vector, as named segments, or in natural units."""

from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from sys import getrefcount
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.encoders.arrays import Array, rows, scaled
from catan_pz.encoders.base import Encoder, Segment
from catan_pz.observation.segments import PLACES, SEGMENTS, SIZE


class FlatForm(Encoder):
    """An encoder whose arrays are parts of the flat vector.

    Compiled code scales observations as it writes them, so these encoders take no extra time.
    """

    def encode(self, units: Array) -> Any:
        """The observations (..., N) in natural units, scaled and in this form."""
        if units.shape[-1:] != (SIZE,):
            raise ValueError(f"units have shape {tuple(units.shape)}, must have (..., {SIZE})")
        return self.of_flat(scaled(units))

    @abstractmethod
    def of_flat(self, flat: Array) -> Any:
        """Flat vectors (..., N) in this form, in the same memory."""

    def vectors(self) -> Callable[[], tuple[NDArray[np.float32], Any]]:
        """A function that returns an unshared vector (N,) and its encoded form.

        Each host that writes observations needs its own function.
        """
        return self._new

    def _new(self) -> tuple[NDArray[np.float32], Any]:
        flat = np.empty(SIZE, np.float32)
        return flat, self.of_flat(flat)


class FlatEncoder(FlatForm):
    """One float32 vector in [0, 1]."""

    name = "flat"
    segments = (Segment("flat", (SIZE,), "(N) the canonical numbers, scaled into [0, 1]"),)

    def of_flat(self, flat: Array) -> Array:
        """The vectors themselves."""
        return flat

    def vectors(self) -> Callable[[], tuple[NDArray[np.float32], Any]]:
        """As in `FlatForm`, with fewer calls."""
        return _new_vector


def _new_vector() -> tuple[NDArray[np.float32], Any]:
    flat = np.empty(SIZE, np.float32)
    return flat, flat


class UnitsEncoder(Encoder):
    """The int8 numbers in natural units, in a quarter of the memory; learners scale them."""

    name = "units"
    segments = (
        Segment("units", (SIZE,), "(N) the canonical numbers in natural units", "int8", 0, 127),
    )

    def encode(self, units: Array) -> Array:
        """The same array."""
        return units


class DictEncoder(FlatForm):
    """The segments as float32 arrays in [0, 1], by name."""

    name = "dict"
    segments = tuple(Segment(s.name, s.shape, s.meaning) for s in SEGMENTS)

    def of_flat(self, flat: Array) -> dict[str, Array]:
        """Named views of flat vectors (..., N)."""
        return {s.name: rows(flat[..., PLACES[s.name]], *s.shape) for s in SEGMENTS}

    def vectors(self) -> Callable[[], tuple[NDArray[np.float32], Any]]:
        """As in `FlatForm`, but much faster if observations are dropped soon."""
        return NamedVectors(self)


class NamedVectors:
    """Returns vectors with their named views, and reuses released ones.

    Making some fifty views takes several times as long as a step of the game. Holders of views must
    not change their shapes or flags, which aren't compared.
    """

    KEPT: Final = 4
    """The most vectors kept for reuse."""

    def __init__(self, encoder: DictEncoder) -> None:
        self._encoder = encoder
        self._kept: deque[_Views] = deque(maxlen=self.KEPT)

    def __reduce__(self) -> Any:
        return NamedVectors, (self._encoder,)

    def __call__(self) -> tuple[NDArray[np.float32], dict[str, NDArray[np.float32]]]:
        """An unshared (N,) vector to write to, and its views by name."""
        kept = self._kept
        if kept and kept[0].is_free():
            kept.rotate(-1)
        else:
            kept.append(_Views(self._encoder))
        views = kept[-1]
        return views.flat, views.named.copy()


class _Views:
    """A vector and its views, with a count of references to them and anything derived from them."""

    def __init__(self, encoder: DictEncoder) -> None:
        self.flat = np.empty(SIZE, np.float32)
        self.named = encoder.of_flat(self.flat)
        self._views = tuple(self.named.values())
        self._unheld = self._references()

    def _references(self) -> int:
        # Views of views refer to the vector itself.
        return getrefcount(self.flat) + sum(map(getrefcount, self._views))

    def is_free(self) -> bool:
        """Whether nobody else holds any of them: the count is at its initial value."""
        return self._references() == self._unheld
