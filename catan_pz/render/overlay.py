"""Numbers drawn on the board: a policy's probabilities, values, visit counts."""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz import actions
from catan_pz.actions import describe_action
from catan_pz.checks import quoted
from catan_pz.render.geometry import (
    HEX_POSITIONS,
    VERTEX_POSITIONS,
    Point,
    edge_ends,
    edge_middle,
    shortened,
)
from catan_pz.render.layout import Box
from catan_pz.render.lettering import text, text_width
from catan_pz.render.log import action_words
from catan_pz.render.palette import INK, PAPER, RULE
from catan_pz.render.shapes import circle, group, line, rect
from catan_pz.terms import NUM_EDGES, NUM_HEXES, NUM_VERTICES

# Cividis (Nuñez, Anderton and Renslow, 2018): even steps of lightness, and the same with any
# kind of colour vision.
_CIVIDIS: Final = (
    (0, 34, 78), (18, 53, 112), (59, 73, 107), (87, 93, 109), (112, 113, 115),
    (138, 134, 120), (165, 156, 116), (195, 179, 105), (225, 204, 85), (254, 232, 56),
)  # fmt: skip
_COLUMNS: Final = 4
_LISTED: Final = 2 * _COLUMNS
"""Most entries listed without a place on the board."""


@dataclass(frozen=True)
class Overlay:
    """Numbers at places of the board.

    Attributes:
        vertices, edges, hexes: number at each place that has one.
        others: actions without a place on the board, in words, each with its number.
        percent: whether numbers are fractions of 1, to be shown in percent.
        relative: whether colours range from the smallest to the largest number; else fractions of
            1 are coloured from 0.
    """

    vertices: Mapping[int, float] = field(default_factory=dict)
    edges: Mapping[int, float] = field(default_factory=dict)
    hexes: Mapping[int, float] = field(default_factory=dict)
    others: Sequence[tuple[str, float]] = ()
    percent: bool = False
    relative: bool = False

    def __post_init__(self) -> None:
        counts = {"vertices": NUM_VERTICES, "edges": NUM_EDGES, "hexes": NUM_HEXES}
        for name, count in counts.items():
            for place in getattr(self, name):
                if place not in range(count):
                    raise ValueError(f"overlay: {name} are 0 to {count - 1}, not {quoted(place)}")

    @classmethod
    def of_policy(cls, probabilities: Sequence[float] | NDArray[np.floating]) -> Self:
        """A policy's probabilities (A,) of all actions, without zeros.

        Settlements and cities show at their vertices, roads at their edges, the robber at its
        hexes; other actions are listed, the most probable first.
        """
        given = np.asarray(probabilities, np.float64)
        sizes = (actions.NUM_ACTIONS, actions.NUM_ACTIONS_WITHOUT_TRADE)
        if given.ndim != 1 or len(given) not in sizes:
            raise ValueError(
                f"a policy is one number of 0 or more for each of {sizes[0]} or {sizes[1]} "
                f"actions, not an array of shape {given.shape}"
            )
        wrong = np.flatnonzero(~((given >= 0) & (given < math.inf)))
        if len(wrong):
            raise ValueError(
                f"a policy is finite numbers of 0 or more, not {given[wrong[0]]:g}, as for action "
                f"{wrong[0]}"
            )
        values = {action: float(given[action]) for action in np.flatnonzero(given).tolist()}
        return cls(*_placed(values, operator.add), percent=True)

    @classmethod
    def of_values(cls, values: Mapping[int, float], *, percent: bool = False) -> Self:
        """Numbers by action, such as values; of several at a place the largest is shown.

        `percent`: whether they are fractions of 1.
        """
        return cls(*_placed(values, max), percent=percent, relative=True)

    def words(self, value: float) -> str:
        """A number as shown on the board."""
        if self.percent:
            share = 100 * value
            if self.relative:
                return f"{share:.1f}" if share < 99.95 else "100"
            return f"{share:.0f}" if share >= 0.95 else "<1"
        return f"{value:.2g}" if abs(value) < 10 else f"{value:.0f}"


