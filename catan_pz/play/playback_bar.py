"""The picture of a game that is watched, with buttons and a seek bar below."""

from collections.abc import Sequence
from typing import Final

from catan_pz.play.playback import PlaybackState
from catan_pz.render.layout import GAP, HEIGHT, MARGIN, WIDTH, Box
from catan_pz.render.lettering import text
from catan_pz.render.overlay import Overlay
from catan_pz.render.palette import FAINT_INK, GOLD, GOLD_DARK, INK, PAPER, RULE
from catan_pz.render.shapes import circle, group, rect
from catan_pz.render.svg import layer, page, room_for, table
from catan_pz.render.view import State, table_view

BAR_HEIGHT: Final = 50.0
"""How much higher a picture with the bar is."""

_BAR: Final = Box(MARGIN, HEIGHT - MARGIN + GAP, WIDTH - 2 * MARGIN, BAR_HEIGHT - GAP)
_BUTTONS: Final = ("left", "space", "right", "-", "+")
_TRACK: Final = Box(_BAR.x + 444, _BAR.y, _BAR.width - 584, _BAR.height)
_KNOB: Final = 9.0


def key_at(x: float, y: float) -> str:
    """The key that a click on a button stands for: "left", "space" and so on; "" beside them."""
    pressed = (key for place, key in enumerate(_BUTTONS) if _button_box(place).covers(x, y))
    return next(pressed, "")


def share_at(x: float, y: float) -> float | None:
    """The share of the game, 0 to 1, that a click on the seek bar stands for; None beside it."""
    grip = Box(_TRACK.x - _KNOB, _TRACK.y, _TRACK.width + 2 * _KNOB, _TRACK.height)
    return share_of(x) if grip.covers(x, y) else None


def share_of(x: float) -> float:
    """The share of the game, 0 to 1, at a place along the seek bar or beyond its ends."""
    return min(1.0, max(0.0, (x - _TRACK.x) / _TRACK.width))


def _button_box(place: int) -> Box:
    return Box(_BAR.x + 8 + 84 * place, _BAR.y + 6, 78, _BAR.height - 12)


def playback_svg(
    state: State,
    shown: PlaybackState,
    *,
    width: float,
    viewer: int | None = None,
    last_action: str | None = None,
    names: Sequence[str] | None = None,
    overlay: Overlay | None = None,
) -> str:
    """The picture of a game that is watched, with buttons and a seek bar below.

    Args:
        state: a game as JSON ("catan-pz-state/1", full information).
        shown: where the playback stands.
        width: in pixels.
        viewer: the seat whose knowledge is drawn; None shows all hands.
        last_action: the last decision in words.
        names: what the seats are called.
        overlay: numbers to draw on the board.
    """
    view = table_view(state, viewer, names)
    labels = ("Back", "Play" if shown.paused else "Pause", "Step", "Slower", "Faster")
    parts = [rect(_BAR.x, _BAR.y, _BAR.width, _BAR.height, PAPER, 10, stroke=RULE)]
    for place, label in enumerate(labels):
        box = _button_box(place)
        fill = GOLD if place == 1 and shown.paused else "#FFE08A"
        parts.append(
            rect(box.x, box.y, box.width, box.height, fill, 8, stroke=GOLD_DARK, stroke_width=1.4)
        )
        x, y = box.middle
        parts.append(text(x, y + 5.2, label, size=15, fill=INK, anchor="middle", bold=True))
    middle = _BAR.y + _BAR.height / 2
    knob = _TRACK.x + _TRACK.width * shown.share
    parts += [
        rect(_TRACK.x, middle - 3, _TRACK.width, 6, RULE, 3),
        rect(_TRACK.x, middle - 3, max(6.0, knob - _TRACK.x), 6, GOLD, 3),
        circle(knob, middle, _KNOB, GOLD, stroke=GOLD_DARK),
        text(
            _BAR.x + _BAR.width - 12,
            middle + 5,
            f"{shown.words()}   {shown.speed:g}/s",
            size=13,
            fill=FAINT_INK,
            anchor="end",
        ),
    ]
    bar = layer(_BAR.x - 2, _BAR.y - 2, _BAR.width + 4, _BAR.height + 4, group(parts))
    below = BAR_HEIGHT + room_for(overlay)
    return page([*table(view, last_action, overlay, BAR_HEIGHT), bar], width, below)
