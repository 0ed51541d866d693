"""Training parts of the hierarchical DQN: parallel games, memories, a network with a target."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from catan_pz.agents.random_stream import one_way_seed
from catan_pz.batch.cpu import CpuBatch
from catan_pz.published.rocco.networks import Architecture
from catan_pz.rules import Rules

Weights = dict[str, torch.Tensor]
Arrays = dict[str, NDArray[Any]]


CURVE_TURN: Final = 120
"""Turn of a game at which the learner's points are taken for the thesis' curve."""


def random_bits(rng: np.random.Generator, count: int) -> NDArray[np.uint64]:
    """(count,) 64 random bits each."""
    return rng.integers(2**64, size=count, dtype=np.uint64)


class EpisodeGames:
    """Games of two players side by side, each an episode; one that is over is followed by another.

    The learner has the first seat, or with `both_seats` either in turn. Letters: K games, D of
    them.
    """

    def __init__(self, rules: Rules, count: int, seed: int, *, both_seats: bool) -> None:
        seed = one_way_seed(seed, 0, "catan-pz games")
        self.batch = CpuBatch(count, rules, seed=seed, auto_reset=False)
        self.both_seats = both_seats
        self.episodes = np.arange(count)  # (K,) numbers in the order in which games began
        self.points_at_turn = np.full(count, -1)
        self.finished: list[dict[str, int]] = []  # figures of games that are over, oldest first

    @property
    def learner(self) -> NDArray[np.int64]:
        """(K,) the learner's seat."""
        return np.asarray(self.episodes % 2 * self.both_seats)

    def seen_by(
        self, rows: NDArray[Any], seats: NDArray[Any]
    ) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Observations (D, N) and masks (D, A) of seats; those not to move have no legal action."""
        batch = self.batch
        units = batch.units[rows]
        to_move = (batch.player[rows] == seats) & ~batch.done[rows]
        for k in np.flatnonzero(~to_move).tolist():
            units[k] = batch.game(int(rows[k])).observe(int(seats[k]))
        return units, batch.mask[rows] * to_move[:, None]

    def measured(self, field: str) -> NDArray[np.int8]:
        """(K, 2) a number that the state has for each seat: "points", "road_length"."""
        return np.array(self.batch.games[field][:, :2])

    def count(self) -> None:
        """Note figures after a step, and begin other games where one is over."""
        games, learner, over = self.batch.games, self.learner, np.flatnonzero(self.batch.done)
        points = games["points"][np.arange(len(learner)), learner]
        due = (self.points_at_turn < 0) & ((games["turn"] >= CURVE_TURN) | self.batch.done)
        self.points_at_turn[due] = points[due]
        for i in over.tolist():
            self.finished.append(
                {
                    "points_at_turn": int(self.points_at_turn[i]),
                    "points": int(points[i]),
                    "won": int(games["winner"][i] == learner[i]),
                    "turns": int(games["turn"][i]),
                }
            )
        self.episodes[over] = self.episodes.max() + 1 + np.arange(len(over))
        self.points_at_turn[over] = -1
        if len(over):
            self.batch.reset_finished()

    def get_state(self) -> Arrays:
        """The arrays that the rest of the games depends on, beside `finished`."""
        own = {"episodes": self.episodes, "points_at_turn": self.points_at_turn}
        return {**self.batch.get_state(), **own}

    def set_state(self, state: Arrays) -> None:
        """Continue from what `get_state` gave."""
        self.episodes, self.points_at_turn = state.pop("episodes"), state.pop("points_at_turn")
        self.batch.set_state(state)


class ReplayMemory:
    """The last decisions of one learner, each with the state that it bootstraps from.

    Args:
        capacity: decisions that are kept.
        numbers: of a state; they fit int8.
        choices: of the part that the targets come from.
    """

    def __init__(self, capacity: int, numbers: int, choices: int) -> None:
        self.capacity, self.added = capacity, 0
        self.arrays: Arrays = {
            "state": np.zeros((capacity, numbers), np.int8),
            "choice": np.zeros(capacity, np.int64),
            "reward": np.zeros(capacity, np.float32),
            "next_state": np.zeros((capacity, numbers), np.int8),
            "next_legal": np.zeros((capacity, choices), np.bool_),
            "ended": np.zeros(capacity, np.bool_),
        }

    def add(self, **decisions: NDArray[Any]) -> None:
        """Add decisions in place of the oldest: (D, ...) for each of the arrays."""
        count = len(decisions["choice"])
        rows = (self.added + np.arange(count)) % self.capacity
        for name, values in decisions.items():
            self.arrays[name][rows] = values
        self.added += count

    def sample(self, count: int, rng: np.random.Generator, device: str = "cpu") -> Weights:
        """(count, ...) of each array, no decision twice; there must be as many."""
        rows = rng.choice(min(self.added, self.capacity), count, replace=False)
        return {name: torch.as_tensor(a[rows], device=device) for name, a in self.arrays.items()}

    def get_state(self) -> Arrays:
        """The decisions."""
        filled = {name: array[: self.added] for name, array in self.arrays.items()}
        return filled | {"added": np.array(self.added)}

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from what `get_state` gave."""
        self.added = int(state["added"])
        for name, array in self.arrays.items():
            array[: len(state[name])] = state[name]


