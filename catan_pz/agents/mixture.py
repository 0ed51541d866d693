"""A player who is one of several, drawn anew for each game."""

from collections.abc import Sequence
from copy import copy
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent
from catan_pz.agents.batch import BatchAgent
from catan_pz.agents.draws import scrambled
from catan_pz.agents.registry import as_agent
from catan_pz.rules import Rules
from catan_pz.runtime.view import View

_OF_A_MEMBER: Final = np.uint64(0x9FB21C651E98DF25)


class Mixture(Agent):
    """In each seat of each game plays as one of several agents, to the end of the game.

    Which one follows from the seed of the seat. In batches each member is asked once a round
    for all the games in which it plays.

    Args:
        members: agents that keep nothing of a game, or their names.
        weights: how often each is drawn, in proportion; None for equally often.

    Attributes:
        members: the agents.
        weights: (M,) float64, sum 1.

    Raises:
        ValueError: for no members, a member that isn't a `BatchAgent`, or weights that aren't
            as many numbers from 0, one of them above.
    """

    name = "mixture"

    def __init__(
        self, members: Sequence[BatchAgent | str], weights: Sequence[float] | None = None
    ) -> None:
        self.members: list[BatchAgent] = []
        for member in members:
            agent = as_agent(member)
            if not isinstance(agent, BatchAgent):
                raise ValueError(f"member {member!r} is not possible; allowed: BatchAgents")
            self.members.append(agent)
        given = np.ones(len(members)) if weights is None else np.array(weights, np.float64)
        possible = given.shape == (len(members),) and bool(np.isfinite(given).all())
        if not (possible and (given >= 0).all() and given.sum() > 0):
            raise ValueError(
                f"option weights={weights!r} is not possible; allowed: one number from 0 for each "
                f"of {len(members)} members, one of them above 0"
            )
        self.weights: NDArray[np.float64] = given / given.sum()

    def drawn(self, seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """(K,) the members that play the seats with these seeds (K,)."""
        parts = (scrambled(seeds ^ _OF_A_MEMBER) >> np.uint64(11)) * 2.0**-53
        below = self.weights.cumsum()
        below[self.weights.nonzero()[0][-1] :] = 1.0
        return np.searchsorted(below, parts, side="right")

    def check_rules(self, rules: Rules) -> None:
        """Refuse games that a member can't play.

        Raises:
            ValueError: names what doesn't fit.
        """
        for member in self.members:
            member.check_rules(rules)

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """A game begins: draw who plays it."""
        super().reset(seat, rules, seed)
        self._own = copy(self.members[int(self.drawn(np.array((seed,), np.uint64))[0])])
        self._own.reset(seat, rules, seed)

    def act(self, view: View, mask: NDArray[np.int8]) -> int:
        """The choice of who was drawn for this game."""
        return self._own.act(view, mask)

    def act_in_games(
        self,
        observations: NDArray[np.int8],
        masks: NDArray[np.int8],
        draws: NDArray[np.uint64],
        seeds: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """(K,) choices in many games; the first three as in `BatchAgent.act_batch`.

        Args:
            observations: (K, N) int8.
            masks: (K, A) int8.
            draws: (K,) uint64.
            seeds: (K,) uint64, of the seats that are to move.
        """
        chosen = np.empty(len(masks), np.int64)
        drawn = self.drawn(seeds)
        for k in np.unique(drawn):
            own = drawn == k
            given: Any = self.members[k].act_batch(observations[own], masks[own], draws[own])
            chosen[own] = given
        return chosen
