"""Small signs for resources, cards and pieces, each drawn about (0, 0)."""

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.render.geometry import Point
from catan_pz.render.palette import GENERIC, RESOURCES, SeatColor
from catan_pz.render.shapes import circle, line, moved, path, polygon, rect

CREAM: Final = "#FFF9E8"


@cache
def drawings() -> dict[str, str]:
    """What stands in `drawings.svg`, by name: terrains, resources, cards, and other signs."""
    text = (files("catan_pz.render") / "drawings.svg").read_text(encoding="utf-8")
    return dict(re.findall(r'<g id="(\w+)">(.*)</g>', text))


@lru_cache(maxsize=1024)
def drawing(name: str, x: float, y: float, scale: float = 1.0) -> str:
    """One of the `drawings`."""
    return moved([drawings()[name]], x, y, scale)


@lru_cache(maxsize=1024)
def resource_chip(resource: int, x: float, y: float, scale: float = 1.0) -> str:
    """A rounded square, 22 units wide at scale 1, in a resource's colour with its sign."""
    ground = rect(-11, -11, 22, 22, RESOURCES[resource], 5)
    return moved([ground, drawings()[RESOURCE_NAMES[resource]]], x, y, scale)


def harbor_disc(resource: int | None, x: float, y: float) -> str:
    """A disc in a harbor's colour with the sign of its resource, or three dots for any."""
    fill = GENERIC if resource is None else RESOURCES[resource]
    sign = "any_resource" if resource is None else RESOURCE_NAMES[resource]
    return circle(x, y, 11, fill) + drawing(sign, x, y, 0.86)


@lru_cache(maxsize=256)
def shield(x: float, y: float, fill: str) -> str:
    """The sign of the army."""
    return moved(
        [
            path("M-7 -8H7V-1C7 4 3.5 7 0 8.8C-3.5 7 -7 4 -7 -1Z", fill),
            path("M0 -5V5.4M-4.2 -2H4.2", stroke=CREAM, stroke_width=1.8, stroke_linecap="round"),
        ],
        x,
        y,
    )


@lru_cache(maxsize=256)
def winding_road(x: float, y: float, fill: str) -> str:
    """The sign of the road's length."""
    zigzag = "M-7.5 6L-2.5 -2.5L3 3.5L7.5 -6"
    return moved(
        [
            path(
                zigzag,
                stroke=fill,
                stroke_width=4.4,
                stroke_linejoin="round",
                stroke_linecap="round",
            ),
            path(zigzag, stroke=CREAM, stroke_width=1, stroke_dasharray="2.4 2.6"),
        ],
        x,
        y,
    )


@lru_cache(maxsize=256)
def die(x: float, y: float, value: int, size: float = 30.0) -> str:
    """One die; a value of 0 (not rolled yet) shows an empty face."""
    far, r = size * 0.26, size * 0.095
    corners = [(-far, -far), (far, far)]
    points: list[tuple[float, float]] = [(0.0, 0.0)] if value % 2 else []
    points += corners if value >= 2 else []
    points += [(far, -far), (-far, far)] if value >= 4 else []
    points += [(-far, 0.0), (far, 0.0)] if value == 6 else []
    half = size / 2
    face = rect(-half, -half, size, size, "#FFFFFF", size * 0.2, stroke="#8E877A", stroke_width=1.4)
    return moved([face, *(circle(px, py, r, "#2B2A28") for px, py in points)], x, y)


@lru_cache(maxsize=256)
def small_road(x: float, y: float, seat: SeatColor) -> str:
    """A road piece as a sign."""
    ends = ((-7.0, 4.5), (7.0, -4.5))
    return moved([line(*ends, seat.line, 7), line(*ends, seat.fill, 4.4)], x, y)


_HOUSE: Final = ((-6.0, 7.0), (-6.0, -1.0), (0.0, -7.0), (6.0, -1.0), (6.0, 7.0))
_CITY: Final = (
    *((-9.0, 7.0), (-9.0, -3.0), (-4.5, -8.0), (0.0, -3.0)),
    *((0.0, -0.5), (9.0, -0.5), (9.0, 7.0)),
)


@lru_cache(maxsize=256)
def small_house(x: float, y: float, seat: SeatColor) -> str:
    """A settlement as a sign."""
    return _small(_HOUSE, x, y, seat)


@lru_cache(maxsize=256)
def small_city(x: float, y: float, seat: SeatColor) -> str:
    """A city as a sign."""
    return _small(_CITY, x, y, seat)


def _small(walls: tuple[Point, ...], x: float, y: float, seat: SeatColor) -> str:
    drawn = polygon(walls, seat.fill, stroke=seat.line, stroke_width=1.4, stroke_linejoin="round")
    return moved([drawn], x, y)
