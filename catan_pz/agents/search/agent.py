"""The search agent, with simulations in games drawn from its seat's belief."""

import copy
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import COMPOSE_GIVE, OFFER, is_offering
from catan_pz.agents.advice import Advice
from catan_pz.agents.base import WrappingAgent
from catan_pz.agents.registry import as_agent, check_options, load
from catan_pz.agents.search.halving import choose_by_halving, improved_policy
from catan_pz.agents.search.look_ahead import DEPTH, look_ahead
from catan_pz.agents.search.parallel_trees import (
    MOST_ROWS,
    ROWS_PER_SIMULATION,
    Evaluator,
    ParallelTrees,
    evaluated,
    root_policy,
)
from catan_pz.agents.search.rollout import PLAYERS, Rollout
from catan_pz.agents.search.simulator import Budget, Simulator
from catan_pz.agents.search.tree import BY_EVALUATOR, BY_PLAYER, BY_VALUE, Walk
from catan_pz.agents.value.agent import SETUP, ValueAgent
from catan_pz.agents.value.choice import TEMPERATURE
from catan_pz.checks import check_choice, check_count, check_flag, check_number, not_possible
from catan_pz.engine.state import STATE, as_games
from catan_pz.game.view import View
from catan_pz.rules import Rules

WIDEST: Final = 4
"""The most actions considered by "expectimax"."""
_LEAST_PRIOR = 1e-8
"""Prior of actions that a policy would never play."""

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "fast": {"simulations": 64},
    "strong": {"simulations": 4000},
}
"""Options by preset."""

AUTO: Final = "auto"
"""The prior that stands for the agent "value"."""

EXPLORATION: Final = {"gumbel": 0.0, "expectimax": 0.0, "puct": 0.5}
"""Default of the option by method."""
METHODS: Final = tuple(EXPLORATION)
DEFAULT_SIMULATIONS: Final = 1000
TO_THE_END: Final = 1_000_000
"""Turn limit of rollouts without a limit."""

_COUNTS: Final = {
    "simulations": (1, 10**9),
    "turns": (0, TO_THE_END),
    "setup_turns": (0, TO_THE_END),
    "determinizations": (1, 10**6),
    "offers": (0, 120),
    "workers": (1, 256),
    "considered": (2, 10**6),
    "batch": (1, 10**5),
}
"""Bounds of the options that are counts."""


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """The options of a search, documented at `SearchAgent`."""

    simulations: int | None = None
    seconds: float | None = None
    method: str = "gumbel"
    rollout: str = "heuristic"
    turns: int | None = 8
    setup_turns: int | None = 32
    determinizations: int = 16
    exploration: float | None = None
    offers: int = 6
    workers: int = 1
    keep_tree: bool = True
    prior: Any = AUTO
    considered: int = 16
    evaluator: Evaluator | None = None
    batch: int = 16

    @classmethod
    def made(cls, preset: str | None = None, **options: Any) -> "SearchOptions":
        """Named options, which override those of a preset."""
        if preset is not None:
            check_choice("preset", preset, tuple(PRESETS))
            options = PRESETS[preset] | options
        check_options("search", cls, options)
        return cls(**options)

    def __post_init__(self) -> None:
        if self.simulations is None and self.seconds is None:
            object.__setattr__(self, "simulations", DEFAULT_SIMULATIONS)
        for name, (least, most) in _COUNTS.items():
            value = getattr(self, name)
            if value is not None or name not in ("simulations", "turns", "setup_turns"):
                object.__setattr__(self, name, check_count(name, value, least, most))
        if self.seconds is not None:
            check_number("seconds", self.seconds, above=0)
        check_choice("method", self.method, METHODS)
        check_choice("rollout", self.rollout, tuple(PLAYERS))
        check_flag("keep_tree", self.keep_tree)
        if self.exploration is None:
            object.__setattr__(self, "exploration", EXPLORATION[self.method])
        check_number("exploration", self.exploration, least=0)
        if self.prior is not None and self.prior != AUTO:
            self._load_prior()
        if self.evaluator is not None:
            self._check_evaluator()

    def _load_prior(self) -> None:
        if self.method != "gumbel":
            raise not_possible("method", self.method, f"'gumbel' with a prior other than {AUTO!r}")
        prior = as_agent(self.prior)
        outputs = getattr(getattr(prior, "model", None), "outputs", "logits")
        if not hasattr(prior, "policy") or outputs != "logits":
            raise not_possible("prior", self.prior, f"an agent with a policy, {AUTO!r} or None")
        object.__setattr__(self, "prior", prior)

    def _check_evaluator(self) -> None:
        if not isinstance(self.evaluator, Evaluator):
            raise not_possible("evaluator", self.evaluator, "an Evaluator or None")
        if self.method != "puct":
            raise not_possible("method", self.method, "'puct' with an evaluator")
        if self.workers != 1:
            raise not_possible("workers", self.workers, "1 with an evaluator")

    @property
    def guide(self) -> int:
        """The source of priors for positions of a tree."""
        if self.evaluator is not None:
            return BY_EVALUATOR
        return BY_VALUE if self.prior == AUTO else BY_PLAYER

    def rollout_in(self, phase: int) -> Rollout:
        """Rollout settings for a phase."""
        turns = self.setup_turns if phase in SETUP else self.turns
        return Rollout(PLAYERS[self.rollout], TO_THE_END if turns is None else turns)


