"""The players' pieces on the board, and the robber."""

from functools import lru_cache
from math import atan2, degrees, hypot

from catan_pz.render.geometry import HEX_POSITIONS, VERTEX_POSITIONS, edge_ends, shortened, trail
from catan_pz.render.icons import drawing
from catan_pz.render.palette import GOLD, SEATS, SeatColor
from catan_pz.render.shapes import group, line, moved, rect
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
    return group(
        [drawing(kind, *VERTEX_POSITIONS[vertex], color=SEATS[seat])],
        **{"class": f"{kind} seat-{seat}", "data_vertex": str(vertex)},
    )


def _robber(hex_id: int) -> str:
    """The robber, a hooded figure beside the number token of its hex."""
    x, y = HEX_POSITIONS[hex_id]
    drawn = drawing("robber", x - 27, y + 4)
    return group([drawn], **{"class": "robber", "data_hex": str(hex_id)})
