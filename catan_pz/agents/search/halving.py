"""Sequential halving: compares the actions at the root with the same chance, round by round.

Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013. Every
simulation is played once for each remaining action, in the same determinization and with the same
dice: actions are compared by their differences, which vary less than the results. The weight of
the prior policy decreases with more simulations: Danihelka et al., "Policy Improvement by
Planning with Gumbel", 2022.
"""

from math import ceil, inf, log2
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.search.simulator import Budget, Simulator

HOPELESS: Final = 4.0
"""Standard errors by which a remaining action may be below the best one."""
FEWEST: Final = 16
"""Least simulations of an action before standard errors are used."""
VISITS: Final = 50
"""Weight of a policy's logit in simulations: the paper's c_visit, with a c_scale of 1."""


@np.errstate(under="ignore", over="ignore")  # other libraries may enable exceptions
def improved_policy(
    logits: NDArray[np.float64], visits: NDArray[np.int64], means: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(K,) the policy with logits (K,), improved by simulations: a training target for networks.

    An action without a visit gets the mean of the others, weighted by the policy.
    """
    policy, seen = np.exp(logits - logits.max()), visits > 0
    mixed = (policy * means)[seen].sum() / policy[seen].sum()
    completed = logits + (VISITS + visits.max()) * np.where(seen, means, mixed)
    weights = np.exp(completed - completed.max())
    return np.asarray(weights / weights.sum())


def choose_by_halving(
    simulator: Simulator,
    actions: NDArray[np.int64],
    budget: Budget,
    logits: NDArray[np.float64],
) -> tuple[int, NDArray[np.int64], NDArray[np.float64]]:
    """The preferred action, with visits and mean win probabilities of all.

    The means compare actions by their common simulations. Each action is tried at least once,
    unless time is short: then those with smaller logits are dropped.
    """
    racing, results = _first_results(simulator, actions, budget, logits)
    means, visits = np.zeros(len(actions)), np.zeros(len(actions), np.int64)
    means[racing], visits[racing] = results[:, 0], 1
    rounds = max(1, ceil(log2(len(racing))))
    for rest in range(rounds, 0, -1):
        if budget.seconds_left <= 0:
            break
        part = budget.part(rest)
        while len(racing) > 1 and (times := part.chunk(len(racing))) > 0:
            first = results.shape[1]
            new = simulator.run(actions[racing], first, first + times)
            part.played += new.size
            budget.played += new.size
            results = np.concatenate([results, new], axis=1)
            means[racing] = results.mean(1)
            visits[racing] = results.shape[1]
            kept = _has_hope(logits[racing], results)
            racing, results = racing[kept], results[kept]
        order = np.argsort(-preferences(logits[racing], results), kind="stable")
        order = order[: (len(racing) + 1) // 2]
        racing, results = racing[order], results[order]
    best = preferences(logits[racing], results).argmax()
    return int(actions[racing[best]]), visits, _paired(means, visits, results[best])


def _paired(
    means: NDArray[np.float64], visits: NDArray[np.int64], results: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(K,) estimated means of all actions over all simulations.

    An action that was dropped early is compared with the preferred one, with results (S,), in
    their common simulations, so that shared chance cancels out.
    """
    so_far = results.cumsum() / np.arange(1, len(results) + 1)
    seen = visits > 0
    paired = means.copy()
    paired[seen] += results.mean() - so_far[visits[seen] - 1]
    return np.clip(paired, 0.0, 1.0)


def _first_results(
    simulator: Simulator,
    actions: NDArray[np.int64],
    budget: Budget,
    logits: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Indices (K,) of the actions tried in time, and their results (K, 1).

    With a time limit they are tried one by one, in order of their logits.
    """
    if budget.seconds == inf:
        budget.played += len(actions)
        return np.arange(len(actions)), simulator.run(actions, 0, 1)
    order = np.argsort(-logits, kind="stable")
    results: list[NDArray[np.float64]] = []
    for k in order:
        if results and budget.seconds_left <= 0:
            break
        results.append(simulator.run(actions[k : k + 1], 0, 1))
        budget.played += 1
    tried = order[: len(results)]
    return np.sort(tried), np.concatenate(results)[np.argsort(tried)]


def preferences(logits: NDArray[np.float64], results: NDArray[np.float64]) -> NDArray[np.float64]:
    """(K,) mean win probabilities of results (K, S) plus the scaled logits (K,) of a policy."""
    return np.asarray(results.mean(1) + logits / (VISITS + results.shape[1]))


def _has_hope(logits: NDArray[np.float64], results: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(K,) which actions more simulations could make the choice, as logits lose weight."""
    if results.shape[1] < FEWEST:
        return np.ones(len(results), np.bool_)
    means = results.mean(1)
    # Standard errors of the distances to the best mean.
    errors = (results[means.argmax()] - results).std(1) / np.sqrt(results.shape[1])
    preferred = preferences(logits, results)
    kept = np.zeros(len(results), np.bool_)
    for values in (means, preferred):
        kept |= values.max() - values <= HOPELESS * errors
        kept[values.argmax()] = True
    return kept
