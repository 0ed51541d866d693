"""Dice rolls that all games of a seed share: common random numbers.

In a game of its own, rolls and thefts come from one random stream, so that one theft more
changes all rolls after it. In the arena the n-th roll of a game follows from the game's seed
and n alone, whatever else is played. Scripted dice stay as they are, and so do the rolls of
games with `skip_forced`, where the engine rolls by itself.
"""

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import ROLL
from catan_pz.agents.random_stream import RandomStream, nth_numbers, scramble
from catan_pz.engine.chance import FEWEST_ROLLS_LEFT
from catan_pz.engine.deal import NO_SCRIPT
from catan_pz.game import calls as game_calls
from catan_pz.game.game import Game
from catan_pz.rules import Rules

_STREAM: Final = 0x5851F42D4C957F2D
_OUTCOMES: Final = 36
FIRST_COUNT: Final = 128
"""Rolls made at first; twice as many where a game takes more turns."""


def has_common_dice(rules: Rules) -> bool:
    """Whether games of these rules share their rolls."""
    return isinstance(rules.dice, str) and not rules.skip_forced


def rolls_of(rules: Rules, seed: int, count: int) -> NDArray[np.int8]:
    """`rolls` of a game of some rules."""
    remembering = rules.num_players if rules.dice_memory else 0
    return rolls(seed, count, balanced=rules.dice == "balanced", remembering=remembering)


@lru_cache(maxsize=2048)
def rolls(seed: int, count: int, *, balanced: bool, remembering: int = 0) -> NDArray[np.int8]:
    """(count,) the first rolls of a game, as 6 * (first die - 1) + (second die - 1).

    Balanced ones are drawn from the 36 outcomes without replacement, until fewer than 13 are left.

    Args:
        seed: of the game.
        count: how many.
        balanced: whether they are balanced.
        remembering: players who roll in turn with dice that have a memory; 0 for other dice.
    """
    stream = RandomStream(scramble(seed ^ _STREAM))
    if remembering:
        dice = "balanced" if balanced else "random"
        game = Game(num_players=remembering, dice=dice, dice_memory=True, seed=0)
        game.games["rng"] = stream.seed
        array = np.zeros(count, np.int8)
        game_calls.roll_ahead(game.games, 0, NO_SCRIPT, array)
    elif not balanced:
        bits = nth_numbers(np.array((stream.seed,), np.uint64), np.arange(count))
        array = ((bits >> np.uint64(32)) * np.uint64(_OUTCOMES) >> np.uint64(32)).astype(np.int8)
    else:
        codes, left = [], list(range(_OUTCOMES))
        for _ in range(count):
            if len(left) < FEWEST_ROLLS_LEFT:
                left = list(range(_OUTCOMES))
            codes.append(left.pop(stream.below(len(left))))
        array = np.array(codes, np.int8)
    array.setflags(write=False)
    return array


def common_roll(game: Game, seed: int, action: int) -> tuple[int, int] | None:
    """The two dice that an action rolls; None if it rolls none or the engine rolls them.

    Args:
        game: the game.
        seed: with which it began.
        action: the next one.
    """
    if action != ROLL or not has_common_dice(game.rules):
        return None
    count = FIRST_COUNT
    while game.turn >= count:
        count *= 2
    code = int(rolls_of(game.rules, seed, count)[game.turn])
    return code // 6 + 1, code % 6 + 1
