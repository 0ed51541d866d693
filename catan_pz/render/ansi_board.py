"""The board as text: 17 lines of hexagons, with pieces and the numbers of places.

A hex takes three lines: its number token, its terrain, and its pips or the robber. An odd brick
coordinate y has two lines: the upper one has the vertices that point up, the lower one those that
point down. A slanted edge lies on both.
"""

from collections.abc import Collection, Mapping
from typing import Final

from catan_pz.board.topology import EDGE_POINTS, EDGE_VERTICES, HEX_POINTS, VERTEX_POINTS
from catan_pz.names import columns_of
from catan_pz.render.palette import SEAT_ANSI, TERRAIN_ANSI
from catan_pz.render.view import TableView
from catan_pz.terms import PIPS

BOARD_LINES: Final = 17

_COLUMNS_PER_UNIT: Final = 3
_LEFT: Final = 31
"""Column of the brick coordinate x = 0."""
_EDGE: Final = 2 * _COLUMNS_PER_UNIT
"""Columns from one end of a slanted edge to the other."""
_UPPER_PART: Final = 2
"""Columns of a slanted edge on the upper line; the rest lies on the lower one."""

_DIM: Final = "38;5;244"
_SEA: Final = "38;5;38"
_RED: Final = "1;38;5;160"
_ROBBER: Final = "1;97;40"
_MARKS: Final = {"vertices": "1;30;103", "edges": "1;30;106", "hexes": "1;30;105"}
_NARROW: Final = (1, 5)
"""The harbor between two edges in the south, with five columns of sea."""
_SHORT: Final = {"mountains": "mountain"}
"""Terrains that would touch the number of an edge beside them."""


class Canvas:
    """Lines of characters, each with a terminal style."""

    def __init__(self, lines: int, columns: int) -> None:
        self._cells = [[(" ", "")] * columns for _ in range(lines)]

    def put(self, line: int, column: int, words: str, style: str = "") -> None:
        """Write words starting at a column."""
        cells = self._cells[line]
        for sign in words:
            width = columns_of(sign)
            cells[column] = (sign, style)
            cells[column + 1 : column + width] = [("", style)] * (width - 1)
            column += width

    def blank_digit(self, line: int, column: int) -> None:
        """Clear a place if it has a digit."""
        if self._cells[line][column][0].isdigit():
            self._cells[line][column] = (" ", "")

    def lines(self, color: bool) -> list[str]:
        """The lines, with or without terminal colours."""
        return [_styled_line(cells, color) for cells in self._cells]


def draw_board(canvas: Canvas, view: TableView, marks: Mapping[str, Collection[int]]) -> None:
    """Draw the board into the upper left corner of a canvas, with `marks` as in `board_text`.

    It takes `BOARD_LINES` lines of at most 71 columns.
    """
    for hex_id in range(len(view.terrains)):
        _draw_hex(canvas, view, hex_id)
    owners = {edge: seat.seat for seat in view.seats for edge in seat.roads}
    for edge in range(len(EDGE_POINTS)):
        _draw_edge(canvas, edge, owners.get(edge))
    for x, y in VERTEX_POINTS.tolist():
        canvas.put(_line(y, _is_upper(x, y)), _column(x), "+", _DIM)
    for edge, resource in view.harbors:
        _draw_harbor(canvas, edge, "3:1" if resource is None else resource)
    for seat in view.seats:
        for vertex in seat.settlements:
            _draw_building(canvas, vertex, f"({seat.seat})", seat.seat)
        for vertex in seat.cities:
            _draw_building(canvas, vertex, f"[{seat.seat}]", seat.seat)
    _draw_marks(canvas, marks)


def seat_style(seat: int) -> str:
    """Terminal style of a seat's pieces."""
    back, front = SEAT_ANSI[seat]
    return f"1;48;5;{back};38;5;{front}"


def _styled_line(cells: list[tuple[str, str]], color: bool) -> str:
    if not color:
        return "".join(sign for sign, _ in cells).rstrip()
    out = []
    last = ""
    used = max((i + 1 for i, (sign, style) in enumerate(cells) if sign != " " or style), default=0)
    for sign, style in cells[:used]:
        if style != last:
            out.append(f"\x1b[0;{style}m" if style else "\x1b[0m")
            last = style
        out.append(sign)
    return "".join(out) + ("\x1b[0m" if last else "")


def _column(x: int) -> int:
    return _LEFT + _COLUMNS_PER_UNIT * x


