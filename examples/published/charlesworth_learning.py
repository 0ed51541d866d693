"""Parts of the training: recorded decisions, log-probabilities, past selves.

Letters: B games, K decisions, S slots, M numbers in the masks of all slots.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from catan_pz.files import read_arrays, whole_file
from catan_pz.published.charlesworth.choices import COLUMN, MASK_PLACES, SLOTS
from catan_pz.published.charlesworth.networks import (
    CONDITIONS_SEEN,
    CharlesworthNetwork,
    condition_of,
    log_probabilities,
)
from catan_pz.published.factored import UNUSED

END: Final = -1
"""Follows the last decision of a game that was won."""

UNKNOWN: Final = -2
"""Follows a decision whose outcome isn't known."""

Batch = dict[str, Any]
Tensors = Mapping[str, torch.Tensor]

_PART: Final = 4096
"""Decisions that are evaluated at once where no gradients are needed."""


class Recording:
    """Decisions as they are taken, each with its reward and the number of the next one.

    The reward of a decision is what its seat gets until its next decision or the end of the game.
    """

    def __init__(self, num_games: int) -> None:
        self.complete = 0  # decisions of which reward and next one are known
        self._parts: list[Batch] = []
        self._reward: NDArray[np.float64] = np.zeros(0)
        self._next: NDArray[np.int64] = np.zeros(0, np.int64)
        self._last = np.full(num_games, UNKNOWN)
        self._gained = np.zeros(num_games)

    def add(self, games: NDArray[np.int64], part: Batch) -> None:
        """Add a decision in each of some games: arrays with a row for each, by name."""
        index = len(self._reward) + np.arange(len(games))
        self._close(games, index)
        self._last[games] = index
        self._parts.append(part)
        self._reward = np.append(self._reward, np.zeros(len(games)))
        self._next = np.append(self._next, np.full(len(games), UNKNOWN))

    def _close(self, games: NDArray[np.int64], following: NDArray[np.int64] | int) -> None:
        """Give the last decisions in some games their rewards and what follows them."""
        known = self._last[games] != UNKNOWN
        before = self._last[games][known]
        self._reward[before] = self._gained[games][known]
        self._next[before] = np.broadcast_to(following, len(games))[known]
        self._gained[games] = 0
        self.complete += len(before)

    def step(
        self, rewards: NDArray[Any], done: NDArray[np.bool_], truncated: NDArray[np.bool_]
    ) -> None:
        """Add the results of a step, (B,); last decisions of truncated games stay open."""
        self._gained += rewards
        self._close(np.flatnonzero(done & ~truncated), END)
        self._last[done] = UNKNOWN
        self._gained[done] = 0

    def batch(self) -> Batch:
        """All decisions: the recorded data, "reward" and "next", (K, ...) arrays by name."""
        names = self._parts[0] if self._parts else {}
        joined = {name: np.concatenate([part[name] for part in self._parts]) for name in names}
        return {**joined, "reward": self._reward, "next": self._next}


def evaluate(
    architecture: CharlesworthNetwork,
    weights: Tensors,
    seen: Tensors,
    choices: torch.Tensor,
    masks: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Log-probabilities (K,) of joint actions (K, S) by masks (K, M), values (K,), entropy.

    The entropy is the mean over all decisions of the sum over the slots that each needs.
    """
    trunk = architecture.trunk(weights, seen)
    log_probability = trunk.new_zeros(len(trunk))
    entropy = trunk.new_zeros(())
    for slot in SLOTS:
        rows = torch.nonzero(choices[:, COLUMN[slot.name]] != UNUSED)[:, 0]
        if not len(rows):
            continue
        own = choices[rows]
        here = {name: seen[name][rows] for name in CONDITIONS_SEEN}
        condition = condition_of(slot.name, own, here)
        logits = architecture.logits(weights, slot.head, trunk[rows], condition)
        logs = log_probabilities(logits, masks[rows, MASK_PLACES[slot.name]])
        chosen = logs.gather(1, own[:, COLUMN[slot.name], None])[:, 0]
        log_probability = log_probability.index_add(0, rows, chosen)
        entropy = entropy - (logs.exp() * logs).sum() / len(trunk)
    return log_probability, architecture.value(weights, trunk), entropy


def values_of(architecture: CharlesworthNetwork, weights: Tensors, seen: Tensors) -> torch.Tensor:
    """(K,) normalised values, without gradients."""
    found = []
    with torch.no_grad():
        for k in range(0, len(seen["tiles"]), _PART):
            part = {name: array[k : k + _PART] for name, array in seen.items()}
            found.append(architecture.value(weights, architecture.trunk(weights, part)))
    return torch.cat(found)


_RECENT: Final = 800
"""Snapshots over which the probability of the recent half rises."""


def draw_probabilities(count: int) -> NDArray[np.float64]:
    """(count,) probability of each snapshot, oldest first: half uniform, half rising."""
    rising = np.maximum(np.arange(count) + 1 - max(0, count - _RECENT), 0.0)
    return np.asarray(0.5 / count + 0.5 * rising / rising.sum())


def write_weights(path: Path, weights: Tensors) -> None:
    """Write a snapshot."""
    arrays: dict[str, Any] = {name: array.numpy(force=True) for name, array in weights.items()}
    with whole_file(path) as draft:
        np.savez(draft, allow_pickle=False, **arrays)


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """The weights of a snapshot."""
    arrays = read_arrays(path.read_bytes())
    return {name: torch.tensor(array) for name, array in arrays.items()}
