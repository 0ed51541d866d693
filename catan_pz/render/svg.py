"""A game as one SVG picture: the board, the players' panels, bank, trade and turn."""

from typing import Final

from catan_pz.render.island import island
from catan_pz.render.palette import PAGE
from catan_pz.render.panels import bank_panel, seat_panel, status_panel, trade_panel
from catan_pz.render.pieces import pieces
from catan_pz.render.shapes import moved, number, rect
from catan_pz.render.view import State, TableView, table_view

WIDTH: Final = 1120.0
HEIGHT: Final = 740.0
_MARGIN: Final = 10.0
_GAP: Final = 8.0
_SEA_WIDTH: Final = 640.0
_SEA_HEIGHT: Final = 622.0
_BANK_HEIGHT: Final = 46.0
_TRADE_HEIGHT: Final = 124.0
_TALLEST_SEAT: Final = 210.0


def board_svg(
    state: State,
    *,
    viewer: int | None = None,
    width: float = WIDTH,
    last_action: str | None = None,
) -> str:
    """Draw a game from its JSON state as a self-contained SVG without fonts, ids or links.

    Args:
        state: a game as JSON ("catan-pz-state/1", full information).
        viewer: the seat whose knowledge is drawn, so that nothing hidden from it shows; None
            shows all hands and development cards.
        width: width in pixels; the height follows, 37 to 56.
        last_action: a line that tells what happened last. It is drawn as given, so it must
            not tell what the viewer may not know.

    Raises:
        ValueError: `viewer` is not a seat of this game, or `width` is not positive.
    """
    if width <= 0:
        raise ValueError(f"width must be a positive number of pixels, not {width!r}")
    view = table_view(state, viewer)
    height = width * HEIGHT / WIDTH
    body = [*_board(view), _status(view, last_action), *_right(view)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
        f'height="{number(height)}" viewBox="0 0 {number(WIDTH)} {number(HEIGHT)}" role="img" '
        f'aria-label="A game of Catan">{"".join(body)}</svg>'
    )


def layer(x: float, y: float, width: float, height: float, drawn: str) -> str:
    """A part of the picture that changes on its own; nothing in it reaches beyond the box.

    Layers are siblings, so that whoever turns the picture into pixels can keep those that
    stay the same from frame to frame.
    """
    box = " ".join(number(value) for value in (x, y, width, height))
    return f'<g class="layer" data-box="{box}">{drawn}</g>'


def _board(view: TableView) -> list[str]:
    centre_x, centre_y = _MARGIN + _SEA_WIDTH / 2, _MARGIN + _SEA_HEIGHT / 2
    ground = moved([island(view, _SEA_WIDTH, _SEA_HEIGHT)], centre_x, centre_y)
    placed = moved([pieces(view)], centre_x, centre_y)
    return [
        layer(0, 0, WIDTH, HEIGHT, rect(0, 0, WIDTH, HEIGHT, PAGE) + ground),
        layer(_MARGIN, _MARGIN, _SEA_WIDTH, _SEA_HEIGHT, placed),
    ]


def _panel(drawn: str, x: float, y: float, width: float, height: float) -> str:
    # The frame of a panel is a line on its rim, half of which lies outside.
    return layer(x - 3, y - 3, width + 6, height + 6, moved([drawn], x, y))


def _status(view: TableView, last_action: str | None) -> str:
    top = _MARGIN + _SEA_HEIGHT + _GAP
    height = HEIGHT - top - _MARGIN
    drawn = status_panel(view, last_action, _SEA_WIDTH, height)
    return _panel(drawn, _MARGIN, top, _SEA_WIDTH, height)


def _right(view: TableView) -> list[str]:
    """The seats from the top down, then the bank and, where players trade, the offer."""
    left = _MARGIN + _SEA_WIDTH + _GAP
    width = WIDTH - left - _MARGIN
    below = _BANK_HEIGHT + (_TRADE_HEIGHT + _GAP if view.trading else 0.0)
    room = HEIGHT - 2 * _MARGIN - below
    each = min(_TALLEST_SEAT, room / len(view.seats) - _GAP)
    parts = []
    y = _MARGIN
    for seat in view.seats:
        parts.append(_panel(seat_panel(view, seat, width, each), left, y, width, each))
        y += each + _GAP
    parts.append(_panel(bank_panel(view, width, _BANK_HEIGHT), left, y, width, _BANK_HEIGHT))
    y += _BANK_HEIGHT + _GAP
    if view.trading:
        height = HEIGHT - _MARGIN - y
        parts.append(_panel(trade_panel(view, width, height), left, y, width, height))
    return parts
