"""A small monoline alphabet drawn as SVG paths, so that text needs no font anywhere.

Its glyphs are in `alphabet.txt`: a character, its width and its path per line. Each is a centre
line on a grid where capitals reach from y = 0 to the baseline at y = 14, small letters start at
y = 4.4 and descenders end at y = 18. Line ends are round. A line of text becomes one `<path>` with
the words in its `aria-label`.
"""

from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal
from xml.sax.saxutils import quoteattr

from catan_pz.names import shown
from catan_pz.render.shapes import number

_LONGEST: Final = 400
"""Most characters of a line; more don't fit into any picture."""

Anchor = Literal["start", "middle", "end"]

BASELINE: Final = 14.0
_GRID_PER_EM: Final = 20.0
_GAP: Final = 4.1
_SPACE: Final = 5.6
_REGULAR: Final = 1.95
_BOLD: Final = 2.8


_ALPHABET: Final = (files("catan_pz.render") / "alphabet.txt").read_text(encoding="utf-8")
_ROWS: Final = (line.split(" ", 2) for line in _ALPHABET.splitlines())
_GLYPHS: Final = {sign: (float(width), path) for sign, width, path in _ROWS}
"""The width of each character's centre line, and its path from the glyph's origin."""
_UNKNOWN: Final = (6.0, "m0 0h6v14h-6z")


@lru_cache(maxsize=4096)
def _outline(words: str) -> tuple[str, float]:
    """The centre line of a whole line of text from (0, 0), and its width; grid units."""
    parts: list[str] = []
    pen = 0.0
    width = 0.0
    for sign in words:
        if sign == " ":
            pen += _SPACE
            continue
        glyph_width, path = _GLYPHS.get(sign, _UNKNOWN)
        parts.append(f"M{number(pen)} 0{path}")
        width = pen + glyph_width
        pen = width + _GAP
    return "".join(parts), width


def text_width(words: str, size: float) -> float:
    """Width in SVG units of a line of text `size` units high (size = the em, as in CSS)."""
    return _outline(words)[1] * size / _GRID_PER_EM


def shortened(words: str, size: float, max_width: float) -> str:
    """A line of text, shortened with an ellipsis to fit into `max_width` SVG units."""
    room = max_width * _GRID_PER_EM / size
    ellipsis = _GLYPHS["…"][0]
    pen = width = 0.0
    fitting = 0
    for count, sign in enumerate(words, 1):
        if sign == " ":
            pen += _SPACE
            continue
        width = pen + _GLYPHS.get(sign, _UNKNOWN)[0]
        pen = width + _GAP
        if width > room:
            return words[:fitting].rstrip() + "…"
        if pen + ellipsis <= room:
            fitting = count
    return words


@lru_cache(maxsize=4096)
def text(
    x: float,
    y: float,
    words: str,
    *,
    size: float,
    fill: str,
    anchor: Anchor = "start",
    bold: bool = False,
    max_width: float | None = None,
) -> str:
    """One line of text as an SVG `<path>`.

    `x`, `y` are the start, middle or end of the baseline, by `anchor`; `size` is the em. A line
    wider than `max_width` is shortened with an ellipsis. Characters outside the alphabet show as
    an empty box, unprintable ones as an escape.
    """
    words = shown(words, _LONGEST)
    if max_width is not None:
        words = shortened(words, size, max_width)
    path, width = _outline(words)
    if not path:
        return ""
    scale = size / _GRID_PER_EM
    left = x - width * scale * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    top = y - BASELINE * scale
    return (
        f'<path aria-label={quoteattr(words)} d="{path}" '
        f'transform="translate({number(left)} {number(top)}) scale({number(scale)})" '
        f'fill="none" stroke="{fill}" stroke-width="{_BOLD if bold else _REGULAR}" '
        f'stroke-linecap="round" stroke-linejoin="round"/>'
    )
