"""Simulations of one decision: the determinizations, and scratch space for the calls."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NUM_ACTIONS, NUM_ACTIONS_WITHOUT_TRADE
from catan_pz.agents.random_stream import scramble_all
from catan_pz.agents.search import search_calls
from catan_pz.agents.search.budget import Budget
from catan_pz.agents.search.rollout import PLAYERS, Rollout
from catan_pz.agents.value.net import shipped
from catan_pz.agents.value.network import Workspace, workspace
from catan_pz.engine.chance import GAMMA
from catan_pz.engine.state import STATE, as_games
from catan_pz.terms import MAX_PLAYERS

T = TypeVar("T")


class Simulator:
    """Simulations from one position, for the seat to move there.

    Args:
        games: (D,) determinizations of the position.
        seed: where all chance comes from.
        rollout: player of the rollouts, a name of `rollout.PLAYERS`.
        turns: turns after which a rollout is cut off and the win probabilities are estimated.
        workers: threads that share simulations. What they find doesn't depend on it.

    Attributes:
        num_actions: A.
        scratch: a record and a workspace for each worker.
    """

    def __init__(
        self, games: np.ndarray, seed: int, *, rollout: str, turns: int, workers: int
    ) -> None:
        self.games = games
        self.seed = np.uint64(seed)
        self.rollout = Rollout(PLAYERS[rollout], turns)
        self.num_actions = NUM_ACTIONS if games["trading"][0] else NUM_ACTIONS_WITHOUT_TRADE
        net = shipped(int(games["num_players"][0])).weights
        self.scratch: list[tuple[np.ndarray, Workspace]] = [
            (as_games(np.zeros(1, STATE)), workspace(net, self.num_actions)) for _ in range(workers)
        ]

    def run(self, actions: NDArray[np.int64], first: int, last: int) -> NDArray[np.float64]:
        """(K, S) the mover's win probability by action, in simulations `first` to `last`."""
        workers = min(len(self.scratch), last - first)
        ends = [first + (last - first) * k // workers for k in range(workers + 1)]
        parts = in_threads(lambda k: self._run(k, actions, ends[k], ends[k + 1]), workers)
        return np.concatenate(parts, axis=1)

    def _run(
        self, worker: int, actions: NDArray[np.int64], first: int, last: int
    ) -> NDArray[np.float64]:
        played, w = self.scratch[worker]
        results = np.empty((len(actions), last - first))
        search_calls.simulate(
            self.games, played, actions, self.seed, first, last, self.rollout, w, results
        )
        return results

    def winning(self, actions: NDArray[np.int64]) -> int | None:
        """One of some actions that wins at once and for sure, if there is one."""
        played, w = self.scratch[0]
        action = int(search_calls.find_win(self.games, played, actions, w.script))
        return None if action < 0 else action

    def choice(self) -> int:
        """What the player of rollouts does in the first determinization."""
        w = self.scratch[0][1]
        return search_calls.choose_action(self.games, self.rollout.player, self.seed, w)

    def win_probabilities(self, budget: Budget, viewer: int) -> NDArray[np.float64]:
        """(P,) each seat's mean win probability in simulations from the position itself.

        Args:
            budget: what may be spent.
            viewer: the seat as which their ends are judged, whoever is to move.
        """
        totals = np.zeros(MAX_PLAYERS)
        while (times := budget.chunk(1)) > 0:
            numbers = np.arange(budget.played, budget.played + times, dtype=np.uint64)
            for j, seed in zip(numbers, scramble_all(self.seed + numbers * GAMMA), strict=True):
                totals += self._played_out(int(j) % len(self.games), seed, viewer)
            budget.played += times
        return totals[: int(self.games["num_players"][0])] / budget.played

    def _played_out(self, i: int, seed: np.uint64, viewer: int) -> NDArray[np.float64]:
        """(P,) the win probabilities after a rollout in determinization i, as a viewer knows it."""
        (played, w), since = self.scratch[0], int(self.games["turn"][i])
        search_calls.begin(self.games[i : i + 1], played, seed)
        search_calls.play_out(played, self.rollout.player, seed, since + self.rollout.turns, w)
        search_calls.estimate(played, viewer, since, w)
        return w.values[:MAX_PLAYERS]


def in_threads(call: Callable[[int], T], count: int) -> list[T]:
    """`[call(0), ..., call(count - 1)]`, each in a thread of its own."""
    if count == 1:
        return [call(0)]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(call, range(count)))


def best_offers(games: np.ndarray, offers: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Of some offers those that promise most, `most` at the most and only such as promise any."""
    gains = np.zeros(len(offers))
    search_calls.rank_offers(games, offers, gains)
    order = np.argsort(-gains, kind="stable")[:most]
    chosen: NDArray[np.int64] = np.sort(offers[order[gains[order] > 0]])
    return chosen


def statistics(results: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means (K,) of results (K, S), and standard errors of their distances to the best mean."""
    means = results.mean(1)
    lags = results[means.argmax()] - results
    errors = lags.std(1) / np.sqrt(max(1, results.shape[1]))
    return means, errors
