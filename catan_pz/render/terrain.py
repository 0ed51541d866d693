"""The six terrains as vector drawings about a hex's centre, leaving room for its token."""

from collections.abc import Callable
from typing import Final

from catan_pz.render.geometry import CORNERS, SIDE
from catan_pz.render.palette import TERRAIN
from catan_pz.render.shapes import circle, ellipse, line, moved, path, polygon, rect

_DRAWN_FOR: Final = 57.0
"""Side length that the numbers below were chosen for."""


def hex_ground(terrain: str) -> str:
    """The hex itself in its terrain's colours, centred on (0, 0)."""
    base, shade, _ = TERRAIN[terrain]
    rim = [(x * 0.93, y * 0.93) for x, y in CORNERS]
    inner = [(x * 0.87, y * 0.87) for x, y in CORNERS]
    return polygon(rim, shade, stroke=shade, stroke_width=3, stroke_linejoin="round") + polygon(
        inner, base, stroke=base, stroke_width=3, stroke_linejoin="round"
    )


def terrain_art(terrain: str) -> str:
    """What grows or lies on the hex, centred on (0, 0)."""
    return moved([_ART[terrain]()], 0, 0, SIDE / _DRAWN_FOR)


def _tree(x: float, y: float, size: float) -> str:
    _, dark, light = TERRAIN["forest"]
    left = [(0.0, -26.0), (-6.5, -15.0), (-4.0, -15.0), (-9.0, -5.0), (0.0, -5.0)]
    right = [(-px, py) for px, py in left]
    return moved(
        [
            ellipse(0, 0, 9, 2.4, "#2C5F38", opacity=0.55),
            rect(-1.5, -6, 3, 6, "#5B3D1E"),
            polygon(left, light),
            polygon(right, dark),
        ],
        x,
        y,
        size,
    )


def _forest() -> str:
    stand = [(-13, -21), (13, -20), (0, -27), (-32, -6), (33, -4), (-31, 21), (31, 23)]
    stand += [(-16, 38), (15, 40), (0, 46)]
    return "".join(
        _tree(x, y, 0.86 if abs(x) < 20 else 0.94) for x, y in sorted(stand, key=lambda s: s[1])
    )


def _sheep(x: float, y: float, size: float, facing: int) -> str:
    wool, dark = "#FBFAF3", "#3A362F"
    legs = [line((dx, 5), (dx, 9.5), dark, 1.8) for dx in (-4.5, -1.5, 3, 5.5)]
    fleece = [(-6, 0, 4.6), (-1, -3, 5.2), (5, -1.5, 4.8), (3, 2.5, 4.4), (-3, 3, 4.4)]
    body = [circle(px, py, r, "#DAD8C8") for px, py, r in [(-1, 4.5, 4.4), (4, 4, 3.8)]]
    body += [circle(px, py, r, wool) for px, py, r in fleece]
    head = [
        ellipse(10.2, -1.6, 3, 3.7, dark),
        ellipse(7.6, -4, 2, 1.2, dark),
        circle(10.8, -2.6, 0.7, wool),
    ]
    drawn = moved([*legs, *body, *head], 0, 0)
    return f'<g transform="translate({x} {y}) scale({facing * size} {size})">{drawn}</g>'


def _tuft(x: float, y: float, color: str) -> str:
    return path(
        f"M{x - 4} {y - 5}Q{x - 2} {y - 3} {x - 1.2} {y}M{x} {y - 7}V{y}"
        f"M{x + 4} {y - 5}Q{x + 2} {y - 3} {x + 1.2} {y}",
        stroke=color,
        stroke_width=1.6,
        stroke_linecap="round",
    )


def _pasture() -> str:
    _, shade, light = TERRAIN["pasture"]
    meadow = [
        path("M-42 -13Q-20 -32 4 -22T42 -14V-20L0 -45L-42 -20Z", light, opacity=0.75),
        path("M-43 16Q-18 32 8 24T43 15V22L0 47L-43 22Z", shade, opacity=0.5),
    ]
    tufts = [(-35, 2), (36, 4), (-20, -35 + 10), (28, 20), (-8, 43), (-34, 14), (20, -30)]
    flowers = [(-30, 19), (-27, -12), (32, -9), (12, 44), (4, -37)]
    return "".join(
        meadow
        + [_tuft(x, y, "#6B9A38") for x, y in tufts]
        + [circle(x, y, 1.5, "#FFF6C8") for x, y in flowers]
        + [_sheep(0, -27, 1.0, 1), _sheep(-19, 30, 0.9, 1), _sheep(19, 33, 0.95, -1)]
    )


def _ear(x: float, y: float, height: float, lean: float) -> str:
    """One ear of wheat standing at (x, y)."""
    light = TERRAIN["fields"][2]
    top = -height
    grains = []
    for i in range(4):
        at = top + 2 + i * 4.2
        for side in (-1, 1):
            grains.append(
                path(
                    f"M0 {at + 4.2}Q{side * 4.6} {at + 2} {side * 3} {at - 2}Q{-side * 0.3} "
                    f"{at} 0 {at + 4.2}",
                    light if side < 0 else "#FFEBA6",
                    stroke="#B5811C",
                    stroke_width=0.7,
                )
            )
    stem = line((0, 0), (0, top + 6), "#B5811C", 1.6)
    tip = ellipse(0, top - 1, 1.5, 3, light, stroke="#B5811C", stroke_width=0.7)
    return moved([stem, *grains, tip], x, y, turn=lean)


