"""An agent that is one of several, sampled for each game."""

from collections.abc import Sequence
from copy import copy
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.advice import Advice
from catan_pz.agents.base import Agent, Views, WrappingAgent
from catan_pz.agents.random_stream import scramble_all, uniforms
from catan_pz.agents.registry import as_agent
from catan_pz.checks import not_possible
from catan_pz.game.view import View
from catan_pz.rules import Rules

_MEMBER_SALT: Final = np.uint64(0x9FB21C651E98DF25)


class Mixture(WrappingAgent):
    """Plays as one of several agents, sampled for each seat of each game.

    The seed of the seat determines the member. A member that is a mixture itself samples its own
    member independently.

    Args:
        members: agents, or their names.
        weights: sampling weight of each; None for equal weights.
    """

    name = "mixture"
    inner: Agent
    _level = 0  # number of mixtures around this one

    def __init__(
        self, members: Sequence[Agent | str], weights: Sequence[float] | None = None
    ) -> None:
        self.members = [as_agent(member) for member in members]
        self.needs_belief = any(member.needs_belief for member in self.members)
        self.needs_events = any(member.needs_events for member in self.members)
        self.stateless = all(member.stateless for member in self.members)
        given = np.ones(len(members)) if weights is None else np.array(weights, np.float64)
        possible = given.shape == (len(members),) and bool(np.isfinite(given).all())
        if not (possible and (given >= 0).all() and given.sum() > 0):
            allowed = f"{len(members)} numbers from 0, one a member, one of them above 0"
            raise not_possible("weights", weights, allowed)
        self.weights: NDArray[np.float64] = given / given.sum()

    def members_of(self, seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """(K,) indices of the members that play the seats with seeds (K,)."""
        bits = seeds
        for _ in range(self._level + 1):
            bits = scramble_all(bits ^ _MEMBER_SALT)
        uniform = uniforms(bits)
        below = self.weights.cumsum()
        below[self.weights.nonzero()[0][-1] :] = 1.0
        return np.searchsorted(below, uniform, side="right")

    def _member(self, k: int) -> Agent:
        """A member; if it is a mixture, a copy one level deeper."""
        member = self.members[k]
        if isinstance(member, Mixture):
            member = copy(member)
            member._level = self._level + 1
        return member

    def check_rules(self, rules: Rules) -> None:
        """Refuse games that a member doesn't support."""
        for member in self.members:
            member.check_rules(rules)

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """Begin a game: sample the member that plays it."""
        super().reset(seat, rules, seed)
        self.inner = copy(self._member(int(self.members_of(np.array((seed,), np.uint64))[0])))
        self.inner.reset(seat, rules, seed)

    def act(self, view: View) -> int:
        """The choice of the member that plays this game."""
        return self.inner.act(view)

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) the choices of the members that play these games."""
        chosen = np.empty(len(views), np.int64)
        playing = self.members_of(views.seeds)
        for k in np.unique(playing).tolist():
            own = playing == k
            given: Any = self._member(k).act_batch(views[own])
            chosen[own] = given
        return chosen

    def advise(self, view: View) -> Advice:
        """The advice of the member that plays this game."""
        return self.inner.advise(view)

    def win_probabilities(self, view: View) -> NDArray[np.float64] | None:
        """The estimate of the member that plays this game."""
        return self.inner.win_probabilities(view)
