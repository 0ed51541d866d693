"""Random streams of players: one 64-bit generator for each seat of each game.

Number n of a stream (n = 0, 1, ...) is `scramble(seed + (n + 1) * GAMMA)`, as in the engine's
generator. A single game steps through a stream; a batch computes number n of many streams with
one call; both give the same numbers.

`scramble` can be inverted, so seeds of streams, which agents get, come from the game's seed by a
one-way function.
"""

from hashlib import blake2b
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import check_seed
from catan_pz.engine import chance

_ALL: Final = 2**64 - 1
_GAMMA: Final = int(chance.GAMMA)
_MIX_1: Final = int(chance.MIX_1)
_MIX_2: Final = int(chance.MIX_2)


def scramble(seed: int) -> int:
    """`engine.chance.scramble` of a whole number."""
    z = (seed ^ (seed >> 30)) * _MIX_1 & _ALL
    z = (z ^ (z >> 27)) * _MIX_2 & _ALL
    return z ^ (z >> 31)


def scramble_all(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`engine.chance.scramble` of each number of an array."""
    z = (seeds ^ (seeds >> np.uint64(30))) * chance.MIX_1
    z = (z ^ (z >> np.uint64(27))) * chance.MIX_2
    return z ^ (z >> np.uint64(31))


class RandomStream:
    """A stream of random numbers from a seed; `count` were taken."""

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


def one_way_seed(seed: int, number: int, purpose: str) -> int:
    """A seed as a one-way function of another one, which can't be computed from it.

    The number, up to 2**64 - 1, distinguishes seeds of one purpose, a text of at most 16 ASCII
    characters.
    """
    known = check_seed(seed).to_bytes(8, "little") + int(number).to_bytes(8, "little")
    digest = blake2b(known, digest_size=8, person=purpose.encode("ascii"))
    return int.from_bytes(digest.digest(), "little")


def seat_seeds(seed: int, num_players: int) -> list[int]:
    """Seeds of the streams of all seats of a game: one-way functions of the game's seed."""
    return [one_way_seed(seed, p, "catan-pz seat") for p in range(num_players)]


class SeatSeeds:
    """`seat_seeds` of the games in B places, computed once for each game."""

    def __init__(self, num_games: int, num_players: int) -> None:
        self._games = np.zeros(num_games, np.uint64)
        self._seats = np.zeros((num_games, num_players), np.uint64)
        self._seats[:] = seat_seeds(0, num_players)

    def of(
        self, seeds: NDArray[np.uint64], places: NDArray[np.intp], seats: NDArray[Any]
    ) -> NDArray[np.uint64]:
        """(K,) seeds of streams, by the seeds of all games (B,), places (K,) and seats (K,)."""
        changed = places[self._games[places] != seeds[places]]
        for place in changed.tolist():
            self._seats[place] = seat_seeds(int(seeds[place]), self._seats.shape[1])
        self._games[changed] = seeds[changed]
        return self._seats[places, seats]


def uniforms(bits: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Numbers in [0, 1) from 64 random bits each."""
    return np.asarray((bits >> np.uint64(11)) * 2.0**-53, np.float64)


def nth_numbers(seeds: NDArray[np.uint64], n: NDArray[np.int64]) -> NDArray[np.uint64]:
    """(K,) number n (K,) of each stream, by their seeds (K,)."""
    return scramble_all(seeds + (n + 1).astype(np.uint64) * chance.GAMMA)
