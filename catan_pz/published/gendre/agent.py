"""The agent `gendre`."""

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import BatchAgent, refuse_others
from catan_pz.agents.model_files import model_of
from catan_pz.agents.network import CHOICES
from catan_pz.agents.random_stream import scramble_all
from catan_pz.agents.views import Views
from catan_pz.checks import check_choice, check_text
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
from catan_pz.published.gendre.model import GendreModel
from catan_pz.rules import Rules

SHIPPED: Final = resource("catan_pz.published.gendre", "model.npz")
"""The model that comes with the package."""

_TURNS: Final = PLACES["turns_ended"].start


def sampled(logits: NDArray[np.floating[Any]], bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """(K,) choices sampled from softmax policies, by adding Gumbel noise to logits (K, L).

    The same bits give a choice the same noise, whatever else is legal.
    """
    numbers = np.arange(1, logits.shape[1] + 1, dtype=np.uint64) * GAMMA
    uniform = ((scramble_all(bits[:, None] + numbers) >> np.uint64(11)) + 0.5) * 2.0**-53
    return np.asarray((logits - np.log(-np.log(uniform))).argmax(axis=1), np.int64)


class GendreAgent(BatchAgent):
    """Plays by a cross-dimensional network, games of two without trade or, by model, of any table.

    It keeps nothing of a game, so which cards to keep is chosen anew before each single discard,
    with the same random numbers throughout a turn.

    Args:
        model: the model, or the path of its file; None for the one that comes with the package.
        choice: "sample" samples from the policy, "best" takes the choice of the largest logit.
        name: for tables of results.

    Attributes:
        model: the `GendreModel`.
        choice: as given.
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
        """Refuse games that its model doesn't see whole, or in which fewer cards are kept."""
        if self.model.architecture.encoder == "gendre":
            refuse_others(self.name, rules, players=2, trading=False)
        if rules.discard_limit < LEAST_LIMIT:
            raise ValueError(
                f"agent {self.name!r} plays games with a discard_limit from {LEAST_LIMIT}; "
                f"this one has {rules.discard_limit}"
            )

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) legal actions."""
        rows = np.flatnonzero(discarding(views.masks))
        bits = views.random_bits.copy()
        bits[rows] = scramble_all(
            views.seeds[rows] ^ views.observations[rows, _TURNS].view(np.uint8)
        )

        def choose(
            rows: NDArray[np.intp], seen: Seen, legal: NDArray[np.bool_]
        ) -> NDArray[np.int64]:
            logits = legal_logits(lambda asked: self.model.evaluate(asked)[0], seen, legal)
            if self.choice == "best":
                return np.asarray(logits.argmax(axis=1), np.int64)
            bits[rows] = scramble_all(bits[rows])
            return sampled(logits, bits[rows])

        keeping = undecided(len(views))
        return decide(
            views.observations,
            views.masks,
            keeping,
            views.random_bits,
            choose,
            encoder=self.model.architecture.encoder,
        )
