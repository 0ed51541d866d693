"""A batch of games in ten lines: a thousand at once, and how fast they are.

python examples/gallery/batch_of_games.py [games] [steps]
"""

import sys
import time

import catan_pz


def main(games: int = 1000, steps: int = 1000) -> None:
    """Play random decisions in all games at once."""
    batch = catan_pz.make_batch(games, trading=False, seed=1)
    batch.play_random(10)  # compiles, if need be
    start, finished = time.perf_counter(), 0
    for _ in range(steps):
        batch.step(batch.sample())  # your policy's choices would stand here
        finished += int(batch.done.sum())
    seconds = time.perf_counter() - start
    print(f"{games * steps / seconds:,.0f} decisions a second, {finished} games finished")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
