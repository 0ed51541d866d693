"""Games in which positions are recorded for the value to be fitted to: who won from there.

Letters: N positions, P seats, F and C features of a seat and of the game, G games.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.policies import EVOLVED, HEURISTIC, VALUE
from catan_pz.agents.value import value_calls
from catan_pz.agents.value.features import NUM_FEATURES, NUM_SHARED
from catan_pz.agents.value.net import ValueNet
from catan_pz.agents.value.network import SCRATCH_SIZE
from catan_pz.engine.deal import NO_SCRIPT
from catan_pz.engine.state import STATE, as_games
from catan_pz.game.game import Game
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, NOBODY

MOST_OF_A_GAME: Final = 500
"""Positions that a game may add."""

ODD: Final = (0.0, 0.02, 0.05, 0.15)
"""Shares of random decisions, of which each game gets one."""

EXPLORED: Final = 0.2
"""Share of random settlements in the set-up."""

RECORDED: Final = 0.05
"""Share of decisions after which the position is recorded."""

PLAYERS: Final = (VALUE, VALUE, VALUE, VALUE, VALUE, EVOLVED, HEURISTIC)
"""Players, of which each seat gets one."""


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
    game, spare = Game(rules, seed=0), as_games(np.zeros(1, STATE))
    features = np.zeros((count + MOST_OF_A_GAME, seats * NUM_FEATURES + NUM_SHARED), np.float32)
    viewers = np.zeros(len(features), np.int64)
    scratch = (
        np.zeros(SCRATCH_SIZE, np.float32),
        np.zeros(2 * MAX_PLAYERS),
        NO_SCRIPT,
        np.zeros(SIZE, np.int8),
        np.zeros(rules.num_actions, np.int8),
    )
    numbers: list[int] = []
    winners: list[int] = []
    k = 0
    while len(winners) < count:
        game.reset(int(rng.integers(2**62)))
        recorded = value_calls.play_recorded(
            game.games,
            spare,
            rng.choice(players, seats),
            float(rng.choice(ODD)),
            EXPLORED,
            RECORDED,
            margin,
            np.uint64(rng.integers(2**63)),
            weights,
            *scratch,
            features,
            viewers,
            len(winners),
        )
        numbers += [k] * recorded
        winners += [int(game.games["winner"][0])] * recorded
        k += 1
    found = len(winners)
    return Positions(
        features[:found].astype(np.float16),
        viewers[:found].astype(np.int8),
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
