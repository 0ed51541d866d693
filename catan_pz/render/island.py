"""The board without pieces: sea, hexes, number tokens and harbors, centred on (0, 0)."""

from functools import lru_cache
from typing import Final

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.board.topology import EDGE_VERTICES
from catan_pz.render.geometry import CORNERS, HEX_POSITIONS, VERTEX_POSITIONS, seaward, shortened
from catan_pz.render.icons import drawings, harbor_disc
from catan_pz.render.layout import SEA_HEIGHT, SEA_WIDTH
from catan_pz.render.lettering import text
from catan_pz.render.palette import (
    INK,
    RED,
    SAND,
    SAND_SHADE,
    SEA,
    SEA_LIGHT,
    SHALLOWS,
    TOKEN,
    WOOD,
    WOOD_DARK,
)
from catan_pz.render.shapes import circle, group, line, moved, path, points, rect
from catan_pz.render.view import TableView
from catan_pz.terms import PIPS

_HARBOR_DISTANCE: Final = 37.0
_PLANKS: Final = {"stroke_dasharray": "1.6 3.4", "stroke_linecap": "butt"}
_WAVES: Final = (
    (-270, -262), (-205, -280), (-276, -215), (228, -276), (274, -244), (268, -196),
    (-270, 236), (-222, 272), (-276, 284), (224, 250), (272, 276), (268, 214),
    (-292, -52), (-292, 60), (292, -64), (292, 62), (20, -286), (-60, 284), (96, 288),
)  # fmt: skip


def island(view: TableView) -> str:
    """The board in its sea, cached because it stays the same in a game."""
    return _island(view.terrains, view.tokens, view.harbors)


@lru_cache(maxsize=32)
def _island(
    terrains: tuple[str, ...],
    tokens: tuple[int | None, ...],
    harbors: tuple[tuple[int, str | None], ...],
) -> str:
    parts = [_sea(), _coast()]
    parts += [_harbor(edge, resource) for edge, resource in harbors]
    for hex_id, (terrain, token) in enumerate(zip(terrains, tokens, strict=True)):
        drawn = [drawings()[terrain], "" if token is None else _token(token)]
        placed = moved(drawn, *HEX_POSITIONS[hex_id])
        parts.append(group([placed], **{"class": f"hex {terrain}", "data_hex": str(hex_id)}))
    return group(parts)


def _sea() -> str:
    waves = "".join(f"M{x - 14} {y}q3.5 -5 7 0t7 0t7 0" for x, y in _WAVES)
    return rect(-SEA_WIDTH / 2, -SEA_HEIGHT / 2, SEA_WIDTH, SEA_HEIGHT, SEA, 14) + path(
        waves, stroke=SEA_LIGHT, stroke_width=2.4, stroke_linecap="round"
    )


def _coast() -> str:
    outline = "".join(
        "M" + points((x + dx, y + dy) for dx, dy in CORNERS) + "Z" for x, y in HEX_POSITIONS
    )
    rings = [(SHALLOWS, 44, 0.55), (SAND_SHADE, 20, 1.0), (SAND, 15, 1.0)]
    return "".join(
        path(outline, color, stroke=color, stroke_width=w, stroke_linejoin="round", opacity=opacity)
        for color, w, opacity in rings
    )


def _token(value: int) -> str:
    """The number token with its pips: the ways out of 36 in which two dice roll it."""
    red = value in (6, 8)
    color = RED if red else INK
    size = 21.0 if red else 15.0 + PIPS[value]
    first = -(PIPS[value] - 1) * 2.25
    return "".join(
        [
            circle(0.8, 2, 18.2, "#000000", opacity=0.25),
            circle(0, 0, 18, TOKEN, stroke="#A8925A", stroke_width=1.2),
            text(0, 4.2, str(value), size=size, fill=color, anchor="middle", bold=True),
            *(circle(first + i * 4.5, 10.6, 1.6, color) for i in range(PIPS[value])),
        ]
    )


def _harbor(edge: int, resource: str | None) -> str:
    """Two piers to the harbor's vertices, and an icon with its rate and resource."""
    x, y = seaward(edge, _HARBOR_DISTANCE)
    piers = []
    for vertex in EDGE_VERTICES[edge]:
        start, end = shortened((x, y), VERTEX_POSITIONS[vertex], 4)
        piers.append(line(start, end, WOOD_DARK, 7) + line(start, end, WOOD, 4.6))
        piers.append(line(start, end, "#B98C55", 4.6, **_PLANKS))
    kind = None if resource is None else RESOURCE_NAMES.index(resource)
    rate = "3:1" if resource is None else "2:1"
    sign = [
        rect(-17, -22, 34, 44, WOOD_DARK, 9),
        rect(-15.4, -20.4, 30.8, 40.8, "#FFF8E6", 7.6),
        harbor_disc(kind, 0, -7.4),
        text(0, 16.4, rate, size=15.5, fill=INK, anchor="middle", bold=True),
    ]
    return group(
        [*piers, moved(sign, x, y)],
        **{"class": f"harbor {resource or 'any'}", "data_edge": str(edge)},
    )
