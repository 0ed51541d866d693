"""The rulebook's words and counts, and the one order in which each is numbered."""

from enum import IntEnum
from typing import Final

MAX_PLAYERS: Final = 4
NOBODY: Final = -1
"""The seat number for "no player"."""

NUM_HEXES: Final = 19
NUM_VERTICES: Final = 54
NUM_EDGES: Final = 72
NUM_HARBORS: Final = 9
NUM_RESOURCES: Final = 5
NUM_CARD_KINDS: Final = 5
DECK_SIZE: Final = 25

NUM_ACTIONS: Final = 389
NUM_ACTIONS_WITHOUT_TRADE: Final = 252

ROADS_PER_PLAYER: Final = 15
ROADS_OF_A_CARD: Final = 2
SETTLEMENTS_PER_PLAYER: Final = 5
CITIES_PER_PLAYER: Final = 4
BANK_PER_RESOURCE: Final = 19

MOST_COMPOSED: Final = 4
"""Default limit of cards on each side of a composed offer."""

LONGEST_ROAD_MINIMUM: Final = 5
LARGEST_ARMY_MINIMUM: Final = 3
SPECIAL_CARD_POINTS: Final = 2


class Resource(IntEnum):
    """The five kinds of resource card."""

    BRICK = 0
    LUMBER = 1
    WOOL = 2
    GRAIN = 3
    ORE = 4


class Terrain(IntEnum):
    """A hex's terrain; the first five produce the resource of the same number."""

    HILLS = 0
    FOREST = 1
    PASTURE = 2
    FIELDS = 3
    MOUNTAINS = 4
    DESERT = 5


class Card(IntEnum):
    """The five kinds of development card."""

    KNIGHT = 0
    ROAD_BUILDING = 1
    YEAR_OF_PLENTY = 2
    MONOPOLY = 3
    VICTORY_POINT = 4


CARD_NAMES: Final = tuple(card.name.lower() for card in Card)


KNIGHT, ROAD_BUILDING, YEAR_OF_PLENTY, MONOPOLY, VICTORY_POINT = map(int, Card)
"""The cards as plain integers: compiled rules on CUDA can't index with enums."""


class Phase(IntEnum):
    """The kind of decision that the game waits for."""

    SETUP_SETTLEMENT = 0
    SETUP_ROAD = 1
    ROLL = 2
    DISCARD = 3
    MOVE_ROBBER = 4
    STEAL = 5
    MAIN = 6
    FREE_ROAD = 7
    COMPOSE = 8
    ANSWER = 9
    CLOSE = 10
    OVER = 11


GENERIC_HARBOR: Final = 5
"""Harbor kind 3:1; the kinds 0 to 4 are the 2:1 harbors of that resource."""

TERRAIN_COUNTS: Final = (3, 4, 4, 4, 3, 1)
"""Hexes of each terrain, in the order of `Terrain`."""

DECK_COUNTS: Final = (14, 2, 2, 2, 5)
"""Development cards of each kind, in the order of `Card`."""

HARBOR_COUNTS: Final = (1, 1, 1, 1, 1, 4)
"""Harbors of each kind: one 2:1 for each resource, then the 3:1 harbors."""

NUMBER_TOKENS: Final = (2, 3, 3, 4, 4, 5, 5, 6, 6, 8, 8, 9, 9, 10, 10, 11, 11, 12)
"""The 18 number tokens, sorted."""

LETTERED_TOKENS: Final = (5, 2, 6, 3, 8, 10, 9, 12, 11, 4, 8, 10, 9, 4, 5, 6, 3, 11)
"""The number tokens in the order of the letters A to R printed on them."""

PIPS: Final = (0, 0, 1, 2, 3, 4, 5, 0, 5, 4, 3, 2, 1)
"""Rolls of two dice, out of 36, that make each number, by number token."""

ROAD_COST: Final = (1, 1, 0, 0, 0)
SETTLEMENT_COST: Final = (1, 1, 1, 1, 0)
CITY_COST: Final = (0, 0, 0, 2, 3)
CARD_COST: Final = (0, 0, 1, 1, 1)

HARBOR_EDGES: Final = (38, 61, 69, 66, 49, 18, 0, 3, 17)
"""Edges with harbors, in the order of boards."""
