"""The agents `rocco` and `rocco_random`."""

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import BatchAgent, refuse_others
from catan_pz.agents.model_files import model_of
from catan_pz.agents.network import sample_actions
from catan_pz.agents.random_stream import scramble_all
from catan_pz.agents.views import Views
from catan_pz.checks import check_text
from catan_pz.engine.chance import GAMMA
from catan_pz.published.rocco import choices
from catan_pz.published.rocco.model import RoccoModel
from catan_pz.rules import Rules

SHIPPED: Final = Path(__file__).parent / "model.npz"
"""The model that comes with the package."""


class RandomRoccoAgent(BatchAgent):
    """Draws one of the kinds of action that are legal, then one of the ways of that kind.

    Both draws are uniform, so that roads and bank trades, of which there are many, are chosen less
    often than by a uniform draw over all legal actions. It plays without trade between players.
    """

    name = "rocco_random"

    def check_rules(self, rules: Rules) -> None:
        """Refuse games with trade between players.

        Raises:
            ValueError: if there is any.
        """
        refuse_others(self.name, rules, trading=False)

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) legal actions."""
        states = self._states(views)
        kinds = self._kinds(views, states)
        legal = choices.of_kind(views.masks, kinds)
        bits = scramble_all(views.random_bits + GAMMA)
        actions = sample_actions(legal * choices.WAY_WEIGHTS, bits)
        return self._ways(views, states, kinds, actions)

    def _states(self, views: Views) -> NDArray[np.float32]:
        """(K, N) what the networks are given, zeros in games without a choice."""
        return np.zeros((len(views), 0), np.float32)

    def _kinds(self, views: Views, states: NDArray[np.float32]) -> NDArray[np.int64]:
        """(K,) the kind of action in each game."""
        return sample_actions(choices.legal_kinds(views.masks), views.random_bits)

    def _ways(
        self,
        views: Views,
        states: NDArray[np.float32],
        kinds: NDArray[np.int64],
        actions: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """(K,) the actions, those of executors that learn chosen by them."""
        return actions


class RoccoAgent(RandomRoccoAgent):
    """The orchestrator's kind of largest Q-value, then the executor's way of largest Q-value.

    Args:
        model: the model, or the path of its file; None for the one that comes with the package.
        name: for tables of results.

    Attributes:
        model: the `RoccoModel`.

    Raises:
        ValueError: for a file that can't be played.
    """

    name = "rocco"

    def __init__(
        self, model: RoccoModel | Path | str | None = None, *, name: str | None = None
    ) -> None:
        self.model = model_of(RoccoModel, model, SHIPPED)
        if name is not None:
            self.name = check_text("name", name)

    def check_rules(self, rules: Rules) -> None:
        """Refuse games but of two players without trade.

        Raises:
            ValueError: for others.
        """
        refuse_others(self.name, rules, players=2, trading=False)

    def _states(self, views: Views) -> NDArray[np.float32]:
        encoder = self.model.encoder
        states = np.zeros((len(views), encoder.size), np.float32)
        asked = np.count_nonzero(views.masks, axis=1) > 1
        states[asked] = encoder.encode(views.observations[asked])
        return states

    def _kinds(self, views: Views, states: NDArray[np.float32]) -> NDArray[np.int64]:
        kinds = super()._kinds(views, states)
        asked = np.flatnonzero(choices.orchestrated(views.masks))
        if "orchestrator" in self.model.networks and len(asked):
            legal = choices.kinds_to_choose(views.masks[asked])
            kinds[asked] = self._best("orchestrator", states[asked], legal)
        return kinds

    def _ways(
        self,
        views: Views,
        states: NDArray[np.float32],
        kinds: NDArray[np.int64],
        actions: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        for kind, part in choices.EXECUTOR_OF.items():
            asked = kinds == kind
            if kind == choices.ROAD:
                asked &= ~choices.places_free_road(views.observations)
            if part in self.model.networks and asked.any():
                legal = choices.legal_ways(views.masks[asked], part)
                best = self._best(part, states[asked], legal)
                actions[asked] = choices.EXECUTORS[part][best]
        return actions

    def _best(
        self, part: str, states: NDArray[np.float32], legal: NDArray[Any]
    ) -> NDArray[np.int64]:
        """(K,) legal choice of the largest Q-value."""
        q_values = self.model.q_values(part, states)
        return np.asarray(np.where(legal, q_values, -np.inf).argmax(axis=1), np.int64)
