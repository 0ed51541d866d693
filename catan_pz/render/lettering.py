"""A small monoline alphabet drawn as SVG paths, so that text needs no font anywhere.

Each glyph is a centre line on a grid where capitals reach from y = 0 to the base line at
y = 14, small letters start at y = 4.4 and descenders end at y = 18. Line ends are round.
A line of text becomes one `<path>` whose `aria-label` keeps the words readable.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal
from xml.sax.saxutils import quoteattr

from catan_pz.names import shown

_LONGEST: Final = 400
"""Characters of a line; more don't fit into any picture."""

Anchor = Literal["start", "middle", "end"]

BASELINE: Final = 14.0
_GRID_PER_EM: Final = 20.0
_GAP: Final = 4.1
_SPACE: Final = 5.6
_REGULAR: Final = 1.95
_BOLD: Final = 2.8

# Width of the centre line, then its path.
_GLYPHS: Final[dict[str, tuple[float, str]]] = {
    "0": (7.6, "M0 4.6A3.8 4.6 0 0 1 7.6 4.6V9.4A3.8 4.6 0 0 1 0 9.4Z"),
    "1": (3.6, "M0 3.2L3.6 0V14"),
    "2": (7.4, "M0.2 3.8A3.6 3.8 0 0 1 7.2 3.9C7.2 7 1.6 10.4 0 14H7.4"),
    "3": (7.4, "M0.4 0H6.8L3.4 5.2A4.1 4.4 0 1 1 0 12"),
    "4": (8.2, "M6.2 14V0L0 10H8.2"),
    "5": (7.4, "M6.8 0H1L0.4 6.2C1.2 5.6 2.2 5.2 3.4 5.2A4 4.4 0 0 1 3.4 14C2 14 0.8 13.4 0 12.4"),
    "6": (7.6, "M5.6 0C2.4 2.6 0 6.2 0 9.7A3.8 4.3 0 1 0 7.6 9.7A3.8 4.3 0 1 0 0 9.7"),
    "7": (7.4, "M0 0H7.4L2.6 14"),
    "8": (7.6, "M3.8 6.6A3.3 3.3 0 1 1 3.82 6.6ZM3.8 6.6A3.8 3.7 0 1 1 3.78 6.6Z"),
    "9": (7.6, "M2 14C5.2 11.4 7.6 7.8 7.6 4.3A3.8 4.3 0 1 0 0 4.3A3.8 4.3 0 1 0 7.6 4.3"),
    "A": (10.0, "M0 14L5 0L10 14M1.8 9.2H8.2"),
    "B": (8.2, "M0 0V14H4.4A3.7 3.7 0 0 0 4.4 6.6H0M0 0H4A3.3 3.3 0 0 1 4 6.6"),
    "C": (9.6, "M9.6 2.6A5.8 7 0 1 0 9.6 11.4"),
    "D": (9.4, "M0 0V14H3.2A6.2 7 0 0 0 3.2 0Z"),
    "E": (7.2, "M7.2 0H0V14H7.2M0 6.8H6.2"),
    "F": (7.0, "M7 0H0V14M0 6.8H6"),
    "G": (10.2, "M9.6 2.6A5.8 7 0 1 0 10.2 10.4V7.6H6.2"),
    "H": (9.2, "M0 0V14M9.2 0V14M0 6.8H9.2"),
    "I": (0.0, "M0 0V14"),
    "J": (5.6, "M5.6 0V10.2A2.9 3.8 0 0 1 0 11.4"),
    "K": (8.6, "M0 0V14M8.2 0L0 8.6M2.8 5.8L8.6 14"),
    "L": (6.6, "M0 0V14H6.6"),
    "M": (11.0, "M0 14V0L5.5 8.6L11 0V14"),
    "N": (9.4, "M0 14V0L9.4 14V0"),
    "O": (11.4, "M0 7A5.7 7 0 1 1 11.4 7A5.7 7 0 1 1 0 7Z"),
    "P": (8.0, "M0 14V0H4.2A3.8 3.9 0 0 1 4.2 7.8H0"),
    "Q": (11.4, "M0 7A5.7 7 0 1 1 11.4 7A5.7 7 0 1 1 0 7ZM7.4 10.4L11.2 14.6"),
    "R": (8.4, "M0 14V0H4.2A3.8 3.8 0 0 1 4.2 7.6H0M4.4 7.6L8.4 14"),
    "S": (
        8.2,
        (
            "M7.6 2.6C7 0.9 5.7 0 4.1 0C1.9 0 0.4 1.4 0.4 3.4C0.4 5.6 2.1 6.3 4.2 6.8"
            "C6.6 7.4 8.2 8.2 8.2 10.4C8.2 12.6 6.5 14 4.2 14C2.1 14 0.6 13 0 11.2"
        ),
    ),
    "T": (9.0, "M0 0H9M4.5 0V14"),
    "U": (9.0, "M0 0V9.4A4.5 4.6 0 0 0 9 9.4V0"),
    "V": (9.8, "M0 0L4.9 14L9.8 0"),
    "W": (14.0, "M0 0L3.6 14L7 3L10.4 14L14 0"),
    "X": (9.0, "M0 0L9 14M9 0L0 14"),
    "Y": (9.0, "M0 0L4.5 7.2V14M9 0L4.5 7.2"),
    "Z": (8.4, "M0 0H8.4L0 14H8.4"),
    "a": (7.0, "M7 4.6V14M7 9.2A3.5 4.8 0 1 0 7 9.3"),
    "b": (7.0, "M0 0V14M0 9.2A3.5 4.8 0 1 1 0 9.3"),
    "c": (6.4, "M6.4 6A3.9 4.8 0 1 0 6.4 12.4"),
    "d": (7.0, "M7 0V14M7 9.2A3.5 4.8 0 1 0 7 9.3"),
    "e": (7.2, "M0.1 9H7.2A3.6 4.7 0 1 0 6.3 12.5"),
    "f": (4.8, "M4.8 0.3C2.6 -0.3 1.5 0.8 1.5 2.9V14M0 4.9H4.4"),
    "g": (7.0, "M7 4.6V14C7 18.8 1.8 19.2 0.5 16.8M7 9.2A3.5 4.8 0 1 0 7 9.3"),
    "h": (6.6, "M0 0V14M0 8.4A3.3 4 0 0 1 6.6 8.4V14"),
    "i": (0.0, "M0 4.6V14M0 0.6V0.65"),
    "j": (2.2, "M2.2 4.6V15.4C2.2 17.6 1.2 18.2 0 18M2.2 0.6V0.65"),
    "k": (6.2, "M0 0V14M5.8 4.8L0 10.4M2.2 8.4L6.2 14"),
    "l": (1.6, "M0 0V12.2C0 13.4 0.6 14 1.6 14"),
    "m": (11.2, "M0 4.6V14M0 8A2.8 3.6 0 0 1 5.6 8V14M5.6 8A2.8 3.6 0 0 1 11.2 8V14"),
    "n": (6.6, "M0 4.6V14M0 8.4A3.3 4 0 0 1 6.6 8.4V14"),
    "o": (7.4, "M0 9.2A3.7 4.8 0 1 1 7.4 9.2A3.7 4.8 0 1 1 0 9.2Z"),
    "p": (7.0, "M0 4.6V18.4M0 9.2A3.5 4.8 0 1 1 0 9.3"),
    "q": (7.0, "M7 4.6V18.4M7 9.2A3.5 4.8 0 1 0 7 9.3"),
    "r": (4.0, "M0 4.6V14M0 8.8C0 6 1.6 4.3 4 4.6"),
    "s": (
        5.8,
        (
            "M5.4 6C5 5 4.2 4.4 3 4.4C1.4 4.4 0.4 5.4 0.4 6.7C0.4 8.2 1.6 8.6 3 9"
            "C4.6 9.4 5.8 10 5.8 11.5C5.8 13 4.6 14 3 14C1.5 14 0.4 13.4 0 12.2"
        ),
    ),
    "t": (4.6, "M1.5 1.2V11.4C1.5 13.6 2.8 14.4 4.6 13.8M0 4.8H4.4"),
    "u": (6.6, "M0 4.6V10A3.3 4 0 0 0 6.6 10M6.6 4.6V14"),
    "v": (7.2, "M0 4.6L3.6 14L7.2 4.6"),
    "w": (10.8, "M0 4.6L2.9 14L5.4 6.4L7.9 14L10.8 4.6"),
    "x": (6.8, "M0 4.6L6.8 14M6.8 4.6L0 14"),
    "y": (7.2, "M0 4.6L3.7 13.6M7.2 4.6L3.4 14.6C2.4 17.2 1.4 18.2 -0.2 18"),
    "z": (6.4, "M0 4.6H6.4L0 14H6.4"),
    ".": (0.0, "M0 13.6V13.65"),
    ",": (1.2, "M1.2 13.2L0 16.4"),
    ":": (0.0, "M0 6.4V6.45M0 13V13.05"),
    ";": (1.2, "M1.2 6.4V6.45M1.2 13L0 16.2"),
    "!": (0.0, "M0 0V9.4M0 13.6V13.65"),
    "?": (6.8, "M0 3.4A3.4 3.5 0 1 1 5 6.6C3.8 7.4 3.4 8.2 3.4 9.8M3.4 13.6V13.65"),
    "-": (4.4, "M0 8.6H4.4"),
    "–": (6.4, "M0 8.6H6.4"),
    "—": (11.0, "M0 8.6H11"),
    "+": (7.6, "M0 8H7.6M3.8 4.2V11.8"),
    "−": (7.6, "M0 8H7.6"),
    "=": (7.6, "M0 6H7.6M0 10.4H7.6"),
    "×": (6.0, "M0 5L6 11M6 5L0 11"),
    "*": (6.0, "M3 0V6.4M0.2 1.6L5.8 4.8M5.8 1.6L0.2 4.8"),
    "/": (6.0, "M6 -1L0 16"),
    "\\": (6.0, "M0 -1L6 16"),
    "|": (0.0, "M0 -2V18"),
    "(": (3.0, "M3 -1.6C-1 4 -1 12 3 17.4"),
    ")": (3.0, "M0 -1.6C4 4 4 12 0 17.4"),
    "[": (3.0, "M3 -1.6H0V17.4H3"),
    "]": (3.0, "M0 -1.6H3V17.4H0"),
    "{": (3.8, "M3.8 -1.6C0.6 -1.6 3.4 8 0 8C3.4 8 0.6 17.4 3.8 17.4"),
    "}": (3.8, "M0 -1.6C3.2 -1.6 0.4 8 3.8 8C0.4 8 3.2 17.4 0 17.4"),
    "<": (6.4, "M6.4 3.6L0 8L6.4 12.4"),
    ">": (6.4, "M0 3.6L6.4 8L0 12.4"),
    "'": (0.0, "M0 0V4"),
    "’": (0.8, "M0.8 0L0 4"),
    '"': (3.0, "M0 0V4M3 0V4"),
    "`": (2.0, "M0 0L2 3"),
    "^": (6.0, "M0 5L3 0L6 5"),
    "~": (7.6, "M0 9C1.6 5.6 5.2 11.4 7.6 7.6"),
    "_": (8.0, "M0 16H8"),
    "#": (9.0, "M3 1L1.6 14M7.4 1L6 14M0.4 5H9M0 10H8.6"),
    "%": (10.0, "M9 0L1 14M0 3A2 3 0 1 1 4 3A2 3 0 1 1 0 3ZM6 11A2 3 0 1 1 10 11A2 3 0 1 1 6 11Z"),
    "$": (
        8.0,
        "M7.4 3.4C6 0.6 0.6 1 0.6 4C0.6 7.6 8 6.2 8 10.2C8 13.6 1.4 13.8 0 10.6M4 -1.4V15.6",
    ),
    "&": (
        9.6,
        (
            "M9.6 14L2 4.2C0.4 1.8 1.8 0 3.8 0C6.4 0 7.2 3.4 4.2 5.6"
            "C-3 10.6 1 14 3.8 14C6.6 14 8.4 11.6 8.6 8"
        ),
    ),
    "@": (11.0, "M8 5V9.6C8 12 11 11.6 11 7A5.5 6.6 0 1 0 8 13M8 7.2A2.4 2.8 0 1 0 8 7.3"),
    "·": (0.0, "M0 8V8.05"),
    "•": (0.8, "M0 8H0.8M0.4 7.6V8.4"),
    "…": (8.0, "M0 13.6V13.65M4 13.6V13.65M8 13.6V13.65"),
    "→": (10.0, "M0 8H10M6.4 4.4L10 8L6.4 11.6"),
    "✓": (8.4, "M0 8.6L3 12.4L8.4 3"),
    "✗": (7.6, "M0 3.6L7.6 12.4M7.6 3.6L0 12.4"),
}
_UNKNOWN: Final = (6.0, "M0 0H6V14H0Z")

