"""Plays games and prints a digest of all bytes: `python -m tests.kernels.play_digest`.

States, masks, observations, rewards and ends of batches on one thread and on two, and of single
games; the same whatever compiles the rules.
"""

import hashlib
from typing import Any

import numpy as np

import catan_pz
from catan_pz.batch import threaded
from catan_pz.game.game import Game
from catan_pz.game.view import view_of
from catan_pz.kernels.backend import BACKEND

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


def main() -> None:
    """Print the backend and the digests."""
    threaded.FEWEST_GAMES_AT_ONCE = 8  # type: ignore[misc]
    print(BACKEND)
    for case in CASES:
        print(*(batch_digest(threads, 300, **case) for threads in (1, 2)))
    print(game_digest(400))


if __name__ == "__main__":
    main()
