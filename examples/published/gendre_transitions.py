"""Decisions of a learner in many games, each completed by what its next decision is worth.

Letters: B games, k of them.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[np.generic]]


class OneStepTransitions:
    """The learner's last decision in each game, and decisions whose target is known.

    A decision's target is the reward at the end of its game, or the value of the learner's next
    decision. It is remembered as arrays whose shapes and dtypes are given by name.
    """

    def __init__(self, num_games: int, **parts: tuple[tuple[int, ...], str]) -> None:
        self._last: Arrays = {
            name: np.zeros((num_games, *shape), dtype) for name, (shape, dtype) in parts.items()
        }
        self._waiting = np.zeros(num_games, np.bool_)
        self._complete: Arrays = {name: array[:0] for name, array in self._last.items()}
        self._complete["target"] = np.zeros(0, np.float32)

    def begin(self, games: NDArray[np.intp], **decided: NDArray[np.generic]) -> None:
        """Remember the decisions in some games (k,): an array (k, ...) of each part."""
        for name, array in decided.items():
            self._last[name][games] = array
        self._waiting[games] = True

    def finish(self, games: NDArray[np.intp], targets: NDArray[np.floating]) -> None:
        """Give the last decisions in some games (k,) their targets (k,); not all need have one."""
        begun = self._waiting[games]
        games = games[begun]
        added = {name: array[games] for name, array in self._last.items()}
        added["target"] = targets[begun].astype(np.float32)
        for name, array in added.items():
            self._complete[name] = np.concatenate([self._complete[name], array])
        self._waiting[games] = False

    def take(self, count: int) -> Arrays | None:
        """The oldest complete decisions with their "target"; None where there are fewer."""
        if len(self._complete["target"]) < count:
            return None
        taken = {name: array[:count] for name, array in self._complete.items()}
        self._complete = {name: array[count:] for name, array in self._complete.items()}
        return taken

    def get_state(self) -> Arrays:
        """Everything, by name."""
        complete = {f"complete.{name}": array for name, array in self._complete.items()}
        return {**self._last, **complete, "waiting": self._waiting}

    def set_state(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what `get_state` gave."""
        self._last = {name: arrays[name].copy() for name in self._last}
        self._complete = {name: arrays[f"complete.{name}"] for name in self._complete}
        self._waiting = arrays["waiting"].astype(np.bool_)
