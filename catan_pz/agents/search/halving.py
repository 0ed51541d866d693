"""Sequential halving: the actions at the root compared by the same chance, round by round.

Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013. Every
simulation is played once for each action still in the race, in the same determinisation and
with the same dice, so that actions are told apart by their differences, which vary less than
the results do.

By the same rounds, "gumbel" chooses among the actions that a policy promises most of, by that
promise and by what simulations say, which count for the more the more there are: Danihelka et al.,
"Policy Improvement by Planning with Gumbel", 2022.
"""

from collections.abc import Callable
from math import ceil, log2
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.search.budget import Budget
from catan_pz.agents.search.simulator import Simulator, statistics

HOPELESS: Final = 4.0
"""Standard errors by which an action may lag behind the best one and stay in the race."""
FEWEST: Final = 16
"""Simulations of an action before which nothing is concluded from standard errors."""
VISITS: Final = 50
"""Simulations that a policy's logit counts for: the paper's c_visit, with a c_scale of 1."""

Score = Callable[[NDArray[np.int64], NDArray[np.float64]], NDArray[np.float64]]
"""Given K places in a list of actions, and results (K, S), (K,) what to prefer them by."""


def by_mean(places: NDArray[np.int64], results: NDArray[np.float64]) -> NDArray[np.float64]:
    """Prefer what has won most."""
    return np.asarray(results.mean(1))


def by_policy_and_mean(logits: NDArray[np.float64]) -> Score:
    """Prefer by a policy's logits (K,), and by win probabilities."""

    def score(places: NDArray[np.int64], results: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(logits[places] + (VISITS + results.shape[1]) * results.mean(1))

    return score


def choose_by_halving(
    simulator: Simulator, actions: NDArray[np.int64], budget: Budget, score: Score = by_mean
) -> tuple[int, NDArray[np.int64], NDArray[np.float64]]:
    """The action that is preferred, with visits and mean win probabilities of all.

    Args:
        simulator: plays the simulations.
        actions: (K,) legal actions.
        budget: what may be spent; each action is tried at least once.
        score: what actions are preferred by.
    """
    racing = np.arange(len(actions))
    means = np.zeros(len(actions))
    visits = np.ones(len(actions), np.int64)
    results = simulator.run(actions, 0, 1)
    budget.played += len(actions)
    means[:] = results[:, 0]
    rounds = max(1, ceil(log2(len(actions))))
    for rest in range(rounds, 0, -1):
        part = budget.part(rest)
        while len(racing) > 1 and (times := part.chunk(len(racing))) > 0:
            first = results.shape[1]
            new = simulator.run(actions[racing], first, first + times)
            part.played += new.size
            budget.played += new.size
            results = np.concatenate([results, new], axis=1)
            means[racing] = results.mean(1)
            visits[racing] = results.shape[1]
            racing, results = _without_hopeless(racing, results)
        order = np.argsort(-score(racing, results), kind="stable")[: (len(racing) + 1) // 2]
        racing, results = racing[order], results[order]
    return int(actions[racing[0]]), visits, means


def _without_hopeless(
    racing: NDArray[np.int64], results: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    if results.shape[1] < FEWEST:
        return racing, results
    means, errors = statistics(results)
    kept = means.max() - means <= HOPELESS * errors
    kept[means.argmax()] = True
    return racing[kept], results[kept]
