"""The names of all that a state can break."""

from enum import IntFlag, auto
from typing import Final


class Violation(IntFlag):
    """What a state can break; several may hold at once."""

    NONE = 0
    RESOURCE_COUNT = auto()
    """Hands and bank don't add up to 19 cards of each resource, or one is negative."""
    DECK_COUNT = auto()
    """Deck, hands and played cards don't add up to the 25 development cards."""
    PIECE_COUNT = auto()
    """A player has more roads, settlements or cities on the board than pieces."""
    OVERLAP = auto()
    """Two pieces stand on one vertex or edge."""
    DISTANCE_RULE = auto()
    """Two buildings stand on adjacent vertices."""
    LOOSE_ROAD = auto()
    """A road touches no other road or building of its owner."""
    LONGEST_ROAD = auto()
    """The longest road is held by the wrong player."""
    LARGEST_ARMY = auto()
    """The largest army is held by the wrong player."""
    KNOWLEDGE = auto()
    """A bound on a hidden hand excludes the truth or contradicts what is public."""
    TURN = auto()
    """Phase, player to move, flags, discards or victims don't fit together."""
    SETUP = auto()
    """Settlements and roads of the set-up aren't those of its order."""
    OFFER = auto()
    """An offer or an answer isn't possible, or its maker doesn't hold the cards."""
    WINNER = auto()
    """Nobody has won though the player in turn has the points, or the reverse."""
    NO_ACTION = auto()
    """The game goes on but the player to move has no legal action."""
    STALE = auto()
    """A derived field differs from what it follows from."""


# Plain numbers: compiled code takes no flags.
RESOURCE_COUNT: Final = Violation.RESOURCE_COUNT.value
DECK_COUNT: Final = Violation.DECK_COUNT.value
PIECE_COUNT: Final = Violation.PIECE_COUNT.value
OVERLAP: Final = Violation.OVERLAP.value
DISTANCE_RULE: Final = Violation.DISTANCE_RULE.value
LOOSE_ROAD: Final = Violation.LOOSE_ROAD.value
LONGEST_ROAD: Final = Violation.LONGEST_ROAD.value
LARGEST_ARMY: Final = Violation.LARGEST_ARMY.value
KNOWLEDGE: Final = Violation.KNOWLEDGE.value
TURN: Final = Violation.TURN.value
SETUP: Final = Violation.SETUP.value
OFFER: Final = Violation.OFFER.value
WINNER: Final = Violation.WINNER.value
NO_ACTION: Final = Violation.NO_ACTION.value
STALE: Final = Violation.STALE.value
