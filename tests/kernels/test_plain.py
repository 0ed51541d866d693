"""The plain backend gives the same bytes as the fast one, on one thread and on several."""

import os
import subprocess
import sys

import pytest

from catan_pz.kernels.backend import BACKEND, VARIABLE

pytestmark = pytest.mark.skipif(BACKEND == "python", reason="nothing is compiled")


def digests(backend: str) -> list[str]:
    """What `play_digest` prints."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.kernels.play_digest"],
        env={**os.environ, VARIABLE: backend},
        capture_output=True,
        text=True,
        check=True,
    )
    name, *lines = done.stdout.splitlines()
    assert name == backend
    return lines


@pytest.mark.slow
def test_states_masks_observations_and_rewards_are_the_same_bytes() -> None:
    by_plain = digests("plain")
    *batches, game = by_plain
    assert all(len({*line.split()}) == 1 for line in batches)  # one thread, two threads
    assert len({*batches, game}) == 4
    if BACKEND == "fast":
        assert digests("fast") == by_plain
