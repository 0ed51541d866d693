"""The layout of the picture, in its own units."""

from typing import Final, NamedTuple

from catan_pz.render.geometry import Point
from catan_pz.render.view import TableView

WIDTH: Final = 1120.0
HEIGHT: Final = 740.0
OTHERS_HEIGHT: Final = 68.0
"""Extra height of a picture with an overlay's list of actions without a place on the board."""

MARGIN: Final = 10.0
GAP: Final = 8.0
SEA_WIDTH: Final = 640.0
SEA_HEIGHT: Final = 622.0
_BANK_HEIGHT: Final = 46.0
_TRADE_HEIGHT: Final = 124.0
_TALLEST_SEAT: Final = 210.0

CENTRE: Final[Point] = (MARGIN + SEA_WIDTH / 2, MARGIN + SEA_HEIGHT / 2)
"""The middle of the board, the origin of the coordinates of `geometry`."""


class Box(NamedTuple):
    """A rectangle by its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def around(self, rim: float) -> "Box":
        """The box, enlarged by a margin."""
        return Box(self.x - rim, self.y - rim, self.width + 2 * rim, self.height + 2 * rim)


class Layout(NamedTuple):
    """The boxes of a picture's panels."""

    sea: Box
    status: Box
    seats: tuple[Box, ...]
    bank: Box
    trade: Box | None  # None without trade between players
    others: Box  # an overlay's list, below the picture


def layout(view: TableView) -> Layout:
    """The seats from the top down, then the bank and, if players trade, the offer."""
    sea = Box(MARGIN, MARGIN, SEA_WIDTH, SEA_HEIGHT)
    below_sea = MARGIN + SEA_HEIGHT + GAP
    left = MARGIN + SEA_WIDTH + GAP
    width = WIDTH - left - MARGIN
    below_seats = _BANK_HEIGHT + (_TRADE_HEIGHT + GAP if view.trading else 0.0)
    room = HEIGHT - 2 * MARGIN - below_seats
    each = min(_TALLEST_SEAT, room / len(view.seats) - GAP)
    tops = [MARGIN + k * (each + GAP) for k in range(len(view.seats) + 1)]
    trade_top = tops[-1] + _BANK_HEIGHT + GAP
    return Layout(
        sea=sea,
        status=Box(MARGIN, below_sea, SEA_WIDTH, HEIGHT - below_sea - MARGIN),
        seats=tuple(Box(left, top, width, each) for top in tops[:-1]),
        bank=Box(left, tops[-1], width, _BANK_HEIGHT),
        trade=Box(left, trade_top, width, HEIGHT - MARGIN - trade_top) if view.trading else None,
        others=Box(MARGIN, HEIGHT - MARGIN + GAP, WIDTH - 2 * MARGIN, OTHERS_HEIGHT - GAP),
    )
