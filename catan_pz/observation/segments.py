"""The segments of an observation: what each part of the vector means.

One int8 vector in natural units, relative to the viewer (seat 0 is the viewer, then
clockwise) and laid out for four seats; absent seats are zero. Letters: H hexes,
V vertices, E edges, B harbors, P seats, R resources, C development card kinds.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.rules import NUM_OBSERVED, OBSERVED
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    DECK_COUNTS,
    DECK_SIZE,
    HARBOR_COUNTS,
    MAX_PLAYERS,
    NUM_CARD_KINDS,
    NUM_EDGES,
    NUM_HARBORS,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    TERRAIN_COUNTS,
    Phase,
)


@dataclass(frozen=True)
class UnitSegment:
    """A named part of the observation.

    Attributes:
        name: the key in dict observations.
        shape: its shape.
        most: the natural value (or values, along the last axis) scaled to 1; larger
            values also give 1.
        meaning: axes, unit and meaning, for the documentation.
    """

    name: str
    shape: tuple[int, ...]
    most: int | tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """The number of its values."""
        return prod(self.shape)


_H, _V, _E, _B = NUM_HEXES, NUM_VERTICES, NUM_EDGES, NUM_HARBORS
_P, _R, _C = MAX_PLAYERS, NUM_RESOURCES, NUM_CARD_KINDS

WAYS_TO_ROLL: Final = (1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1)
"""The number of the 36 rolls of two dice that make each sum from 2 to 12."""

MANY_OF_A_RESOURCE: Final = 10
MANY_CARDS: Final = 20
MANY_PIPS: Final = 30
MANY_POINTS: Final = 22
MANY_TURNS: Final = 127

SEGMENTS: Final = (
    UnitSegment("hex_terrain", (_H, len(TERRAIN_COUNTS)), 1, "(H, terrain) one-hot"),
    UnitSegment("hex_number_token", (_H,), 12, "(H) number token, 0 on the desert"),
    UnitSegment("hex_pips", (_H,), 5, "(H) ways out of 36 to roll the number"),
    UnitSegment(
        "harbor", (_B, len(HARBOR_COUNTS)), 1, "(B, kind) one-hot: 2:1 by resource, then 3:1"
    ),
    UnitSegment("hex_robber", (_H,), 1, "(H) 1 where the robber stands"),
    UnitSegment("vertex_building", (_V, _P), 2, "(V, P) 1 settlement, 2 city"),
    UnitSegment("edge_road", (_E, _P), 1, "(E, P) 1 road"),
    UnitSegment("own_hand", (_R,), MANY_OF_A_RESOURCE, "(R) cards in hand"),
    UnitSegment("own_cards", (_C,), DECK_COUNTS, "(C) development cards held, new ones included"),
    UnitSegment("own_new_cards", (_C,), DECK_COUNTS, "(C) of these, bought this turn"),
    UnitSegment("own_points", (1,), MANY_POINTS, "points, hidden ones included"),
    UnitSegment("points_to_win", (1,), MANY_POINTS, "points that win the game"),
    UnitSegment("discard_limit", (1,), MANY_CARDS, "cards in hand above which a 7 costs half"),
    UnitSegment("present", (_P,), 1, "(P) 1 for each seat that plays"),
    UnitSegment("visible_points", (_P,), MANY_POINTS, "(P) points without victory point cards"),
    UnitSegment("hand_size", (_P,), MANY_CARDS, "(P) resource cards in hand"),
    UnitSegment("hand_min", (_P, _R), MANY_OF_A_RESOURCE, "(P, R) fewest cards that each can hold"),
    UnitSegment("hand_max", (_P, _R), MANY_OF_A_RESOURCE, "(P, R) most cards that each can hold"),
    UnitSegment("card_count", (_P,), 10, "(P) development cards held"),
    UnitSegment("cards_played", (_P, _C), DECK_COUNTS, "(P, C) development cards played"),
    UnitSegment("road_length", (_P,), 15, "(P) roads in the longest continuous road"),
    UnitSegment("longest_road", (_P,), 1, "(P) 1 for the holder"),
    UnitSegment("largest_army", (_P,), 1, "(P) 1 for the holder"),
    UnitSegment("pieces_left", (_P, 3), (15, 5, 4), "(P, 3) roads, settlements, cities not built"),
    UnitSegment("trade_rate", (_P, _R), 4, "(P, R) cards given for one in maritime trade"),
    UnitSegment(
        "production", (_P, _R), MANY_PIPS, "(P, R) pips of own hexes, cities twice, robber out"
    ),
    UnitSegment("bank", (_R,), BANK_PER_RESOURCE, "(R) cards in the bank"),
    UnitSegment("deck_left", (1,), DECK_SIZE, "development cards left to buy"),
    UnitSegment("phase", (len(Phase),), 1, "(phase) one-hot"),
    UnitSegment("turn_player", (_P,), 1, "(P) one-hot: whose turn it is"),
    UnitSegment("player_to_move", (_P,), 1, "(P) one-hot: who decides"),
    UnitSegment("dice", (2,), 6, "the last roll, zeros before the first"),
    UnitSegment(
        "rolls_left", (11,), WAYS_TO_ROLL, "(2 to 12) rolls of each sum left to balanced dice"
    ),
    UnitSegment("rolled", (1,), 1, "1 after the roll of this turn"),
    UnitSegment("card_played", (1,), 1, "1 after a development card was played this turn"),
    UnitSegment("free_roads", (1,), 2, "roads of a road building card still to be placed"),
    UnitSegment("to_discard", (_P,), 10, "(P) cards still to be discarded"),
    UnitSegment("offers_left", (1,), 10, "offers that the player in turn may still begin"),
    UnitSegment(
        "offer_give", (_P, _R), 4, "(P, R) what each maker of an offer or counter-offer gives"
    ),
    UnitSegment(
        "offer_get", (_P, _R), 4, "(P, R) what each maker of an offer or counter-offer gets"
    ),
    UnitSegment(
        "answer",
        (_P, 4),
        1,
        "(P, answer) one-hot while an offer is out: none, accepted, rejected, countered",
    ),
    UnitSegment("turns_ended", (1,), MANY_TURNS, "turns ended, at most 127"),
    UnitSegment("turns_left", (1,), MANY_TURNS, "turns until the game is truncated, at most 127"),
    UnitSegment(
        "cards_bought", (1,), 5, "development cards bought this turn by the player in turn"
    ),
    UnitSegment(
        "rules_in_force",
        (NUM_OBSERVED,),
        1,
        f"(rule) 1 for each of: {', '.join(one.observed for one in OBSERVED)}; the rest is spare",
    ),
    UnitSegment("offers_a_turn", (1,), 10, "offers that a player may begin in a turn"),
)
"""All segments, in order."""

SIZE: Final = sum(segment.size for segment in SEGMENTS)
"""N, the size of an observation."""


LAYOUT: Final = hashlib.sha256(
    json.dumps([(s.name, s.shape, s.most) for s in SEGMENTS]).encode()
).hexdigest()[:16]
"""Identifies the layout; models for another layout are incompatible."""


def places_of(segments: Iterable[UnitSegment], start: int = 0) -> dict[str, slice]:
    """The slice of each segment in a vector that holds them from `start` on."""
    places = {}
    for segment in segments:
        places[segment.name] = slice(start, start + segment.size)
        start += segment.size
    return places


def scales_of(segments: Iterable[UnitSegment]) -> NDArray[np.float32]:
    """The scales of all numbers of some segments, in order; read-only."""
    parts = [
        np.broadcast_to(1 / np.array(segment.most, np.float32), segment.shape).ravel()
        for segment in segments
    ]
    scales = np.concatenate(parts).astype(np.float32)
    scales.flags.writeable = False
    return scales


PLACES: Final = places_of(SEGMENTS)
"""The slice of each segment in the vector."""

_NAMED_PLACES: Final = [(segment.name, PLACES[segment.name], segment.shape) for segment in SEGMENTS]

SCALES: Final = scales_of(SEGMENTS)
"""(N,) float32: natural values times these, capped at 1, give flat observations."""


def named_views(vector: np.ndarray) -> dict[str, np.ndarray]:
    """Segments of observations (..., N) as named, shaped views of the same memory."""
    first = vector.shape[:-1]
    return {name: vector[..., place].reshape(first + shape) for name, place, shape in _NAMED_PLACES}


def markdown_table() -> str:
    """The table of segments for the documentation."""
    rows = ["| from | to | segment | shape | scale | meaning |", "|---|---|---|---|---|---|"]
    for segment in SEGMENTS:
        place = PLACES[segment.name]
        shape = " x ".join(str(n) for n in segment.shape)
        most = segment.most if isinstance(segment.most, int) else ", ".join(map(str, segment.most))
        rows.append(
            f"| {place.start} | {place.stop - 1} | `{segment.name}` | {shape} | 1/({most}) | "
            f"{segment.meaning} |".replace("1/(1)", "1")
        )
    return "\n".join(rows) + "\n"
