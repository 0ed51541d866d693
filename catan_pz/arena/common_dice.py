"""Dice rolls that all games of a seed share: common random numbers.

In a separate game, rolls and thefts come from one random stream, so one more theft changes all
later rolls. In the arena the n-th roll of a game depends only on the game's seed and n. Scripted
dice are unchanged, and so are the rolls of games with `skip_forced`, where the engine rolls.
"""

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import ROLL
from catan_pz.agents.random_stream import scramble
from catan_pz.engine.chance import NO_OUTCOME
from catan_pz.engine.deal import NO_SCRIPT
from catan_pz.engine.state import STATE, as_games
from catan_pz.game import calls as game_calls
from catan_pz.game.game import Game
from catan_pz.rules import Rules

_STREAM: Final = 0x5851F42D4C957F2D
FIRST_COUNT: Final = 128
"""Rolls drawn at first; doubled if a game takes more turns."""


def has_common_dice(rules: Rules) -> bool:
    """Whether games of these rules share their rolls."""
    return isinstance(rules.dice, str) and not rules.skip_forced


def rolls_of(rules: Rules, seed: int, count: int) -> NDArray[np.int8]:
    """`rolls` of a game with some rules."""
    remembering = rules.num_players if rules.dice_memory else 0
    return rolls(seed, count, balanced=rules.dice == "balanced", remembering=remembering)


@lru_cache(maxsize=2048)
def rolls(seed: int, count: int, *, balanced: bool, remembering: int = 0) -> NDArray[np.int8]:
    """(count,) the first rolls of a game, as 6 * (first die - 1) + (second die - 1).

    Args:
        seed: seed of the game.
        count: number of rolls.
        balanced: whether they are balanced.
        remembering: number of players for dice with a memory; 0 for other dice.
    """
    games, array = as_games(np.zeros(1, STATE)), np.zeros(count, np.int8)
    games["rng"], games["outcome"] = scramble(seed ^ _STREAM), NO_OUTCOME
    games["balanced_dice"], games["dice_memory"] = balanced, remembering > 0
    games["num_players"] = remembering or 1
    game_calls.roll_ahead(games, 0, NO_SCRIPT, array)
    array.setflags(write=False)
    return array


def common_roll(game: Game, seed: int, action: int) -> tuple[int, int] | None:
    """The two dice that an action rolls; None if it rolls none or the engine rolls them.

    Args:
        game: the game.
        seed: its seed.
        action: the next action.
    """
    if action != ROLL or not has_common_dice(game.rules):
        return None
    count = FIRST_COUNT
    while game.turn >= count:
        count *= 2
    code = int(rolls_of(game.rules, seed, count)[game.turn])
    return code // 6 + 1, code % 6 + 1
