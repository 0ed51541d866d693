"""A pool of past selves of a learner, from which its opponents are drawn.

Half of the draws are uniform over the pool, half favor the recent. Source: H. Charlesworth,
"Learning to Play Settlers of Catan with Deep Reinforcement Learning", 2022.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from catan_pz.files import read_arrays, whole_file

RECENT: Final = 800
"""Snapshots over which the probability of the recent half rises."""

Tensors = Mapping[str, torch.Tensor]


def draw_probabilities(count: int, recent: int = RECENT) -> NDArray[np.float64]:
    """(count,) probability of each snapshot, oldest first.

    Half is uniform; half rises linearly over the last `recent` ones.
    """
    rising = np.maximum(np.arange(count) + 1 - max(0, count - recent), 0.0)
    return np.asarray(0.5 / count + 0.5 * rising / rising.sum())


class PastSelves:
    """Snapshots of weights in a folder, of which some are drawn at a time.

    Args:
        folder: where snapshots are written.
        size: how many are kept; the oldest is dropped first.
        seed: of the draws.

    Attributes:
        pool: names of the snapshots, oldest first.
    """

    def __init__(self, folder: Path, size: int, seed: int) -> None:
        self.folder, self.size = folder, size
        self.pool: list[str] = []
        self._rng = np.random.default_rng([seed, 0x5E1F])
        self._loaded: dict[str, dict[str, torch.Tensor]] = {}

    def add(self, name: str, weights: Tensors) -> None:
        """Add a snapshot."""
        self.folder.mkdir(parents=True, exist_ok=True)
        arrays = {key: array.detach().cpu().numpy() for key, array in weights.items()}
        with whole_file(self.folder / f"{name}.npz") as draft, draft.open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
        self.pool = [*self.pool, name][-self.size :]

    def draw(self, count: int) -> list[str]:
        """Names of `count` snapshots, drawn one by one."""
        probabilities = draw_probabilities(len(self.pool))
        return [self.pool[k] for k in self._rng.choice(len(self.pool), count, p=probabilities)]

    def load(self, names: list[str]) -> dict[str, dict[str, torch.Tensor]]:
        """The weights of some snapshots, by name; what was loaded before and isn't named goes."""
        self._loaded = {
            name: self._loaded.get(name) or self.read(name) for name in dict.fromkeys(names)
        }
        return self._loaded

    def read(self, name: str) -> dict[str, torch.Tensor]:
        """The weights of a snapshot.

        Raises:
            ValueError: if its file is missing or damaged; names it.
        """
        path = self.folder / f"{name}.npz"
        try:
            arrays = read_arrays(path.read_bytes())
            return {name: torch.tensor(array) for name, array in arrays.items()}
        except FileNotFoundError as error:
            raise ValueError(f"league: the snapshot {path} is missing") from error
        except (ValueError, TypeError) as error:  # torch knows no texts, for one
            raise ValueError(f"league: the snapshot {path} is damaged: {error}") from error

    def get_state(self) -> dict[str, Any]:
        """The state that a pool in the same folder continues from; JSON values."""
        return {"pool": list(self.pool), "rng": json.dumps(self._rng.bit_generator.state)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        self.pool = list(state["pool"])
        self._rng.bit_generator.state = json.loads(state["rng"])
