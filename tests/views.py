"""Views for tests of agents that decide in batches."""

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Views


def views_of(
    observations: NDArray[np.int8], masks: NDArray[np.int8], random_bits: NDArray[np.uint64]
) -> Views:
    """Views with given random bits; the seeds are the same numbers."""
    return Views(observations, masks, random_bits, random_bits)