class SearchAgent(WrappingAgent):
    """Simulates games after its actions and plays the one that wins most often.

    A simulation starts from a full game drawn from the exact belief of the seat. It plays the
    action, then a rollout player in every seat; after some turns the win probabilities are
    estimated. With a budget in simulations its choices depend only on the seed of `reset`.

    Args:
        preset: "fast" or "strong" for 64 or 4,000 simulations; other options override it.
        simulations: most simulations of a decision; 1,000 if no budget is given.
        seconds: time limit of a decision; it ends when either budget is spent.
        method: "gumbel" compares the actions of the largest priors with the same chance, and
            drops the worse half in each round; "puct" grows a tree of decisions, guided by a
            policy at every position; "expectimax" evaluates every next roll and the reply to it,
            without simulations.
        rollout: rollout player: "heuristic", "evolved", "value" or "random".
        turns: turns after which a rollout ends; None to play to the end of the game.
        setup_turns: the same for rollouts that begin in the set-up.
        determinizations: games drawn for a decision.
        exploration: weight of exploration in "puct", and of Gumbel noise on the prior in
            "gumbel"; None for the method's default.
        offers: number of offers and counter-offers considered, those of the largest priors;
            with the prior "value" its trader makes them.
        workers: threads. With "gumbel" the choice doesn't depend on their number.
        keep_tree: whether a tree keeps its statistics of a position from an earlier decision.
        prior: an agent with a policy, or its name, for "gumbel"; "auto" for "value", which guides
            "puct" as well. With None half of the prior goes to the rollout player's choice.
        considered: most actions that "gumbel" considers.
        evaluator: an `Evaluator` that replaces rollouts in "puct".
        batch: positions that the evaluator evaluates at once.

    Attributes:
        last: statistics of the last decision: "actions", their "win_probabilities" and "visits",
            total "simulations", with "gumbel" also the improved "policy" (A,); None without a
            search.
    """

    name = "search"
    needs_belief = True

    def __init__(self, **options: Any) -> None:
        self.options = SearchOptions.made(**options)
        self.needs_events = getattr(self.options.prior, "needs_events", False)
        self.last: dict[str, Any] | None = None
        self._trees: ParallelTrees | None = None

    def check_rules(self, rules: Rules) -> None:
        """Refuse games that the prior doesn't support."""
        self._prior_in(rules)

    def _prior_in(self, rules: Rules) -> Any:
        """A copy of the agent whose policy is the prior for these rules; or None."""
        given = self.options.prior
        if given is None or self.options.evaluator is not None:
            return None
        prior = load("value") if given == AUTO else copy.copy(given)
        prior.check_rules(rules)
        return prior

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """Start a game."""
        super().reset(seat, rules, seed)
        self.last = None
        self.inner = self._prior_in(rules)
        if self.inner is not None:
            self.inner.reset(seat, rules, self.random.next())
        self._trees = self._new_trees()

    def _new_trees(self) -> ParallelTrees | None:
        options = self.options
        if options.method != "puct":
            return None
        rows, workers = MOST_ROWS, options.workers
        if options.simulations is not None:
            rows = min(MOST_ROWS, 1000 + ROWS_PER_SIMULATION * options.simulations)
            workers = min(workers, options.simulations)
        walk = Walk(options.guide, PLAYERS[options.rollout], float(options.exploration or 0.0))
        return ParallelTrees(
            workers, rows, walk, options.keep_tree, options.evaluator, options.batch
        )

    def act(self, view: View) -> int:
        """A legal action, without a search if it is the only one."""
        self.last = None
        legal = np.flatnonzero(view.mask).astype(np.int64)
        if len(legal) == 1:
            return int(legal[0])
        traded = self.inner.trade(view) if isinstance(self.inner, ValueAgent) else None
        if traded is not None:
            return traded
        budget = self._budget()
        games = self._determinizations(view)
        policy = self._policy(view, games, legal)
        actions = self._considered(legal, policy)
        if len(actions) == 1:
            return int(actions[0])
        simulator = self._simulator(games)
        winning = simulator.winning(actions)
        if winning is not None:
            return winning
        budget, more = budget.part(1), {}
        if self.options.method == "expectimax":
            if int(games["phase"][0]) in SETUP:
                return int(actions[policy[actions].argmax()])
            action, visits, means = self._look_ahead(games, actions, policy)
        elif self._trees is not None:
            action, visits, means = self._trees.choose(simulator, actions, budget, policy)
        else:
            action, visits, means, improved = self._race(simulator, actions, budget, policy)
            more = {"policy": improved}
        self.last = {
            "actions": actions,
            "win_probabilities": means,
            "visits": visits,
            "simulations": budget.played,
            **more,
        }
        return action

    def advise(self, view: View) -> Advice:
        """The considered actions, the most visited first; in trade the prior's advice."""
        action = self.act(view)
        if self.last is None:
            traded = isinstance(self.inner, ValueAgent) and action >= OFFER
            return self.inner.advise(view) if traded else Advice.of_choice(action)
        actions, means, visits = (
            self.last[name] for name in ("actions", "win_probabilities", "visits")
        )
        order = np.lexsort((-means, -visits, actions != action))
        return Advice(actions[order], win_probabilities=means[order], visits=visits[order])

    def win_probabilities(self, view: View) -> NDArray[np.float64]:
        """Each seat's mean win probability in simulations from the position, or an evaluator's."""
        simulator = self._simulator(self._determinizations(view))
        if self.options.evaluator is not None:
            return evaluated(self.options.evaluator, simulator)
        return simulator.win_probabilities(self._budget(), self.seat)

    def win_probabilities_after(
        self, view: View, actions: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """(K,) means of the actions, with an equal share of the simulations each."""
        simulations = self.options.simulations or DEFAULT_SIMULATIONS
        simulator = self._simulator(self._determinizations(view))
        results = simulator.run(actions, 0, -(-simulations // len(actions)))
        return np.asarray(results.mean(1))

    def _budget(self) -> Budget:
        return Budget(self.options.simulations, self.options.seconds)

    def _determinizations(self, view: View) -> np.ndarray:
        rng = np.random.default_rng(self.random.next())
        return as_games(view.resample_many(rng, self.options.determinizations))

    def _simulator(self, games: np.ndarray) -> Simulator:
        options = self.options
        rollout = options.rollout_in(int(games["phase"][0]))
        return Simulator(games, self.random.next(), rollout, options.workers)

    def _policy(
        self, view: View, games: np.ndarray, legal: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """(A,) the policy of the prior or the evaluator.

        Without both, half goes to the rollout player's choice and half to all other than offers.
        """
        if self.inner is not None:
            return np.asarray(self.inner.policy(view), np.float64)
        simulator, evaluator = self._simulator(games), self.options.evaluator
        if evaluator is not None:
            return root_policy(evaluator, simulator)
        policy, others = np.zeros(simulator.num_actions), legal[~is_offering(legal)]
        policy[others] = 0.5 / len(others)
        policy[simulator.choice()] += 0.5
        return policy

    def _considered(
        self, legal: NDArray[np.int64], policy: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """The legal actions, with only the most probable offers.

        The prior "value" makes offers itself, so there are none.
        """
        if isinstance(self.inner, ValueAgent):
            return legal[~is_offering(legal)]
        offered = (legal >= OFFER) & (legal < COMPOSE_GIVE)
        offers = legal[offered & (policy[legal] > 0)]
        best = offers[np.argsort(-policy[offers], kind="stable")[: self.options.offers]]
        return np.concatenate([legal[~offered], np.sort(best)])

    def _look_ahead(
        self, games: np.ndarray, actions: NDArray[np.int64], policy: NDArray[np.float64]
    ) -> tuple[int, NDArray[np.int64], NDArray[np.float64]]:
        """The choice by "expectimax" in the first game, with visits and win probabilities.

        It maximizes the win probability plus the prior's logit in units of `TEMPERATURE`.
        """
        logits = np.log(np.maximum(policy[actions], _LEAST_PRIOR))
        kept = np.argsort(-logits, kind="stable")[: min(WIDEST, self.options.considered)]
        worths = np.zeros(len(kept))
        run, scratch = self._simulator(games).runs[0], as_games(np.zeros(DEPTH, STATE))
        look_ahead(games[:1], actions[kept], run.seed, scratch, run.w, worths)
        visits, means = np.zeros(len(actions), np.int64), np.zeros(len(actions))
        visits[kept], means[kept] = 1, worths
        return int(actions[kept[(worths + TEMPERATURE * logits[kept]).argmax()]]), visits, means

    def _race(
        self,
        simulator: Simulator,
        actions: NDArray[np.int64],
        budget: Budget,
        policy: NDArray[np.float64],
    ) -> tuple[int, NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """The choice by "gumbel", with visits, mean win probabilities, and the improved policy."""
        options = self.options
        rng = np.random.default_rng(self.random.next())
        noise = float(options.exploration or 0.0) * rng.gumbel(size=len(actions))
        logits = np.log(np.maximum(policy[actions], _LEAST_PRIOR))
        noisy = logits + noise
        most = min(options.considered, options.simulations or options.considered)
        kept = np.argsort(-noisy, kind="stable")[:most]
        visits, means = np.zeros(len(actions), np.int64), np.zeros(len(actions))
        action, visits[kept], means[kept] = choose_by_halving(
            simulator, actions[kept], budget, noisy[kept]
        )
        improved = np.zeros(simulator.num_actions)
        improved[actions] = improved_policy(logits, visits, means)
        return action, visits, means, improved
