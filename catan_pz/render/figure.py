"""The board only, for figures in papers: with ids of places, or numbers and a colour bar."""

from typing import Any, Final

from catan_pz.checks import not_possible
from catan_pz.render.geometry import HEX_POSITIONS, VERTEX_POSITIONS, edge_middle
from catan_pz.render.island import island
from catan_pz.render.layout import SEA_HEIGHT, SEA_WIDTH
from catan_pz.render.lettering import text
from catan_pz.render.overlay import Overlay, color_of, draw_overlay, range_of
from catan_pz.render.palette import INK
from catan_pz.render.pieces import pieces
from catan_pz.render.shapes import circle, group, number, rect
from catan_pz.render.view import State, named_entries, table_view
from catan_pz.terms import NUM_EDGES

_PLACES: Final[dict[str, Any]] = {
    "vertices": VERTEX_POSITIONS,
    "edges": tuple(map(edge_middle, range(NUM_EDGES))),
    "hexes": tuple((x, y - 36) for x, y in HEX_POSITIONS),
}
_BAR: Final = 80.0
_STEPS: Final = 64


def figure_svg(
    state: State, *, width: float = SEA_WIDTH, ids: str = "", overlay: Overlay | None = None
) -> str:
    """Draw a game's board as a self-contained SVG, without panels.

    Args:
        state: a game as JSON ("catan-pz-state/1").
        width: width in pixels.
        ids: "vertices", "edges" or "hexes", to label with their ids.
        overlay: numbers to draw on the board, with a colour bar beside it.
    """
    if ids not in ("", *_PLACES):
        raise not_possible("ids", ids, f"one of {', '.join(_PLACES)}")
    with named_entries():
        view = table_view(state)
        parts = [island(view), pieces(view)]
    for k, (x, y) in enumerate(_PLACES.get(ids, ())):
        parts.append(circle(x, y, 10.5, "#FFFFFF", stroke=INK))
        parts.append(text(x, y + 4.4, str(k), size=12.5, fill=INK, anchor="middle", bold=True))
    wide = SEA_WIDTH
    if overlay is not None:
        wide += _BAR
        parts += [draw_overlay(overlay), _bar(overlay)]
    box = " ".join(map(number, (-SEA_WIDTH / 2, -SEA_HEIGHT / 2, wide, SEA_HEIGHT)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
        f'height="{number(width * SEA_HEIGHT / wide)}" viewBox="{box}" role="img" '
        f'aria-label="A board of Catan">{"".join(parts)}</svg>'
    )


def _bar(overlay: Overlay) -> str:
    """The colour bar, from the smallest number to the largest."""
    low, high = range_of(overlay)
    x, half, step = SEA_WIDTH / 2 + 14, 220.0, 440.0 / _STEPS
    parts = [
        rect(x, half - (k + 1) * step, 18, step + 0.4, color_of((k + 0.5) / _STEPS)[0])
        for k in range(_STEPS)
    ]
    for share in (0.0, 0.5, 1.0):
        words = overlay.words(low + share * (high - low)) + (" %" if overlay.percent else "")
        y = half - 2 * half * share + 5
        parts.append(text(x + 24, y, words, size=14, fill=INK, max_width=_BAR - 40))
    return group(parts, **{"class": "colour-bar"})
