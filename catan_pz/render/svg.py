"""A game as one SVG picture: the board, the players' panels, bank, trade and turn."""

from collections.abc import Sequence
from typing import Final

from catan_pz.checks import quoted
from catan_pz.render.island import island
from catan_pz.render.layout import (
    CENTRE,
    HEIGHT,
    OTHERS_HEIGHT,
    WIDTH,
    Box,
    layout,
)
from catan_pz.render.overlay import Overlay, draw_others, draw_overlay
from catan_pz.render.palette import PAGE
from catan_pz.render.panels import bank_panel, seat_panel, status_panel, trade_panel
from catan_pz.render.pieces import pieces
from catan_pz.render.shapes import moved, number, rect
from catan_pz.render.view import State, TableView, named_entries, table_view

WIDEST: Final = 1_000_000
"""Pixels of the widest picture."""


def board_svg(
    state: State,
    *,
    viewer: int | None = None,
    width: float = WIDTH,
    last_action: str | None = None,
    names: Sequence[str] | None = None,
    overlay: Overlay | None = None,
) -> str:
    """Draw a game from its JSON state as a self-contained SVG without fonts, ids or links.

    Args:
        state: a game as JSON ("catan-pz-state/1", full information).
        viewer: the seat whose knowledge is drawn, without anything hidden from it; None shows all
            hands and development cards.
        width: width in pixels; the height is 37/56 of it, without an overlay's list.
        last_action: the last decision in words, from `log.log_line`. It is drawn as given, so it
            must not reveal hidden information.
        names: names of the seats; None for "Player 0" and so on.
        overlay: numbers to draw on the board, such as a policy's probabilities.
    """
    if not 0 < width <= WIDEST:
        raise ValueError(
            f"width must be a positive number of pixels up to {WIDEST}, not {quoted(width)}"
        )
    view = table_view(state, viewer, names)
    # Keep the same height for all overlays of one policy.
    lists_others = overlay is not None and (overlay.percent or bool(overlay.others))
    high = HEIGHT + OTHERS_HEIGHT * lists_others
    with named_entries():
        layers = _layers(view, last_action, overlay, lists_others)
    ground = _layer(Box(0, 0, WIDTH, high), rect(0, 0, WIDTH, high, PAGE))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
        f'height="{number(width * high / WIDTH)}" '
        f'viewBox="0 0 {number(WIDTH)} {number(high)}" role="img" '
        f'aria-label="A game of Catan">{ground}{"".join(layers)}</svg>'
    )


def _layers(
    view: TableView, last_action: str | None, overlay: Overlay | None, lists_others: bool
) -> list[str]:
    """The board, the panels, the overlay's numbers on the board, and its list at the bottom."""
    places = layout(view)
    board = [island(view), pieces(view)]
    if overlay is not None:
        board.append(draw_overlay(overlay))
    body = [_layer(places.sea, moved([drawn], *CENTRE)) for drawn in board]
    size = places.status.width, places.status.height
    body.append(_panel(status_panel(view, last_action, *size), places.status))
    for seat, box in zip(view.seats, places.seats, strict=True):
        body.append(_panel(seat_panel(view, seat, box.width, box.height), box))
    for panel, place in ((bank_panel, places.bank), (trade_panel, places.trade)):
        if place is not None:
            body.append(_panel(panel(view, place.width, place.height), place))
    if overlay is not None and lists_others:
        body.append(_layer(places.others, draw_others(overlay, places.others)))
    return body


def _layer(box: Box, drawn: str) -> str:
    """A part of the picture that changes independently; nothing in it exceeds the box.

    Layers are siblings, so that a renderer can cache those that stay the same between frames.
    """
    return f'<g class="layer" data-box="{" ".join(map(number, box))}">{drawn}</g>'


def _panel(drawn: str, box: Box) -> str:
    """A panel drawn about (0, 0), in its box."""
    # Half the width of a panel's border lies outside its box.
    return _layer(box.around(3), moved([drawn], box.x, box.y))