_TOKEN: Final = re.compile(r"[A-Za-z]|-?\d*\.?\d+")
_ARGUMENTS: Final = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "A": 7, "Z": 0}


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    tokens = _TOKEN.findall(path)
    at = 0
    while at < len(tokens):
        letter = tokens[at]
        count = _ARGUMENTS[letter]
        yield letter, [float(t) for t in tokens[at + 1 : at + 1 + count]]
        at += 1 + count


def _relative(path: str) -> str:
    """The path in relative commands, to be started at the glyph's origin."""
    out: list[str] = []
    x = y = start_x = start_y = 0.0
    for letter, values in _commands(path):
        if letter == "Z":
            out.append("z")
            x, y = start_x, start_y
            continue
        if letter == "H":
            moved, x = [values[0] - x], values[0]
        elif letter == "V":
            moved, y = [values[0] - y], values[0]
        elif letter == "A":
            moved = [*values[:5], values[5] - x, values[6] - y]
            x, y = values[5:]
        else:
            moved = [v - (y if i % 2 else x) for i, v in enumerate(values)]
            x, y = values[-2:]
        if letter == "M":
            start_x, start_y = x, y
        out.append(letter.lower() + " ".join(_number(v) for v in moved))
    return "".join(out)


_COMPILED: Final = {sign: (width, _relative(path)) for sign, (width, path) in _GLYPHS.items()}
_COMPILED_UNKNOWN: Final = (_UNKNOWN[0], _relative(_UNKNOWN[1]))


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
        glyph_width, path = _COMPILED.get(sign, _COMPILED_UNKNOWN)
        parts.append(f"M{_number(pen)} 0{path}")
        width = pen + glyph_width
        pen = width + _GAP
    return "".join(parts), width


def text_width(words: str, size: float) -> float:
    """Width in SVG units of a line of text `size` units high (size = the em, as in CSS)."""
    return _outline(words)[1] * size / _GRID_PER_EM


def shortened(words: str, size: float, max_width: float) -> str:
    """A line of text as far as it fits into `max_width` SVG units, ending in an ellipsis."""
    room = max_width * _GRID_PER_EM / size
    ellipsis = _COMPILED["…"][0]
    pen = width = 0.0
    fitting = 0
    for count, sign in enumerate(words, 1):
        if sign == " ":
            pen += _SPACE
            continue
        width = pen + _COMPILED.get(sign, _COMPILED_UNKNOWN)[0]
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

    `x`, `y` place the base line's start, middle or end, as `anchor` says; `size` is the em.
    A line wider than `max_width` is shortened and ends in an ellipsis. Signs outside the
    alphabet show as an empty box, what isn't printable as an escape.
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
        f'transform="translate({_number(left)} {_number(top)}) scale({_number(scale)})" '
        f'fill="none" stroke="{fill}" stroke-width="{_BOLD if bold else _REGULAR}" '
        f'stroke-linecap="round" stroke-linejoin="round"/>'
    )
