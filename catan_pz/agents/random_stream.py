"""Random streams of players: one 64-bit generator for each seat of each game.

Number n of a stream (n = 0, 1, ...) is `scramble(seed + (n + 1) * GAMMA)`, as in the engine's
generator. A single game steps through a stream; a batch computes number n of many streams by
one call; both give the same numbers.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.engine import chance

_ALL: Final = 2**64 - 1
_GAMMA: Final = int(chance.GAMMA)
_MIX_1: Final = int(chance.MIX_1)
_MIX_2: Final = int(chance.MIX_2)
SEAT_GAMMA: Final = np.uint64(0xD1342543DE82EF95)
"""Difference between the unscrambled seeds of neighboring seats."""


def scramble(seed: int) -> int:
    """`engine.chance.scramble` of a whole number."""
    z = (seed ^ (seed >> 30)) * _MIX_1 & _ALL
    z = (z ^ (z >> 27)) * _MIX_2 & _ALL
    return z ^ (z >> 31)


def scramble_all(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`engine.chance.scramble` of each number of an array."""
    z = (seeds ^ (seeds >> np.uint64(30))) * chance.MIX_1
    z = (z ^ (z >> np.uint64(27))) * chance.MIX_2
    mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


class RandomStream:
    """A stream of random numbers that follows from a seed.

    Args:
        seed: from 0 to 2**64 - 1.

    Attributes:
        seed: the seed.
        count: how many numbers were taken.
    """

    __slots__ = ("count", "seed")

    def __init__(self, seed: int) -> None:
        self.seed = int(seed)
        self.count = 0

    def next(self) -> int:
        """The next number: 64 random bits, from 0 to 2**64 - 1."""
        self.count += 1
        return scramble(self.seed + self.count * _GAMMA & _ALL)

    def below(self, n: int) -> int:
        """A random whole number from 0 to n - 1, uniform (to 1 in 2**32)."""
        return (self.next() >> 32) * n >> 32


def seat_seeds(seed: int, num_players: int) -> list[int]:
    """Seeds of the streams of all seats of a game, which follow from the game's seed."""
    return [scramble((~seed & _ALL) + (p + 1) * int(SEAT_GAMMA) & _ALL) for p in range(num_players)]


def seeds_of_seats(seeds: NDArray[np.uint64], seats: NDArray[Any]) -> NDArray[np.uint64]:
    """(K,) seeds of the stream of one seat in each game, as `seat_seeds` gives them.

    Args:
        seeds: (K,) of the games.
        seats: (K,) seats.
    """
    places = (seats + np.int64(1)).astype(np.uint64)
    return scramble_all(~seeds + places * SEAT_GAMMA)


def nth_numbers(seeds: NDArray[np.uint64], n: NDArray[np.int64]) -> NDArray[np.uint64]:
    """(K,) number n of each stream.

    Args:
        seeds: (K,) of the streams.
        n: (K,) how many numbers were taken from each before.
    """
    return scramble_all(seeds + (n + 1).astype(np.uint64) * chance.GAMMA)
