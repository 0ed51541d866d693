"""Log-probabilities of joint actions with gradients, for policies of several heads.

Letters: K decisions, S slots, M numbers in the masks of all slots.
"""

from collections.abc import Mapping
from typing import Final

import torch

from catan_pz.published.charlesworth.choices import COLUMN, MASK_PLACES, SLOTS
from catan_pz.published.charlesworth.layers import log_probabilities
from catan_pz.published.charlesworth.networks import CONDITIONS_SEEN, Architecture, condition_of
from catan_pz.published.factored import UNUSED

Tensors = Mapping[str, torch.Tensor]

_PART: Final = 4096
"""Decisions that are evaluated at once where no gradients are needed."""


def evaluate(
    architecture: Architecture,
    weights: Tensors,
    seen: Tensors,
    choices: torch.Tensor,
    masks: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What a policy gives for joint actions that were chosen.

    Args:
        architecture: of the network.
        weights: its weights.
        seen: observations by its encoder.
        choices: (K, S) int64, `UNUSED` where a slot wasn't needed.
        masks: (K, M) bool, what each slot could choose.

    Returns:
        Joint log-probabilities (K,); normalised values (K,); the entropy: the mean over all
        decisions of the sum over the slots that each needs.
    """
    trunk = architecture.trunk(weights, seen)
    log_probability = trunk.new_zeros(len(trunk))
    entropy = trunk.new_zeros(())
    for slot in SLOTS:
        rows = torch.nonzero(choices[:, COLUMN[slot.name]] != UNUSED)[:, 0]
        if not len(rows):
            continue
        own = choices[rows]
        here = {name: seen[name][rows] for name in CONDITIONS_SEEN}
        condition = condition_of(slot.name, own, here)
        logits = architecture.logits(weights, slot.head, trunk[rows], condition)
        logs = log_probabilities(logits, masks[rows, MASK_PLACES[slot.name]])
        chosen = logs.gather(1, own[:, COLUMN[slot.name], None])[:, 0]
        log_probability = log_probability.index_add(0, rows, chosen)
        entropy = entropy - (logs.exp() * logs).sum() / len(trunk)
    return log_probability, architecture.value(weights, trunk), entropy


def values_of(architecture: Architecture, weights: Tensors, seen: Tensors) -> torch.Tensor:
    """(K,) normalised values, without gradients."""
    found = []
    with torch.no_grad():
        for k in range(0, len(seen["tiles"]), _PART):
            part = {name: array[k : k + _PART] for name, array in seen.items()}
            found.append(architecture.value(weights, architecture.trunk(weights, part)))
    return torch.cat(found)
