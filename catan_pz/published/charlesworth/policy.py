"""The policy of heads: joint actions are sampled slot by slot.

Letters: K decisions, S slots, M numbers in the masks of all slots, J units of the trunk.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.encoders.arrays import Array
from catan_pz.published.charlesworth.choices import (
    MASK_PLACES,
    MASK_SIZE,
    NUM_SLOTS,
    SLOTS,
    Choices,
    Mask,
    Situations,
    mask_of,
    needed,
)
from catan_pz.published.charlesworth.layers import log_probabilities
from catan_pz.published.charlesworth.networks import (
    CONDITIONS_SEEN,
    Architecture,
    Weights,
    condition_of,
)
from catan_pz.published.factored import UNUSED


@dataclass
class Decision:
    """Joint actions that were chosen.

    Attributes:
        choices: (K, S) int8.
        masks: (K, M) bool, what each slot could choose where it was needed.
        log_probability: (K,) float64, joint.
        value: (K,) float64, normalised.
        certainty: (K, S) float64, the probability of each choice; 1 where a slot isn't needed.
    """

    choices: Choices
    masks: Mask
    log_probability: NDArray[np.float64]
    value: NDArray[np.float64]
    certainty: NDArray[np.float64]


def _numbers(array: Array) -> NDArray[np.float64]:
    """An array or tensor as float64 in NumPy."""
    if not isinstance(array, np.ndarray):
        array = array.numpy(force=True)
    return np.asarray(array, np.float64)


def decide(
    architecture: Architecture,
    weights: Weights,
    seen: Mapping[str, Array],
    found: Situations,
    uniforms: NDArray[np.float64],
    *,
    kinds: NDArray[np.int64] | None = None,
    best: bool = False,
) -> Decision:
    """Sample a joint action in each of K decisions, slot by slot.

    Args:
        architecture: of the network.
        weights: its weights, NumPy arrays or tensors that require no gradients.
        seen: observations by its encoder, arrays of the same kind.
        found: the same observations in natural units, and the legal actions.
        uniforms: (K, S) numbers in [0, 1) that sample.
        kinds: (K,) legal kinds to take, instead of sampling them.
        best: whether each slot takes its most probable choice.
    """
    trunk = architecture.trunk(weights, seen)
    count = len(uniforms)
    decision = Decision(
        np.full((count, NUM_SLOTS), UNUSED, np.int8),
        np.zeros((count, MASK_SIZE), np.bool_),
        np.zeros(count),
        _numbers(architecture.value(weights, trunk)),
        np.ones((count, NUM_SLOTS)),
    )
    for k, slot in enumerate(SLOTS):
        rows = np.flatnonzero(needed(slot.name, decision.choices))
        if not len(rows):
            continue
        before = decision.choices[rows]
        mask = mask_of(slot.name, found[rows], before)
        decision.masks[rows, MASK_PLACES[slot.name]] = mask
        here = {name: seen[name][rows] for name in CONDITIONS_SEEN}
        condition = condition_of(slot.name, _like(before, trunk), here)
        logits = architecture.logits(weights, slot.head, trunk[rows], condition)
        logs = log_probabilities(_numbers(logits), mask)
        if slot.name == "kind" and kinds is not None:
            chosen = kinds
        else:
            chosen = logs.argmax(1) if best else _sampled(np.exp(logs), uniforms[rows, k])
        decision.choices[rows, k] = chosen
        chosen_logs = logs[np.arange(len(rows)), chosen]
        decision.log_probability[rows] += chosen_logs
        decision.certainty[rows, k] = np.exp(chosen_logs)
    return decision


def _like(choices: Choices, array: Array) -> Array:
    """Choices as an array of the same kind, on the same device."""
    if isinstance(array, np.ndarray):
        return choices
    return array.new_tensor(choices)


def _sampled(probabilities: NDArray[np.float64], uniforms: NDArray[np.float64]) -> Any:
    """(K,) choices with these probabilities (K, n), which add up to 1."""
    below = probabilities.cumsum(1)
    picked = np.minimum(uniforms * below[:, -1], np.nextafter(below[:, -1], 0))
    return (below > picked[:, None]).argmax(1)