class OpenDecisions:
    """Last decisions of each seat in games of two players, until it is known what follows them.

    A seat has one, and one more for its first turn, as two turns of the set-up may wait for the
    same decision.
    """

    def __init__(self, games: int, numbers: int) -> None:
        shape = (games, 2, 2)
        self.arrays: Arrays = {
            "open": np.zeros(shape, np.bool_),
            "state": np.zeros((*shape, numbers), np.int8),
            "choice": np.zeros(shape, np.int64),
            "reward": np.zeros(shape, np.float32),
        }

    def open(
        self, games: NDArray[Any], seats: NDArray[Any], first: NDArray[Any], **decisions: Any
    ) -> None:
        """Keep decisions: (D,) games, seats, whether it is their first turn; (D, ...) values."""
        place = games, seats, first.astype(np.int64)
        self.arrays["open"][place] = True
        for name, values in decisions.items():
            self.arrays[name][place] = values

    def close(self, games: NDArray[Any], seats: NDArray[Any]) -> tuple[NDArray[np.intp], Arrays]:
        """Take the decisions of a seat in each of some games, first turns first.

        Returns (D,) the index of the game of each, and state, choice, reward.
        """
        where = np.nonzero(self.arrays["open"][games, seats][:, ::-1].T)
        place = games[where[1]], seats[where[1]], 1 - where[0]
        self.arrays["open"][place] = False
        names = ("state", "choice", "reward")
        return where[1], {name: self.arrays[name][place] for name in names}


class QNetwork:
    """A network that learns, and a target network that follows it slowly.

    All weights of a network lie in one vector and their gradients in another, so that a step of the
    optimizer is one operation. `online` and `target` are weights by name, without gradients; the
    target takes over a share `tau` at each update.
    """

    def __init__(
        self,
        architecture: Architecture,
        rng: np.random.Generator,
        *,
        learning_rate: float,
        tau: float,
        device: str = "cpu",
    ) -> None:
        self.architecture, self.tau = architecture, tau
        initial = [weights.ravel() for weights in architecture.initial(rng).values()]
        self._online = torch.tensor(np.concatenate(initial), device=device)
        self._online.grad = self._gradient = torch.zeros_like(self._online)
        self._target = self._online.clone()
        self.online, self.target = self._named(self._online), self._named(self._target)
        self._learned = self._named(self._online)
        for name, gradient in self._named(self._gradient).items():
            self._learned[name].requires_grad_().grad = gradient
        self._optimizer = torch.optim.AdamW([self._online], lr=learning_rate, fused=True)
        self._losses: list[float] = []
        self._q_means: list[float] = []

    def _named(self, vector: torch.Tensor) -> Weights:
        """Views of a vector by the names of the weights."""
        shapes = self.architecture.shapes
        parts = vector.split([int(np.prod(shape)) for shape in shapes.values()])
        return {name: w.view(shapes[name]) for name, w in zip(shapes, parts, strict=True)}

    def q_values(self, states: torch.Tensor, weights: Weights | None = None) -> torch.Tensor:
        """(B, Q) for states (B, N): of the network with gradients, or by given weights."""
        weights = self._learned if weights is None else weights
        values: torch.Tensor = self.architecture.q_values(weights, states.float())
        return values

    def update(self, loss: torch.Tensor, q_values: torch.Tensor) -> None:
        """One step of the optimizer; the target network follows. `q_values` are for the figures."""
        self._losses.append(loss.item())
        self._q_means.append(q_values.mean().item())
        self._gradient.zero_()
        loss.backward()
        self._optimizer.step()
        self._target.lerp_(self._online, self.tau)

    def figures(self) -> dict[str, float | None]:
        """Updates since the last call, and the means of their losses and Q-values, if any."""
        figures = {
            "updates": len(self._losses),
            "loss": float(np.mean(self._losses)) if self._losses else None,
            "q": float(np.mean(self._q_means)) if self._q_means else None,
        }
        self._losses.clear()
        self._q_means.clear()
        return figures

    def get_state(self) -> dict[str, Any]:
        """Everything that further updates depend on, for `torch.save`."""
        return {
            "online": self._online,
            "target": self._target,
            "optimizer": self._optimizer.state_dict(),
            "figures": [list(self._losses), list(self._q_means)],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        self._online.copy_(state["online"])
        self._target.copy_(state["target"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._losses, self._q_means = state["figures"]
