"""A game as plain text for a terminal of 80 columns and 24 lines."""

from collections.abc import Collection, Mapping, Sequence
from textwrap import wrap
from typing import Final

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.names import columns_of, cut, printable
from catan_pz.render.ansi_board import BOARD_LINES, Canvas, draw_board, seat_style
from catan_pz.render.view import AnswerView, Bundle, SeatView, State, TableView, table_view
from catan_pz.terms import Card

COLUMNS: Final = 80
ASIDE_COLUMNS: Final = 16
"""Width of the column to the right of the board."""
ASIDE_LINES: Final = 7
"""Lines of that column for the caller."""

_ASIDE: Final = COLUMNS - ASIDE_COLUMNS
_ASIDE_TOP: Final = BOARD_LINES - ASIDE_LINES
_NAME: Final = 9
_CARD_LETTERS: Final = "KRYMV"
LEGEND: Final = (
    "(1) settlement, [1] city, 111 road of player 1",
    "* longest road or largest army",
    "K knight, R road building, Y year of plenty, M monopoly, V victory point",
    "left: roads, settlements and cities not built yet",
)
"""The legend."""


def board_text(
    state: State,
    *,
    viewer: int | None = None,
    color: bool = True,
    last_action: str | None = None,
    names: Sequence[str] | None = None,
    marks: Mapping[str, Collection[int]] | None = None,
    aside: Sequence[str] | None = None,
) -> str:
    """Draw a game from its JSON state as text, at most 80 columns and 23 lines of ASCII.

    The caller's names and lines may contain any characters; wide ones take two columns.

    Args:
        state: a game as JSON ("catan-pz-state/1", full information).
        viewer: the seat whose knowledge is shown, so that nothing hidden from it appears;
            None shows all hands and development cards.
        color: whether to add terminal colours; without them the text has the same content.
        last_action: a line about the last decision, shown below as given, but shortened to fit.
        names: names of the seats, shown beside their numbers.
        marks: places to show by number, as "vertices", "edges" and "hexes", each kind in its own
            colour.
        aside: up to 7 lines of at most 16 columns to the right of the board; by default the player
            to move, and a legend.
    """
    view = table_view(state, viewer, names)
    canvas = Canvas(BOARD_LINES, COLUMNS)
    draw_board(canvas, view, marks or {})
    for line, words in enumerate(_turn_and_bank(view)):
        # The middle line of the board, which ends in a harbor, is the longest.
        canvas.put(line + (line > 7), _ASIDE, cut(words, ASIDE_COLUMNS))
    shown = _decision(view) if aside is None else list(aside)
    for line, words in enumerate(shown[:ASIDE_LINES]):
        canvas.put(_ASIDE_TOP + line, _ASIDE, cut(words, ASIDE_COLUMNS))
    lines = [*canvas.lines(color), *_seat_table(view, color)]
    if last_action:
        lines.append(cut(printable(last_action[:COLUMNS]), COLUMNS))
    return "\n".join(lines)


def _turn_and_bank(view: TableView) -> list[str]:
    """Turn, dice, bank and deck, in lines of at most 16 columns."""
    first, second = view.dice
    turn = "set-up" if view.phase.startswith("setup") else f"turn {view.turn}"
    counts = [*zip(view.bank, RESOURCE_NAMES, strict=True), (view.deck_size, "cards")]
    return [
        f"{turn} of",
        _who(view, view.turn_player),
        f"dice {first}+{second}" if first else "",
        *(f"{'' if k else 'bank':<6}{n:>2} {name}" for k, (n, name) in enumerate(counts)),
    ]


def _decision(view: TableView) -> list[str]:
    """The player to move, and the symbols of the pieces."""
    seat, doing = view.decision()
    words = wrap(f"{_who(view, seat)} {doing}", ASIDE_COLUMNS)[:3]
    signs = (f"({seat}) settlement", f"[{seat}] city", f"{seat}{seat}{seat} road")
    return [*words, "", *signs]


def _who(view: TableView, seat: int) -> str:
    return f"player {seat}" if view.names is None else f"{cut(view.names[seat], _NAME)} ({seat})"


