"""Perft: the number of ways a game can continue, which checks and times the move generator.

A way is a sequence of decisions and their chance outcomes: every possible roll, card bought and
card stolen counts separately. Forced decisions count too.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from catan_pz.actions import BUY_DEVELOPMENT_CARD, DISCARD, MOVE_ROBBER, ROLL
from catan_pz.checks import check_count
from catan_pz.engine import bits, legal, play
from catan_pz.engine.deal import script_of
from catan_pz.engine.outcomes import outcomes_of
from catan_pz.engine.state import STATE, State, States, as_games
from catan_pz.events import Outcome
from catan_pz.game.game import Game
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Int8Matrix

_MOST_DECISIONS: Final = 1000
"""Far more than can be counted."""

_WITH_CHANCE: Final = np.array([ROLL, BUY_DEVELOPMENT_CARD, *range(MOVE_ROBBER, DISCARD)])
"""The actions that may have a chance outcome."""


@kernel
def count_ways(s: State) -> int:
    """The number of ways to make one decision, outcomes included."""
    ways = legal.count_legal(s)
    for a in _WITH_CHANCE:
        if legal.is_legal(s, a):
            ways += max(1, bits.count(outcomes_of(s, a))) - 1
    return ways


@kernel
def count_below(games: States, level: int, script: Int8Matrix) -> int:
    """The number of ways to play from the game at a level through the last level."""
    if level == len(games) - 1:
        return count_ways(games[level])
    total = 0
    for k in range(legal.count_legal(games[level])):
        a = legal.pick_legal(games[level], k)
        possible = outcomes_of(games[level], a)
        for n in range(max(1, bits.count(possible))):
            games[level + 1] = games[level]
            if possible != 0:
                games[level + 1].outcome = bits.pick(possible, n)
            play.step(games[level + 1], a, script)
            total += count_below(games, level + 1, script)
    return total


@entry
def count_from(games: States, script: Int8Matrix) -> int:
    """The number of ways to play one decision per game in `games`, from the first game on.

    The other games are scratch space.
    """
    return count_below(games, 0, script)


def perft(game: Game, depth: int) -> int:
    """The number of ways to play the next `depth` decisions, forced ones included."""
    depth = check_count("depth", depth, least=0, most=_MOST_DECISIONS)
    if depth == 0:
        return 1
    games = np.zeros(depth, STATE)
    games[0] = game.games[0]
    return int(count_from(as_games(games), script_of(game.rules)))


def divide(game: Game, depth: int) -> Iterator[tuple[int, Outcome, int]]:
    """Each action, each of its outcomes (None without chance), and the number of ways after it."""
    depth = check_count("depth", depth, most=_MOST_DECISIONS)
    for action in game.legal_actions().tolist():
        for outcome in game.outcomes(action) or [None]:
            after = game.copy()
            after.step_once(action, outcome)
            yield action, outcome, perft(after, depth - 1)
