"""Players whose logits come from a function, such as any library's network."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import BatchAgent, Views
from catan_pz.agents.network import check_logits, sample_actions, softmax
from catan_pz.checks import check_flag, check_text
from catan_pz.encoders import Encoder, as_encoder


class LogitsAgent(BatchAgent):
    """Plays with a function from observations to a logit or Q-value for each action.

    Illegal actions are masked here, so the function doesn't need the mask.

    Args:
        logits: a function from encoded observations of K games, a NumPy array (K, ...) or a dict
            of arrays, to (K, A) numbers: an array, or a value that NumPy converts to one, such as
            a tensor on the CPU.
        observation: the `Encoder` of the function's input, or its name.
        best: whether to play the action of the largest number instead of sampling from the
            softmax; for Q-values.
        name: name in tables of results.
    """

    name = "logits"

    def __init__(
        self,
        logits: Callable[[Any], Any],
        *,
        observation: Encoder | str = "flat",
        best: bool = False,
        name: str | None = None,
    ) -> None:
        self._logits = logits
        self.encoder = as_encoder(observation)
        self.best = check_flag("best", best)
        if name is not None:
            self.name = check_text("name", name)

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) choices, sampled with the random bits unless `best` is set."""
        given = np.asarray(self._logits(self.encoder.encode(views.observations)), np.float64)
        if given.shape != views.masks.shape:
            raise ValueError(f"logits have shape {given.shape}, must have {views.masks.shape}")
        legal = np.where(views.masks != 0, given, -np.inf)
        check_logits(self.name, legal, views.masks)
        if self.best:
            return np.asarray(legal.argmax(axis=1), np.int64)
        return sample_actions(softmax(legal), views.random_bits)
