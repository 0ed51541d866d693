"""Sequential halving: the actions at the root compared by the same chance, round by round.

Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013. Every
simulation is played once for each action still in the race, in the same determinisation and
with the same dice, so that actions are told apart by their differences, which vary less than
the results do.
"""

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


def choose_by_halving(
    simulator: Simulator, actions: NDArray[np.int64], budget: Budget
) -> tuple[int, NDArray[np.int64], NDArray[np.float64]]:
    """The action with the best mean win probability, with visits and these means of all.

    Args:
        simulator: plays the simulations.
        actions: (K,) legal actions.
        budget: what may be spent; each action is tried at least once.
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
        order = np.argsort(-results.mean(1), kind="stable")[: (len(racing) + 1) // 2]
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