def _line(y: int, upper: bool = True) -> int:
    if y % 2 == 0:
        return 3 * (y + 4) // 2 + 2
    return 3 * (y + 5) // 2 + (0 if upper else 1)


def _is_upper(x: int, y: int) -> bool:
    """Whether a vertex is the top of the hex below it, not the bottom of the one above."""
    return (x - y - 1) % 4 == 0


def _centred(canvas: Canvas, line: int, x: int, words: str, style: str) -> None:
    canvas.put(line, _column(x) - (len(words) - 1) // 2, words, style)


def _draw_hex(canvas: Canvas, view: TableView, hex_id: int) -> None:
    x, y = HEX_POINTS[hex_id].tolist()
    terrain, token = view.terrains[hex_id], view.tokens[hex_id]
    middle = _line(y)
    style = f"38;5;{TERRAIN_ANSI[terrain]}"
    _centred(canvas, middle, x, _SHORT.get(terrain, terrain), style)
    if token is not None:
        style = _RED if token in (6, 8) else "1"
        _centred(canvas, middle - 1, x, str(token), style)
        _centred(canvas, middle + 1, x, "." * PIPS[token], style)
    if view.robber == hex_id:
        _centred(canvas, middle + 1, x, "ROBBER", _ROBBER)


def _draw_edge(canvas: Canvas, edge: int, owner: int | None) -> None:
    x, y = EDGE_POINTS[edge].tolist()
    style = _DIM if owner is None else seat_style(owner)
    if y % 2 == 0:
        canvas.put(_line(y), _column(x), "|" if owner is None else str(owner), style)
        return
    falls = _is_upper(x - 1, y)
    upper, lower = ("-.", "'--") if falls else (".-", "--'")
    if owner is not None:
        upper, lower = str(owner) * len(upper), str(owner) * len(lower)
    start = _column(x - 1) + 1
    rest = _EDGE - 1 - _UPPER_PART
    canvas.put(_line(y), start + (0 if falls else rest), upper, style)
    canvas.put(_line(y) + 1, start + (_UPPER_PART if falls else 0), lower, style)


def _draw_building(canvas: Canvas, vertex: int, words: str, seat: int) -> None:
    x, y = VERTEX_POINTS[vertex].tolist()
    canvas.put(_line(y, _is_upper(x, y)), _column(x) - 1, words, seat_style(seat))


def _draw_harbor(canvas: Canvas, edge: int, words: str) -> None:
    """The harbor's rate or resource (2:1), out at sea beside its edge's outer end."""
    x, y = EDGE_POINTS[edge].tolist()
    if y % 2 == 0:
        line, at, gap = _line(y), x, (2 if x > 0 else 1)
    else:
        ends = [VERTEX_POINTS[v].tolist() for v in EDGE_VERTICES[edge]]
        # The end farther up (north) or down (south) has open sea beside it.
        at = next(vx for vx, vy in ends if _is_upper(vx, vy) == (y < 0))
        line, gap = _line(y, upper=y < 0), (3 if y < 0 else 5)
    if x < at or (x == at and x < 0):
        canvas.put(line, _column(at) - gap - len(words), f"{words}~", _SEA)
    elif (x, y) == _NARROW:
        words = "any" if words == "3:1" else words  # digits would touch those beside them
        canvas.put(line, _column(at) + gap - 1, f"~{words}"[:5].rjust(5), _SEA)
    else:
        canvas.put(line, _column(at) + gap, f"~{words}", _SEA)


def _draw_marks(canvas: Canvas, marks: Mapping[str, Collection[int]]) -> None:
    """Write the numbers of places over their content; no two of them touch."""
    for hex_id in marks.get("hexes", ()):
        x, y = HEX_POINTS[hex_id].tolist()
        canvas.put(_line(y) + 1, _column(x) - 3, f"hex {hex_id}".ljust(7), _MARKS["hexes"])
    for edge in marks.get("edges", ()):
        x, y = EDGE_POINTS[edge].tolist()
        line = _line(y) + y % 2
        column = _column(x) if y % 2 == 0 else _column(x - 1) + _COLUMNS_PER_UNIT
        canvas.put(line, column, str(edge), _MARKS["edges"])
    for vertex in marks.get("vertices", ()):
        x, y = VERTEX_POINTS[vertex].tolist()
        line, column, words = _line(y, _is_upper(x, y)), _column(x), str(vertex)
        canvas.put(line, column, words, _MARKS["vertices"])
        # Adjacent roads are digits too.
        canvas.blank_digit(line, column - 1)
        canvas.blank_digit(line, column + len(words))
