"""Forward search with a policy: candidates are tried in games sampled for the seat.

Source: H. Charlesworth, 2022. Letters: S slots of a joint action, k games, n candidates.
"""

import math
from collections import deque
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION
from catan_pz.agents.random_stream import nth_numbers, uniforms
from catan_pz.batch.cpu import CpuBatch
from catan_pz.checks import check_choice, check_count, check_flag, check_number
from catan_pz.game.view import View
from catan_pz.published.charlesworth.candidates import (
    Node,
    SearchRun,
    candidates,
    different,
    shuffled,
)
from catan_pz.published.charlesworth.choices import NUM_SLOTS, Choices
from catan_pz.published.charlesworth.games import JointDecision, PlannedGames, Policy
from catan_pz.rewards import WinAndSharedTerms, WinAndTerms
from catan_pz.rules import Rules

REWARDS: Final = {"mover": WinAndTerms, "all": WinAndSharedTerms}
"""Rewards in a run, by the option `bonuses`."""

BASE_CANDIDATES: Final = 10
"""Number of candidates for which a budget is meant; the budget scales with their number."""

_NO_CHOICES: Final = np.empty((0, NUM_SLOTS), np.int8)


@dataclass(frozen=True, kw_only=True)
class ForwardOptions:
    """Options of the search.

    Args:
        uncertainty: "belief" samples hidden cards from the exact belief, "shuffled" with the
            source's method.
        bonuses: who gets the reward for cards played, robber, discards and cities in a run, the
            "mover", or "all" players as in the source's code.
        paired: whether the first runs of all candidates share a game and random numbers, and so do
            their second ones, and so on, which reduces the variance of differences; in the source
            each run has its own game.
        margin: standard errors by which the mean of a candidate must exceed that of the policy's
            own choice to replace it; None plays the best mean, as in the source.
    """

    simulations: int | None = None  # runs for ten candidates, None for any number
    seconds: float | None = None  # for ten candidates; started runs are finished
    depth: int = 15  # own decisions in a run; those with a single legal action don't count
    candidates: int = BASE_CANDIDATES  # joint actions tried, at least one of each legal kind
    exploration: float = 2.0  # weight of the exploration term
    wave: int = 16  # runs at a time; when one ends, the next begins
    uncertainty: str = "belief"
    bonuses: str = "mover"
    paired: bool = False
    margin: float | None = None
    gamma: float = 0.999  # discount between decisions of the searcher
    gae_lambda: float = 0.95  # weight of later estimates

    def __post_init__(self) -> None:
        check_flag("paired", self.paired)
        check_choice("uncertainty", self.uncertainty, ("belief", "shuffled"))
        check_choice("bonuses", self.bonuses, tuple(REWARDS))
        for name in ("depth", "candidates", "wave", "simulations"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))
        if self.seconds is not None:
            check_number("seconds", self.seconds, above=0)
        for name in ("exploration", "gamma", "gae_lambda", "margin"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), least=0)

    @property
    def is_on(self) -> bool:
        """Whether there is a budget for search."""
        return self.simulations is not None or self.seconds is not None


@dataclass(eq=False)
class ForwardSearch:
    """The searches of a seat in one game, with one policy for all seats."""

    policy: Policy
    rules: Rules
    seat: int
    options: ForwardOptions
    value_mean: float  # value of a critic's output 0
    value_scale: float  # value of a difference of 1 in its output
    last: Node | None = None  # of the last decision; None if there was only one candidate
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=500))  # values of runs

    def value(self, normalised: float) -> float:
        """The value of a position to the seat, from the critic's normalised output."""
        return float(normalised) * self.value_scale + self.value_mean

    @property
    def deviation(self) -> float:
        """The standard deviation of values of runs, at least 1."""
        return max(1.0, float(np.std(self.recent))) if self.recent else 1.0