def _kinds(cards: tuple[int, ...]) -> str:
    return "".join(f"{k}{n}" for k, n in zip(_CARD_LETTERS, cards, strict=True) if n) or "-"


def _seat_cells(view: TableView, seat: SeatView, name: int) -> list[str]:
    hidden = seat.hidden_points
    mark = ">" if view.player_to_move == seat.seat else " "
    called = "" if view.names is None else cut(view.names[seat.seat], name)
    return [
        f"{mark}{seat.seat} {called}".rstrip(),
        f"{seat.visible_points}+{hidden}" if hidden else str(seat.visible_points),
        str(seat.hand_size),
        *(str(low) if low == high else f"{low}-{high}" for low, high in seat.hand),
    ]


def _pieces_cells(seat: SeatView) -> list[str]:
    return [
        str(seat.card_count) if seat.cards is None else _kinds(seat.cards),
        _kinds(seat.cards_played),
        f"{seat.cards_played[Card.KNIGHT]}{'*' if seat.has_largest_army else ''}",
        f"{seat.road_length}{'*' if seat.has_longest_road else ''}",
        "/".join(map(str, seat.pieces_left)),
    ]


def _seat_table(view: TableView, color: bool) -> list[str]:
    """A heading, then one line per seat: its cards, and its pieces or its part in a trade."""
    trade = _trade_words(view)
    initials = tuple(name[0].upper() for name in RESOURCE_NAMES)
    lines: list[str] = []
    goal = view.target_points
    for names, room, heading in (
        (RESOURCE_NAMES, _NAME, f"{goal} to win"),
        (initials, _NAME, f"{goal} to win"),
        (initials, 3, f"to {goal}"),
        (initials, 0, ""),
    ):
        tail = ["cards", "played", "army", "road", "left"] if trade is None else []
        table = [[heading, "pts", "hand", *names, *tail]]
        for seat in view.seats:
            pieces = _pieces_cells(seat) if trade is None else []
            table.append([*_seat_cells(view, seat, room), *pieces])
        lines = _aligned(table)
        # A trade needs room for the offered cards.
        most = COLUMNS if trade is None else COLUMNS - max(map(len, trade)) - 2
        if max(map(columns_of, lines)) <= most:
            break
    if trade is not None:
        lines = [cut(f"{a}  {b}", COLUMNS).rstrip() for a, b in zip(lines, trade, strict=True)]
    if not color:
        return lines
    styled = [f"\x1b[0;{seat_style(k)}m{x[:2]}\x1b[0m{x[2:]}" for k, x in enumerate(lines[1:])]
    return [lines[0], *styled]


def _aligned(table: Sequence[Sequence[str]]) -> list[str]:
    """Rows with their first column left-aligned and all others right-aligned."""
    widths = [max(map(columns_of, column)) for column in zip(*table, strict=True)]
    lines = []
    for first, *rest in table:
        cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        room = " " * (widths[0] - columns_of(first))
        lines.append(" ".join([first + room, *cells]))
    return lines


def _trade_words(view: TableView) -> list[str] | None:
    """Each seat's part in the trade, below a heading; None without an offer."""
    offer = view.offer
    if offer is None:
        return None
    words = dict.fromkeys(range(len(view.seats)), "")
    if offer.sent:
        words[offer.seat] = f"offers {_exchange(offer.give, offer.get)}"
    elif any(offer.give) or any(offer.get):
        words[offer.seat] = f"drafts {_exchange(offer.give, offer.get)}"
    else:
        words[offer.seat] = "composes an offer"
    words |= {answer.seat: _answer(answer) for answer in offer.answers}
    return ["trade", *words.values()]


def _answer(answer: AnswerView) -> str:
    if any(answer.give) or any(answer.get):
        verb = "counters" if answer.kind == "counter" else "drafts"
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
    """Cards in few columns: "wool+2 ore"."""
    shown = [
        name if n == 1 else f"{n} {name}"
        for n, name in zip(bundle, RESOURCE_NAMES, strict=True)
        if n
    ]
    return "+".join(shown) or "..."
