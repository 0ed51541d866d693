"""Writes everything about a game into the vector of `global_state`, as compiled rules."""

import numpy as np

from catan_pz.engine.state import State
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float32Array, Int8Array
from catan_pz.observation.encode import observe
from catan_pz.observation.global_state import (
    GLOBAL_PLACES,
    GLOBAL_SCALES,
    GLOBAL_SIZE,
    NUM_ROLLS,
)
from catan_pz.terms import DECK_SIZE, MAX_PLAYERS, NUM_CARD_KINDS, NUM_RESOURCES, Phase

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
    """Hands, development cards, points and the deck in order."""
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
    """Offers, also those that are being composed, and the balanced dice that are left."""
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
    """Write everything about a game into M numbers of natural units."""
    observe(s, 0, vector)
    write_hidden_cards(s, vector)
    write_hidden_course(s, vector)


@kernel
def scale_all(vector: Int8Array, scaled: Float32Array) -> None:
    """Scale M numbers of natural units into [0, 1]."""
    for k in range(GLOBAL_SIZE):
        scaled[k] = min(vector[k] * GLOBAL_SCALES[k], np.float32(1))
