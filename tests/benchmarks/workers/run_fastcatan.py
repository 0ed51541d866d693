"""Random games of fastcatan, for `tests.benchmarks.others`: core, games of a batch.

Actions are drawn by compiled code from fastcatan's packed masks, with those that begin a
trade between players left out. Versions before 2 also write observations.
"""

import sys
from typing import Any

from protocol import Work, clock, pin, serve

pin()

import fastcatan  # noqa: E402
import numpy as np  # noqa: E402
from numba import njit  # noqa: E402


@njit
def ones(word: np.uint64) -> np.uint64:
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit
def draw(masks: np.ndarray, allowed: np.ndarray, states: np.ndarray, actions: np.ndarray) -> None:
    for i in range(masks.shape[0]):
        count = np.uint64(0)
        for w in range(masks.shape[1]):
            count += ones(masks[i, w] & allowed[w])
        states[i] += np.uint64(0x9E3779B97F4A7C15)
        z = states[i]
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = (z ^ (z >> np.uint64(31))) >> np.uint64(32)
        left = (z * count) >> np.uint64(32)
        for w in range(masks.shape[1]):
            word = masks[i, w] & allowed[w]
            here = ones(word)
            if left < here:
                for _ in range(left):
                    word &= word - np.uint64(1)
                lowest = word & (~word + np.uint64(1))
                actions[i] = np.uint32(np.uint64(64 * w) + ones(lowest - np.uint64(1)))
                break
            left -= here


def allowed_words() -> np.ndarray:
    bits = np.zeros(64 * fastcatan.MASK_WORDS, np.uint8)
    bits[: fastcatan.NUM_ACTIONS] = 1
    bits[fastcatan.action.TRADE_ADD_GIVE_BASE : fastcatan.action.TRADE_CANCEL + 1] = 0
    words: np.ndarray = np.packbits(bits, bitorder="little").view(np.uint64)
    return words


def batch_rounds(num_games: int, observation: bool) -> Work:
    games = fastcatan.BatchedEnv(num_games, seed=1)
    games.reset()
    masks = np.zeros((num_games, fastcatan.MASK_WORDS), np.uint64)
    actions = np.zeros(num_games, np.uint32)
    done = np.zeros(num_games, np.uint8)
    states = np.arange(num_games, dtype=np.uint64)
    allowed = allowed_words()
    outputs: list[Any] = [actions, done]
    step: Any = getattr(games, "step_autoreset", None)
    if step is None:  # before 2.0.0
        step = games.step
        outputs.insert(1, np.zeros(num_games, np.float32))
    seen = np.zeros((num_games, fastcatan.OBS_SIZE), np.float32) if observation else None

    def play() -> tuple[int, float]:
        start = clock()
        draw(masks, allowed, states, actions)
        drawing = clock() - start
        step(*outputs)
        games.write_masks(masks)
        if seen is not None:
            games.write_obs(seen)
        return int(done.sum()), drawing

    games.write_masks(masks)
    for _ in range(2000):  # until the games have drifted apart
        play()

    def work() -> tuple[int, int, float]:
        ended, drawing = 0, 0.0
        for _ in range(20):
            over, drawn = play()
            ended += over
            drawing += drawn
        return 20 * num_games, ended, drawing

    return work


def main() -> None:
    num_games = int(sys.argv[2])
    ways = {"mask": batch_rounds(num_games, False)}
    if hasattr(fastcatan, "OBS_SIZE"):
        ways["mask and observation"] = batch_rounds(num_games, True)
    serve(fastcatan.__version__, ways)


if __name__ == "__main__":
    main()
