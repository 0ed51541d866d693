"""Forward search with a policy: candidates are tried in games drawn from what the seat knows.

Source: H. Charlesworth, "Learning to Play Settlers of Catan with Deep Reinforcement Learning",
2022. Letters: W runs at a time, S slots of a joint action.
"""

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION
from catan_pz.agents.charlesworth.candidates import Node, Spread, candidates
from catan_pz.agents.charlesworth.choices import NUM_SLOTS, Choices
from catan_pz.agents.charlesworth.games import PlannedGames, Policy
from catan_pz.agents.charlesworth.policy import Decision
from catan_pz.agents.charlesworth.resampling import shuffled
from catan_pz.checks import check_choice, check_count, not_possible
from catan_pz.rewards import WinAndTerms
from catan_pz.rules import Rules
from catan_pz.runtime.cpu import CpuBatch
from catan_pz.runtime.game import Game
from catan_pz.runtime.view import View

UNCERTAINTIES: Final = ("belief", "shuffled")
BASE_CANDIDATES: Final = 10
"""Candidates for which a budget is meant; it grows and shrinks with their number."""


@dataclass(frozen=True, kw_only=True)
class ForwardOptions:
    """How to search.

    Attributes:
        simulations: runs for ten candidates, None for any number.
        seconds: time for ten candidates, None for any time.
        depth: own decisions in a run.
        candidates: joint actions that are tried, at least one of each legal kind.
        exploration: weight of what was little tried.
        wave: runs at a time.
        uncertainty: "belief" draws hidden cards from the exact belief, "shuffled" in the source's
            way.
        tree: own decisions below the root that are chosen by bounds too, where they are met again;
            0 as in the source.
        gamma: discount from a decision of the searcher to its next.
        gae_lambda: weight of later estimates.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """

    simulations: int | None = None
    seconds: float | None = None
    depth: int = 15
    candidates: int = BASE_CANDIDATES
    exploration: float = 2.0
    wave: int = 16
    uncertainty: str = "belief"
    tree: int = 0
    gamma: float = 0.999
    gae_lambda: float = 0.95

    def __post_init__(self) -> None:
        for name in ("depth", "candidates", "wave"):
            check_count(name, getattr(self, name))
        check_count("tree", self.tree, least=0)
        check_choice("uncertainty", self.uncertainty, UNCERTAINTIES)
        if self.simulations is not None:
            check_count("simulations", self.simulations)
        for name in ("exploration", "gamma", "gae_lambda", "seconds"):
            value = getattr(self, name)
            if not isinstance(value, int | float) and (name != "seconds" or value is not None):
                raise not_possible(f"option {name}", value, "a number from 0")
            if value is not None and not 0 <= value < np.inf:
                raise not_possible(f"option {name}", value, "a number from 0")

    @property
    def is_on(self) -> bool:
        """Whether there is a budget to search with."""
        return self.simulations is not None or self.seconds is not None


@dataclass
class Run:
    """One run from the root.

    Attributes:
        path: nodes with the candidate taken at each, and the number of the own decision.
        rewards: got after each own decision, until the next.
        values: of the own decisions after the first, as the critic has them; the last is that of
            what would have followed, unless the game ended.
        ended: whether the game ended in the run.
    """

    path: list[tuple[Node, int, int]]
    rewards: list[float] = field(default_factory=lambda: [0.0])
    values: list[float] = field(default_factory=list)
    ended: bool = False

    def add(self, value: float) -> None:
        """The run is at an own decision, whose value this is."""
        self.values.append(value)
        self.rewards.append(0.0)

    def returns(self, gamma: float, gae_lambda: float) -> list[float]:
        """What each own decision was worth: its reward, then the lambda-return of the rest.

        The last value stands for what would have followed; nothing follows the end of a game.
        """
        following = 0.0 if self.ended else self.values[-1]
        rewards = self.rewards if self.ended else self.rewards[:-1]
        found = []
        for t in reversed(range(len(rewards))):
            found.append(rewards[t] + gamma * following)
            if t:
                following = (1 - gae_lambda) * self.values[t - 1] + gae_lambda * found[-1]
        return found[::-1]


