"""Compiled players: rules from what one seat sees to one of its legal actions.

Each takes the observation (N,) in natural units, the mask (A,) and one random number of 64
bits, where all chance in the choice comes from.
"""

from catan_pz.engine import chance
from catan_pz.engine.rule import rule


@rule
def random_action(obs, mask, draw):
    """A legal action, each equally likely; -1 where there is none."""
    legal = 0
    for a in range(mask.shape[0]):
        legal += mask[a]
    if legal == 0:
        return -1
    left = chance.number_below(draw, legal)
    for a in range(mask.shape[0]):
        if mask[a] != 0:
            if left == 0:
                return a
            left -= 1
    return -1
