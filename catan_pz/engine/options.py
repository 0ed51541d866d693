"""What the rules of a game put into its record, and what a deal and play read beside it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.board.generators import fixed_layouts
from catan_pz.checks import check_seed
from catan_pz.engine import chance
from catan_pz.engine.deal import Deal
from catan_pz.engine.state import STATE, States, as_games
from catan_pz.kernels.rule import entry
from catan_pz.rules import Board, Rules

NO_SCRIPT: Final = np.zeros((0, 2), np.int8)

_PARTS: Final = ("terrain", "token", "harbor")
"""Entries of a record that hold its board, in the order of a board laid flat."""


@entry
def _shuffle_seeded_board(games: States, i: int, seed: np.uint64, no_adjacent_red: int) -> None:
    s = games[i]
    s.rng = chance.scramble(seed)
    chance.shuffle_board(s, 0, no_adjacent_red)


def seeded_board(seed: int, *, no_adjacent_red: bool = False) -> Board:
    """The random board of a seed, from 0 to 2**64 - 1."""
    games = _seeded_boards([check_seed(seed)], no_adjacent_red=no_adjacent_red)
    return Board(*(games[part][0] for part in _PARTS))


def _seeded_boards(seeds: Sequence[int], *, no_adjacent_red: bool) -> States:
    """Records that hold the random boards of seeds and nothing else."""
    games = as_games(np.zeros(len(seeds), STATE))
    for i, seed in enumerate(seeds):
        _shuffle_seeded_board(games, i, np.uint64(seed), int(no_adjacent_red))
    return games


def _blank(rules: Rules) -> np.ndarray:
    blank = np.zeros(1, STATE)
    for name, value in rules.columns().items():
        blank[name] = value
    blank["observed_rules"] = rules.observed()
    return blank


@lru_cache(maxsize=64)
def deal_of(rules: Rules) -> Deal:
    """From what games of some rules start."""
    layouts = fixed_layouts(rules)
    if isinstance(rules.board, tuple):
        games = _seeded_boards(rules.board, no_adjacent_red=rules.no_adjacent_red)
        layouts = np.concatenate([games[part] for part in _PARTS], axis=1)
    return Deal(
        blank=as_games(_blank(rules)),
        layouts=layouts,
        spiral=int(rules.board == "spiral"),
        no_adjacent_red=int(rules.no_adjacent_red),
        random_first=int(rules.first_player == "random"),
    )


@lru_cache(maxsize=64)
def script_of(rules: Rules) -> NDArray[np.int8]:
    """(K, 2) the rolls of scripted dice; K is 0 for others."""
    return np.array(rules.dice, np.int8) if isinstance(rules.dice, tuple) else NO_SCRIPT
