"""The record of one game: every field with its shape and unit.

Letters: P players (seats 0..3, absent seats stay zero), R resources, C card kinds,
V vertices, E edges, H hexes, B harbors. A set of vertices is one int64 (vertex v is
bit v); a set of edges is two words of 36 bits (`topology.EDGES_PER_WORD`).
"""

from typing import Annotated, Any, Final, TypeAlias

import numba
import numpy as np
from numba import types

from catan_pz.kernels.rule import rule
from catan_pz.rules import COLUMNS, NUM_OBSERVED
from catan_pz.terms import (
    DECK_SIZE,
    MAX_PLAYERS,
    NUM_CARD_KINDS,
    NUM_EDGES,
    NUM_HARBORS,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
)

LEGAL_WORDS: Final = 7
ACTIONS_PER_WORD: Final = 56
"""The set of legal actions is 7 int64 words: action a is bit a % 56 of word a // 56."""

SETTLEMENT_OF: Final = 1
CITY_OF: Final = 1 + MAX_PLAYERS
ROAD_OF: Final = 1
"""The code of a piece on a vertex or an edge is one of these plus the seat of its owner."""

RECENT_ROLLS: Final = 5
MOST_SEVENS: Final = 127
"""Dice with memory: the number of sums remembered, and the limit of their count of sevens."""

_P, _R, _C = MAX_PLAYERS, NUM_RESOURCES, NUM_CARD_KINDS

_STORED: list[tuple[Any, ...]] = [
    # Chance.
    ("rng", "u8"),  # state of the random generator
    ("dice_left", "i8"),  # balanced dice: set of the 36 rolls not yet drawn
    ("script_place", "i4"),  # scripted dice rolled so far
    # The memory of dice with memory.
    ("recent_sums", "i1", (RECENT_ROLLS,)),  # the last rolls, latest first; 0 before the first
    ("sevens", "i1", (_P,)),  # sevens of each player, at most MOST_SEVENS
    ("seven_run", "i1"),  # length of one player's run of sevens, at most MOST_SEVENS
    ("seven_roller", "i1"),  # that player
    ("outcome", "i1"),  # chance outcome named from outside, -1 for none
    # Rules of this game, and their part of observations.
    *((column.name, column.dtype) for column in COLUMNS),
    ("observed_rules", "i1", (NUM_OBSERVED,)),
    # Board.
    ("terrain", "i1", (NUM_HEXES,)),  # (H,) Terrain
    ("token", "i1", (NUM_HEXES,)),  # (H,) number token, 0 on the desert
    ("harbor", "i1", (NUM_HARBORS,)),  # (B,) Resource, or GENERIC_HARBOR
    ("robber", "i1"),  # hex
    # Course of the game.
    ("phase", "i1"),  # Phase
    ("turn", "i4"),  # turns ended
    ("turn_player", "i1"),
    ("player", "i1"),  # player to move
    ("rolled", "i1"),  # whether the dice were rolled this turn
    ("card_played", "i1"),  # whether a development card was played this turn
    ("dice", "i1", (2,)),  # last roll, zeros before the first
    ("free_roads", "i1"),  # roads of a road building card still to be placed
    ("to_discard", "i1", (_P,)),  # cards that each still has to discard
    ("winner", "i1"),  # seat, or NOBODY
    # Cards.
    ("bank", "i1", (_R,)),
    ("hand", "i1", (_P, _R)),
    ("deck", "i1", (DECK_SIZE,)),  # Card; the last `deck_left` are still to be drawn, in order
    ("deck_left", "i1"),
    ("cards", "i1", (_P, _C)),  # development cards held, new ones included
    ("new_cards", "i1", (_C,)),  # bought this turn by the player in turn
    ("played", "i1", (_P, _C)),
    # Pieces.
    ("roads", "i8", (_P, 2)),  # set of edges
    ("settlements", "i8", (_P,)),  # set of vertices
    ("cities", "i8", (_P,)),  # set of vertices
    ("longest_road_owner", "i1"),  # seat, or NOBODY
    ("largest_army_owner", "i1"),  # seat, or NOBODY
    # Trade between players.
    ("offers_made", "i1"),  # this turn
    ("offer_give", "i1", (_P, _R)),  # what its maker gives; one offer or counter-offer a seat
    ("offer_get", "i1", (_P, _R)),
    ("answer", "i1", (_P,)),  # each seat's answer to the offer of the player in turn
    # What observer o knows about the hand of p: it holds at least hand - below and at
    # most hand + above. Kept as distances from the truth, they don't change when
    # cards come and go in public.
    ("below", "i1", (_P, _P, _R)),
    ("above", "i1", (_P, _P, _R)),
]

_DERIVED: list[tuple[Any, ...]] = [
    # Fields derived from those above and kept up to date; see `derive`.
    ("hand_size", "i1", (_P,)),
    ("points", "i1", (_P,)),
    ("visible_points", "i1", (_P,)),  # without victory point cards
    ("road_length", "i1", (_P,)),  # longest continuous road
    ("pips", "i1", (_P, _R)),  # average yield of 36 rolls in cards, without the robber's hex
    ("rate", "i1", (_P, _R)),  # cards given for one in maritime trade
    ("token_hexes", "i1", (13, 2)),  # hexes of each number, -1 for none
    ("on_vertex", "i1", (NUM_VERTICES,)),  # (V,) 0, SETTLEMENT_OF + seat, or CITY_OF + seat
    ("on_edge", "i1", (NUM_EDGES,)),  # (E,) 0, or ROAD_OF + seat
    ("crowded", "i8"),  # set of vertices that the distance rule bars
    ("road_ends", "i8", (_P,)),  # set of vertices that its roads touch
    ("reach", "i8", (_P, 2)),  # set of edges that touch its network
    ("legal", "i8", (LEGAL_WORDS,)),  # set of legal actions of the player to move
]


def _packed(fields: list[tuple[Any, ...]]) -> np.dtype:
    """An aligned record, large items first: it has no padding, whose bytes would be undefined."""
    ordered = sorted(fields, key=lambda field: -np.dtype(field[1]).itemsize)
    rest = -np.dtype(ordered).itemsize % 8
    return np.dtype([*ordered, ("padding", "i1", (rest,))] if rest else ordered, align=True)


STATE: Final = _packed(_STORED + _DERIVED)
"""One game, full information."""

State: TypeAlias = Annotated[Any, numba.from_dtype(STATE)]
"""A game as a parameter of rules."""

States: TypeAlias = Annotated[Any, types.Array(numba.from_dtype(STATE), 1, "C")]
"""An array of games as a parameter of entry points."""

DERIVED: Final = tuple(name for name, *_ in _DERIVED)
"""Fields derived from the others."""


def as_games(array: np.ndarray) -> np.ndarray:
    """An array of `STATE` for entry points; in plain Python its fields are attributes."""
    return array.view(np.recarray) if numba.config.DISABLE_JIT else array


@rule
def seat_after(s: State, p: int, k: int) -> int:
    """The seat k places clockwise from p; k is less than the number of players."""
    q = p + k
    n = int(s.num_players)
    return q - n if q >= n else q


@rule
def places_from(s: State, viewer: int, p: int) -> int:
    """The number of places clockwise from the viewer to p."""
    k = p - viewer
    return k + int(s.num_players) if k < 0 else k
