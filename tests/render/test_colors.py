"""Colours are told apart by people with any kind of colour vision."""

from itertools import pairwise

import pytest

from catan_pz.render.overlay import color_of
from catan_pz.render.palette import SEATS

# Machado, Oliveira and Fernandes (2009), severity 1.0: what the three kinds of colour-blind
# people see, in linear RGB.
SIGHT = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deutan": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritan": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


def lab(color: str, sight: str) -> tuple[float, float, float]:
    """CIE L*a*b* of a hex colour as somebody sees it."""
    rgb = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    r, g, b = (
        min(1.0, max(0.0, sum(m * c for m, c in zip(row, linear, strict=True))))
        for row in SIGHT[sight]
    )
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("sight", SIGHT)
def test_seat_colors_stay_apart(sight: str) -> None:
    seen = [lab(seat.fill, sight) for seat in SEATS]
    for i, one in enumerate(seen):
        for other in seen[:i]:
            assert sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5 > 30


def test_the_scale_gets_lighter_all_the_way_for_every_kind_of_sight() -> None:
    for sight in ("usual", "protan", "deutan", "tritan"):
        lightness = [lab(color_of(k / 20)[0], sight)[0] for k in range(21)]
        assert all(b > a for a, b in pairwise(lightness))


def test_what_is_written_on_the_scale_can_be_read() -> None:
    for k in range(21):
        fill, ink = color_of(k / 20)
        assert abs(lab(fill, "usual")[0] - lab(ink, "usual")[0]) > 38
