"""The boards of games, as flat arrays."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.rules import Board, Rules
from catan_pz.terms import GENERIC_HARBOR, NUM_HARBORS, NUM_HEXES, Resource, Terrain

LAYOUT_SIZE: Final = 2 * NUM_HEXES + NUM_HARBORS
"""Numbers in a flat board: 19 terrains, 19 tokens, 9 harbors."""

Layouts = NDArray[np.int8]


def _beginner_board() -> Board:
    hills, forest, pasture, fields, mountains, desert = Terrain
    brick, lumber, wool, grain, ore = Resource
    return Board(
        terrains=(
            *(mountains, pasture, forest),
            *(fields, hills, pasture, hills),
            *(fields, forest, desert, forest, mountains),
            *(forest, mountains, fields, pasture),
            *(hills, fields, pasture),
        ),
        tokens=(10, 2, 9, 12, 6, 4, 10, 9, 11, 0, 3, 8, 8, 3, 4, 5, 5, 6, 11),
        harbors=(
            *(GENERIC_HARBOR, wool, GENERIC_HARBOR, GENERIC_HARBOR, brick),
            *(lumber, GENERIC_HARBOR, grain, ore),
        ),
    )


BEGINNER_BOARD: Final = _beginner_board()
"""The rulebook's first-game board, with its first row of three hexes on top."""


def flat_layout(board: Board) -> Layouts:
    """A board as (47,) int8: terrains, tokens, harbors."""
    return np.array([*board.terrains, *board.tokens, *board.harbors], np.int8)


def fixed_layouts(rules: Rules) -> Layouts:
    """(N, 47) int8, the boards that games of these rules draw from; N is 0 for shuffled boards.

    Seeds are not resolved here: the engine shuffles.
    """
    if rules.board == "beginner":
        return flat_layout(BEGINNER_BOARD)[None]
    if isinstance(rules.board, Board):
        return flat_layout(rules.board)[None]
    return np.zeros((0, LAYOUT_SIZE), np.int8)
