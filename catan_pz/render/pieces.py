"""What players put on the board, and the robber."""

from functools import lru_cache
from math import atan2, degrees, hypot

from catan_pz.render.geometry import (
    HEX_POSITIONS,
    VERTEX_POSITIONS,
    Point,
    edge_ends,
    shortened,
    trail,
)
from catan_pz.render.icons import drawing
from catan_pz.render.palette import GOLD, SEATS, SeatColor
from catan_pz.render.shapes import ellipse, group, line, moved, polygon, rect
from catan_pz.render.view import SeatView, TableView


def pieces(view: TableView) -> str:
    """All roads, then all buildings from back to front, then the robber."""
    roads = [_roads(view, seat) for seat in view.seats]
    buildings = [
        (VERTEX_POSITIONS[vertex], kind, seat.seat, vertex)
        for seat in view.seats
        for kind, vertices in (("settlement", seat.settlements), ("city", seat.cities))
        for vertex in vertices
    ]
    buildings.sort(key=lambda b: (b[0][1], b[0][0]))
    houses = [_building(kind, vertex, seat) for _, kind, seat, vertex in buildings]
    return group([*roads, *houses, _robber(view.robber)])


def _roads(view: TableView, seat: SeatView) -> str:
    longest: tuple[int, ...] = ()
    if seat.has_longest_road:
        blocked = frozenset(
            v for s in view.seats if s.seat != seat.seat for v in s.settlements + s.cities
        )
        longest = trail(seat.roads, blocked, seat.road_length)
    color = SEATS[seat.seat]
    return "".join(_road(edge, seat.seat, color, edge in longest) for edge in seat.roads)


@lru_cache(maxsize=1024)
def _road(edge: int, seat: int, color: SeatColor, longest: bool) -> str:
    start, end = shortened(*edge_ends(edge), 8)
    length = hypot(end[0] - start[0], end[1] - start[1])
    angle = degrees(atan2(end[1] - start[1], end[0] - start[0]))
    bar = [
        rect(-1.5, -5.5, length + 3, 11, color.outline, 3.5),
        rect(0, -4, length, 8, color.fill, 2.5),
        rect(0, 1.6, length, 2.4, color.shade, 1.2),
    ]
    if longest:
        dots = line((5, 0), (length - 5, 0), GOLD, 3.6)
        bar += [line((5, 0), (length - 5, 0), "#4A3600", 5.4), dots]
    drawn = moved(bar, *start, turn=angle)
    return group([drawn], **{"class": f"road seat-{seat}", "data_edge": str(edge)})


@lru_cache(maxsize=1024)
def _building(kind: str, vertex: int, seat: int) -> str:
    color = SEATS[seat]
    drawn = _settlement(color) if kind == "settlement" else _city(color)
    return group(
        [moved([drawn], *VERTEX_POSITIONS[vertex])],
        **{"class": f"{kind} seat-{seat}", "data_vertex": str(vertex)},
    )


def _silhouette(points: list[Point], color: SeatColor) -> str:
    return polygon(
        points, color.outline, stroke=color.outline, stroke_width=3.6, stroke_linejoin="round"
    )


def _settlement(color: SeatColor) -> str:
    body = [(-10.0, 9.0), (-10.0, -2.0), (0.0, -12.0), (10.0, -2.0), (10.0, 9.0)]
    return "".join(
        [
            ellipse(1, 10.5, 14, 4, "#000000", opacity=0.28),
            _silhouette(body, color),
            polygon([(-10, 9), (-10, -2), (10, -2), (10, 9)], color.fill),
            polygon([(-10, -2), (0, -12), (10, -2)], color.shade),
            rect(-2.6, 2, 5.2, 7, color.shade, 1),
        ]
    )


def _city(color: SeatColor) -> str:
    body = [(-16.0, 11.0), (-16.0, -7.0), (-8.0, -17.0), (0.0, -7.0), (0.0, -3.0)]
    body += [(8.0, -3.0), (16.0, -3.0), (16.0, 11.0)]
    return "".join(
        [
            ellipse(1, 12.5, 20, 4.6, "#000000", opacity=0.28),
            _silhouette(body, color),
            polygon([(-16, 11), (-16, -7), (0, -7), (0, -2), (16, -2), (16, 11)], color.fill),
            polygon([(-16, -7), (-8, -17), (0, -7)], color.shade),
            polygon([(0, -3), (16, -3), (16, 1.5), (0, 1.5)], color.shade),
            rect(-10.4, -2.5, 4.8, 5.2, color.shade, 0.8),
            rect(4.4, 4.5, 5.6, 6.5, color.shade, 0.8),
        ]
    )


def _robber(hex_id: int) -> str:
    """The robber, a hooded figure beside the number token of its hex."""
    x, y = HEX_POSITIONS[hex_id]
    drawn = drawing("robber", x - 27, y + 4)
    return group([drawn], **{"class": "robber", "data_hex": str(hex_id)})