class SearchedDecision:
    """A decision being searched, with its view and its random generator `rng`."""

    def __init__(self, search: ForwardSearch, view: View, rng: np.random.Generator) -> None:
        options, start = search.options, perf_counter()
        self.search, self._view, self._rng = search, view, rng
        rows = candidates(search.policy, view.observation, view.mask, rng, options.candidates)
        if options.margin is not None and len(rows) > 1:  # the policy's own choice comes first
            made = self._decide(rng.random((1, NUM_SLOTS)))
            rows = np.array(different(np.concatenate([made.choices, rows])))
        self._root = Node(rows)
        search.last = self._root if len(rows) > 1 else None
        self.under_way: dict[int, SearchRun] = {}  # runs by their game, oldest first
        self._begun = 0
        self._draws: list[tuple[np.ndarray, int]] = []  # a game with a seed, for one or more runs
        share = len(rows) / BASE_CANDIDATES
        self._most = math.inf
        if options.simulations is not None:
            self._most = max(1, round(options.simulations * share))
        self._until = math.inf if options.seconds is None else start + options.seconds * share

    @property
    def best(self) -> NDArray[np.int8]:
        """(S,) the candidate with the best mean, or the policy's if none is clearly better."""
        root, margin = self._root, self.search.options.margin
        best = root.means.argmax() if margin is None else root.better_than_first(margin)
        return np.asarray(root.rows[best])

    @property
    def room(self) -> int:
        """The number of runs that may begin now."""
        if self._begun and perf_counter() >= self._until:
            return 0
        return int(min(self.search.options.wave - len(self.under_way), self._most - self._begun))

    def begin(self, numbers: list[int]) -> tuple[np.ndarray, Choices]:
        """Begin runs in some games; return (k,) records to play and (k, S) first joint actions."""
        visits = (self._root.finished + self._root.running).tolist()
        exploration, deviation = self.search.options.exploration, self.search.deviation
        chosen = [self._root.begin(exploration, deviation) for _ in numbers]
        draws = list(range(self._begun, self._begun + len(numbers)))
        if self.search.options.paired:
            for k, candidate in enumerate(chosen):
                draws[k] = visits[candidate]
                visits[candidate] += 1
        self._draw(max(draws) + 1 - len(self._draws))
        drawn = [self._draws[draw] for draw in draws]
        for i, candidate, (_, seed) in zip(numbers, chosen, drawn, strict=True):
            self.under_way[i] = SearchRun(candidate, seed)
        self._begun += len(numbers)
        return np.array([game for game, _ in drawn]), np.asarray(self._root.rows[chosen])

    def _draw(self, count: int) -> None:
        """Sample further games that are possible for the seat, with seeds for their runs."""
        if count <= 0:
            return
        if self.search.options.uncertainty == "belief":
            records = self._view.resample_many(self._rng, count)
        else:
            seat, rules = self.search.seat, self.search.rules
            games = [shuffled(self._view, seat, rules, self._rng).games for _ in range(count)]
            records = np.concatenate(games)
        records["skip_forced"] = True
        seeds = self._rng.integers(2**64, size=count, dtype=np.uint64)
        self._draws += zip(records, seeds.tolist(), strict=True)

    def end(self, i: int) -> None:
        """Record the end of the run in game i."""
        run, options = self.under_way.pop(i), self.search.options
        value = run.worth(options.gamma, options.gae_lambda)
        self.search.recent.append(value)
        self._root.end(run.candidate, value)

    def root_value(self) -> float:
        """The value of the decision's own position."""
        return self.search.value(self._decide(np.full((1, NUM_SLOTS), 0.5)).value[0])

    def _decide(self, uniforms: NDArray[np.float64]) -> JointDecision:
        units, mask = self._view.observation[None], self._view.mask[None]
        return self.search.policy.decide(units, mask, uniforms)


