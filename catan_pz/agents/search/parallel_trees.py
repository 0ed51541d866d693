"""Tree search from Python: one tree for each worker, kept from decision to decision.

Chaslot, Winands and van den Herik, "Parallel Monte-Carlo Tree Search", 2008: the trees grow
independently, and what they say of the root's moves is added up.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.search import search_calls, tree
from catan_pz.agents.search.budget import Budget
from catan_pz.agents.search.evaluator import Evaluator, checked_evaluation
from catan_pz.agents.search.simulator import Scratch, Simulator
from catan_pz.agents.search.workers import in_threads
from catan_pz.engine.deal import NO_SCRIPT
from catan_pz.observation.segments import SIZE
from catan_pz.terms import MAX_PLAYERS

ROWS_PER_SIMULATION: Final = 12
MOST_ROWS: Final = 1_000_000
"""Rows of a tree; when they are used up it grows no more, and rollouts start from its leaves."""


class Tree:
    """The arrays of one tree, as `tree` lays them out.

    Args:
        rows: how many nodes there is room for.
        num_actions: A.
    """

    def __init__(self, rows: int, num_actions: int) -> None:
        self.links = np.zeros((rows, tree.LINKS), np.int64)
        self.totals = np.zeros((rows, MAX_PLAYERS))
        self.keys = np.zeros(rows, np.uint64)
        self.priors = np.zeros(rows)
        self.scratch = Scratch(num_actions)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """The arrays, in the order in which calls take them."""
        return self.links, self.totals, self.keys, self.priors

    def clear(self) -> None:
        """Forget everything."""
        self.links[0] = 0

    def keep(self, key: int, seat: int) -> int:
        """Make the position that looks a certain way to a seat, to move, the root.

        Returns:
            The visits that it has had already; 0, with the tree empty, if there is none.
        """
        used = int(self.links[0, tree.VISITS])
        links = self.links[:used]
        fitting = (self.keys[:used] == key) & (links[:, tree.ACTION] < 0)
        found = np.flatnonzero(fitting & (links[:, tree.MOVER] == seat))
        found = found[found > 0]
        if len(found) == 0:
            self.clear()
            return 0
        node = int(found[links[found, tree.VISITS].argmax()])
        if node != tree.ROOT:
            search_calls.move_root(node, *self.arrays, np.zeros(used, np.int64))
        return int(self.links[tree.ROOT, tree.VISITS])

    def moves(self) -> dict[int, int]:
        """Rows of the root's moves by action."""
        found = {}
        row = int(self.links[tree.ROOT, tree.FIRST])
        while row:
            found[int(self.links[row, tree.ACTION])] = row
            row = int(self.links[row, tree.NEXT])
        return found


