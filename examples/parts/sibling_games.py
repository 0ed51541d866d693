"""Positions that one decision compares, each played on many times, in one compiled call.

Letters: K siblings, D games drawn from what the seat may know, F and C features of a seat and of
the game, P seats.
"""

from typing import NamedTuple

import numpy as np

from catan_pz.actions import NO_ACTION, ROLL
from catan_pz.agents.search.rollout import begin_simulation, play_and_judge, play_decision
from catan_pz.agents.search.search_calls import Simulations
from catan_pz.agents.value.choice import choice_by_view
from catan_pz.agents.value.features import write_position
from catan_pz.engine.chance import GAMMA, scramble
from catan_pz.engine.hands import note_holding
from catan_pz.engine.legal import find_legal
from catan_pz.engine.play import step
from catan_pz.engine.state import State
from catan_pz.engine.trade import ACCEPTED, apply_close
from catan_pz.engine.turn import is_setup
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Float32Matrix, Float64Matrix, Int8Array, Int8Matrix, Int64Array
from catan_pz.terms import MAX_PLAYERS, NOBODY, NUM_RESOURCES, Phase


class Siblings(NamedTuple):
    """What leads to each of K positions: an action, or an exchange with a partner."""

    actions: Int64Array  # (K,) `NO_ACTION` for the position as it is
    partners: Int64Array  # (K,) `NOBODY` for an action
    swaps: Int8Matrix  # (K, R) what the seat to move gets minus what it gives


@kernel
def exchange(s: State, maker: int, q: int, swap: Int8Array) -> None:
    """The player in turn trades with q, as all can see."""
    for r in range(NUM_RESOURCES):
        s.offer_get[maker, r] = max(0, int(swap[r]))
        s.offer_give[maker, r] = max(0, -int(swap[r]))
        note_holding(s, maker, r, int(s.offer_give[maker, r]))
        note_holding(s, q, r, int(s.offer_get[maker, r]))
    s.answer[q] = ACCEPTED
    apply_close(s, maker, q)
    find_legal(s)


@entry
def play_siblings(  # wide: what is compared, and where it is written
    run: Simulations,
    siblings: Siblings,
    viewer: int,
    times: int,
    features: Float32Matrix,
    targets: Float64Matrix,
) -> bool:
    """Write features (K * D, P * F + C) as a viewer knows the positions, and win probabilities.

    These (K * D, P) are means over some rollouts, by the same cards and dice for all siblings. A
    roll is part of its rollout, a placement's position is that at the end of the set-up. False if
    the game ends in one of them: then there is nothing to learn.
    """
    after, played, w = run.played[:1], run.played[1:], run.w
    s = after[0]
    for d in range(run.games.shape[0]):
        since, mover = int(run.games[d].turn), int(run.games[d].player)
        drawn = scramble(run.seed + GAMMA * np.uint64(d + 1))
        for k in range(siblings.actions.shape[0]):
            a, row = siblings.actions[k], k * run.games.shape[0] + d
            after[0] = run.games[d]
            s.rng = drawn
            if siblings.partners[k] != NOBODY:
                exchange(s, mover, siblings.partners[k], siblings.swaps[k])
            elif a not in (NO_ACTION, ROLL):
                step(s, a, w.script)
            while is_setup(s):
                step(s, choice_by_view(s, s.player == mover, drawn, w), w.script)
            if s.phase == Phase.OVER:
                return False
            write_position(s, viewer, features[row])
            for i in range(times):
                seed = scramble(drawn + GAMMA * np.uint64(i + 1))
                played[0] = s
                begin_simulation(played[0], seed)
                if a == ROLL:
                    play_decision(played[0], a, seed, w.script)
                play_and_judge(played, viewer, since, seed, run.rollout, w)
                for p in range(MAX_PLAYERS):
                    targets[row, p] += w.values[p] / times
    return True
