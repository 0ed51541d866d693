"""The agent `gendre` and its model."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import BatchAgent, Views, refuse_others
from catan_pz.agents.model_files import Stored, StoredModel, check_weights, model_of, rules_text
from catan_pz.agents.network import CHOICES
from catan_pz.agents.random_stream import scramble_all
from catan_pz.checks import check_choice, check_text, not_possible
from catan_pz.encoders import load
from catan_pz.engine.chance import GAMMA
from catan_pz.files import resource
from catan_pz.observation.segments import PLACES
from catan_pz.published.gendre.choices import (
    LEAST_LIMIT,
    Seen,
    decide,
    discarding,
    legal_logits,
    undecided,
)
from catan_pz.published.gendre.networks import GendreNetwork
from catan_pz.rules import Rules

SHIPPED: Final = resource("catan_pz.published.gendre", "model.npz")
"""The model shipped with the package."""

_TURNS: Final = PLACES["turns_ended"].start


@dataclass(frozen=True)
class GendreModel(StoredModel):
    """A network for the choices of two players, or of any table, trained with `rules`."""

    kinds = ("gendre",)
    architecture: GendreNetwork
    weights: Mapping[str, NDArray[Any]]
    rules: Rules
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_weights(self.weights, self.architecture.shapes)
        table = self.rules.num_players, self.rules.trading
        if self.architecture.encoder == "gendre" and table != (2, False):
            raise not_possible("model: rules", self.rules, "those of two players without trade")

    def logits(self, seen: Seen) -> NDArray[np.float32]:
        """(K, L) logits for encoded observations."""
        return np.asarray(
            self.architecture.evaluate(self.weights, seen["planes"], seen["scalars"])[0]
        )

    def stored(self) -> Stored:
        """The content of its file."""
        network = {"kind": self.kinds[0], **asdict(self.architecture)}
        encoder = load(network.pop("encoder"))
        return Stored(network, self.weights, encoder, {"rules": self.rules.to_dict()})

    @classmethod
    def restored(cls, stored: Stored) -> "GendreModel":
        """The model from the content of a file."""
        names = ("network", "layers", "planes", "scalars")
        options, header = {name: stored.network[name] for name in names}, stored.header
        architecture = GendreNetwork(**options, encoder=stored.encoder.name)
        return cls(architecture, stored.arrays, Rules.from_dict(header["rules"]), header["card"])

    def card_rows(self) -> list[tuple[str, Any]]:
        """Rows of the model card: rules and network."""
        a = self.architecture
        scalars = f", {a.scalars} scalars" if a.is_crossed else ""
        size = f"{a.layers} layers, {a.planes} planes{scalars}, {a.parameters:,} parameters"
        return [("rules", rules_text(self.rules)), ("network", f"{a.network} with {size}")]


def sampled(logits: NDArray[np.floating[Any]], bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """(K,) choices sampled from softmax policies, by adding Gumbel noise to logits (K, L).

    The same bits give a choice the same noise, whatever else is legal.
    """
    numbers = np.arange(1, logits.shape[1] + 1, dtype=np.uint64) * GAMMA
    uniform = ((scramble_all(bits[:, None] + numbers) >> np.uint64(11)) + 0.5) * 2.0**-53
    return np.asarray((logits - np.log(-np.log(uniform))).argmax(axis=1), np.int64)


class GendreAgent(BatchAgent):
    """Plays with a cross-dimensional network: two players without trade or, by model, any game.

    It is stateless, so the cards to keep are chosen again before each single discard, with the
    same random numbers throughout a turn.

    Args:
        model: the model, or the path of its file; None for the one shipped with the package.
        choice: "sample" samples from the policy, "best" takes the choice with the largest logit.
        name: for tables of results.
    """

    name = "gendre"

    def __init__(
        self,
        model: GendreModel | Path | str | None = None,
        *,
        choice: str = "sample",
        name: str | None = None,
    ) -> None:
        check_choice("choice", choice, CHOICES)
        self.model = model_of(GendreModel, model, SHIPPED)
        self.choice = choice
        if name is not None:
            self.name = check_text("name", name)

    def check_rules(self, rules: Rules) -> None:
        """Refuse games outside its model's view, or in which fewer than four cards are kept."""
        if self.model.architecture.encoder == "gendre":
            refuse_others(self.name, rules, players=2, trading=False)
        if rules.discard_limit < LEAST_LIMIT:
            raise ValueError(
                f"agent {self.name!r} plays games with a discard_limit from {LEAST_LIMIT}; "
                f"this one has {rules.discard_limit}"
            )

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) legal actions."""
        units, masks, bits = views.observations, views.masks, views.random_bits.copy()
        rows = np.flatnonzero(discarding(masks))
        bits[rows] = scramble_all(views.seeds[rows] ^ units[rows, _TURNS].view(np.uint8))

        def choose(
            rows: NDArray[np.intp], seen: Seen, legal: NDArray[np.bool_]
        ) -> NDArray[np.int64]:
            logits = legal_logits(self.model.logits, seen, legal)
            if self.choice == "best":
                return np.asarray(logits.argmax(axis=1), np.int64)
            bits[rows] = scramble_all(bits[rows])
            return sampled(logits, bits[rows])

        encoder, keeping = self.model.architecture.encoder, undecided(len(views))
        return decide(units, masks, keeping, views.random_bits, choose, encoder=encoder)
