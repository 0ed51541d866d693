"""What the rules of a game put into its record, and the tables that play reads beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.board.generators import fixed_layouts
from catan_pz.checks import check_seed
from catan_pz.engine import chance
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


@dataclass(frozen=True, eq=False)
class Table:
    """What games of the same rules share.

    Attributes:
        blank: (1,) `STATE`, a record that holds the rules and is zero elsewhere.
        layouts: (N, 47) int8, boards to draw from; N is 0 where each game shuffles its own.
        script: (K, 2) int8, rolls of scripted dice.
        spiral, no_adjacent_red, random_first: 0 or 1.
    """

    blank: np.ndarray
    layouts: NDArray[np.int8]
    script: NDArray[np.int8]
    spiral: int
    no_adjacent_red: int
    random_first: int

    @property
    def deal_options(self) -> tuple[NDArray[np.int8], int, int, int]:
        """What a deal takes beside the record and the seed."""
        return self.layouts, self.spiral, self.no_adjacent_red, self.random_first


def seeded_board(seed: int, *, no_adjacent_red: bool = False) -> Board:
    """The random board of a seed, from 0 to 2**64 - 1.

    Raises:
        ValueError: for any other seed.
    """
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
    blank["num_players"] = rules.num_players
    blank["trading"] = rules.trading
    blank["counter_offers"] = rules.counter_offers
    blank["offer_templates"] = rules.offer_form != "composed"
    blank["offer_composed"] = rules.offer_form != "templates"
    blank["max_offers"] = rules.max_offers_per_turn
    blank["victory_points"] = rules.victory_points
    blank["discard_limit"] = rules.discard_limit
    blank["friendly_robber"] = rules.friendly_robber
    blank["balanced_dice"] = rules.dice == "balanced"
    blank["skip_forced"] = rules.skip_forced
    blank["max_turns"] = rules.max_turns or 0
    return blank


@lru_cache(maxsize=64)
def table_of(rules: Rules) -> Table:
    """The tables of some rules."""
    layouts = fixed_layouts(rules)
    if isinstance(rules.board, tuple):
        games = _seeded_boards(rules.board, no_adjacent_red=rules.no_adjacent_red)
        layouts = np.concatenate([games[part] for part in _PARTS], axis=1)
    script = np.array(rules.dice, np.int8) if isinstance(rules.dice, tuple) else NO_SCRIPT
    return Table(
        blank=_blank(rules),
        layouts=layouts,
        script=script,
        spiral=int(rules.board == "spiral"),
        no_adjacent_red=int(rules.no_adjacent_red),
        random_first=int(rules.first_player == "random"),
    )
