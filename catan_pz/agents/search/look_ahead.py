"""Expectimax of depth 2: an own action, every roll of the dice, a reply, and then the value.

After an action, the agent "value" plays the rest of the turn. The mean is taken over all outcomes
of the next roll, and of a purchase or theft by the action itself. The player that rolls plays as
the evolved player until one decision after the roll. All other chance follows from a seed, the
same for all actions.
"""

import numpy as np

from catan_pz.actions import ROLL
from catan_pz.agents.random import EVOLVED, VALUE
from catan_pz.agents.value.choice import MARGIN, policy_action, value_of
from catan_pz.agents.value.network import Workspace
from catan_pz.engine import bits
from catan_pz.engine.chance import ROLLS_OF_SUM
from catan_pz.engine.legal import count_legal, pick_legal
from catan_pz.engine.outcomes import outcomes_of, ways_of
from catan_pz.engine.play import step
from catan_pz.engine.state import States
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Float64Array, Int64Array
from catan_pz.terms import Phase

DEPTH = 2
"""Positions kept: the one after an own turn, and the one after a roll."""


@kernel
def play_one(games: States, policy: int, seed: np.uint64, w: Workspace) -> None:
    """Play one decision."""
    s = games[0]
    a = pick_legal(s, 0)
    if count_legal(s) > 1:
        a = policy_action(games, policy, MARGIN, False, seed, w)
    step(s, a, w.script)


@kernel
def worth_of_reply(games: States, viewer: int, seed: np.uint64, w: Workspace) -> float:
    """The viewer's win probability after one decision of the seat that has rolled."""
    s, turn, replied = games[0], int(games[0].turn), False
    while not replied and s.turn == turn and count_legal(s) > 0:
        replied = s.phase == Phase.MAIN
        play_one(games, EVOLVED, seed, w)
    return value_of(s, viewer, w)


@kernel
def worth_before_roll(scratch: States, viewer: int, seed: np.uint64, w: Workspace) -> float:
    """The viewer's win probability before a roll: the mean over the outcomes."""
    total, ways, possible = 0.0, 0, outcomes_of(scratch[0], ROLL)
    for points in range(2, 13):
        rolls = possible & ROLLS_OF_SUM[points]
        alike = bits.count(rolls)
        if alike > 0:
            roll = bits.pick(rolls, alike - 1)
            count = alike * ways_of(scratch[0], ROLL, roll)
            scratch[1] = scratch[0]
            scratch[1].outcome = roll
            step(scratch[1], ROLL, w.script)
            total += count * worth_of_reply(scratch[1:2], viewer, seed, w)
            ways += count
    return total / ways


@kernel
def worth_of_turn(scratch: States, turn: int, viewer: int, seed: np.uint64, w: Workspace) -> float:
    """The same from any position of a turn, after playing until the next roll."""
    s = scratch[0]
    while count_legal(s) > 0 and s.turn == turn:
        play_one(scratch, VALUE, seed, w)
    if count_legal(s) == 0 or s.phase != Phase.ROLL:
        return value_of(s, viewer, w)
    return worth_before_roll(scratch, viewer, seed, w)


@entry
def look_ahead(
    games: States,
    actions: Int64Array,
    seed: np.uint64,
    scratch: States,
    w: Workspace,
    worths: Float64Array,
) -> None:
    """Write the win probability of the seat to move after each of some actions (K,).

    `scratch` has room for `DEPTH` positions.
    """
    viewer, turn = int(games[0].player), int(games[0].turn)
    for k in range(actions.shape[0]):
        a, total, ways = actions[k], 0.0, 0
        if a == ROLL:
            scratch[0] = games[0]
            worths[k] = worth_before_roll(scratch, viewer, seed, w)
            continue
        codes = outcomes_of(games[0], a)
        while codes != 0:
            code = bits.first(codes)
            codes &= codes - 1
            count = ways_of(games[0], a, code)
            scratch[0] = games[0]
            scratch[0].outcome = code
            step(scratch[0], a, w.script)
            total += count * worth_of_turn(scratch, turn, viewer, seed, w)
            ways += count
        if ways == 0:
            scratch[0] = games[0]
            step(scratch[0], a, w.script)
            total, ways = worth_of_turn(scratch, turn, viewer, seed, w), 1
        worths[k] = total / ways
