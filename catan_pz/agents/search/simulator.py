"""Simulations of one decision, and the budget for them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import inf
from time import perf_counter
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION, NUM_ACTIONS, NUM_ACTIONS_WITHOUT_TRADE
from catan_pz.agents.search import search_calls
from catan_pz.agents.search.rollout import Rollout
from catan_pz.agents.search.search_calls import Simulations
from catan_pz.agents.value.network import shipped, workspace
from catan_pz.engine.state import STATE, as_games
from catan_pz.terms import MAX_PLAYERS, NOBODY

CHUNKS: Final = 8
"""Chunks of simulations; their results are checked in between."""
CHUNK_SECONDS: Final = 0.01
"""Approximate time of a chunk in a search with a time limit."""
WITHOUT_END: Final = 10**12
ITSELF: Final = np.array([NO_ACTION])
"""In place of actions: continue the position itself."""

T = TypeVar("T")


class Budget:
    """The budget of a decision, or of a part of it: simulations, and seconds from now on.

    `pace` is the known time of a simulation in seconds; None to measure it in the first ones.
    `played` counts simulations. `seconds` is infinite without a time limit.
    """

    def __init__(
        self, simulations: int | None, seconds: float | None, pace: float | None = None
    ) -> None:
        self._simulations = WITHOUT_END if simulations is None else simulations
        self.seconds = inf if seconds is None else seconds
        self._pace = pace
        self._start = perf_counter()
        self.played = 0

    @property
    def left(self) -> int:
        """Simulations left."""
        return self._simulations - self.played

    @property
    def seconds_left(self) -> float:
        """Time left."""
        return self.seconds - (perf_counter() - self._start)

    @property
    def pace(self) -> float | None:
        """Mean seconds of a simulation so far; None while unknown."""
        if self.played == 0:
            return self._pace
        return max(1e-9, perf_counter() - self._start) / self.played

    def part(self, parts: int) -> "Budget":
        """A budget with an equal part of the remainder, from now on."""
        return Budget(self.left // parts, self.seconds_left / parts, self.pace)

    def chunk(self, width: int) -> int:
        """The number of times to play `width` simulations before the next check; 0 if spent.

        A time limit counts as spent if they would take longer than the remaining time; but while
        their pace is unknown one chunk is always granted.
        """
        most = self.left // width
        if self.seconds == inf:
            return min(most, -(-self._simulations // (CHUNKS * width)))
        seconds, pace = self.seconds_left, self.pace
        if pace is None:
            return min(most, 1)
        if seconds < pace * width:
            return 0
        return min(most, max(1, int(min(seconds, CHUNK_SECONDS) / (pace * width))))


class Simulator:
    """Simulations from one position, for the seat to move, in its determinizations (D,).

    All chance comes from the seed. Workers are threads that share simulations; the results don't
    depend on their number.
    """

    def __init__(self, games: np.ndarray, seed: int, rollout: Rollout, workers: int) -> None:
        self.games = games
        self.num_actions = NUM_ACTIONS if games["trading"][0] else NUM_ACTIONS_WITHOUT_TRADE
        net = shipped(int(games["num_players"][0])).weights
        self.runs = [  # one per worker
            Simulations(
                games=games,
                played=as_games(np.zeros(1, STATE)),
                seed=np.uint64(seed),
                rollout=rollout,
                w=workspace(net, self.num_actions),
            )
            for _ in range(workers)
        ]

    def run(self, actions: NDArray[np.int64], first: int, last: int) -> NDArray[np.float64]:
        """(K, S) the mover's win probability by action, in simulations `first` to `last`."""
        workers, mover = min(len(self.runs), last - first), int(self.games["player"][0])
        ends = [first + (last - first) * k // workers for k in range(workers + 1)]

        def part(k: int) -> NDArray[np.float64]:
            return self._simulate(k, actions, ends[k], ends[k + 1], NOBODY)[..., mover]

        return np.concatenate(in_threads(part, workers), axis=1)

    def _simulate(
        self, worker: int, actions: NDArray[np.int64], first: int, last: int, viewer: int
    ) -> NDArray[np.float64]:
        """(K, S, P) each seat's win probability, by action and simulation."""
        results = np.empty((len(actions), last - first, MAX_PLAYERS))
        rows = results.reshape(-1, MAX_PLAYERS)
        search_calls.simulate(self.runs[worker], actions, first, last, viewer, rows)
        return results

    def winning(self, actions: NDArray[np.int64]) -> int | None:
        """The first of some actions that certainly wins at once, if any."""
        run = self.runs[0]
        action = int(search_calls.find_win(run.games, run.played, actions, run.w.script))
        return None if action < 0 else action

    def choice(self) -> int:
        """The rollout player's choice in the first determinization."""
        nothing = np.empty((0, MAX_PLAYERS))
        return int(search_calls.simulate(self.runs[0], ITSELF, 0, 0, NOBODY, nothing))

    def win_probabilities(self, budget: Budget, viewer: int) -> NDArray[np.float64]:
        """(P,) each seat's mean win probability in simulations from the position itself.

        Their ends are evaluated by the viewer's knowledge.
        """
        totals = np.zeros(MAX_PLAYERS)
        while (times := budget.chunk(1)) > 0:
            last = budget.played + times
            for values in self._simulate(0, ITSELF, budget.played, last, viewer)[0]:
                totals += values
            budget.played = last
        return totals[: int(self.games["num_players"][0])] / budget.played


def in_threads(call: Callable[[int], T], count: int) -> list[T]:
    """`[call(0), ..., call(count - 1)]`, each in its own thread."""
    if count == 1:
        return [call(0)]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(call, range(count)))
