"""The value's calls from Python, compiled on first use.

Letters: K actions, G games, P seats, F and C features of a seat and of the game. `games` and
`spare` hold one record each, the position and scratch; `net` is a network, `work`, `values`, `obs`
and `mask` are scratch.
"""

import numpy as np

from catan_pz.actions import BUILD_SETTLEMENT
from catan_pz.agents.value.choice import policy_action, worth_of_action
from catan_pz.agents.value.features import write_position
from catan_pz.agents.value.network import write_values
from catan_pz.agents.value.prospects import worth_of_vertex
from catan_pz.engine.chance import GAMMA, number_below, scramble
from catan_pz.engine.legal import count_legal, pick_legal
from catan_pz.engine.play import step
from catan_pz.engine.state import State, States
from catan_pz.engine.turn import is_setup
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import (
    Float32Array,
    Float32Matrix,
    Float64Array,
    Int8Array,
    Int8Matrix,
    Int64Array,
)
from catan_pz.terms import Phase

TRIED = 3
"""Random placements of which the best is explored."""


@entry
def judge(  # wide: arrays of compiled calls, not yet bundled
    games: States,
    spare: States,
    actions: Int64Array,
    seed: np.uint64,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
    worths: Float64Array,
) -> None:
    """Write what each of some actions is worth to the seat to move, (K,)."""
    for k in range(actions.shape[0]):
        worths[k] = worth_of_action(
            games, spare, actions[k], seed, net, work, values, script, obs, mask
        )


@entry
def estimate(
    games: States, viewer: int, net: Float32Array, work: Float32Array, values: Float64Array
) -> None:
    """Write each seat's win probability, (P,), as a viewer knows the game."""
    write_values(games[0], viewer, net, work, values)


@entry
def describe(games: States, viewer: int, features: Float32Array) -> None:
    """Write the features of a position, (P * F + C)."""
    write_position(games[0], viewer, features)


@kernel
def uniform(random_bits: np.uint64) -> float:
    """Random bits as a number from 0 to 1."""
    return number_below(random_bits, 1 << 30) / (1 << 30)


@kernel
def explored_placement(s: State, random_bits: np.uint64) -> int:
    """The best of some random placements of a settlement."""
    best, most = pick_legal(s, 0), -1
    for k in range(TRIED):
        drawn = scramble(random_bits + GAMMA * np.uint64(k + 1))
        a = pick_legal(s, number_below(drawn, count_legal(s)))
        worth = worth_of_vertex(s, int(s.player), a - BUILD_SETTLEMENT)
        if worth > most:
            best, most = a, worth
    return best


@entry
def play_recorded(  # wide: arrays of compiled calls, not yet bundled
    games: States,
    spare: States,
    players: Int64Array,
    odd: float,
    explored: float,
    recorded: float,
    margin: float,
    seed: np.uint64,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
    positions: Float32Matrix,
    viewers: Int64Array,
    first: int,
) -> int:
    """Play a game to its end and record positions, from row `first` on; returns how many.

    `players` (P,) are numbers of `choice`. Shares of decisions: `odd` are taken at random,
    `explored` of the settlements of the set-up; after `recorded` of them the position is recorded,
    at the end of the set-up always. `positions` (G, P * F + C) get the features, `viewers` (G,)
    the seats that look: the one that has decided, of some positions any.
    """
    s, row = games[0], first
    stream = scramble(seed)
    legal = count_legal(s)
    while legal > 0:
        stream += GAMMA
        random_bits = scramble(stream)
        chance = uniform(scramble(random_bits))
        mover, setup, a = int(s.player), is_setup(s), pick_legal(s, 0)
        if s.phase == Phase.SETUP_SETTLEMENT and chance < explored:
            a = explored_placement(s, random_bits)
        elif not setup and chance < odd:
            a = pick_legal(s, number_below(random_bits, legal))
        elif legal > 1:
            a = policy_action(
                games,
                spare,
                players[mover],
                margin,
                random_bits,
                net,
                work,
                values,
                script,
                obs,
                mask,
            )
        step(s, a, script)
        legal = count_legal(s)
        stream += GAMMA
        random_bits = scramble(stream)
        kept = uniform(random_bits) < recorded or setup
        if kept and legal > 0 and not is_setup(s) and row < positions.shape[0]:
            viewer = mover
            if setup or random_bits & np.uint64(7) == np.uint64(0):
                viewer = number_below(scramble(random_bits), int(s.num_players))
            write_position(s, viewer, positions[row])
            viewers[row] = viewer
            row += 1
    return row - first
