"""Small signs for resources, cards and pieces, each drawn about (0, 0)."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from catan_pz.render.palette import CARD_PURPLE, GENERIC, GOLD, GOLD_DARK, RESOURCES, SeatColor
from catan_pz.render.shapes import circle, ellipse, line, moved, path, polygon, rect

CREAM: Final = "#FFF9E8"


@lru_cache(maxsize=1024)
def resource_chip(resource: int, x: float, y: float, scale: float = 1.0) -> str:
    """A rounded square, 22 units wide at scale 1, in a resource's colour with its sign."""
    return moved(
        [rect(-11, -11, 22, 22, RESOURCES[resource], 5), _RESOURCE_SIGNS[resource]()], x, y, scale
    )


def harbor_disc(resource: int | None, x: float, y: float) -> str:
    """A disc in a harbor's colour with the sign of its resource, or three dots for any."""
    fill = GENERIC if resource is None else RESOURCES[resource]
    sign = _any_sign() if resource is None else _RESOURCE_SIGNS[resource]()
    return circle(x, y, 11, fill) + moved([sign], x, y, 0.86)


def _any_sign() -> str:
    return "".join(circle(dx, 0, 2, CREAM) for dx in (-5.5, 0, 5.5))


def _brick_sign() -> str:
    return "".join(
        rect(x, y, w, 4.4, CREAM, 0.8)
        for x, y, w in [
            (-7.5, 2.7, 7),
            (0.5, 2.7, 7),
            (-4, -2.3, 8),
            (-7.5, -7.2, 7),
            (0.5, -7.2, 7),
        ]
    )


def _lumber_sign() -> str:
    tree = [
        (0.0, -8.5),
        (-5.0, -1.5),
        (-2.6, -1.5),
        (-7.0, 4.5),
        (7.0, 4.5),
        (2.6, -1.5),
        (5.0, -1.5),
    ]
    return polygon(tree, CREAM, stroke=CREAM, stroke_linejoin="round") + rect(
        -1.6, 4, 3.2, 4.4, CREAM
    )


def _wool_sign() -> str:
    fleece = [(-4.5, -0.5, 3.4), (-1, -3, 3.6), (3, -1.2, 3.4), (1.5, 1.6, 3.2), (-2.6, 1.8, 3.2)]
    legs = [line((x, 3.5), (x, 7.4), CREAM, 1.7) for x in (-3.6, 2.6)]
    head = ellipse(7, -3.2, 2.2, 2.9, CREAM)
    return "".join([*legs, *(circle(x, y, r, CREAM) for x, y, r in fleece), head])


def _grain_sign() -> str:
    grains = [
        path(f"M0 {y}Q{s * 6.4} {y - 1.4} {s * 5} {y - 6}Q{s * 0.4} {y - 5} 0 {y}", CREAM)
        for y in (5.2, 0.8, -3.4)
        for s in (-1, 1)
    ]
    return "".join(
        [line((0, 8.4), (0, -4), CREAM, 1.5), *grains, ellipse(0, -7.2, 1.5, 2.2, CREAM)]
    )


def _ore_sign() -> str:
    big = [(-8.0, 6.5), (-5.0, -1.0), (0.5, -7.5), (5.0, -3.5), (8.0, 6.5)]
    return polygon(big, CREAM, stroke=CREAM, stroke_width=1, stroke_linejoin="round") + path(
        "M0.5 -7.5L-1 -0.5L-5 -1M-1 -0.5L2.5 6.5M-1 -0.5L5 -3.5", stroke=RESOURCES[4]
    )


_RESOURCE_SIGNS: Final[tuple[Callable[[], str], ...]] = (
    _brick_sign,
    _lumber_sign,
    _wool_sign,
    _grain_sign,
    _ore_sign,
)


@lru_cache(maxsize=256)
def resource_sign(resource: int, x: float, y: float, scale: float = 1.0) -> str:
    """The sign of a resource alone."""
    return moved([_RESOURCE_SIGNS[resource]()], x, y, scale)


@lru_cache(maxsize=256)
def card_sign(card: int, x: float, y: float) -> str:
    """The sign of a kind of development card, about 24 units wide."""
    return moved([_CARD_SIGNS[card]()], x, y)


