"""Random games of catan-pz, for `tests.benchmarks.others`: core, games of a batch."""

import random
import sys

from protocol import Work, clock, pin, serve

pin()

import numpy as np  # noqa: E402

from catan_pz import Game  # noqa: E402
from catan_pz.batch.calls import scale_observations  # noqa: E402
from catan_pz.batch.cpu import CpuBatch  # noqa: E402
from catan_pz.observation.segments import SIZE  # noqa: E402


def batch_rounds(
    num_games: int, observation: bool, scaled: bool = False, fused: bool = False
) -> Work:
    """Steps of a batch; legality is checked and games follow each other inside.

    Actions are drawn before a step, or in the pass that plays them, which is not timed by itself.
    """
    batch = CpuBatch(num_games, trading=False, observation=observation, seed=1)
    floats = np.zeros((num_games, SIZE), np.float32)
    batch.play_random(2000)  # until the games have drifted apart

    def work() -> tuple[int, int, float]:
        games, drawing = 0, 0.0
        for _ in range(20):
            if fused:
                batch.play_random()
            else:
                start = clock()
                actions = batch.sample()
                drawing += clock() - start
                batch.step(actions)
            if scaled:
                scale_observations(batch.games, 0, num_games, batch.observation, floats)
            games += int(batch.done.sum())
        return 20 * num_games, games, drawing

    return work


def single_game() -> Work:
    game, draw = Game(seed=1, trading=False), random.Random(1).random

    def work() -> tuple[int, int, float]:
        decisions = 0
        game.reset()
        legal = game.legal_actions()
        while len(legal):
            game.step(int(legal[int(draw() * len(legal))]))
            decisions += 1
            legal = game.legal_actions()
        return decisions, 1, 0.0

    return work


def main() -> None:
    num_games = int(sys.argv[2])
    ways = {
        "mask": batch_rounds(num_games, False),
        "mask and observation": batch_rounds(num_games, True),
        "mask and float32 observation": batch_rounds(num_games, True, scaled=True),
        "mask, drawn inside": batch_rounds(num_games, False, fused=True),
        "mask and observation, drawn inside": batch_rounds(num_games, True, fused=True),
        "one game at a time": single_game(),
    }
    serve("of this folder", ways)


if __name__ == "__main__":
    main()
