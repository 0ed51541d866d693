"""The start of a game: board, bank, deck, and who goes first."""

from typing import NamedTuple

import numpy as np

from catan_pz.actions import BUILD_SETTLEMENT
from catan_pz.engine.chance import (
    ALL_ROLLS,
    draw_below,
    draw_layout,
    scramble,
    shuffle_board,
    shuffle_deck,
)
from catan_pz.engine.derive import BANK_RATE, derive_token_hexes
from catan_pz.engine.legal import allow
from catan_pz.engine.setup_phase import setup_settlement_spots
from catan_pz.engine.state import State, States
from catan_pz.kernels.rule import rule
from catan_pz.kernels.types import Int8Matrix
from catan_pz.terms import BANK_PER_RESOURCE, NOBODY, NUM_HEXES, NUM_RESOURCES, Phase, Terrain


class Deal(NamedTuple):
    """From what games of the same rules start.

    Attributes:
        blank: (1,) a record that holds the rules and is zero elsewhere.
        layouts: (N, 47) boards to draw from; N is 0 where each game shuffles its own.
        spiral, no_adjacent_red, random_first: 0 or 1.
    """

    blank: States
    layouts: Int8Matrix
    spiral: int
    no_adjacent_red: int
    random_first: int


@rule
def deal_board(s: State, how: Deal) -> None:
    """Lay a board, drawn from fixed ones or shuffled; the robber starts on the desert."""
    if how.layouts.shape[0] > 0:
        draw_layout(s, how.layouts)
    else:
        shuffle_board(s, how.spiral, how.no_adjacent_red)
    for h in range(NUM_HEXES):
        if s.terrain[h] == Terrain.DESERT:
            s.robber = h


@rule
def deal(games: States, i: int, seed: np.uint64, how: Deal) -> None:
    """Start game i."""
    games[i] = how.blank[0]
    s = games[i]
    s.rng = scramble(seed)
    s.outcome = -1
    s.dice_left = ALL_ROLLS
    deal_board(s, how)
    shuffle_deck(s)
    for r in range(NUM_RESOURCES):
        s.bank[r] = BANK_PER_RESOURCE
    s.longest_road_owner = NOBODY
    s.largest_army_owner = NOBODY
    s.winner = NOBODY
    if how.random_first:
        s.turn_player = draw_below(s, int(s.num_players))
    s.player = s.turn_player
    s.phase = Phase.SETUP_SETTLEMENT
    derive_token_hexes(s)
    for p in range(s.num_players):
        for r in range(NUM_RESOURCES):
            s.rate[p, r] = BANK_RATE
    allow(s, BUILD_SETTLEMENT, setup_settlement_spots(s))
