"""A policy that draws every choice uniformly, and joint actions listed one by one."""

import numpy as np

from catan_pz.published.charlesworth.choices import (
    MASK_PLACES,
    MASK_SIZE,
    NUM_SLOTS,
    SLOTS,
    Situations,
    mask_of,
    needed,
)
from catan_pz.published.charlesworth.games import Policy
from catan_pz.published.factored import UNUSED


class Uniform:
    """Stands in for a network: all logits and values are zero."""

    def trunk(self, weights, seen):
        return np.zeros((len(seen["hand"]), 1), np.float32)

    def logits(self, weights, head, trunk, condition):
        size = next(slot.size for slot in SLOTS if slot.head == head)
        return np.zeros((len(trunk), size), np.float32)

    def value(self, weights, trunk):
        return np.zeros(len(trunk))


def joint_actions(units, mask):
    """All joint actions of a decision with the masks of their slots: (K, S) and (K, M)."""
    found = Situations.of(units[None], mask[None])
    rows = np.full((1, NUM_SLOTS), UNUSED, np.int8)
    masks = np.zeros((1, MASK_SIZE), bool)
    for k, slot in enumerate(SLOTS):
        here = np.flatnonzero(needed(slot.name, rows))
        if not len(here):
            continue
        allowed = mask_of(slot.name, found[np.zeros(len(here), int)], rows[here])
        masks[here, MASK_PLACES[slot.name]] = allowed
        grown = [(row, one, UNUSED) for row, one in zip(rows, masks, strict=True)]
        for i, row in zip(here, allowed, strict=True):
            grown[i] = [(rows[i], masks[i], choice) for choice in np.flatnonzero(row)]
        flat = [entry for one in grown for entry in (one if isinstance(one, list) else [one])]
        rows = np.array([row for row, _, _ in flat])
        masks = np.array([one for _, one, _ in flat])
        rows[:, k] = [choice for _, _, choice in flat]
    return rows, masks


class NoEncoder:
    """Gives what heads take beside the trunk, and nothing else."""

    def encode(self, units):
        return {"hand": np.zeros((len(units), 6)), "offer": np.zeros((len(units), 12))}


def uniform_policy():
    """A policy that draws every choice uniformly, with values of zero."""
    return Policy(Uniform(), {"none": np.zeros(1)}, NoEncoder())
