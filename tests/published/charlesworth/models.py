"""Models with random weights."""

from functools import cache

import numpy as np

from catan_pz import encoders
from catan_pz.published.charlesworth.model import ENCODERS, CharlesworthModel
from catan_pz.published.charlesworth.networks import CharlesworthNetwork
from catan_pz.rules import Rules

RULES = Rules.preset("charlesworth")


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
