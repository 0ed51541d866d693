"""A game as plain text for a terminal: at most 80 columns and about 40 lines of ASCII."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from catan_pz.board.topology import EDGE_POINTS, EDGE_VERTICES, HEX_POINTS, VERTEX_POINTS
from catan_pz.render.palette import SEAT_ANSI, TERRAIN_ANSI
from catan_pz.render.view import AnswerView, Bundle, SeatView, State, TableView, table_view
from catan_pz.render.words import RESOURCE_NAMES
from catan_pz.terms import (
    CITIES_PER_PLAYER,
    PIPS,
    ROADS_PER_PLAYER,
    SETTLEMENTS_PER_PLAYER,
    Card,
)

MAX_COLUMNS: Final = 80
_BOARD_LINES: Final = 23
_COLUMNS_PER_UNIT: Final = 3
_LEFT: Final = 37
"""Column of the brick coordinate x = 0."""

_DIM: Final = "38;5;244"
_SEA: Final = "38;5;38"
_RED: Final = "1;38;5;160"
_ROBBER: Final = "1;97;40"
_MARKS: Final = {"vertices": "1;30;103", "edges": "1;30;106", "hexes": "1;30;105"}
_CARD_LETTERS: Final = "KRYMV"
_LEGEND: Final = (
    "(1) settlement, [1] city, 111 road of player 1; * longest road or largest army",
    "K knight, R road building, Y year of plenty, M monopoly, V victory point",
)


class _Canvas:
    """Lines of characters, each with a terminal style."""

    def __init__(self, lines: int, columns: int) -> None:
        self._cells = [[(" ", "")] * columns for _ in range(lines)]

    def put(self, line: int, column: int, words: str, style: str = "") -> None:
        for i, sign in enumerate(words):
            self._cells[line][column + i] = (sign, style)

    def lines(self, color: bool) -> list[str]:
        return [_styled_line(cells, color) for cells in self._cells]


def board_text(
    state: State,
    *,
    viewer: int | None = None,
    color: bool = True,
    last_action: str | None = None,
    names: Sequence[str] | None = None,
    marks: Mapping[str, Collection[int]] | None = None,
) -> str:
    """Draw a game from its JSON state as text, for a terminal.

    Args:
        state: a game as JSON ("catan-pz-state/1", full information).
        viewer: the seat whose knowledge is shown, so that nothing hidden from it appears;
            None shows all hands and development cards.
        color: whether to add terminal colours; without them the text tells as much.
        last_action: a line that tells what happened last, as given but for its length.
        names: what the seats are called, before their number; "player 0" and so on where None.
        marks: places to be shown by their number, as "vertices", "edges" and "hexes", each kind
            in a colour of its own.

    Raises:
        ValueError: `viewer` is not a seat of this game, or `names` are not one a seat.
    """
    view = table_view(state, viewer, names)
    lines = [
        *_board(view, color, marks or {}),
        "",
        *_seat_table(view, color),
        *_LEGEND,
        *_table_lines(view),
    ]
    if last_action:
        lines.append(last_action[:MAX_COLUMNS])
    return "\n".join(lines)


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


def _seat_style(seat: int) -> str:
    back, front = SEAT_ANSI[seat]
    return f"1;48;5;{back};38;5;{front}"


def _column(x: int) -> int:
    return _LEFT + _COLUMNS_PER_UNIT * x


def _line(y: int, upper: bool = True) -> int:
    """Odd y take three lines (upper vertices, slanted edges, lower vertices), even y one."""
    if y % 2 == 0:
        return 2 * (y + 4) + 3
    return 2 * (y + 5) + (0 if upper else 2)


def _is_upper(x: int, y: int) -> bool:
    """Whether a vertex tops a hex's place below it, rather than being the foot of one above."""
    return (x - y - 1) % 4 == 0


