"""Many views at once: what an agent is given that decides in a batch of games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.game.view import View

Seated = Callable[[Any, int], Any]
"""Gives the copy of an agent that plays in the game of a row; hosts of batches have one."""


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """What the seats to move may know in K games, and nothing else.

    Attributes:
        observations: (K, N) int8, in natural units, relative to the seat to move.
        masks: (K, A) int8, 1 for each legal action.
        seeds: (K,) uint64, seed of the seat's random stream, the same in all of its decisions.
        random_bits: (K,) uint64, the next number of each stream. All randomness in a choice
            must come from it.
    """

    observations: NDArray[np.int8]
    masks: NDArray[np.int8]
    seeds: NDArray[np.uint64]
    random_bits: NDArray[np.uint64]
    _seated: Seated | None = None
    _rows: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        """K."""
        return len(self.masks)

    def __getitem__(self, rows: NDArray[Any] | slice) -> Views:
        """The views of some rows, given as a slice, as bool (K,) or as indices."""
        return Views(
            self.observations[rows],
            self.masks[rows],
            self.seeds[rows],
            self.random_bits[rows],
            self._seated,
            (np.arange(len(self)) if self._rows is None else self._rows)[rows],
        )

    def players(self, agent: Any) -> Iterator[tuple[Any, View]]:
        """For each row the copy of an agent that plays there, and its view."""
        if self._seated is None:
            raise RuntimeError(
                f"agent {agent.name!r} decides game by game: let a host play it, such as "
                "catan_pz.agents.table.Table"
            )
        rows = range(len(self)) if self._rows is None else self._rows.tolist()
        for k, row in enumerate(rows):
            yield self._seated(agent, row), View(self.observations[k], self.masks[k])
