"""Models with random weights, a policy that draws uniformly, and joint actions one by one."""

from functools import cache

import numpy as np

from catan_pz import encoders
from catan_pz.published.charlesworth.agent import ENCODERS, CharlesworthModel
from catan_pz.published.charlesworth.choices import (
    HEADS,
    MASK_PLACES,
    MASK_SIZE,
    NUM_SLOTS,
    SLOTS,
    Situations,
    mask_of,
    needed,
)
from catan_pz.published.charlesworth.games import Policy
from catan_pz.published.charlesworth.networks import CharlesworthNetwork
from catan_pz.published.factored import UNUSED
from catan_pz.rules import Rules

RULES = Rules.preset("charlesworth")
BOARD = Rules.make("charlesworth", board="beginner", no_adjacent_red=False)


@cache
def _weights(additions, seed):
    return CharlesworthNetwork("small", additions).initial(np.random.default_rng(seed))


def made(encoder="charlesworth", seed=1, **options):
    """A small one; kinds are drawn nearly uniformly, as at the start of a training."""
    architecture = CharlesworthNetwork("small", ENCODERS[encoder])
    weights = _weights(architecture.additions, seed)
    return CharlesworthModel(
        architecture, weights, RULES, encoder=encoders.load(encoder), **options
    )


class Uniform:
    """Stands in for a network: all logits and values are zero."""

    def trunk(self, weights, seen):
        return np.zeros((len(seen["hand"]), 1), np.float32)

    def logits(self, weights, head, trunk, condition):
        return np.zeros((len(trunk), HEADS[head]), np.float32)

    def value(self, weights, trunk):
        return np.zeros(len(trunk))


class NoEncoder:
    """Returns only the heads' inputs besides the trunk."""

    def encode(self, units):
        return {"hand": np.zeros((len(units), 6)), "offer": np.zeros((len(units), 12))}


UNIFORM = Policy(Uniform(), {"none": np.zeros(1)}, NoEncoder())
"""Draws every choice uniformly, with values of zero."""


def joint_actions(units, mask):
    """All joint actions of a decision with the masks of their slots: (K, S) and (K, M)."""
    found = Situations.of(units[None], mask[None])
    rows = np.full((1, NUM_SLOTS), UNUSED, np.int8)
    masks = np.zeros((1, MASK_SIZE), bool)
    for k, slot in enumerate(SLOTS):
        here = np.flatnonzero(needed(slot.name, rows))
        if not len(here):
            continue
        allowed = mask_of(slot.name, found.at(np.zeros(len(here), int)), rows[here])
        masks[here, MASK_PLACES[slot.name]] = allowed
        options = np.zeros((len(rows), slot.size + 1), bool)
        options[:, -1] = True
        options[here] = np.pad(allowed, ((0, 0), (0, 1)))
        of, chosen = np.nonzero(options)
        rows, masks = rows[of], masks[of]
        rows[:, k] = np.where(chosen == slot.size, UNUSED, chosen)
    return rows, masks
