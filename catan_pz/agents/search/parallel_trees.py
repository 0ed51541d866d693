"""Tree search from Python: one tree for each worker, kept from decision to decision.

Root parallelization (Chaslot, Winands and van den Herik, "Parallel Monte-Carlo Tree Search", 2008):
the trees grow independently, and the statistics of their roots' moves are summed.
"""

from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.search import search_calls, tree
from catan_pz.agents.search.search_calls import Leaves
from catan_pz.agents.search.simulator import Budget, Simulator, in_threads
from catan_pz.agents.search.tree import Nodes, Walk
from catan_pz.engine.state import STATE, as_games
from catan_pz.observation.segments import SIZE
from catan_pz.terms import MAX_PLAYERS

ROWS_PER_SIMULATION: Final = 12
MOST_ROWS: Final = 1_000_000
"""Most rows of a tree; a full tree stops growing, and rollouts start from its leaves."""


@runtime_checkable
class Evaluator(Protocol):
    """Evaluates positions from the mover's observation, for example with a trained network.

    Letters: K positions, N numbers of an observation, A actions, P = 4 seats.
    """

    def evaluate(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Evaluate positions from observations (K, N) in natural units and masks (K, A).

        Returns:
            (K, A) priors, ignored for illegal actions; and (K, P) each seat's win probability,
            the seat to move first, then clockwise, zeros for absent seats.
        """
        ...


def checked_evaluation(
    evaluator: Evaluator, observations: NDArray[np.int8], masks: NDArray[np.int8], seats: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """An evaluator's answer, with priors set to 0 for illegal actions and summing to 1."""
    given = evaluator.evaluate(observations, masks)
    priors, values = (np.asarray(part, np.float64) for part in given)
    for name, part, width in (("priors", priors, masks.shape[1]), ("values", values, 4)):
        if part.shape != (len(masks), width):
            raise ValueError(
                f"evaluator: {name} must be of shape {(len(masks), width)}, got {part.shape}"
            )
        if not np.isfinite(part).all():
            raise ValueError(f"evaluator's {name} are not finite")
    priors = np.where(masks != 0, priors, 0.0)
    if (priors < 0).any():
        raise ValueError("evaluator's priors are negative")
    legal = masks / np.maximum(masks.sum(1, keepdims=True), 1)
    sums = priors.sum(1, keepdims=True)
    priors = np.where(sums > 0, priors / np.where(sums > 0, sums, 1.0), legal)
    return priors, np.where(np.arange(4) < seats, values, 0.0)


def keep_position(nodes: Nodes, key: int, seat: int) -> int:
    """Make the position with this key and seat to move the root.

    Returns its visits so far; 0, with the tree empty, if there is no such position.
    """
    used = int(nodes.links[0, tree.VISITS])
    links = nodes.links[:used]
    fitting = (nodes.keys[:used] == key) & (links[:, tree.ACTION] < 0)
    found = np.flatnonzero(fitting & (links[:, tree.MOVER] == seat))
    found = found[found > 0]
    if len(found) == 0:
        nodes.links[0] = 0
        return 0
    node = int(found[links[found, tree.VISITS].argmax()])
    if node != tree.ROOT:
        tree.keep_below(node, nodes, np.zeros(used, np.int64))
    return int(nodes.links[tree.ROOT, tree.VISITS])


def moves_of(nodes: Nodes) -> dict[int, int]:
    """Rows of the root's moves by action."""
    found = {}
    row = int(nodes.links[tree.ROOT, tree.FIRST])
    while row:
        found[int(nodes.links[row, tree.ACTION])] = row
        row = int(nodes.links[row, tree.NEXT])
    return found


class ParallelTrees:
    """Trees that search together, one per thread, each with a limited number of rows.

    With `keep` a position starts with its earlier subtree. An evaluator evaluates new positions in
    batches, in place of rollouts.
    """

    def __init__(
        self,
        workers: int,
        rows: int,
        walk: Walk,
        keep: bool = False,
        evaluator: Evaluator | None = None,
        batch: int = 1,
    ) -> None:
        self.trees = [
            Nodes(
                links=np.zeros((rows, tree.LINKS), np.int64),
                totals=np.zeros((rows, MAX_PLAYERS)),
                keys=np.zeros(rows, np.uint64),
                priors=np.zeros(rows),
            )
            for _ in range(workers)
        ]
        self._walk = walk
        self._keep = keep
        self._evaluator = evaluator
        self._batch = batch

    def choose(
        self,
        simulator: Simulator,
        actions: NDArray[np.int64],
        budget: Budget,
        policy: NDArray[np.float64],
    ) -> tuple[int, NDArray[np.int64], NDArray[np.float64]]:
        """The most visited of actions (K,), with visits and mean win probabilities of all.

        The policy (A,) is the prior of the root's moves.
        """
        for nodes in self.trees:
            _plant(nodes, simulator, actions, policy, self._keep)
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

    def _counted(
        self, simulator: Simulator, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        seat = int(simulator.games["player"][0])
        visits, totals = np.zeros(len(actions), np.int64), np.zeros(len(actions))
        for nodes in self.trees:
            rows = moves_of(nodes)
            chosen = [rows[int(a)] for a in actions]
            visits += nodes.links[chosen, tree.VISITS]
            totals += nodes.totals[chosen, seat]
        return visits, totals / np.maximum(visits, 1)

    def _grow(self, simulator: Simulator, first: int, times: int) -> None:
        if self._evaluator is not None:
            self._evaluate_leaves(simulator, self._evaluator, first, times)
        else:
            in_threads(lambda k: self._grow_one(k, simulator, first, times), len(self.trees))

    def _grow_one(self, worker: int, simulator: Simulator, first: int, times: int) -> None:
        # Each tree has separate simulations.
        run = simulator.runs[worker]
        run = run._replace(seed=np.uint64((int(run.seed) + (worker << 32)) % 2**64))
        search_calls.grow(run, first, first + times, self._walk, self.trees[worker])

    def _evaluate_leaves(
        self, simulator: Simulator, evaluator: Evaluator, first: int, times: int
    ) -> None:
        run, nodes = simulator.runs[0], self.trees[0]
        for start in range(first, first + times, self._batch):
            leaves = _new_leaves(min(self._batch, first + times - start), simulator)
            search_calls.pick_leaves(run, start, self._walk, nodes, leaves)
            advice, values = _judged(leaves, evaluator, simulator)
            search_calls.take_evaluations(run.games, run.w, nodes, leaves, advice, values)


def _plant(
    nodes: Nodes,
    simulator: Simulator,
    actions: NDArray[np.int64],
    policy: NDArray[np.float64],
    keep: bool,
) -> None:
    """Give a tree its root and the root's moves."""
    seat, obs = int(simulator.games["player"][0]), simulator.runs[0].w.obs
    if keep:
        keep_position(nodes, int(search_calls.look_key(simulator.games, seat, obs)), seat)
    else:
        nodes.links[0] = 0
    search_calls.plant(simulator.games, actions, policy, nodes, obs)


def _new_leaves(count: int, simulator: Simulator) -> Leaves:
    """Arrays for B positions."""
    return Leaves(
        games=as_games(np.zeros(count, STATE)),
        nodes=np.zeros(count, np.int64),
        players=np.zeros(count, np.int8),
        observations=np.zeros((count, SIZE), np.int8),
        masks=np.zeros((count, simulator.num_actions), np.int8),
    )


def _judged(
    leaves: Leaves, evaluator: Evaluator, simulator: Simulator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Priors (B, A) and win probabilities (B, P) by seat; zeros for finished games."""
    seats = int(simulator.games["num_players"][0])
    advice = np.zeros(leaves.masks.shape)
    values = np.zeros((len(leaves.masks), MAX_PLAYERS))
    going = np.flatnonzero(leaves.masks.any(1))
    if len(going):
        advice[going], relative = checked_evaluation(
            evaluator, leaves.observations[going], leaves.masks[going], seats
        )
        for row, b in enumerate(going):
            values[b, :seats] = np.roll(relative[row, :seats], leaves.players[b])
    return advice, values


def _judged_games(
    games: np.ndarray, evaluator: Evaluator, simulator: Simulator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same for games (B,)."""
    leaves = _new_leaves(len(games), simulator)
    search_calls.look_at(games, leaves.observations, leaves.masks)
    leaves.players[:] = games["player"]
    return _judged(leaves, evaluator, simulator)


def root_policy(evaluator: Evaluator, simulator: Simulator) -> NDArray[np.float64]:
    """(A,) an evaluator's priors in the position to decide."""
    return _judged_games(simulator.games[:1], evaluator, simulator)[0][0]


def evaluated(evaluator: Evaluator, simulator: Simulator) -> NDArray[np.float64]:
    """(P,) an evaluator's mean win probabilities over the determinizations."""
    _, values = _judged_games(simulator.games, evaluator, simulator)
    return np.asarray(values.mean(0)[: int(simulator.games["num_players"][0])])
