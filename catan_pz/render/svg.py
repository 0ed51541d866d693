"""A game as one SVG picture: the board, the players' panels, bank, trade and turn."""

from collections.abc import Sequence
from typing import Final

from catan_pz.checks import quoted
from catan_pz.render.island import island
from catan_pz.render.layout import (
    CENTRE,
    HEIGHT,
    MARGIN,
    OTHERS_HEIGHT,
    SEA_HEIGHT,
    SEA_WIDTH,
    WIDTH,
    Box,
    Layout,
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
        viewer: the seat whose knowledge is drawn, so that nothing hidden from it shows; None
            shows all hands and development cards.
        width: width in pixels; the height follows, 37 to 56 without what an overlay lists.
        last_action: the last decision in words, as `log.log_line` gives it. It is
            drawn as given, so it must not say what the viewer may not know.
        names: what the seats are called; "Player 0" and so on where None.
        overlay: numbers to draw on the board, such as a policy's probabilities.

    Raises:
        ValueError: `viewer` is not a seat of this game, `names` are not one a seat, `width` is
            not positive or above `WIDEST`, or `state` lacks an entry.
    """
    if not 0 < width <= WIDEST:
        raise ValueError(
            f"width must be a positive number of pixels up to {WIDEST}, not {quoted(width)}"
        )
    view = table_view(state, viewer, names)
    with named_entries():
        layers = table(view, last_action, overlay)
    return page(layers, float(width), room_for(overlay))


def room_for(overlay: Overlay | None) -> float:
    """How much higher an overlay makes a picture; the same for all of one policy."""
    return OTHERS_HEIGHT if overlay is not None and (overlay.percent or overlay.others) else 0.0


def table(view: TableView, last_action: str | None, overlay: Overlay | None = None) -> list[str]:
    """The layers of the picture of a game."""
    places = layout(view)
    body = [*_board(view), _status(view, last_action, places), *_right(view, places)]
    if overlay is not None:
        body.insert(2, layer(*_corners(places.sea), draw_overlay(overlay)))
        if room_for(overlay):
            box = places.others
            body.append(layer(*_corners(box), draw_others(overlay, box)))
    return body


def page(layers: Sequence[str], width: float, below: float = 0.0) -> str:
    """Layers as one SVG, made higher by what stands below the picture of a game."""
    high = HEIGHT + below
    ground = layer(0, 0, WIDTH, high, rect(0, 0, WIDTH, high, PAGE))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
        f'height="{number(width * high / WIDTH)}" '
        f'viewBox="0 0 {number(WIDTH)} {number(high)}" role="img" '
        f'aria-label="A game of Catan">{ground}{"".join(layers)}</svg>'
    )


def layer(x: float, y: float, width: float, height: float, drawn: str) -> str:
    """A part of the picture that changes on its own; nothing in it reaches beyond the box.

    Layers are siblings, so that whoever turns the picture into pixels can keep those that
    stay the same from frame to frame.
    """
    box = " ".join(number(value) for value in (x, y, width, height))
    return f'<g class="layer" data-box="{box}">{drawn}</g>'


def _corners(box: Box) -> tuple[float, float, float, float]:
    return box.x, box.y, box.width, box.height


def _board(view: TableView) -> list[str]:
    ground = moved([island(view, SEA_WIDTH, SEA_HEIGHT)], *CENTRE)
    placed = moved([pieces(view)], *CENTRE)
    return [
        layer(MARGIN, MARGIN, SEA_WIDTH, SEA_HEIGHT, ground),
        layer(MARGIN, MARGIN, SEA_WIDTH, SEA_HEIGHT, placed),
    ]


def panel_layer(drawn: str, box: Box) -> str:
    """A panel drawn about (0, 0), in its box."""
    # The frame of a panel is a line on its rim, half of which lies outside.
    return layer(box.x - 3, box.y - 3, box.width + 6, box.height + 6, moved([drawn], box.x, box.y))


def _status(view: TableView, last_action: str | None, places: Layout) -> str:
    box = places.status
    return panel_layer(status_panel(view, last_action, box.width, box.height), box)


def _right(view: TableView, places: Layout) -> list[str]:
    parts = [
        panel_layer(seat_panel(view, seat, box.width, box.height), box)
        for seat, box in zip(view.seats, places.seats, strict=True)
    ]
    bank = places.bank
    parts.append(panel_layer(bank_panel(view, bank.width, bank.height), bank))
    if places.trade is not None:
        trade = places.trade
        parts.append(panel_layer(trade_panel(view, trade.width, trade.height), trade))
    return parts
