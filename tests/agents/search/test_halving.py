"""Sequential halving and budgets, on results made up."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from catan_pz.agents.search.halving import choose_by_halving, improved_policy
from catan_pz.agents.search.simulator import CHUNKS, Budget

pytestmark = pytest.mark.purepython


class MadeUp:
    """Results with given means, and noise of which a part is common to all actions."""

    def __init__(self, means: list[float], common: float, own: float, seed: int) -> None:
        self.means = np.array(means)
        self.common, self.own, self.seed = common, own, seed
        self.played: list[int] = []

    def run(self, actions: NDArray[np.int64], first: int, last: int) -> NDArray[np.float64]:
        shared = np.random.default_rng(self.seed).normal(0, self.common, 10_000)[first:last]
        rows = []
        for a in actions:
            noise = np.random.default_rng([self.seed, int(a)]).normal(0, self.own, 10_000)
            rows.append(self.means[a] + shared + noise[first:last])
        self.played += [int(a) for a in actions] * (last - first)
        return np.array(rows)


def chosen(simulator: Any, simulations: int) -> int:
    actions = np.arange(len(simulator.means))
    budget = Budget(simulations, None)
    action, visits, means = choose_by_halving(simulator, actions, budget, np.zeros(len(actions)))
    assert visits.tolist() == np.bincount(simulator.played, minlength=len(actions)).tolist()
    assert budget.played == len(simulator.played) <= max(simulations, len(actions))
    assert means.shape == actions.shape
    return action


def test_the_best_is_found_under_noise_that_all_share() -> None:
    """Single results vary 20 times as much as the best action is better."""
    hits = 0
    for seed in range(20):
        simulator = MadeUp([0.3] * 9 + [0.32], common=0.4, own=0.02, seed=seed)
        hits += chosen(simulator, 400) == 9
    assert hits >= 19


def test_means_differ_by_what_actions_are_worth() -> None:
    """Whatever chance there was in the simulations that an action didn't have."""
    worth = np.linspace(0.3, 0.45, 12)
    simulator = MadeUp(worth.tolist(), common=0.1, own=0.0, seed=3)
    budget = Budget(600, None)
    _, visits, means = choose_by_halving(simulator, np.arange(12), budget, np.zeros(12))
    assert len(set(visits.tolist())) > 1
    np.testing.assert_allclose(means - means[-1], worth - worth[-1], atol=1e-12)


def test_a_policy_is_followed_until_simulations_say_otherwise() -> None:
    """The worse action has a logit of 4 more: as much as 0.04 in 100 simulations."""
    logits = np.array([4.0, 0.0])
    for means, simulations, best in (([0.3, 0.33], 60, 0), ([0.3, 0.33], 600, 1)):
        simulator = MadeUp(means, common=0.4, own=0.02, seed=1)
        choice = choose_by_halving(simulator, np.arange(2), Budget(simulations, None), logits)
        assert choice[0] == best


def test_the_improved_policy_is_that_worked_out_by_hand() -> None:
    """Of three actions the last wasn't simulated: it counts as (0.5 * 0.4 + 0.3 * 0.6) / 0.8."""
    logits, visits = np.log([0.5, 0.3, 0.2]), np.array([10, 20, 0])
    found = improved_policy(logits, visits, np.array([0.4, 0.6, 99.0]))
    weights = np.array([0.5, 0.3, 0.2]) * np.exp(70 * np.array([0.4, 0.6, 0.475]))
    np.testing.assert_allclose(found, weights / weights.sum())


def test_what_is_hopeless_gets_no_more_and_a_clear_case_ends_early() -> None:
    simulator = MadeUp([0.1, 0.9], common=0.2, own=0.01, seed=1)
    assert chosen(simulator, 4000) == 1
    assert len(simulator.played) <= 2 + 4000 / CHUNKS + 2


class Timed(MadeUp):
    """Each simulation takes a tenth of a second by a clock of its own."""

    def __init__(self, means: list[float], now: list[float]) -> None:
        super().__init__(means, common=0, own=0, seed=1)
        self.now = now

    def run(self, actions: NDArray[np.int64], first: int, last: int) -> NDArray[np.float64]:
        self.now[0] += 0.1 * len(actions) * (last - first)
        return super().run(actions, first, last)


@pytest.mark.parametrize(
    ("seconds", "best"),
    [(0.01, 2), (0.15, 1), (0.35, 6), (0.85, 7), (1.5, 7), (4.0, 7)],
)
def test_time_is_kept_however_slow_simulations_are(
    monkeypatch: pytest.MonkeyPatch, seconds: float, best: int
) -> None:
    """The actions of the largest logits are tried first: of 2, 1, 6 and 5 the last but one wins."""
    now = [0.0]
    monkeypatch.setattr("catan_pz.agents.search.simulator.perf_counter", lambda: now[0])
    simulator = Timed([0.1, 0.3, 0.2, 0.4, 0.5, 0.35, 0.6, 0.9], now)
    logits = np.array([1.0, 7.0, 8.0, 2.0, 3.0, 5.0, 6.0, 4.0]) * 1e-3
    budget = Budget(None, seconds)
    action, visits, means = choose_by_halving(simulator, np.arange(8), budget, logits)
    assert action == best
    assert now[0] <= max(seconds, 0.1) + 0.1
    assert visits.tolist() == np.bincount(simulator.played, minlength=8).tolist()
    assert budget.played == visits.sum()
    assert means == pytest.approx(np.where(visits > 0, simulator.means, 0))
