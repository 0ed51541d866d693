"""Seeds of random streams."""

from typing import Any

import numpy as np
import pytest

from catan_pz.agents.random_stream import one_way_seed, seat_seeds


def test_seeds_of_all_kinds_of_integers_are_the_same() -> None:
    assert seat_seeds(np.uint64(2**64 - 1), 2) == seat_seeds(2**64 - 1, 2)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 2**64, 1.7, "5", None, True])
def test_seeds_that_are_none(seed: Any) -> None:
    for call in (lambda: seat_seeds(seed, 2), lambda: one_way_seed(seed, 0, "test")):
        with pytest.raises(ValueError, match=r"seed=.* is not possible; allowed: an int from 0 to"):
            call()