def _board(view: TableView, color: bool, marks: Mapping[str, Collection[int]]) -> list[str]:
    canvas = _Canvas(_BOARD_LINES, MAX_COLUMNS)
    for hex_id in range(len(view.terrains)):
        _draw_hex(canvas, view, hex_id)
    owners = {edge: seat.seat for seat in view.seats for edge in seat.roads}
    for edge in range(len(EDGE_POINTS)):
        _draw_edge(canvas, edge, owners.get(edge))
    for x, y in VERTEX_POINTS.tolist():
        canvas.put(_line(y, _is_upper(x, y)), _column(x), "+", _DIM)
    for edge, resource in view.harbors:
        _draw_harbor(canvas, edge, "3:1" if resource is None else f"2:1 {resource}")
    for seat in view.seats:
        for vertex in seat.settlements:
            _draw_building(canvas, vertex, f"({seat.seat})", seat.seat)
        for vertex in seat.cities:
            _draw_building(canvas, vertex, f"[{seat.seat}]", seat.seat)
    _draw_marks(canvas, marks)
    return canvas.lines(color)


def _draw_marks(canvas: _Canvas, marks: Mapping[str, Collection[int]]) -> None:
    """The numbers of places, over what stands there."""
    for hex_id in marks.get("hexes", ()):
        x, y = HEX_POINTS[hex_id].tolist()
        _centred(canvas, _line(y) + 1, x, f"hex {hex_id}".center(8), _MARKS["hexes"])
    for edge in marks.get("edges", ()):
        x, y = EDGE_POINTS[edge].tolist()
        words = str(edge).center(1 + 2 * (y % 2))
        canvas.put(_line(y) + y % 2, _column(x) - y % 2, words, _MARKS["edges"])
    for vertex in marks.get("vertices", ()):
        x, y = VERTEX_POINTS[vertex].tolist()
        words = str(vertex)
        canvas.put(
            _line(y, _is_upper(x, y)), _column(x) - len(words) // 2, words, _MARKS["vertices"]
        )


def _draw_hex(canvas: _Canvas, view: TableView, hex_id: int) -> None:
    x, y = HEX_POINTS[hex_id].tolist()
    terrain, token = view.terrains[hex_id], view.tokens[hex_id]
    style = f"38;5;{TERRAIN_ANSI[terrain]}"
    _centred(canvas, _line(y) - 1, x, terrain, style)
    if token is not None:
        words = f"{token} {'.' * PIPS[token]}"
        _centred(canvas, _line(y), x, words, _RED if token in (6, 8) else "1")
    if view.robber == hex_id:
        _centred(canvas, _line(y) + 1, x, " ROBBER ", _ROBBER)