class ForwardSearch:
    """Searches with one policy in all seats.

    Args:
        policy: the policy.
        rules: of the game.
        seat: of the searcher.
        options: how to search.
        value_mean: value that the critic calls 0.
        value_scale: difference of values that it calls 1.

    Attributes:
        last: the `Node` of the last decision; None where nothing had to be weighed.
    """

    def __init__(
        self,
        policy: Policy,
        rules: Rules,
        seat: int,
        options: ForwardOptions,
        *,
        value_mean: float,
        value_scale: float,
    ) -> None:
        self.policy, self.options, self.seat = policy, options, seat
        self._mean, self._scale = value_mean, value_scale
        self.rules = rules
        self.last: Node | None = None
        self._spread = Spread()
        self._nodes: dict[tuple[int, bytes], Node | None] = {}
        self._root_value = 0.0

    def choose(self, view: View, rng: np.random.Generator) -> Choices:
        """(S,) the joint action whose runs have the best mean.

        Args:
            view: of the seat, which is to choose a joint action; it must answer `resample`.
            rng: where all draws come from.
        """
        options, start = self.options, perf_counter()
        rows = candidates(self.policy, view.observation, view.mask, rng, options.candidates)
        root = Node(rows)
        self._nodes.clear()
        self.last = root if len(rows) > 1 else None
        if self.last is None:
            return np.asarray(rows[0])
        if self.rules.max_turns is not None:  # only truncated runs ask for it
            any_choice = np.full((1, NUM_SLOTS), 0.5)
            made = self.policy.decide(view.observation[None], view.mask[None], any_choice)
            self._root_value = self._value(made, 0)
        share = len(rows) / BASE_CANDIDATES
        most = np.inf if options.simulations is None else max(1, round(options.simulations * share))
        until = np.inf if options.seconds is None else start + options.seconds * share
        played = 0
        while played < most and (played == 0 or perf_counter() < until):
            count = int(min(options.wave, most - played))
            self._play_wave(root, view, count, rng)
            played += count
        return np.asarray(rows[root.means.argmax()])

    def _play_wave(self, root: Node, view: View, count: int, rng: np.random.Generator) -> None:
        """Play some runs at a time, and note their values."""
        runs = []
        for _ in range(count):
            chosen = root.begin(self.options.exploration, self._spread.deviation)
            runs.append(Run([(root, chosen, 0)]))
        self._play(runs, self._begun([self._drawn(view, rng) for _ in runs]), rng)
        for run in runs:
            returns = run.returns(self.options.gamma, self.options.gae_lambda)
            self._spread.add(returns[0])
            for node, chosen, t in run.path:
                node.end(chosen, returns[t])

    def _drawn(self, view: View, rng: np.random.Generator) -> Game:
        if self.options.uncertainty == "shuffled":
            return shuffled(view, self.seat, self.rules, rng)
        return view.resample(rng)

    def _begun(self, games: list[Game]) -> CpuBatch:
        """A batch of these games."""
        batch = CpuBatch(len(games), self.rules, reward=WinAndTerms(), seed=0)
        state = batch.get_state()
        for i, game in enumerate(games):
            state["games"][i] = game.games[0]
            state["player"][i] = game.player
            state["mask"][i] = game.mask
            state["observation"][i] = game.observe(game.player)
        batch.set_state(state)
        return batch

    def _play(self, runs: list[Run], batch: CpuBatch, rng: np.random.Generator) -> None:
        """Play all runs to their depth, or to the end of their games."""
        games, over = PlannedGames(batch), np.zeros(len(runs), np.bool_)
        rows = np.arange(len(runs))
        choices = np.array([run.path[0][0].rows[run.path[0][1]] for run in runs])
        while True:
            actions = np.full(batch.num_games, NO_ACTION)
            actions[over] = batch.sample()[over]
            games.step(rows, choices, actions)
            for i in np.flatnonzero(~over).tolist():
                runs[i].rewards[-1] += float(batch.reward[i, self.seat])
                runs[i].ended = bool(batch.done[i] and not batch.truncated[i])
                if batch.truncated[i]:  # nobody's win: the last value known stands for the rest
                    runs[i].add(runs[i].values[-1] if runs[i].values else self._root_value)
            over |= batch.done
            asked = games.asked()
            rows, choices = self._decide(runs, batch, asked[~over[asked]], over, rng)
            if over.all():
                return

    def _decide(
        self,
        runs: list[Run],
        batch: CpuBatch,
        rows: NDArray[np.int64],
        over: NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> tuple[NDArray[np.int64], Choices]:
        """Joint actions of the policy in some games, of the tree where it knows the decision.

        Runs that have come to their depth are over.
        """
        assert batch.units is not None
        if not len(rows):
            return rows, np.empty((0, NUM_SLOTS), np.int8)
        units, masks = batch.units[rows], batch.mask[rows]
        made = self.policy.decide(units, masks, rng.random((len(rows), NUM_SLOTS)))
        for k, row in enumerate(rows.tolist()):
            if batch.player[row] != self.seat:
                continue
            run = runs[row]
            run.add(self._value(made, k))
            if len(run.values) == self.options.depth:
                over[row] = True
            elif len(run.values) <= self.options.tree:
                made.choices[k] = self._from_tree(run, units[k], masks[k], made.choices[k], rng)
        goes_on = ~over[rows]
        return rows[goes_on], made.choices[goes_on]

    def _value(self, made: Decision, k: int) -> float:
        """What a decision's position is worth to its seat."""
        return float(made.value[k]) * self._scale + self._mean

    def _from_tree(
        self,
        run: Run,
        units: NDArray[np.int8],
        mask: NDArray[Any],
        policys: NDArray[np.int8],
        rng: np.random.Generator,
    ) -> NDArray[np.int8]:
        """The choice at a decision below the root: the policy's where it is met the first time."""
        node, chosen, _ = run.path[-1]
        key = (id(node) * 64 + chosen, units.tobytes())
        if key not in self._nodes:
            self._nodes[key] = None
            return policys
        below = self._nodes[key]
        if below is None:
            rows = candidates(self.policy, units, mask, rng, self.options.candidates)
            below = self._nodes[key] = Node(rows)
        taken = below.begin(self.options.exploration, self._spread.deviation)
        run.path.append((below, taken, len(run.values)))
        return np.asarray(below.rows[taken])
