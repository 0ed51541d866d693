"""Where cards, trays and buttons lie on a player's desk, in the picture's own units."""

from typing import Final

from catan_pz.render.layout import GAP, HEIGHT, MARGIN, WIDTH, Box

DESK_HEIGHT: Final = 158.0
"""How much higher a picture with a player's desk is."""

DESK: Final = Box(MARGIN, HEIGHT - MARGIN + GAP, WIDTH - 2 * MARGIN, DESK_HEIGHT - GAP)
"""The desk, below the picture of the game."""

_CARD: Final = (52.0, 76.0)
_CELL: Final = (42.0, 46.0)


def hand_box(resource: int) -> Box:
    """Where the cards of a resource lie."""
    return Box(DESK.x + 14 + 56 * resource, DESK.y + 42, *_CARD)


def card_box(card: int) -> Box:
    """Where the development cards of a kind lie."""
    return Box(DESK.x + 310 + 56 * card, DESK.y + 42, *_CARD)


def tray_box(side: str, resource: int) -> Box:
    """A cell of the tray, where cards to "give" and to "get" are laid out."""
    row = ("give", "get").index(side)
    return Box(DESK.x + 650 + 46 * resource, DESK.y + 36 + 54 * row, *_CELL)


def button_box(place: int) -> Box:
    """The box of a button, two in a row."""
    return Box(DESK.x + 890 + 103 * (place % 2), DESK.y + 34 + 38 * (place // 2), 98, 33)
