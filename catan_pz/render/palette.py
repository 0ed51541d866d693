"""The colours of pictures and text."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class SeatColor:
    """Colours of one seat's pieces: body, darker side, outline, and a tint for its panel."""

    fill: str
    shade: str
    outline: str
    tint: str
    line: str  # outline on a light background


# Vermilion, blue, white and black differ in hue or lightness for every kind of colour vision;
# dark pieces have a light outline and light pieces a dark one.
SEATS: Final = (
    SeatColor("#D9481C", "#A53310", "#3D1206", "#FBE9E2", "#A53310"),
    SeatColor("#1F6FC9", "#154E92", "#F4F8FF", "#E4EEFA", "#154E92"),
    SeatColor("#FBF8F0", "#D3CBB8", "#33302A", "#F4EEDD", "#2B2A28"),
    SeatColor("#35323C", "#1B1920", "#FFFFFF", "#E9E8EC", "#1B1920"),
)
SEAT_ANSI: Final = ((166, 231), (26, 231), (255, 16), (238, 231))
"""Background and foreground of each seat among the 256 terminal colours."""

TERRAIN_ANSI: Final = {
    "hills": 173,
    "forest": 71,
    "pasture": 149,
    "fields": 220,
    "mountains": 248,
    "desert": 187,
}

RESOURCES: Final = ("#C86E3E", "#3F7D49", "#8DBB52", "#E5B533", "#7E8791")
"""Colour of each resource, in the order of `Resource`."""
GENERIC: Final = "#8C6A46"

SEA: Final = "#4BA3C7"
SEA_LIGHT: Final = "#6CB9D6"
SHALLOWS: Final = "#8CCBDF"
SAND: Final = "#F2DFB2"
SAND_SHADE: Final = "#D9BF86"
WOOD: Final = "#8A6238"
WOOD_DARK: Final = "#5B3D1E"

PAPER: Final = "#FFFDF7"
PAGE: Final = "#EFE9DC"
RULE: Final = "#DDD3BE"
INK: Final = "#2B2A28"
FAINT_INK: Final = "#6B655A"
RED: Final = "#C22A1B"
TOKEN: Final = "#FFF7E0"
GOLD: Final = "#F2B705"
GOLD_DARK: Final = "#8A6400"
YES: Final = "#1E7F4F"
NO: Final = "#A8341F"
CARD_PURPLE: Final = "#6A4C93"
