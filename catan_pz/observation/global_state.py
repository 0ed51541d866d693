"""The full-information vector of a game, for centralised critics; never for a playing agent.

It is seat 0's observation followed by all hidden information. Seats are absolute here.
"""

from typing import Final

import numpy as np

from catan_pz.engine.state import State
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float32Array, Int8Array
from catan_pz.observation.encode import clear, observe
from catan_pz.observation.segments import (
    MANY_OF_A_RESOURCE,
    MANY_POINTS,
    SCALES,
    SIZE,
    UnitSegment,
    places_of,
    scales_of,
)
from catan_pz.terms import (
    DECK_COUNTS,
    DECK_SIZE,
    MAX_PLAYERS,
    NUM_CARD_KINDS,
    NUM_RESOURCES,
    Phase,
)

_P, _R, _C = MAX_PLAYERS, NUM_RESOURCES, NUM_CARD_KINDS

NUM_ROLLS: Final = 36
"""Rolls of two dice."""

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
"""The segments after seat 0's observation, in order."""

GLOBAL_SIZE: Final = SIZE + sum(segment.size for segment in HIDDEN_SEGMENTS)
"""M, the size of the vector."""

GLOBAL_PLACES: Final = places_of(HIDDEN_SEGMENTS, SIZE)
"""The slice of each hidden segment in the vector."""

GLOBAL_SCALES: Final = np.concatenate([SCALES, scales_of(HIDDEN_SEGMENTS)])
"""(M,) float32: natural values times these, capped at 1, give `env.state()`."""
GLOBAL_SCALES.flags.writeable = False

ALL_HANDS = GLOBAL_PLACES["all_hands"].start
ALL_CARDS = GLOBAL_PLACES["all_cards"].start
NEW_CARDS = GLOBAL_PLACES["new_cards"].start
ALL_POINTS = GLOBAL_PLACES["all_points"].start
DECK = GLOBAL_PLACES["deck"].start
OFFERS_GIVE = GLOBAL_PLACES["offers_give"].start
OFFERS_GET = GLOBAL_PLACES["offers_get"].start
ROLLS_LEFT = GLOBAL_PLACES["rolls_left"].start


@kernel
def write_hidden_cards(s: State, vector: Int8Array) -> None:
    """Write hands, development cards, points and the deck in order."""
    for p in range(MAX_PLAYERS):
        for r in range(NUM_RESOURCES):
            vector[ALL_HANDS + NUM_RESOURCES * p + r] = s.hand[p, r]
        for card in range(NUM_CARD_KINDS):
            vector[ALL_CARDS + NUM_CARD_KINDS * p + card] = s.cards[p, card]
        vector[ALL_POINTS + p] = s.points[p]
    for card in range(NUM_CARD_KINDS):
        vector[NEW_CARDS + card] = s.new_cards[card]
    left = int(s.deck_left)
    for k in range(left):
        vector[DECK + NUM_CARD_KINDS * k + int(s.deck[DECK_SIZE - left + k])] = 1


@kernel
def write_hidden_course(s: State, vector: Int8Array) -> None:
    """Write offers, those being composed included, and the balanced dice left."""
    if s.phase in (Phase.COMPOSE, Phase.ANSWER, Phase.CLOSE):
        for p in range(MAX_PLAYERS):
            for r in range(NUM_RESOURCES):
                vector[OFFERS_GIVE + NUM_RESOURCES * p + r] = s.offer_give[p, r]
                vector[OFFERS_GET + NUM_RESOURCES * p + r] = s.offer_get[p, r]
    if s.balanced_dice:
        for roll in range(NUM_ROLLS):
            vector[ROLLS_LEFT + roll] = (int(s.dice_left) >> roll) & 1


@kernel
def observe_all(s: State, vector: Int8Array) -> None:
    """Write the full state of a game as M numbers in natural units."""
    observe(s, 0, vector)
    clear(vector, SIZE, GLOBAL_SIZE)
    write_hidden_cards(s, vector)
    write_hidden_course(s, vector)


@kernel
def scale_all(vector: Int8Array, scaled: Float32Array) -> None:
    """Scale M numbers in natural units to [0, 1]."""
    for k in range(GLOBAL_SIZE):
        scaled[k] = min(vector[k] * GLOBAL_SCALES[k], np.float32(1))
