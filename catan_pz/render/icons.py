"""Icons of resources, cards and pieces, each centred on (0, 0)."""

import re
from functools import cache, lru_cache
from importlib.resources import files

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.render.palette import GENERIC, RESOURCES, SeatColor
from catan_pz.render.shapes import circle, moved, rect


@cache
def drawings() -> dict[str, str]:
    """The drawings of `drawings.svg` by name: terrains, resources, cards, and other icons."""
    text = (files("catan_pz.render") / "drawings.svg").read_text(encoding="utf-8")
    return dict(re.findall(r'<g id="(\w+)">(.*)</g>', text))


@lru_cache(maxsize=2048)
def drawing(name: str, x: float, y: float, scale: float = 1.0, color: SeatColor | str = "") -> str:
    """One of the `drawings`; pieces take a seat's colours, shield and winding road a fill."""
    return moved([drawings()[name].format(c=color)], x, y, scale)


@lru_cache(maxsize=1024)
def resource_chip(resource: int, x: float, y: float, scale: float = 1.0) -> str:
    """A rounded square, 22 units wide at scale 1, in a resource's colour with its icon."""
    ground = rect(-11, -11, 22, 22, RESOURCES[resource], 5)
    return moved([ground, drawings()[RESOURCE_NAMES[resource]]], x, y, scale)


def harbor_disc(resource: int | None, x: float, y: float) -> str:
    """A disc in a harbor's colour with the icon of its resource, or three dots for any."""
    fill = GENERIC if resource is None else RESOURCES[resource]
    sign = "any_resource" if resource is None else RESOURCE_NAMES[resource]
    return circle(x, y, 11, fill) + drawing(sign, x, y, 0.86)


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
