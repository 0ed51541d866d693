"""Games in which positions are recorded for the value to be fitted to: who won from there.

Letters: N positions, P seats, F and C features of a seat and of the game, G games.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import BUILD_SETTLEMENT
from catan_pz.agents.policies import EVOLVED, HEURISTIC, VALUE
from catan_pz.agents.value.choice import policy_action
from catan_pz.agents.value.features import NUM_FEATURES, NUM_SHARED, write_position
from catan_pz.agents.value.net import ValueNet
from catan_pz.agents.value.network import Workspace, workspace
from catan_pz.agents.value.prospects import worth_of_vertex
from catan_pz.engine.chance import GAMMA, number_below, scramble
from catan_pz.engine.legal import count_legal, pick_legal
from catan_pz.engine.play import step
from catan_pz.engine.state import State, States
from catan_pz.engine.turn import is_setup
from catan_pz.game.game import Game
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Float32Matrix, Int64Array
from catan_pz.rules import Rules
from catan_pz.terms import NOBODY, Phase

MOST_OF_A_GAME: Final = 500
"""Positions that a game may add."""

ODD: Final = (0.0, 0.02, 0.05, 0.15)
"""Shares of random decisions, of which each game gets one."""

EXPLORED: Final = 0.2
"""Share of random settlements in the set-up."""

RECORDED: Final = 0.05
"""Share of decisions after which the position is recorded."""

TRIED: Final = 3
"""Random placements of which the best is explored."""

PLAYERS: Final = (VALUE, VALUE, VALUE, VALUE, VALUE, EVOLVED, HEURISTIC)
"""Players, of which each seat gets one."""


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
    """Play a game to its end and record positions, from row `first` on; returns how many.

    Args:
        games: (1,) a new game.
        players: (P,) numbers of `agents.policies`.
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
            a = policy_action(games, players[mover], shares.margin, random_bits, w)
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


@dataclass(frozen=True)
class Positions:
    """Recorded positions, those of a game one after the other as they came.

    Attributes:
        features: (N, P * F + C) float16, seats from the viewer on.
        viewers: (N,) int8, the seats that look.
        games: (N,) int32, the number of the game.
        winners: (N,) int8, the seat that won, or `NOBODY`.
    """

    features: NDArray[np.float16]
    viewers: NDArray[np.int8]
    games: NDArray[np.int32]
    winners: NDArray[np.int8]

    def __len__(self) -> int:
        """N."""
        return len(self.features)

    @classmethod
    def joined(cls, parts: Sequence["Positions"]) -> "Positions":
        """All of some, in order, with the games numbered through."""
        first = np.cumsum([0, *(int(part.games[-1]) + 1 for part in parts)])
        games = [part.games + start for part, start in zip(parts, first, strict=False)]
        names = [name for name in cls.__dataclass_fields__ if name != "games"]
        joined = {name: np.concatenate([vars(part)[name] for part in parts]) for name in names}
        return cls(games=np.concatenate(games).astype(np.int32), **joined)


def record_positions(
    rules: Rules, net: ValueNet | None, margin: float, seed: int, count: int
) -> Positions:
    """Play games until enough positions are recorded.

    Args:
        rules: of the games.
        net: of the player that judges by the value; without one only the others play.
        margin: of that player.
        seed: all chance follows from it.
        count: N, at least; the last game is recorded whole.
    """
    rng, seats = np.random.default_rng(seed), rules.num_players
    players = PLAYERS if net is not None else (EVOLVED, HEURISTIC)
    weights = np.zeros(0, np.float32) if net is None else net.weights
    game, w = Game(rules, seed=0), workspace(weights, rules.num_actions)
    features = np.zeros((count + MOST_OF_A_GAME, seats * NUM_FEATURES + NUM_SHARED), np.float32)
    rows = Rows(features, np.zeros(len(features), np.int64))
    numbers: list[int] = []
    winners: list[int] = []
    k = 0
    while len(winners) < count:
        game.reset(int(rng.integers(2**62)))
        recorded = play_recorded(
            game.games,
            rng.choice(players, seats),
            Shares(float(rng.choice(ODD)), EXPLORED, RECORDED, margin),
            np.uint64(rng.integers(2**63)),
            w,
            rows,
            len(winners),
        )
        numbers += [k] * recorded
        winners += [int(game.games["winner"][0])] * recorded
        k += 1
    found = len(winners)
    return Positions(
        rows.features[:found].astype(np.float16),
        rows.viewers[:found].astype(np.int8),
        np.array(numbers, np.int32),
        np.array(winners, np.int8),
    )


def record_in_processes(
    rules: Rules,
    net: ValueNet | None,
    margin: float,
    seeds: Sequence[int],
    count: int,
    workers: int,
) -> Positions:
    """At least `count` positions for each of some seeds, the same for any number of processes."""
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        tasks = [pool.submit(record_positions, rules, net, margin, seed, count) for seed in seeds]
        return Positions.joined([task.result() for task in tasks])


def win_targets(
    positions: Positions, estimates: NDArray[np.float32], decay: float
) -> NDArray[np.float32]:
    """(N, P) what each seat's win probability is to be, seats from the viewer on.

    These are lambda-returns over the positions of a game: the estimate of the next one, and its own
    target, mixed. The last one's target is who won; zeros where nobody did.

    Args:
        positions: N positions.
        estimates: (N, P) win probabilities, seats from the viewer on.
        decay: lambda, the weight of the next one's target; with 1 only who won counts.
    """
    count, seats = estimates.shape
    by_seat = (np.arange(seats) - positions.viewers[:, None]) % seats
    estimated = np.take_along_axis(estimates, by_seat, 1)
    targets = (positions.winners[:, None] == np.arange(seats)).astype(np.float32)
    last = np.r_[positions.games[1:] != positions.games[:-1], True]
    ends = np.flatnonzero(last)
    distance = ends[np.searchsorted(ends, np.arange(count))] - np.arange(count)
    won = positions.winners != NOBODY
    for k in range(1, int(distance.max()) + 1):
        rows = np.flatnonzero((distance == k) & won)
        targets[rows] = (1 - decay) * estimated[rows + 1] + decay * targets[rows + 1]
    from_viewer = (np.arange(seats) + positions.viewers[:, None]) % seats
    return np.take_along_axis(targets, from_viewer, 1)
