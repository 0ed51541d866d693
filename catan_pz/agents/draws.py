"""Where the chance in players' choices comes from: streams of random numbers, one a seat.

The n-th number of a stream (n = 0, 1, ...) is `scramble(seed + (n + 1) * GAMMA)`, as in the
engine's generator, so that single games and batches, where streams of many games advance by
one call, draw the same.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.engine import chance

_ALL: Final = 2**64 - 1
_GAMMA: Final = int(chance.GAMMA)
_MIX_1: Final = int(chance.MIX_1)
_MIX_2: Final = int(chance.MIX_2)
OF_A_SEAT: Final = np.uint64(0xD1342543DE82EF95)


def scramble(seed: int) -> int:
    """`engine.chance.scramble` of a whole number."""
    z = (seed ^ (seed >> 30)) * _MIX_1 & _ALL
    z = (z ^ (z >> 27)) * _MIX_2 & _ALL
    return z ^ (z >> 31)


def scrambled(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`engine.chance.scramble` of each number of an array."""
    z = (seeds ^ (seeds >> np.uint64(30))) * chance.MIX_1
    z = (z ^ (z >> np.uint64(27))) * chance.MIX_2
    mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


class Draws:
    """The stream of random numbers that a seed gives.

    Args:
        seed: from 0 to 2**64 - 1.

    Attributes:
        seed: the seed.
        drawn: how many numbers were drawn.
    """

    __slots__ = ("drawn", "seed")

    def __init__(self, seed: int) -> None:
        self.seed = int(seed)
        self.drawn = 0

    def next(self) -> int:
        """The next number, from 0 to 2**64 - 1, each equally likely."""
        self.drawn += 1
        return scramble(self.seed + self.drawn * _GAMMA & _ALL)

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1, each equally likely (to 1 in 2**32)."""
        return (self.next() >> 32) * n >> 32


def seat_seeds(seed: int, num_players: int) -> list[int]:
    """Seeds of the players of a game, by seat, that follow from the game's seed."""
    return [scramble((~seed & _ALL) + (p + 1) * int(OF_A_SEAT) & _ALL) for p in range(num_players)]


def own_seeds(seeds: NDArray[np.uint64], seats: NDArray[Any]) -> NDArray[np.uint64]:
    """(K,) what `seat_seeds` gives one seat of each game, from seeds (K,) and seats (K,)."""
    places = (seats + np.int64(1)).astype(np.uint64)
    return scrambled(~seeds + places * OF_A_SEAT)


def nth_draws(
    seeds: NDArray[np.uint64], seats: NDArray[Any], drawn: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """(K,) the next number of one seat of each game.

    Args:
        seeds: (K,) of the games.
        seats: (K,) seats.
        drawn: (K,) how many numbers each of these seats has drawn in its game.
    """
    own = own_seeds(seeds, seats)
    return scrambled(own + (drawn + 1).astype(np.uint64) * chance.GAMMA)