def _centred(canvas: _Canvas, line: int, x: int, words: str, style: str) -> None:
    canvas.put(line, _column(x) - len(words) // 2, words, style)


def _draw_edge(canvas: _Canvas, edge: int, owner: int | None) -> None:
    x, y = EDGE_POINTS[edge].tolist()
    style = _DIM if owner is None else _seat_style(owner)
    if y % 2 == 0:
        canvas.put(_line(y), _column(x), "|" if owner is None else str(owner), style)
        return
    bare = "'-." if _is_upper(x - 1, y) else ".-'"
    canvas.put(_line(y) + 1, _column(x) - 1, bare if owner is None else str(owner) * 3, style)


def _draw_building(canvas: _Canvas, vertex: int, words: str, seat: int) -> None:
    x, y = VERTEX_POINTS[vertex].tolist()
    canvas.put(_line(y, _is_upper(x, y)), _column(x) - 1, words, _seat_style(seat))


def _draw_harbor(canvas: _Canvas, edge: int, words: str) -> None:
    """The harbor's rate, out at sea beside its edge's outermost vertex or upright edge."""
    x, y = EDGE_POINTS[edge].tolist()
    line, at = _line(y), x
    if y % 2:
        ends = [VERTEX_POINTS[v].tolist() for v in EDGE_VERTICES[edge]]
        # The end that is farther up (north) or down (south) has open sea beside it.
        at = next(vx for vx, vy in ends if _is_upper(vx, vy) == (y < 0))
        line = _line(y, upper=y < 0)
    if x > at or (x == at and x > 0):
        canvas.put(line, _column(at) + 2, f"~{words}", _SEA)
    else:
        canvas.put(line, _column(at) - len(words) - 2, f"{words}~", _SEA)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _kinds(cards: tuple[int, ...]) -> str:
    return "".join(f"{k}{n}" for k, n in zip(_CARD_LETTERS, cards, strict=True) if n) or "-"


def _seat_cells(view: TableView, seat: SeatView) -> list[str]:
    hidden = 0 if seat.points is None else seat.points - seat.visible_points
    left = (
        ROADS_PER_PLAYER - len(seat.roads),
        SETTLEMENTS_PER_PLAYER - len(seat.settlements),
        CITIES_PER_PLAYER - len(seat.cities),
    )
    return [
        (">" if view.player_to_move == seat.seat else " ") + str(seat.seat),
        f"{seat.visible_points}+{hidden}" if hidden else str(seat.visible_points),
        str(seat.hand_size),
        *(_range(low, high) for low, high in seat.hand),
        str(seat.card_count) if seat.cards is None else _kinds(seat.cards),
        _kinds(seat.cards_played),
        f"{seat.cards_played[Card.KNIGHT]}{'*' if seat.has_largest_army else ''}",
        f"{seat.road_length}{'*' if seat.has_longest_road else ''}",
        "/".join(map(str, left)),
    ]


def _seat_table(view: TableView, color: bool) -> list[str]:
    """A heading, then one line a seat; the columns are as wide as their contents ask for."""
    rows = [_seat_cells(view, seat) for seat in view.seats]
    tail = ["cards", "played", "army", "road", "left"]
    for names in (RESOURCE_NAMES, tuple(name[0].upper() for name in RESOURCE_NAMES)):
        table = [["", "pts", "hand", *names, *tail], *rows]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        if sum(widths) + len(widths) - 1 <= MAX_COLUMNS:
            break
    lines = []
    for i, row in enumerate(table):
        words = " ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True))
        if i and color:
            words = f"\x1b[0;{_seat_style(i - 1)}m{words[:2]}\x1b[0m{words[2:]}"
        lines.append(words)
    return lines


def _table_lines(view: TableView) -> list[str]:
    """Bank, deck, dice, turn, phase and the offer."""
    bank = ", ".join(f"{n} {name}" for n, name in zip(view.bank, RESOURCE_NAMES, strict=True))
    turn = "set-up" if view.phase.startswith("setup") else f"turn {view.turn}"
    first, second = view.dice
    dice = f"dice {first}+{second}" if first else "no dice yet"
    dice += "" if view.rolled or not first else " (last throw)"
    seat, doing = view.decision()
    return [
        f"bank: {bank}; deck: {view.deck_size}",
        f"{turn} of {_who(view, view.turn_player)}, {dice}; {view.target_points} points win",
        f"{_who(view, seat)} {doing}",
        *_offer_lines(view),
    ]


def _who(view: TableView, seat: int) -> str:
    """A seat in a sentence; its number stands on the board."""
    return f"player {seat}" if view.names is None else f"{view.names[seat][:9]} ({seat})"


def _offer_lines(view: TableView) -> list[str]:
    offer = view.offer
    if offer is None:
        return []
    if not offer.sent and not any(offer.give) and not any(offer.get):
        return [f"offer of {_who(view, offer.seat)}: being composed"]
    verb = "gives" if offer.sent else "drafts"
    head = f"offer: {_who(view, offer.seat)} {verb} {_exchange(offer.give, offer.get)}"
    return [head, *(f"  {_who(view, a.seat)} {_answer(a)}" for a in offer.answers)]


def _answer(answer: AnswerView) -> str:
    if any(answer.give) or any(answer.get):
        verb = "counters, gives" if answer.kind == "counter" else "drafts"
        return f"{verb} {_exchange(answer.give, answer.get)}"
    return {
        "accept": "accepts",
        "reject": "rejects",
        "composing": "composes a counter-offer",
        "counter": "counters",
    }.get(answer.kind, "has not answered yet")


def _exchange(give: Bundle, get: Bundle) -> str:
    return f"{_cards(give)} for {_cards(get)}"


def _cards(bundle: Bundle) -> str:
    shown = [f"{n} {name}" for n, name in zip(bundle, RESOURCE_NAMES, strict=True) if n]
    return " + ".join(shown) or "..."
