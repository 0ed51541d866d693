"""The plain backend gives the same bytes as the fast one, on one thread and on several.

`python -m tests.kernels.test_plain` prints digests of all that batches and games hold.
"""

import hashlib
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import catan_pz
from catan_pz.batch import base
from catan_pz.game.game import Game
from catan_pz.game.view import view_of
from catan_pz.kernels.backend import BACKEND, VARIABLE

CASES: tuple[dict[str, Any], ...] = (
    {"num_players": 4, "reward": "points_gained", "max_turns": 60, "skip_forced": True},
    {"num_players": 3, "offer_form": "both", "max_turns": 30},
    {"rules": "one_v_one", "board": (4, 5)},
)


def batch_digest(threads: int, steps: int, **case: Any) -> str:
    """Of a batch that is given its actions, and draws them, by turns."""
    digest = hashlib.sha256()
    batch = catan_pz.make_batch(40, device="cpu", seed=5, threads=threads, **case)
    for step in range(steps):
        if step % 2:
            batch.step(np.array(batch.sample()))
        else:
            batch.play_random()
        seen = (batch.games, batch.seeds, batch.mask, batch.player, batch.observation)
        for part in (*seen, batch.reward, batch.done, batch.truncated):
            digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:16]


def game_digest(steps: int) -> str:
    """Of a single game and of what each seat sees."""
    digest = hashlib.sha256()
    game = Game(seed=3)
    random = np.random.default_rng(1)
    for _ in range(steps):
        if game.is_over:
            break
        game.step(int(random.choice(np.flatnonzero(game.mask))))
        digest.update(game.games.tobytes() + game.mask.tobytes())
        for seat in range(4):
            digest.update(np.ascontiguousarray(view_of(game, seat).observation).tobytes())
    return digest.hexdigest()[:16]


def digests(backend: str) -> list[str]:
    """Those of a process with a backend."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.kernels.test_plain"],
        env={**os.environ, VARIABLE: backend},
        capture_output=True,
        text=True,
        check=True,
    )
    name, *lines = done.stdout.splitlines()
    assert name == backend
    return lines


@pytest.mark.slow
@pytest.mark.skipif(BACKEND == "python", reason="nothing is compiled")
def test_states_masks_observations_and_rewards_are_the_same_bytes() -> None:
    by_plain = digests("plain")
    *batches, game = by_plain
    assert all(len({*line.split()}) == 1 for line in batches)  # one thread, two threads
    assert len({*batches, game}) == 4
    if BACKEND == "fast":
        assert digests("fast") == by_plain


if __name__ == "__main__":
    base.FEWEST_GAMES_AT_ONCE = 8  # type: ignore[misc]
    print(BACKEND)
    for case in CASES:
        print(*(batch_digest(threads, 300, **case) for threads in (1, 2)))
    print(game_digest(400))
