"""Past selves as opponents: how they are drawn, and the files of their weights.

Half of the draws are uniform over the pool, half favor the recent.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from catan_pz.files import read_arrays, whole_file

RECENT: Final = 800
"""Snapshots over which the probability of the recent half rises."""


def draw_probabilities(count: int, recent: int = RECENT) -> NDArray[np.float64]:
    """(count,) probability of each snapshot, oldest first.

    Half is uniform; half rises linearly over the last `recent` ones.
    """
    rising = np.maximum(np.arange(count) + 1 - max(0, count - recent), 0.0)
    return np.asarray(0.5 / count + 0.5 * rising / rising.sum())


def write_weights(path: Path, weights: Mapping[str, torch.Tensor]) -> None:
    """Write a snapshot."""
    arrays = {key: array.detach().cpu().numpy() for key, array in weights.items()}
    with whole_file(path) as draft, draft.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """The weights of a snapshot.

    Raises:
        ValueError: names the file, if it is damaged.
    """
    try:
        arrays = read_arrays(path.read_bytes())
        return {name: torch.tensor(array) for name, array in arrays.items()}
    except (ValueError, TypeError) as error:  # torch knows no texts, for one
        raise ValueError(f"league: the snapshot {path} is damaged: {error}") from error
