"""Advice: the actions that an agent considered in a decision, with its ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Advice:
    """The actions that an agent considered in a decision, best first; None for missing fields.

    Attributes:
        actions: (K,) legal actions; the agent would play the first.
        probabilities: (K,) probabilities of its policy.
        win_probabilities: (K,) its seat's estimated win probability after each.
        visits: (K,) simulations of each.
        scores: (K,) the agent's scores of actions, in its own unit, such as Q-values.
        agent: name of the agent, filled in by hosts.
    """

    actions: NDArray[np.int64]
    probabilities: NDArray[np.float64] | None = None
    win_probabilities: NDArray[np.float64] | None = None
    visits: NDArray[np.int64] | None = None
    scores: NDArray[np.float64] | None = None
    agent: str = ""

    def __len__(self) -> int:
        """K."""
        return len(self.actions)

    @classmethod
    def of_choice(cls, action: int) -> Self:
        """A single action without estimates."""
        return cls(np.array([action], np.int64))

    @classmethod
    def of_policy(cls, weights: NDArray[Any]) -> Self:
        """The actions of a policy, given as weights (A,) in proportion to the probabilities."""
        actions = np.flatnonzero(weights)
        given = np.asarray(weights, np.float64)[actions]
        order = np.argsort(-given, kind="stable")
        return cls(actions[order], probabilities=given[order] / given.sum())

    @classmethod
    def of_scores(cls, scores: NDArray[Any], mask: NDArray[np.int8]) -> Self:
        """The legal actions, ordered by scores (A,)."""
        actions = np.flatnonzero(mask)
        given = np.asarray(scores, np.float64)[actions]
        order = np.argsort(-given, kind="stable")
        return cls(actions[order], scores=given[order])
