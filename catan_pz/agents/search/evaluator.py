"""Evaluators guide a tree search instead of rollouts: priors and win probabilities."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Evaluator(Protocol):
    """Judges positions as the seat to move sees them; a trained network, for one.

    Letters: K positions, N numbers of an observation, A actions, P = 4 seats.
    """

    def evaluate(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Judge some positions at once.

        Args:
            observations: (K, N) int8, what the seat to move sees, in the natural units of
                `catan_pz.observation.segments`.
            masks: (K, A) int8, 1 for each of its legal actions.

        Returns:
            (K, A) priors, how likely each action is to be the best, of which those of illegal
            actions don't count; and (K, P) each seat's win probability, the seat to move
            first, then clockwise, zeros for absent seats.
        """
        ...


def checked_evaluation(
    evaluator: Evaluator, observations: NDArray[np.int8], masks: NDArray[np.int8], seats: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What an evaluator says, with priors that are zero for illegal actions and sum to 1.

    Raises:
        ValueError: if its arrays have the wrong shape, or numbers in them are not possible.
    """
    given = evaluator.evaluate(observations, masks)
    priors, values = (np.asarray(part, np.float64) for part in given)
    for name, part, width in (("priors", priors, masks.shape[1]), ("values", values, 4)):
        if part.shape != (len(masks), width):
            raise ValueError(
                f"evaluator: {name} must be of shape {(len(masks), width)}, got {part.shape}"
            )
        if not np.isfinite(part).all():
            raise ValueError(f"evaluator's {name} are not finite")
    priors = np.where(masks != 0, priors, 0.0)
    if (priors < 0).any():
        raise ValueError("evaluator's priors are negative")
    legal = masks / np.maximum(masks.sum(1, keepdims=True), 1)
    sums = priors.sum(1, keepdims=True)
    priors = np.where(sums > 0, priors / np.where(sums > 0, sums, 1.0), legal)
    values = values.copy()
    values[:, seats:] = 0.0
    return priors, values
