"""Throws that are the same in all games of a seed, whatever is played in them.

In a game of its own, throws and thefts draw from one stream of random numbers, so that one
theft more shifts all throws after it. Games of the arena have their throws named instead:
the n-th throw of a game depends on its seed and on n alone. Scripted dice stay as they are,
and so do the throws of games with `skip_forced`, which the engine makes by itself.
"""

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import ROLL
from catan_pz.agents.draws import Draws, scramble
from catan_pz.engine.chance import FEWEST_THROWS_LEFT
from catan_pz.rules import Rules
from catan_pz.runtime.game import Game

_OF_DICE: Final = 0x5851F42D4C957F2D
_THROWS: Final = 36
FIRST_COUNT: Final = 128
"""Throws made at first; twice as many where a game takes more turns."""


def names_throws(rules: Rules) -> bool:
    """Whether throws are named in games of some rules."""
    return isinstance(rules.dice, str) and not rules.skip_forced


@lru_cache(maxsize=256)
def throws(seed: int, count: int, *, balanced: bool) -> NDArray[np.int8]:
    """(count,) the first throws of a game, as 6 * (first die - 1) + (second die - 1).

    Args:
        seed: of the game.
        count: how many.
        balanced: whether they are drawn from the 36 throws without putting them back, until
            fewer than 13 are left.
    """
    draws = Draws(scramble(seed ^ _OF_DICE))
    if not balanced:
        codes = [draws.below(_THROWS) for _ in range(count)]
    else:
        codes, left = [], list(range(_THROWS))
        for _ in range(count):
            if len(left) < FEWEST_THROWS_LEFT:
                left = list(range(_THROWS))
            codes.append(left.pop(draws.below(len(left))))
    found = np.array(codes, np.int8)
    found.setflags(write=False)
    return found


class Dice:
    """The throws of one game, one after the other.

    Args:
        rules: the rules of the game.
        seed: of the game.
    """

    def __init__(self, rules: Rules, seed: int) -> None:
        self._seed = seed
        self._balanced = rules.dice == "balanced"
        self._named = names_throws(rules)
        self._count = FIRST_COUNT

    def outcome(self, game: Game, action: int) -> tuple[int, int] | None:
        """The throw that an action makes; None where it makes none, or the engine draws it."""
        if action != ROLL or not self._named:
            return None
        while game.turn >= self._count:
            self._count *= 2
        code = int(throws(self._seed, self._count, balanced=self._balanced)[game.turn])
        return code // 6 + 1, code % 6 + 1