class Runs:
    """The runs of all decisions being searched, in one batch of `count` games.

    A decision waits until there are games for as many runs as it would have alone, so its search is
    the same; one that needs more than all games gets all. All decisions share the policy, the
    options and the rules of the given `search`.
    """

    def __init__(self, search: ForwardSearch, count: int) -> None:
        self._policy, self._options = search.policy, search.options
        # In runs, forced actions are not decisions.
        rules = replace(search.rules, skip_forced=True)
        reward = REWARDS[self._options.bonuses]()
        self._batch = CpuBatch(count, rules, reward=reward, seed=0)
        self._games = PlannedGames(self._batch)
        self._waiting: deque[SearchedDecision] = deque()
        self._decisions: dict[SearchedDecision, int] = {}  # with the number of games for each
        self._free = list(range(count))

    def add(self, decision: SearchedDecision) -> None:
        """Add a decision to the search."""
        self._waiting.append(decision)

    def go_on(self) -> list[SearchedDecision]:
        """Play an action in every run; return and remove decisions whose runs have all ended."""
        self._admit()
        rows, choices = self._decide()
        numbers, firsts = self._begin()
        if any(one.under_way for one in self._decisions):
            self._step(np.concatenate([rows, numbers]), np.concatenate([choices, firsts]))
        ended = [one for one in self._decisions if not (one.under_way or one.room)]
        for one in ended:
            del self._decisions[one]
        return ended

    def _admit(self) -> None:
        """Start to search waiting decisions, in order, as games become available."""
        count = self._batch.num_games
        while self._waiting:
            games = min(self._waiting[0].room, count)
            if games > count - sum(self._decisions.values()):
                return
            self._decisions[self._waiting.popleft()] = games

    def _begin(self) -> tuple[NDArray[np.int64], Choices]:
        """(k,) games with new runs, and (k, S) their first joint actions."""
        numbers: list[int] = []
        records: list[np.ndarray] = []
        choices: list[Choices] = [_NO_CHOICES]
        for decision in self._decisions:
            room = min(decision.room, len(self._free))
            if room:
                own, self._free = self._free[:room], self._free[room:]
                drawn, firsts = decision.begin(own)
                numbers += own
                records.append(drawn)
                choices.append(firsts)
        if records:
            self._games.place(np.array(numbers), np.concatenate(records))
        return np.array(numbers, np.int64), np.concatenate(choices)

    def _step(self, rows: NDArray[np.int64], choices: Choices) -> None:
        """Play an action in every game, random ones in games without a run."""
        batch = self._batch
        actions = np.full(batch.num_games, NO_ACTION)
        actions[self._free] = batch.sample()[self._free]
        self._games.step(rows, choices, actions)
        rewards = batch.reward.tolist()
        for decision in self._decisions:
            seat = decision.search.seat
            for i, run in list(decision.under_way.items()):
                run.rewards[-1] += rewards[i][seat]
                if batch.done[i]:
                    run.ended = not batch.truncated[i]
                    if not run.ended:  # no win: the last known value stands for the rest
                        run.add(run.values[-1] if run.values else decision.root_value())
                    self._end(decision, i)

    def _decide(self) -> tuple[NDArray[np.int64], Choices]:
        """(k,) games waiting for a joint action, (k, S) the policy's; ends runs at full depth."""
        batch = self._batch
        assert batch.units is not None
        asked = set(self._games.asked().tolist())
        runs = [
            (decision, i, run)
            for decision in self._decisions
            for i, run in decision.under_way.items()
            if i in asked
        ]
        if not runs:
            return np.zeros(0, np.int64), _NO_CHOICES
        rows = np.array([i for _, i, _ in runs])
        units, masks, players = batch.units[rows], batch.mask[rows], batch.player[rows].tolist()
        made = self._policy.decide(units, masks, _next_uniforms([run for _, _, run in runs]))
        goes_on = np.ones(len(rows), np.bool_)
        for k, (decision, i, run) in enumerate(runs):
            if players[k] == decision.search.seat:
                run.add(decision.search.value(made.value[k]))
                if len(run.values) == self._options.depth:
                    self._end(decision, i)
                    goes_on[k] = False
        return rows[goes_on], made.choices[goes_on]

    def _end(self, decision: SearchedDecision, i: int) -> None:
        decision.end(i)
        self._free.append(i)


def _next_uniforms(runs: list[SearchRun]) -> NDArray[np.float64]:
    """(k, S) the next uniform numbers of each run, independent of other runs."""
    seeds = np.array([run.seed for run in runs], np.uint64)
    taken = np.array([run.taken for run in runs])
    for run in runs:
        run.taken += 1
    return uniforms(nth_numbers(seeds[:, None], taken[:, None] * NUM_SLOTS + np.arange(NUM_SLOTS)))