def _fields() -> str:
    _, shade, _ = TERRAIN["fields"]
    furrows = [
        path(f"M{-w} {y}Q0 {y + 7} {w} {y}", stroke=shade, stroke_width=2.2, opacity=0.8)
        for y, w in ((-30, 24), (-20, 38), (-9, 41), (2, 41), (13, 41), (24, 36), (33, 22))
    ]
    ears = [(-34, 10, -8), (34, 10, 8), (-12, -18, -7), (0, -19, 0), (12, -18, 7)]
    ears += [(-27, 34, -8), (27, 34, 8), (-14, 42, -5), (0, 46, 0), (14, 42, 5)]
    return "".join(furrows + [_ear(x, y, 22, lean) for x, y, lean in ears])


def _mound(x: float, y: float, width: float, height: float) -> str:
    _, shade, light = TERRAIN["hills"]
    w, h = width / 2, height
    return moved(
        [
            path(f"M{-w} 0C{-w * 0.8} {-h} {-w * 0.3} {-h} 0 {-h}S{w * 0.8} {-h} {w} 0Z", shade),
            path(
                f"M{-w} 0C{-w * 0.8} {-h} {-w * 0.3} {-h} 0 {-h}C{w * 0.1} {-h * 0.7} "
                f"{-w * 0.2} {-h * 0.4} 0 0Z",
                light,
            ),
        ],
        x,
        y,
    )


def _bricks(x: float, y: float) -> str:
    rows = [(-10.5, 0), (0.5, 0), (-5, -5.4)]
    return moved(
        [
            rect(dx, dy, 10, 4.8, "#A4492A", 1, stroke="#7C3219", stroke_width=0.8)
            for dx, dy in rows
        ],
        x,
        y,
    )


def _hills() -> str:
    mounds = [(0, -21, 42, 20), (-22, -12, 34, 15), (23, -12, 34, 14)]
    mounds += [(-25, 30, 34, 17), (25, 31, 34, 16), (0, 42, 44, 17)]
    return "".join([_mound(*m) for m in mounds] + [_bricks(-31, 8), _bricks(31, 8)])


def _peak(x: float, y: float, width: float, height: float) -> str:
    w, h = width / 2, height
    return moved(
        [
            polygon([(-w, 0), (0, -h), (0, 0)], "#8D959E"),
            polygon([(w, 0), (0, -h), (w * 0.18, -h * 0.4), (-w * 0.1, 0)], "#5F6771"),
            polygon(
                [
                    (0, -h),
                    (-w * 0.4, -h * 0.6),
                    (-w * 0.16, -h * 0.68),
                    (0.5, -h * 0.54),
                    (w * 0.18, -h * 0.68),
                    (w * 0.4, -h * 0.6),
                ],
                "#FBFDFF",
            ),
        ],
        x,
        y,
    )


def _mountains() -> str:
    peaks = [(-17, -15, 34, 22), (17, -15, 34, 22), (0, -17, 38, 30)]
    peaks += [(-29, 27, 28, 24), (29, 27, 28, 24), (-10, 40, 34, 22), (13, 42, 32, 22)]
    return "".join(_peak(*p) for p in peaks)


def _cactus(x: float, y: float) -> str:
    green = {"stroke": "#5E8F4E", "stroke_linecap": "round", "stroke_linejoin": "round"}
    return moved(
        [
            ellipse(1, 0.5, 8, 2, "#BFA468"),
            path("M0 0V-20", stroke_width=5, **green),
            path("M0 -7H6.5V-13M0 -9H-6.5V-15", stroke_width=3.4, **green),
        ],
        x,
        y,
    )


def _desert() -> str:
    _, shade, light = TERRAIN["desert"]
    dunes = [
        path("M-42 -14Q-22 -30 -2 -18T42 -18V-21L0 -45L-42 -21Z", light),
        path("M-42 -14Q-22 -30 -2 -18T42 -18", stroke=shade, stroke_width=1.8),
        path("M-43 20Q-20 4 4 20T43 18V22L0 47L-43 22Z", light, opacity=0.8),
        path("M-43 20Q-20 4 4 20T43 18", stroke=shade, stroke_width=1.8),
        path("M-24 34Q-8 26 6 34T26 32", stroke=shade, stroke_width=1.6),
    ]
    return "".join([*dunes, circle(19, -27, 6, "#F6B83C"), _cactus(-27, 12), _cactus(24, 36)])


_ART: Final[dict[str, Callable[[], str]]] = {
    "hills": _hills,
    "forest": _forest,
    "pasture": _pasture,
    "fields": _fields,
    "mountains": _mountains,
    "desert": _desert,
}
