"""The board network with its weights.

Letters: K games, N numbers of an observation, W size of an embedding, D dense units, A actions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.board_kernels import BLOCK, run_forward
from catan_pz.agents.board_program import layout, program, shapes, views
from catan_pz.agents.model_files import check_weights
from catan_pz.observation.segments import SCALES, SIZE


@dataclass(frozen=True)
class BoardNetwork:
    """The network with its weights."""

    kind: ClassVar[str] = "board"
    inputs: ClassVar[int] = SIZE
    options: ClassVar[Mapping[str, Any]] = {}  # entries that a file must contain besides the arrays
    arrays: Mapping[str, NDArray[np.float32]]  # by the names of `shapes`

    def __post_init__(self) -> None:
        missing = sorted(shapes(1, 1, 1).keys() ^ self.arrays.keys())
        if missing:
            raise ValueError(f"network: {missing} must be there, and no others")
        check_weights(self.arrays, shapes(self.width, self.dense, self.num_actions), "network")

    @property
    def width(self) -> int:
        """W."""
        return len(self.arrays["vertex_1_bias"])

    @property
    def dense(self) -> int:
        """D."""
        return len(self.arrays["dense_2_bias"])

    @property
    def num_actions(self) -> int:
        """A."""
        return len(self.arrays["dense_head_bias"])

    def text(self) -> str:
        """A short description of the network."""
        return f"board network, embeddings of {self.width}, two dense layers of {self.dense}"

    @cached_property
    def _weights(self) -> NDArray[np.float32]:
        """All arrays concatenated, as the program reads them."""
        shapes_of, counts = layout(*self._sizes)
        weights = np.zeros(sum(counts), np.float32)
        for name, view in views(shapes_of, np.split(weights, np.cumsum(counts)[:-1])).items():
            view[...] = self.arrays[name]
        return weights

    @property
    def _sizes(self) -> tuple[int, int, int, bool]:
        return self.width, self.dense, self.num_actions, False

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """(K, A) logits or Q-values, from observations (K, N) in natural units."""
        return self.evaluate(np.minimum(observations * SCALES, np.float32(1)))

    def evaluate(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """(K, A) logits or Q-values, from flat observations (K, N)."""
        do, count = program(*self._sizes), len(inputs)
        out = np.empty((count, self.num_actions), np.float32)
        latent, kept = np.empty((count, self.dense), np.float32), np.empty((0, do.kept), np.float32)
        work = np.empty((1, BLOCK * do.size), np.float32)
        inputs = np.ascontiguousarray(inputs)
        run_forward(inputs, 0, 1, 1, do, self._weights, out, latent, work, kept)
        return out
