"""The full-information vector of a game, for centralised critics: what its parts mean.

It is seat 0's observation followed by all that players hide from each other and by what
nobody knows. Seats are absolute here. It must never reach an agent that plays.
"""

from typing import Final

import numpy as np

from catan_pz.observation.segments import (
    MANY_OF_A_RESOURCE,
    MANY_POINTS,
    SCALES,
    SIZE,
    UnitSegment,
    places_of,
    scales_of,
)
from catan_pz.terms import DECK_COUNTS, DECK_SIZE, MAX_PLAYERS, NUM_CARD_KINDS, NUM_RESOURCES

_P, _R, _C = MAX_PLAYERS, NUM_RESOURCES, NUM_CARD_KINDS

NUM_ROLLS: Final = 36
"""Ways in which two dice fall."""

HIDDEN_SEGMENTS: Final = (
    UnitSegment("all_hands", (_P, _R), MANY_OF_A_RESOURCE, "(P, R) resource cards in hand"),
    UnitSegment(
        "all_cards", (_P, _C), DECK_COUNTS, "(P, C) development cards held, new ones included"
    ),
    UnitSegment("new_cards", (_C,), DECK_COUNTS, "(C) bought this turn by the player in turn"),
    UnitSegment("all_points", (_P,), MANY_POINTS, "(P) points, hidden ones included"),
    UnitSegment(
        "deck", (DECK_SIZE, _C), 1, "(place, C) one-hot, next card first; zeros where drawn"
    ),
    UnitSegment("offers_give", (_P, _R), 4, "(P, R) as offer_give, while composing too"),
    UnitSegment("offers_get", (_P, _R), 4, "(P, R) as offer_get, while composing too"),
    UnitSegment("rolls_left", (NUM_ROLLS,), 1, "(roll) balanced dice: 1 for each not yet drawn"),
)
"""What follows seat 0's observation, in order."""

GLOBAL_SIZE: Final = SIZE + sum(segment.size for segment in HIDDEN_SEGMENTS)
"""M, numbers in the vector."""

GLOBAL_PLACES: Final = places_of(HIDDEN_SEGMENTS, SIZE)
"""Where each hidden segment lies in the vector."""

GLOBAL_SCALES: Final = np.concatenate([SCALES, scales_of(HIDDEN_SEGMENTS)])
"""(M,) float32: natural values times these, at most 1, are what `env.state()` gives."""
GLOBAL_SCALES.flags.writeable = False
