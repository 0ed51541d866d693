"""The agents `rocco` and `rocco_random`, and the file format of the former's networks."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import BatchAgent, Views, refuse_others
from catan_pz.agents.model_files import Stored, StoredModel, check_weights, model_of
from catan_pz.agents.network import sample_actions
from catan_pz.agents.random_stream import scramble_all
from catan_pz.checks import check_choice, check_text
from catan_pz.encoders import Encoder, load
from catan_pz.engine.chance import GAMMA
from catan_pz.files import resource
from catan_pz.published.rocco import choices
from catan_pz.published.rocco.networks import Architecture
from catan_pz.rules import Rules

SHIPPED: Final = resource("catan_pz.published.rocco", "model.npz")
"""The model shipped with the package."""

OUTPUTS: Final = {"orchestrator": choices.NUM_KINDS} | {
    name: len(ways) for name, ways in choices.EXECUTORS.items()
}
"""The number of Q-values of each network, by name of its part."""

Weights = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class RoccoModel(StoredModel):
    """Networks for some or all of the `OUTPUTS`; other parts choose at random."""

    kinds = ("rocco",)
    networks: Mapping[str, tuple[Architecture, Weights]]
    rules: Rules
    card: Mapping[str, Any] = field(default_factory=dict)
    encoder: Encoder = field(default_factory=lambda: load("rocco"))

    def __post_init__(self) -> None:
        for part, (architecture, weights) in self.networks.items():
            if architecture.outputs != OUTPUTS.get(part):
                raise ValueError(
                    f"model: part {part!r} gives {architecture.outputs} Q-values, must be one of "
                    f"{OUTPUTS}"
                )
            check_weights(weights, architecture.shapes, f"model: part {part!r}")
        check_choice("encoder", self.encoder.name, ("rocco", "rocco_cities"))

    def q_values(self, part: str, states: NDArray[np.float32]) -> NDArray[np.float32]:
        """(K, Q) Q-values of a part, for states (K, 675)."""
        architecture, weights = self.networks[part]
        return np.asarray(architecture.q_values(weights, states))

    def stored(self) -> Stored:
        """The content of its file."""
        arrays = {
            f"{part}.{name}": array
            for part, (_, weights) in self.networks.items()
            for name, array in weights.items()
        }
        parts = {part: asdict(architecture) for part, (architecture, _) in self.networks.items()}
        network = {"kind": self.kinds[0], "parts": parts}
        return Stored(network, arrays, self.encoder, {"rules": self.rules.to_dict()})

    @classmethod
    def restored(cls, stored: Stored) -> "RoccoModel":
        """The model from the content of a file."""
        parts, header = stored.network["parts"], stored.header
        weights: dict[str, dict[str, Any]] = {part: {} for part in parts}
        for name, array in stored.arrays.items():
            part, _, own = name.partition(".")
            weights[part][own] = array
        networks = {part: (Architecture(**parts[part]), weights[part]) for part in parts}
        return cls(networks, Rules.from_dict(header["rules"]), header["card"], stored.encoder)

    def card_rows(self) -> list[tuple[str, Any]]:
        """Rows of the model card: rules and networks."""
        parts = ", ".join(
            f"{part} {one.network} with {one.parameters:,} parameters"
            for part, (one, _) in self.networks.items()
        )
        rules = "preset rocco" if self.rules == Rules.preset("rocco") else self.rules
        return [("rules", rules), ("networks", parts or "none")]


class RandomRoccoAgent(BatchAgent):
    """Draws one of the legal kinds of action, then one of the legal actions of that kind.

    Both draws are uniform, so roads and bank trades, which are numerous, are chosen less
    often than by a uniform draw over all legal actions. It plays without trade between players.
    """

    name = "rocco_random"

    def check_rules(self, rules: Rules) -> None:
        """Refuse games with trade between players."""
        refuse_others(self.name, rules, trading=False)

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) legal actions."""
        kinds = sample_actions(choices.legal_kinds(views.masks), views.random_bits)
        return self._ways(views, kinds)

    def _ways(self, views: Views, kinds: NDArray[np.int64]) -> NDArray[np.int64]:
        """(K,) an action of the kind (K,) in each game."""
        ways = choices.of_kind(views.masks, kinds) * choices.WAY_WEIGHTS
        return sample_actions(ways, scramble_all(views.random_bits + GAMMA))


class RoccoAgent(RandomRoccoAgent):
    """Plays the kind with the orchestrator's largest Q-value, then the executor's best action.

    It takes a model, or the path of its file; None for the one shipped with the package.
    """

    name = "rocco"

    def __init__(
        self, model: RoccoModel | Path | str | None = None, *, name: str | None = None
    ) -> None:
        self.model = model_of(RoccoModel, model, SHIPPED)
        if name is not None:
            self.name = check_text("name", name)

    def check_rules(self, rules: Rules) -> None:
        """Refuse games other than those of two players without trade."""
        refuse_others(self.name, rules, players=2, trading=False)

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) legal actions."""
        masks, networks = views.masks, self.model.networks
        states = np.zeros((len(views), self.model.encoder.size), np.float32)
        asked = np.count_nonzero(masks, axis=1) > 1
        states[asked] = self.model.encoder.encode(views.observations[asked])
        kinds = sample_actions(choices.legal_kinds(masks), views.random_bits)
        asked = choices.orchestrated(masks)
        if "orchestrator" in networks and asked.any():
            legal = choices.kinds_to_choose(masks[asked])
            kinds[asked] = self._best("orchestrator", states[asked], legal)
        actions = self._ways(views, kinds)
        for kind, part in choices.EXECUTOR_OF.items():
            asked = kinds == kind
            if kind == choices.ROAD:
                asked &= ~choices.places_free_road(views.observations)
            if part in networks and asked.any():
                best = self._best(part, states[asked], choices.legal_ways(masks[asked], part))
                actions[asked] = choices.EXECUTORS[part][best]
        return actions

    def _best(
        self, part: str, states: NDArray[np.float32], legal: NDArray[Any]
    ) -> NDArray[np.int64]:
        """(K,) the legal choice with the largest Q-value."""
        q_values = self.model.q_values(part, states)
        return np.asarray(np.where(legal, q_values, -np.inf).argmax(axis=1), np.int64)