class ParallelTrees:
    """Trees that search together.

    Args:
        workers: how many, one a thread.
        rows: nodes of each.
        num_actions: A.
        way: `tree.UCB1` or `tree.PUCT`.
        depth: moves on a path, 1 for a choice at the root alone.
        exploration: weight of what was little tried.
        guide: what positions below the root get their priors from, of `tree_policy`.
        evaluator: judges new positions instead of a rollout.
        batch: positions to be judged at once.
    """

    def __init__(
        self,
        *,
        workers: int,
        rows: int,
        num_actions: int,
        way: int,
        depth: int,
        exploration: float,
        guide: int,
        evaluator: Evaluator | None = None,
        batch: int = 1,
    ) -> None:
        self.trees = [Tree(rows, num_actions) for _ in range(workers)]
        self._way = way
        self._depth = depth
        self._exploration = exploration
        self._guide = guide
        self._evaluator = evaluator
        self._leaves = Scratch(num_actions, batch)

    def choose(
        self,
        simulator: Simulator,
        actions: NDArray[np.int64],
        budget: Budget,
        policy: NDArray[Any] | None,
        *,
        keep: bool,
    ) -> tuple[int, NDArray[np.int64], NDArray[np.float64]]:
        """The action visited most, with visits and mean win probabilities of all.

        Args:
            simulator: determinizations, seed and rollouts.
            actions: (K,) legal actions that are considered.
            budget: what may be spent.
            policy: (A,) priors of the root's moves; the greedy player's or an evaluator's if None.
            keep: whether to go on with what was found for this position before.
        """
        for one in self.trees:
            self._plant(one, simulator, actions, policy, keep)
        visits, means = self._counted(simulator, actions)
        while True:
            lead = np.sort(visits)[::-1]
            if len(lead) > 1 and lead[0] - lead[1] > budget.left:
                break
            times = budget.chunk(len(self.trees))
            if times == 0:
                break
            self._grow(simulator, budget.played // len(self.trees), times)
            budget.played += times * len(self.trees)
            visits, means = self._counted(simulator, actions)
        best = np.lexsort((means, visits))[-1]
        return int(actions[best]), visits, means

    def _plant(
        self,
        one: Tree,
        simulator: Simulator,
        actions: NDArray[np.int64],
        policy: NDArray[Any] | None,
        keep: bool,
    ) -> None:
        seat = int(simulator.games["player"][0])
        if keep:
            one.keep(int(search_calls.look_key(simulator.games, 0, seat, one.scratch.obs)), seat)
        else:
            one.clear()
        search_calls.plant(simulator.games, actions, *one.arrays, one.scratch.obs)
        if self._evaluator is not None:
            policy = _advice(simulator, self._evaluator)
        if policy is not None:
            search_calls.set_root_priors(np.asarray(policy, float), one.links, one.priors)

    def _counted(
        self, simulator: Simulator, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        seat = int(simulator.games["player"][0])
        visits = np.zeros(len(actions), np.int64)
        totals = np.zeros(len(actions))
        for one in self.trees:
            rows = one.moves()
            chosen = [rows[int(a)] for a in actions]
            visits += one.links[chosen, tree.VISITS]
            totals += one.totals[chosen, seat]
        return visits, totals / np.maximum(visits, 1)

    def _grow(self, simulator: Simulator, first: int, times: int) -> None:
        if self._evaluator is not None:
            self._evaluate_leaves(self.trees[0], simulator, self._evaluator, first, times)
            return
        if len(self.trees) == 1:
            self._grow_one(0, simulator, first, times)
            return
        in_threads(lambda k: self._grow_one(k, simulator, first, times), len(self.trees))

    def _grow_one(self, worker: int, simulator: Simulator, first: int, times: int) -> None:
        one = self.trees[worker]
        # Each tree has simulations of its own.
        seed = np.uint64((int(simulator.seed) + (worker << 32)) % 2**64)
        search_calls.grow(
            simulator.games,
            one.scratch.spare,
            one.scratch.trial,
            seed,
            first,
            first + times,
            self._way,
            self._guide,
            self._depth,
            self._exploration,
            simulator.player,
            simulator.turns,
            NO_SCRIPT,
            simulator.net,
            one.scratch.work,
            one.scratch.win_probabilities,
            one.scratch.obs,
            one.scratch.mask,
            one.scratch.policy,
            *one.arrays,
        )

    def _evaluate_leaves(
        self, one: Tree, simulator: Simulator, evaluator: Evaluator, first: int, times: int
    ) -> None:
        batch = len(self._leaves.spare)
        for start in range(first, first + times, batch):
            leaves = Leaves(min(batch, first + times - start), simulator)
            scratch = self._leaves
            search_calls.pick_leaves(
                simulator.games,
                scratch.spare,
                scratch.trial,
                simulator.seed,
                start,
                self._way,
                self._depth,
                self._exploration,
                NO_SCRIPT,
                simulator.net,
                scratch.work,
                scratch.obs,
                scratch.mask,
                scratch.policy,
                leaves.nodes,
                leaves.observations,
                leaves.masks,
                leaves.players,
                *one.arrays,
                scratch.win_probabilities,
            )
            advice, values = leaves.judged(evaluator)
            search_calls.take_evaluations(
                simulator.games,
                scratch.spare,
                simulator.net,
                scratch.work,
                scratch.win_probabilities,
                leaves.nodes,
                advice,
                values,
                *one.arrays,
            )


class Leaves:
    """Positions to be judged together.

    Args:
        count: B.
        simulator: tells the number of seats.
    """

    def __init__(self, count: int, simulator: Simulator) -> None:
        self.seats = int(simulator.games["num_players"][0])
        self.nodes = np.zeros(count, np.int64)
        self.players = np.zeros(count, np.int8)
        self.observations = np.zeros((count, SIZE), np.int8)
        self.masks = np.zeros((count, simulator.num_actions), np.int8)

    def judged(self, evaluator: Evaluator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Priors (B, A) and win probabilities (B, P) by seat; zeros where the game is finished."""
        advice = np.zeros(self.masks.shape)
        values = np.zeros((len(self.masks), MAX_PLAYERS))
        going = np.flatnonzero(self.masks.any(1))
        if len(going):
            advice[going], relative = checked_evaluation(
                evaluator, self.observations[going], self.masks[going], self.seats
            )
            for row, b in enumerate(going):
                for k in range(self.seats):
                    values[b, (int(self.players[b]) + k) % self.seats] = relative[row, k]
        return advice, values


def _advice(simulator: Simulator, evaluator: Evaluator) -> NDArray[np.float64]:
    """(A,) the priors that an evaluator gives to the root's moves."""
    leaves = Leaves(1, simulator)
    search_calls.look_at(simulator.games, leaves.observations, leaves.masks)
    advice, _ = checked_evaluation(evaluator, leaves.observations, leaves.masks, leaves.seats)
    return advice[0]


def evaluated(evaluator: Evaluator, simulator: Simulator) -> NDArray[np.float64]:
    """(P,) the mean win probabilities that an evaluator gives to the determinizations."""
    games = simulator.games
    leaves = Leaves(len(games), simulator)
    for i in range(len(games)):
        search_calls.look_at(
            games[i : i + 1], leaves.observations[i : i + 1], leaves.masks[i : i + 1]
        )
    leaves.players[:] = games["player"]
    _, values = leaves.judged(evaluator)
    return np.asarray(values.mean(0)[: leaves.seats])
