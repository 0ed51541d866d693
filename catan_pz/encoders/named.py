"""Observations as named arrays: the segments of the canonical view, scaled."""

from collections import deque
from collections.abc import Callable
from sys import getrefcount
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.encoders.arrays import Array, rows
from catan_pz.encoders.base import Segment
from catan_pz.encoders.flat import FlatForm
from catan_pz.observation.segments import PLACES, SEGMENTS, SIZE


class DictEncoder(FlatForm):
    """The segments as float32 arrays in [0, 1], by name."""

    name = "dict"
    segments = tuple(Segment(s.name, s.shape, s.meaning) for s in SEGMENTS)

    def of_flat(self, flat: Array) -> dict[str, Array]:
        """Named views of flat vectors (..., N)."""
        return {s.name: rows(flat[..., PLACES[s.name]], *s.shape) for s in SEGMENTS}

    def vectors(self) -> Callable[[], tuple[NDArray[np.float32], Any]]:
        """As in `FlatForm`, far quicker where observations are dropped before long."""
        return NamedVectors(self)


class NamedVectors:
    """Gives vectors with their named views, and uses those again that nobody holds any more.

    Making some fifty views takes several times as long as a step of the game does. Comparing their
    shapes and flags would take longer than all the rest of an observation; so whoever holds them
    must leave these as they are.
    """

    KEPT: Final = 4
    """Vectors that are looked at again; those that are held longer belong to their holders."""

    def __init__(self, encoder: DictEncoder) -> None:
        self._encoder = encoder
        self._kept: deque[_Views] = deque(maxlen=self.KEPT)

    def __reduce__(self) -> Any:
        return NamedVectors, (self._encoder,)

    def __call__(self) -> tuple[NDArray[np.float32], dict[str, NDArray[np.float32]]]:
        """An (N,) vector that nobody else holds, to be written to, and its views by name."""
        kept = self._kept
        if kept and kept[0].is_free():
            kept.rotate(-1)
        else:
            kept.append(_Views(self._encoder))
        views = kept[-1]
        return views.flat, views.named.copy()


class _Views:
    """A vector and its views. A view that somebody holds, or anything made of one, is counted."""

    def __init__(self, encoder: DictEncoder) -> None:
        self.flat = np.empty(SIZE, np.float32)
        self.named = encoder.of_flat(self.flat)
        self._views = tuple(self.named.values())
        self._unheld = self._references()

    def _references(self) -> int:
        # Views of views refer to the vector itself.
        return getrefcount(self.flat) + sum(map(getrefcount, self._views))

    def is_free(self) -> bool:
        """Whether nobody else holds any of them: references can't become fewer than at first."""
        return self._references() == self._unheld
