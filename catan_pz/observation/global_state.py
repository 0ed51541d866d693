"""The full-information vector of a game, for centralised critics: `env.state()`.

It is seat 0's observation followed by all that players hide from each other and by what
nobody knows. Seats are absolute here. It must never reach an agent that plays.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.engine.state import STATE
from catan_pz.observation.segments import MANY_OF_A_RESOURCE, MANY_POINTS, SIZE, Segment
from catan_pz.terms import (
    DECK_COUNTS,
    DECK_SIZE,
    MAX_PLAYERS,
    NUM_CARD_KINDS,
    NUM_RESOURCES,
    Phase,
)

_P, _R, _C = MAX_PLAYERS, NUM_RESOURCES, NUM_CARD_KINDS
_NUM_THROWS = 36

HIDDEN_SEGMENTS: Final = (
    Segment("all_hands", (_P, _R), MANY_OF_A_RESOURCE, "(P, R) resource cards in hand"),
    Segment("all_cards", (_P, _C), DECK_COUNTS, "(P, C) development cards held, new ones included"),
    Segment("new_cards", (_C,), DECK_COUNTS, "(C) bought this turn by the player in turn"),
    Segment("all_points", (_P,), MANY_POINTS, "(P) points, hidden ones included"),
    Segment("deck", (DECK_SIZE, _C), 1, "(place, C) one-hot, next card first; zeros where drawn"),
    Segment("offers_give", (_P, _R), 4, "(P, R) as offer_give, while composing too"),
    Segment("offers_get", (_P, _R), 4, "(P, R) as offer_get, while composing too"),
    Segment("throws_left", (_NUM_THROWS,), 1, "(throw) balanced dice: 1 for each not yet drawn"),
)
"""What follows seat 0's observation, in order."""

GLOBAL_SIZE: Final = SIZE + sum(segment.size for segment in HIDDEN_SEGMENTS)
"""M, numbers in the vector."""


def _places() -> dict[str, slice]:
    places, start = {}, SIZE
    for segment in HIDDEN_SEGMENTS:
        places[segment.name] = slice(start, start + segment.size)
        start += segment.size
    return places


GLOBAL_PLACES: Final = _places()
"""Where each hidden segment lies in the vector."""

_SCALES: Final = np.concatenate(
    [
        np.broadcast_to(1 / np.array(segment.most, np.float32), segment.shape).ravel()
        for segment in HIDDEN_SEGMENTS
    ]
).astype(np.float32)


def _deck(state: np.ndarray) -> NDArray[np.int8]:
    places = np.zeros((DECK_SIZE, _C), np.int8)
    left = int(state["deck_left"])
    places[np.arange(left), state["deck"][DECK_SIZE - left :]] = 1
    return places


def _offers(state: np.ndarray, side: str) -> NDArray[np.int8]:
    on_table = state["phase"] in (Phase.COMPOSE, Phase.ANSWER, Phase.CLOSE)
    return np.array(state[side]) * np.int8(on_table)


def _throws(state: np.ndarray) -> NDArray[np.int8]:
    left = int(state["dice_left"]) if state["balanced_dice"] else 0
    return np.array([left >> k & 1 for k in range(_NUM_THROWS)], np.int8)


def global_vector(state: np.ndarray, observation: NDArray[np.float32]) -> NDArray[np.float32]:
    """The full-information vector.

    Args:
        state: record of the game, a scalar of `engine.state.STATE`.
        observation: (N,) float32, what seat 0 sees, scaled.

    Returns:
        (M,) float32 in [0, 1].
    """
    if state.dtype.names != STATE.names:
        raise ValueError(f"state must be a record of STATE, not {state.dtype}")
    parts = (
        state["hand"],
        state["cards"],
        state["new_cards"],
        state["points"],
        _deck(state),
        _offers(state, "offer_give"),
        _offers(state, "offer_get"),
        _throws(state),
    )
    hidden = np.concatenate([np.asarray(part).ravel() for part in parts]) * _SCALES
    return np.concatenate([observation, np.minimum(hidden, np.float32(1))])
