"""Games in which positions are recorded for the value to be fitted to, in one compiled call.

Letters: N positions, P seats, F and C features of a seat and of the game.
"""

from typing import Final, NamedTuple

import numpy as np

from catan_pz.actions import BUILD_SETTLEMENT
from catan_pz.agents.random import VALUE
from catan_pz.agents.value.choice import policy_action
from catan_pz.agents.value.features import write_position
from catan_pz.agents.value.network import Workspace
from catan_pz.agents.value.prospects import worth_of_vertex
from catan_pz.engine.chance import GAMMA, number_below, scramble
from catan_pz.engine.legal import count_legal, pick_legal
from catan_pz.engine.play import step
from catan_pz.engine.state import State, States
from catan_pz.engine.turn import is_setup
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Float32Matrix, Int64Array
from catan_pz.terms import Phase

TRIED: Final = 3
"""Random placements of which the best is explored."""


class Shares(NamedTuple):
    """Shares of decisions in recorded games, and the margin of the player that uses the value."""

    odd: float  # taken at random
    explored: float  # of the settlements of the set-up
    recorded: float  # after which the position is recorded
    margin: float


class Rows(NamedTuple):
    """Positions and the seats that look."""

    features: Float32Matrix  # (N, P * F + C)
    viewers: Int64Array  # (N,)


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
def play_recorded(
    games: States,
    players: Int64Array,
    shares: Shares,
    seed: np.uint64,
    w: Workspace,
    rows: Rows,
    first: int,
) -> int:
    """Play a game to its end and record positions, from row `first` on; return their number.

    Args:
        games: (1,) a new game.
        players: (P,) numbers of `agents.random`.
        shares: of decisions; at the end of the set-up the position is recorded always.
        seed: of all chance but the dice's.
        w: with the network of the player that uses the value.
        rows: where to; the seat that has decided looks, in some positions any.
        first: row.
    """
    s, row = games[0], first
    stream = scramble(seed)
    legal = count_legal(s)
    while legal > 0:
        stream += GAMMA
        random_bits = scramble(stream)
        chance = uniform(scramble(random_bits))
        mover, setup, a = int(s.player), is_setup(s), pick_legal(s, 0)
        if s.phase == Phase.SETUP_SETTLEMENT and chance < shares.explored:
            a = explored_placement(s, random_bits)
        elif not setup and chance < shares.odd:
            a = pick_legal(s, number_below(random_bits, legal))
        elif legal > 1:
            a = policy_action(games, players[mover], shares.margin, True, random_bits, w)
        step(s, a, w.script)
        legal = count_legal(s)
        stream += GAMMA
        random_bits = scramble(stream)
        kept = uniform(random_bits) < shares.recorded or setup
        if kept and legal > 0 and not is_setup(s) and row < rows.viewers.shape[0]:
            viewer = mover
            if setup or random_bits & np.uint64(7) == np.uint64(0):
                viewer = number_below(scramble(random_bits), int(s.num_players))
            write_position(s, viewer, rows.features[row])
            rows.viewers[row] = viewer
            row += 1
    return row - first


@entry
def play_match(
    games: States,
    seat: int,
    opponent: int,
    margin: float,
    others_margin: float,
    seed: np.uint64,
    w: Workspace,
    theirs: Workspace,
) -> None:
    """Play a new game (1,) to its end: a seat by the value of `w`, all others as an opponent.

    Args:
        games: the game.
        seat: that goes by the value.
        opponent: its number of `agents.random`.
        margin: of the seat.
        others_margin: where the others go by a value as well.
        seed: of all chance but the dice's.
        w: the seat's network.
        theirs: that of the others.
    """
    s = games[0]
    stream = scramble(seed)
    legal = count_legal(s)
    while legal > 0:
        stream += GAMMA
        a = pick_legal(s, 0)
        if legal > 1 and s.player == seat:
            a = policy_action(games, VALUE, margin, True, scramble(stream), w)
        elif legal > 1:
            a = policy_action(games, opponent, others_margin, True, scramble(stream), theirs)
        step(s, a, w.script)
        legal = count_legal(s)