def _knight_sign() -> str:
    return moved(
        [
            path("M-7 -8H7V-1C7 4 3.5 7 0 8.8C-3.5 7 -7 4 -7 -1Z", CREAM),
            path("M0 -5V5.4M-4.2 -2H4.2", stroke=CARD_PURPLE, stroke_width=1.8),
        ],
        0,
        0,
        1.3,
    )


def _roads_sign() -> str:
    bars = [((-11.0, 3.0), (2.0, -9.0)), ((-2.0, 9.0), (11.0, -3.0))]
    return "".join(line(*ends, CREAM, 5) for ends in bars)


def _plenty_sign() -> str:
    cards = [
        rect(-10, -9, 12, 17, CREAM, 2, transform="rotate(-9)"),
        rect(-2, -8, 12, 17, CREAM, 2, stroke=CARD_PURPLE, stroke_width=1.4),
    ]
    plus = path("M4 -3.4V4.2M0.2 0.4H7.8", stroke=CARD_PURPLE, stroke_width=2)
    return "".join(cards) + plus


def _monopoly_sign() -> str:
    crown = [(-11.0, 7.0), (-11.0, -6.0), (-5.0, 0.0), (0.0, -9.0), (5.0, 0.0), (11.0, -6.0)]
    return polygon([*crown, (11.0, 7.0)], CREAM, stroke=CREAM, stroke_linejoin="round")


_CARD_SIGNS: Final[tuple[Callable[[], str], ...]] = (
    _knight_sign,
    _roads_sign,
    _plenty_sign,
    _monopoly_sign,
    lambda: star(0, 0, 11),
)


@lru_cache(maxsize=256)
def card_back(x: float, y: float) -> str:
    """A development card's back."""
    return moved(
        [rect(-8, -11, 16, 22, CARD_PURPLE, 3), path("M0 -5.5L4.4 0L0 5.5L-4.4 0Z", CREAM)], x, y
    )


@lru_cache(maxsize=256)
def resource_back(x: float, y: float) -> str:
    """Two resource cards seen from behind: a hand."""
    return moved(
        [
            rect(-8, -11, 15, 21, "#C9B68C", 3, transform="rotate(-10)"),
            rect(-6, -10, 15, 21, "#9C7B45", 3, stroke="#FFFDF7", transform="rotate(6)"),
        ],
        x,
        y,
    )


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


def eye(x: float, y: float) -> str:
    """The sign of the seat whose knowledge is shown."""
    return moved(
        [
            path("M-9 0Q0 -10.5 9 0Q0 10.5 -9 0Z", "#2B2A28"),
            circle(0, 0, 3.7, CREAM),
            circle(0, 0, 1.9, "#2B2A28"),
        ],
        x,
        y,
    )


def star(x: float, y: float, radius: float) -> str:
    """A victory point."""
    inner = 0.45
    points = [(0.0, -1.0), (0.264, -0.364), (0.951, -0.309), (0.428, 0.139), (0.588, 0.809)]
    points += [(0.0, inner), (-0.588, 0.809), (-0.428, 0.139), (-0.951, -0.309), (-0.264, -0.364)]
    return moved(
        [
            polygon(
                [(px * radius, py * radius) for px, py in points],
                GOLD,
                stroke=GOLD_DARK,
                stroke_width=1,
                stroke_linejoin="round",
            )
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


@lru_cache(maxsize=256)
def small_house(x: float, y: float, seat: SeatColor) -> str:
    """A settlement as a sign."""
    walls = [(-6.0, 7.0), (-6.0, -1.0), (0.0, -7.0), (6.0, -1.0), (6.0, 7.0)]
    return moved([polygon(walls, seat.fill, **_outline(seat))], x, y)


@lru_cache(maxsize=256)
def small_city(x: float, y: float, seat: SeatColor) -> str:
    """A city as a sign."""
    walls = [
        (-9.0, 7.0),
        (-9.0, -3.0),
        (-4.5, -8.0),
        (0.0, -3.0),
        (0.0, -0.5),
        (9.0, -0.5),
        (9.0, 7.0),
    ]
    return moved([polygon(walls, seat.fill, **_outline(seat))], x, y)


def _outline(seat: SeatColor) -> dict[str, str | float]:
    return {"stroke": seat.line, "stroke_width": 1.4, "stroke_linejoin": "round"}
