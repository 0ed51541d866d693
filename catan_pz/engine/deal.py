"""The start of a game according to its rules: board, bank, deck and first player."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import BUILD_SETTLEMENT
from catan_pz.board.generators import fixed_layouts
from catan_pz.checks import check_seed
from catan_pz.engine.chance import (
    ALL_ROLLS,
    CARDS,
    draw_below,
    draw_layout,
    scramble,
    shuffle_all,
    shuffle_board,
)
from catan_pz.engine.derive import BANK_RATE, derive_token_hexes
from catan_pz.engine.legal import allow
from catan_pz.engine.setup_phase import setup_settlement_spots
from catan_pz.engine.state import STATE, State, States, as_games
from catan_pz.kernels.rule import entry, rule
from catan_pz.kernels.types import Int8Matrix
from catan_pz.rules import Board, Rules
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    DECK_SIZE,
    NOBODY,
    NUM_HEXES,
    NUM_RESOURCES,
    Phase,
    Terrain,
)

NO_SCRIPT: Final = np.zeros((0, 2), np.int8)

_PARTS: Final = ("terrain", "token", "harbor")
"""Entries of a record that hold its board, in the order of a board laid flat."""


class Deal(NamedTuple):
    """The starting data of games with the same rules.

    Attributes:
        blank: (1,) a record with the rules set and zeros elsewhere.
        layouts: (N, 47) boards to draw from; N is 0 if each game shuffles its own.
        spiral, no_adjacent_red, random_first: 0 or 1.
    """

    blank: States
    layouts: Int8Matrix
    spiral: int
    no_adjacent_red: int
    random_first: int


@rule
def deal_board(s: State, how: Deal) -> None:
    """Lay a board, drawn from fixed ones or shuffled, with the robber on the desert."""
    if how.layouts.shape[0] > 0:
        draw_layout(s, how.layouts)
    else:
        shuffle_board(s, how.spiral, how.no_adjacent_red)
    for h in range(NUM_HEXES):
        if s.terrain[h] == Terrain.DESERT:
            s.robber = h


@rule
def deal(games: States, i: int, seed: np.uint64, how: Deal) -> None:
    games[i] = how.blank[0]
    s = games[i]
    s.rng = scramble(seed)
    s.outcome = -1
    s.dice_left = ALL_ROLLS
    deal_board(s, how)
    shuffle_all(s, s.deck[:], CARDS)
    s.deck_left = DECK_SIZE
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


@entry
def _shuffle_seeded_board(games: States, i: int, seed: np.uint64, no_adjacent_red: int) -> None:
    s = games[i]
    s.rng = scramble(seed)
    shuffle_board(s, 0, no_adjacent_red)


def seeded_board(seed: int, *, no_adjacent_red: bool = False) -> Board:
    """The random board of a seed, from 0 to 2**64 - 1."""
    games = _seeded_boards([check_seed(seed)], no_adjacent_red=no_adjacent_red)
    return Board(*(games[part][0] for part in _PARTS))


def _seeded_boards(seeds: Sequence[int], *, no_adjacent_red: bool) -> States:
    """Records with only the random boards of seeds set."""
    games = as_games(np.zeros(len(seeds), STATE))
    for i, seed in enumerate(seeds):
        _shuffle_seeded_board(games, i, np.uint64(seed), int(no_adjacent_red))
    return games


@lru_cache(maxsize=64)
def deal_of(rules: Rules) -> Deal:
    """The `Deal` of some rules."""
    blank = np.zeros(1, STATE)
    for name, value in rules.columns().items():
        blank[name] = value
    blank["observed_rules"] = rules.observed()
    layouts = fixed_layouts(rules)
    if isinstance(rules.board, tuple):
        games = _seeded_boards(rules.board, no_adjacent_red=rules.no_adjacent_red)
        layouts = np.concatenate([games[part] for part in _PARTS], axis=1)
    return Deal(
        blank=as_games(blank),
        layouts=layouts,
        spiral=int(rules.board == "spiral"),
        no_adjacent_red=int(rules.no_adjacent_red),
        random_first=int(rules.first_player == "random"),
    )


@lru_cache(maxsize=64)
def script_of(rules: Rules) -> NDArray[np.int8]:
    """(K, 2) the rolls of scripted dice; K is 0 for other dice."""
    return np.array(rules.dice, np.int8) if isinstance(rules.dice, tuple) else NO_SCRIPT
