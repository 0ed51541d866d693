"""Perft: in how many ways a game can go on, which checks and times the move generator.

A way is a sequence of decisions together with what chance brings to each: every possible
roll, card bought and card stolen counts by itself. Forced decisions count too.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from catan_pz.actions import BUY_DEVELOPMENT_CARD, DISCARD, MOVE_ROBBER, ROLL, STEAL
from catan_pz.checks import check_count
from catan_pz.engine import bits, legal, play
from catan_pz.engine.options import script_of
from catan_pz.engine.outcomes import outcomes_of
from catan_pz.engine.state import STATE, State, States, as_games
from catan_pz.events import Outcome
from catan_pz.game.game import Game
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Int8Matrix, Int64Array
from catan_pz.terms import NUM_HEXES, Phase

_MOST_DECISIONS: Final = 1000
"""Far more than can be counted."""


@kernel
def extra_outcomes(s: State, a: int) -> int:
    """How many ways an action adds to the one that it is, if it is legal."""
    if not legal.is_legal(s, a):
        return 0
    possible = outcomes_of(s, a)
    return bits.count(possible) - 1 if possible != 0 else 0


@kernel
def count_ways(s: State) -> int:
    """Ways in which one decision can be made and turn out."""
    ways = legal.count_legal(s)
    if s.phase == Phase.MOVE_ROBBER:
        for h in range(NUM_HEXES):
            ways += extra_outcomes(s, MOVE_ROBBER + h)
    elif s.phase == Phase.STEAL:
        for a in range(STEAL, DISCARD):
            ways += extra_outcomes(s, a)
    else:
        ways += extra_outcomes(s, ROLL) + extra_outcomes(s, BUY_DEVELOPMENT_CARD)
    return ways


@entry
def count_from(games: States, depth: int, actions: Int64Array, script: Int8Matrix) -> int:
    """Ways to play `depth` decisions, 1 or more, from game 0.

    Games 1 to depth - 1 are scratch space; `actions` (2 depth) counts what was tried.
    """
    level, total = 0, 0
    actions[0], actions[1] = 0, 0
    while level >= 0:
        if level == depth - 1:
            total += count_ways(games[level])
            level -= 1
            continue
        if actions[2 * level] == legal.count_legal(games[level]):
            level -= 1
            continue
        a = legal.pick_legal(games[level], actions[2 * level])
        possible = outcomes_of(games[level], a)
        k = actions[2 * level + 1]
        games[level + 1] = games[level]
        if possible != 0:
            games[level + 1].outcome = bits.pick(possible, k)
        actions[2 * level + 1] = k + 1
        if k + 1 >= bits.count(possible):
            actions[2 * level] += 1
            actions[2 * level + 1] = 0
        play.step(games[level + 1], a, script)
        level += 1
        actions[2 * level], actions[2 * level + 1] = 0, 0
    return total


def perft(game: Game, depth: int) -> int:
    """In how many ways the next decisions of a game can go.

    Args:
        game: stays as it is.
        depth: decisions to play, forced ones included.
    """
    depth = check_count("depth", depth, least=0, most=_MOST_DECISIONS)
    if depth == 0:
        return 1
    games = np.zeros(depth, STATE)
    games[0] = game.games[0]
    spare = np.zeros(2 * depth, np.int64)
    return int(count_from(as_games(games), depth, spare, script_of(game.rules)))


def divide(game: Game, depth: int) -> Iterator[tuple[int, Outcome, int]]:
    """What `perft` counts for each action and each of its outcomes, in the order of ids.

    Args:
        game: stays as it is.
        depth: decisions to play, 1 or more; the first of them is the one told apart.

    Yields:
        The action, its outcome (None without chance), and the ways to go on from there.
    """
    depth = check_count("depth", depth, most=_MOST_DECISIONS)
    for action in game.legal_actions().tolist():
        for outcome in game.outcomes(action) or [None]:
            after = game.copy()
            after.step_once(action, outcome)
            yield action, outcome, perft(after, depth - 1)
