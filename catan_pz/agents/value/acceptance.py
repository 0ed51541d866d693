"""Acceptance models: probabilities of agreement, fitted by `examples/fit_acceptance.py`."""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.files import read_arrays, resource

LEAST: Final = 0.02
"""Least probability of any answer, so that no answer rules out a type."""


@dataclass(frozen=True, eq=False)
class Acceptance:
    """Logistic models of answers, one for each type of player.

    Letters: T types, X terms of an answer (`exchanges.write_terms`).
    """

    types: NDArray[np.float64]  # (T, X) weights
    prior: NDArray[np.float64]  # (T,) probability of each type

    def chances(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """(T,) probabilities that a player of each type agrees, by the terms (X,) of its answer."""
        found = 1 / (1 + np.exp(-np.clip(self.types @ terms, -30, 30)))
        return np.asarray(np.clip(found, LEAST, 1 - LEAST))


@cache
def shipped_acceptance() -> Acceptance:
    """The shipped models, with equally probable types."""
    types = read_arrays(resource(__package__, "acceptance.npz").read_bytes())["types"]
    return Acceptance(types.astype(np.float64), np.full(len(types), 1 / len(types)))
