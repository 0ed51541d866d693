"""Replay for Q-learning with masks: a buffer of many games, and a memory of single decisions."""

import json
import zlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from catan_pz.observation.segments import SIZE


class ReplayBuffer:
    """The last decisions of each game, about 1 kB each, for n-step returns.

    Observations are int8 and stored once, masks are packed bits.

    The successor of a decision is the next row of its game. Letters: T rows, B games, A actions,
    N numbers of an observation, K decisions of a minibatch.

    Args:
        capacity: decisions that are kept, T * B.
        num_games: B.
        num_actions: A.
        n_steps: rewards that a return adds up before it bootstraps.
        gamma: discount.
        seed: of the sampling.
    """

    def __init__(
        self, capacity: int, num_games: int, num_actions: int, n_steps: int, gamma: float, seed: int
    ) -> None:
        self.rows = max(n_steps + 2, capacity // num_games)
        self.num_actions, self.n_steps, self.gamma = num_actions, n_steps, gamma
        shape = (self.rows, num_games)
        self.arrays: dict[str, NDArray[Any]] = {
            "observations": np.zeros((*shape, SIZE), np.int8),
            "masks": np.zeros((*shape, -(-num_actions // 8)), np.uint8),
            "actions": np.zeros(shape, np.int16),
            "rewards": np.zeros(shape, np.float32),
            "done": np.zeros(shape, np.bool_),
            "truncated": np.zeros(shape, np.bool_),
        }
        self.added = 0
        self.rng = np.random.default_rng([seed, 0x5EED])

    @property
    def size(self) -> int:
        """Rows that are filled."""
        return min(self.added, self.rows)

    def add(self, **row: NDArray[Any]) -> None:
        """Add a decision of each game.

        Args:
            **row: `observations` (B, N) int8, `masks` (B, A / 8) packed bits, `actions`,
                `rewards`, `done` and `truncated` (B,).
        """
        position = self.added % self.rows
        for name, values in row.items():
            self.arrays[name][position] = values
        self.added += 1

    def sample(self, count: int) -> dict[str, NDArray[Any]]:
        """Decisions sampled uniformly, with their n-step returns and the state to bootstrap from.

        Windows that reach a truncation are left out: what would have followed is unknown.

        Args:
            count: K.

        Returns:
            `observations` (K, N), `actions` (K,), `returns` (K,), `discounts` (K,), 0 where the
            game ended within n steps, `next_observations` (K, N) and `next_masks` (K, A) bool of n
            steps later.
        """
        a, n = self.arrays, self.n_steps
        row, game = self._sample_decisions(count)
        window = (row[:, None] + np.arange(n)) % self.rows
        same_game = self._before_end(window, game[:, None])
        rewards = a["rewards"][window, game[:, None]] * same_game
        ended = (a["done"][window, game[:, None]] & same_game).any(axis=1)
        row, later = row % self.rows, (row + n) % self.rows
        masks = np.unpackbits(a["masks"][later, game], axis=1, count=self.num_actions)
        return {
            "observations": a["observations"][row, game],
            "actions": a["actions"][row, game].astype(np.int64),
            "returns": (rewards @ self.gamma ** np.arange(n)).astype(np.float32),
            "discounts": np.where(ended, 0, self.gamma**n).astype(np.float32),
            "next_observations": a["observations"][later, game],
            "next_masks": masks.view(np.bool_),
        }

    def _sample_decisions(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(K,) rows, counted from the first one ever added, and (K,) games."""
        a, n = self.arrays, self.n_steps
        chosen = np.empty((0, 2), np.int64)
        while len(chosen) < count:
            rows = self.rng.integers(self.added - self.size, self.added - n, count)
            games = self.rng.integers(a["done"].shape[1], size=count)
            window = (rows[:, None] + np.arange(n)) % self.rows
            truncated = a["truncated"][window, games[:, None]]
            cut = (self._before_end(window, games[:, None]) & truncated).any(axis=1)
            chosen = np.concatenate([chosen, np.stack([rows, games], axis=1)[~cut]])
        return chosen[:count, 0], chosen[:count, 1]

    def _before_end(self, window: NDArray[Any], game: NDArray[Any]) -> NDArray[np.bool_]:
        """(K, n) whether each step of the windows still belongs to their first game."""
        done = self.arrays["done"][window, game]
        return np.asarray(np.cumsum(done, axis=1) - done == 0)

    def get_state(self) -> dict[str, Any]:
        """The filled rows, compressed, and the state of the generator."""
        packed = {
            name: torch.frombuffer(
                bytearray(zlib.compress(array[: self.size].tobytes(), 1)), dtype=torch.uint8
            )
            for name, array in self.arrays.items()
        }
        return {
            "arrays": packed,
            "added": self.added,
            "rng": json.dumps(self.rng.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        self.added = state["added"]
        for name, array in self.arrays.items():
            data = zlib.decompress(state["arrays"][name].numpy().tobytes())
            array[: self.size] = np.frombuffer(data, array.dtype).reshape(-1, *array.shape[1:])
        self.rng.bit_generator.state = json.loads(state["rng"])
