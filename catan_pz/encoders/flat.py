"""Observations as one vector: scaled, or the canonical numbers themselves."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.encoders.arrays import Array, scaled
from catan_pz.encoders.base import Encoder, Segment
from catan_pz.observation.segments import SIZE


class FlatForm(Encoder):
    """An encoder whose arrays are parts of the flat vector.

    Compiled code scales observations as it writes them; these encoders cost nothing more.
    """

    def encode(self, units: Array) -> Any:
        """The observations (..., N) in natural units, scaled and in this form."""
        if units.shape[-1:] != (SIZE,):
            raise ValueError(f"units have shape {tuple(units.shape)}, must have (..., {SIZE})")
        return self.of_flat(scaled(units))

    @abstractmethod
    def of_flat(self, flat: Array) -> Any:
        """Flat vectors (..., N) in this form, sharing their memory."""

    def vectors(self) -> Callable[[], tuple[NDArray[np.float32], Any]]:
        """A function that gives a vector (N,) which nobody else holds, and the same in this form.

        Each host that writes observations takes a function of its own.
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
        """As in `FlatForm`, with one call less."""
        return _new_vector


def _new_vector() -> tuple[NDArray[np.float32], Any]:
    flat = np.empty(SIZE, np.float32)
    return flat, flat


class UnitsEncoder(Encoder):
    """The canonical int8 numbers themselves, a quarter of the memory: to be scaled where used."""

    name = "units"
    segments = (
        Segment("units", (SIZE,), "(N) the canonical numbers in natural units", "int8", 0, 127),
    )

    def encode(self, units: Array) -> Array:
        """The same array."""
        return units
