"""Pictures of a game that is watched: with a bar of buttons below, and in the terminal a line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from catan_pz.render.layout import GAP, HEIGHT, MARGIN, WIDTH, Box
from catan_pz.render.lettering import text
from catan_pz.render.overlay import Overlay
from catan_pz.render.palette import FAINT_INK, GOLD, GOLD_DARK, INK, PAPER, RULE
from catan_pz.render.shapes import circle, group, rect
from catan_pz.render.svg import layer, page, room_for, table
from catan_pz.render.view import State, table_view

FILM_HEIGHT: Final = 50.0
"""How much higher a picture with the bar is."""

_BAR: Final = Box(MARGIN, HEIGHT - MARGIN + GAP, WIDTH - 2 * MARGIN, FILM_HEIGHT - GAP)
_BUTTONS: Final = ("left", "space", "right", "-", "+")
_TRACK: Final = Box(_BAR.x + 440, _BAR.y, _BAR.width - 560, _BAR.height)


@dataclass(frozen=True)
class Reel:
    """How a film stands.

    Attributes:
        place: the picture that is shown, from 0.
        count: pictures that there are by now.
        paused: whether it stands still.
        speed: pictures a second.
        complete: whether the last picture is there.
    """

    place: int
    count: int
    paused: bool
    speed: float
    complete: bool

    def words(self) -> str:
        """Where it stands: "120 of 480"."""
        return f"{self.place} of {self.count - 1}" + ("" if self.complete else " …")


def film_key_at(x: float, y: float) -> str:
    """The key that a press on the bar stands for: "space", "seek 0.25" and so on; "" beside it."""
    for place, key in enumerate(_BUTTONS):
        if _button_box(place).covers(x, y):
            return key
    if _TRACK.covers(x, y):
        return f"seek {(x - _TRACK.x) / _TRACK.width:.4f}"
    return ""


def _button_box(place: int) -> Box:
    return Box(_BAR.x + 8 + 84 * place, _BAR.y + 6, 78, _BAR.height - 12)


def film_svg(
    state: State,
    reel: Reel,
    *,
    width: float,
    viewer: int | None = None,
    last_action: str | None = None,
    names: Sequence[str] | None = None,
    overlay: Overlay | None = None,
) -> str:
    """The picture of a game that is watched, with a bar of buttons below.

    Args:
        state: a game as JSON ("catan-pz-state/1", full information).
        reel: how the film stands.
        width: in pixels.
        viewer: the seat whose knowledge is drawn; None shows all hands.
        last_action: a line that tells what happened last.
        names: what the seats are called.
        overlay: numbers to draw on the board.
    """
    view = table_view(state, viewer, names)
    labels = ("Back", "Go" if reel.paused else "Pause", "Step", "Slower", "Faster")
    parts = [rect(_BAR.x, _BAR.y, _BAR.width, _BAR.height, PAPER, 10, stroke=RULE)]
    for place, label in enumerate(labels):
        box = _button_box(place)
        fill = GOLD if place == 1 and reel.paused else "#FFE08A"
        parts.append(
            rect(box.x, box.y, box.width, box.height, fill, 8, stroke=GOLD_DARK, stroke_width=1.4)
        )
        x, y = box.middle
        parts.append(text(x, y + 5.2, label, size=15, fill=INK, anchor="middle", bold=True))
    middle = _BAR.y + _BAR.height / 2
    share = reel.place / max(1, reel.count - 1)
    parts += [
        rect(_TRACK.x, middle - 3, _TRACK.width, 6, RULE, 3),
        rect(_TRACK.x, middle - 3, max(6.0, _TRACK.width * share), 6, GOLD, 3),
        circle(_TRACK.x + _TRACK.width * share, middle, 8, GOLD, stroke=GOLD_DARK),
        text(
            _BAR.x + _BAR.width - 12,
            middle + 5,
            f"{reel.words()}   {reel.speed:g}/s",
            size=13,
            fill=FAINT_INK,
            anchor="end",
        ),
    ]
    bar = layer(_BAR.x - 2, _BAR.y - 2, _BAR.width + 4, _BAR.height + 4, group(parts))
    below = FILM_HEIGHT + room_for(overlay)
    return page([*table(view, last_action, overlay, FILM_HEIGHT), bar], width, below)
