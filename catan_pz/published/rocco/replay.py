"""Memories of decisions for Q-learning: complete ones to sample from, and those still open."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray


class ReplayMemory:
    """The last decisions of one learner, each with the state that it bootstraps from.

    States are small whole numbers, kept as int8. Letters: K decisions of a minibatch, C choices.

    Args:
        capacity: decisions that are kept.
        numbers: in a state.
        choices: C.
    """

    def __init__(self, capacity: int, numbers: int, choices: int) -> None:
        self.capacity, self.added = capacity, 0
        self.arrays: dict[str, NDArray[Any]] = {
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

    def sample(
        self, count: int, rng: np.random.Generator, device: str = "cpu"
    ) -> dict[str, torch.Tensor]:
        """(K, ...) of each array, no decision twice; there must be as many."""
        rows = rng.choice(min(self.added, self.capacity), count, replace=False)
        return {name: torch.as_tensor(a[rows], device=device) for name, a in self.arrays.items()}

    def get_state(self) -> dict[str, NDArray[Any]]:
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
    same decision. Letters: D decisions.

    Args:
        games: how many there are.
        numbers: in a state.
    """

    def __init__(self, games: int, numbers: int) -> None:
        shape = (games, 2, 2)
        self.arrays: dict[str, NDArray[Any]] = {
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

    def close(
        self, games: NDArray[Any], seats: NDArray[Any]
    ) -> tuple[NDArray[np.intp], dict[str, NDArray[Any]]]:
        """The decisions of a seat in each of some games, first turns first; none stays.

        Returns:
            (D,) to which of the games each belongs, an index into them, and state, choice, reward.
        """
        where = np.nonzero(self.arrays["open"][games, seats][:, ::-1].T)
        place = games[where[1]], seats[where[1]], 1 - where[0]
        self.arrays["open"][place] = False
        names = ("state", "choice", "reward")
        return where[1], {name: self.arrays[name][place] for name in names}