def _placed(
    values: Mapping[int, float], join: Callable[[float, float], float]
) -> tuple[dict[int, float], dict[int, float], dict[int, float], tuple[tuple[str, float], ...]]:
    """Numbers of actions by vertex, edge and hex, and the others in words, largest first."""
    places: dict[str, dict[int, float]] = {"vertex": {}, "edge": {}, "hex": {}}
    others = []
    for action, value in values.items():
        described = describe_action(action)
        name = next((key for key in places if key in described), None)
        if name is None:
            others.append((action_words(action), value))
        else:
            points, place = places[name], described[name]
            points[place] = join(points[place], value) if place in points else value
    others.sort(key=lambda item: -item[1])
    return places["vertex"], places["edge"], places["hex"], tuple(others)


def color_of(share: float) -> tuple[str, str]:
    """Colour of a fraction from 0 to 1 on the scale, and a text colour for it."""
    at = min(1.0, max(0.0, share)) * (len(_CIVIDIS) - 1)
    low = min(int(at), len(_CIVIDIS) - 2)
    mixed = [
        round(a + (b - a) * (at - low))
        for a, b in zip(_CIVIDIS[low], _CIVIDIS[low + 1], strict=True)
    ]
    ink = INK if sum(mixed) > 395 else "#FFFFFF"
    return "#" + "".join(f"{part:02X}" for part in mixed), ink


def range_of(overlay: Overlay) -> tuple[float, float]:
    """The numbers at both ends of the colour scale."""
    values = [*overlay.vertices.values(), *overlay.edges.values(), *overlay.hexes.values()]
    values += [value for _, value in overlay.others]
    from_zero = overlay.percent and not overlay.relative
    low = 0.0 if from_zero else min(values, default=0.0)
    return low, max(values, default=1.0)


def _shares(overlay: Overlay) -> Callable[[float], float]:
    """The relative position of a number between the smallest and the largest, from 0 to 1."""
    low, high = range_of(overlay)
    return lambda value: (value - low) / (high - low) if high > low else 1.0


def draw_overlay(overlay: Overlay) -> str:
    """Badges at hexes, edges and vertices about (0, 0), coloured by their numbers."""
    share = _shares(overlay)
    parts = [
        _badge(HEX_POSITIONS[h], 25, overlay.words(value), share(value), 18)
        for h, value in overlay.hexes.items()
    ]
    for edge, value in overlay.edges.items():
        start, end = shortened(*edge_ends(edge), 13)
        fill, _ = color_of(share(value))
        parts.append(line(start, end, "#FFFFFF", 10))
        parts.append(line(start, end, fill, 7))
        parts.append(_badge(edge_middle(edge), 11, overlay.words(value), share(value), 11.5))
    parts += [
        _badge(VERTEX_POSITIONS[v], 14, overlay.words(value), share(value), 13.5)
        for v, value in overlay.vertices.items()
    ]
    return group(parts, **{"class": "overlay"})


def _badge(point: Point, radius: float, words: str, share: float, size: float) -> str:
    fill, ink = color_of(share)
    x, y = point
    size = min(size, size * 1.55 * radius / max(1.0, text_width(words, size)))
    return circle(x, y, radius, fill, stroke="#FFFFFF", stroke_width=1.8) + text(
        x, y + 0.35 * size, words, size=size, fill=ink, anchor="middle", bold=True
    )


def draw_others(overlay: Overlay, box: Box) -> str:
    """Actions without a place on the board, in two rows below the picture."""
    share = _shares(overlay)
    shown = list(overlay.others[:_LISTED])
    left_out = overlay.others[_LISTED:]
    if left_out:
        shown = shown[:-1]
        rest = [value for _, value in (overlay.others[_LISTED - 1], *left_out)]
        # Probabilities are summed; of values the largest is shown, as at places of the board.
        if overlay.relative:
            shown.append((f"the best of {len(rest)} more", max(rest)))
        else:
            shown.append((f"and {len(rest)} more", sum(rest)))
    column = (box.width - 24) / _COLUMNS
    parts = [rect(box.x, box.y, box.width, box.height, PAPER, 10, stroke=RULE, stroke_width=1.2)]
    for i, (words, value) in enumerate(shown):
        x, y = box.x + 12 + i // 2 * column, box.y + 18 + i % 2 * 24
        number = overlay.words(value) + (" %" if overlay.percent else "")
        fill, ink = color_of(share(value))
        parts.append(rect(x, y - 10, 46, 20, fill, 5))
        parts.append(text(x + 23, y + 4.6, number, size=13, fill=ink, anchor="middle", bold=True))
        parts.append(text(x + 54, y + 4.9, words, size=14, fill=INK, max_width=column - 62))
    return group(parts, **{"class": "others"})
