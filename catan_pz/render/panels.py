"""The panels beside the board: seats, bank, trade and the state of the turn."""

from typing import Final

from catan_pz.render.icons import die, drawing, resource_chip
from catan_pz.render.lettering import shortened, text, text_width
from catan_pz.render.palette import (
    CARD_PURPLE,
    FAINT_INK,
    GOLD,
    GOLD_DARK,
    INK,
    NO,
    PAPER,
    RED,
    RULE,
    SEATS,
    YES,
)
from catan_pz.render.shapes import group, moved, rect
from catan_pz.render.view import (
    CARD_WORDS,
    SHORT_CARD_WORDS,
    AnswerView,
    Bundle,
    OfferView,
    SeatView,
    TableView,
)
from catan_pz.terms import Card

WORD: Final = 15.5
_LEFT: Final = 20.0
_VALUES: Final = 96.0
_WHO: Final = 106.0
_SAYS: Final = 208.0
_NAME_ROOM: Final = 116.0
_ONE_PLACE_MORE: Final = 148.0
"""Panels at least this high show the remaining pieces on a separate line."""


def _paper(width: float, height: float, fill: str = PAPER) -> str:
    return rect(0, 0, width, height, fill, 10, stroke=RULE, stroke_width=1.2)


def _word(x: float, y: float, words: str, fill: str = INK, *, bold: bool = False) -> str:
    """Words of a row whose middle is at y."""
    return text(x, y + 5.4, words, size=WORD, fill=fill, bold=bold)


def seat_panel(view: TableView, seat: SeatView, width: float, height: float) -> str:
    """The viewer's knowledge of one seat, in a `width` by `height` panel."""
    color = SEATS[seat.seat]
    to_move = view.player_to_move == seat.seat
    frame = [
        _paper(width, height, color.tint if to_move else PAPER),
        rect(0.6, 0.6, 9, height - 1.2, color.fill, 4.5, stroke=color.line, stroke_width=1.2),
    ]
    if to_move:
        frame.append(rect(0, 0, width, height, "none", 10, stroke=color.line, stroke_width=3.2))
    pieces_apart = height >= _ONE_PLACE_MORE
    rows = 5 if pieces_apart else 4
    top, step = 23.0, (height - 43.0) / (rows - 1)
    parts = [
        *frame,
        _seat_header(view, seat, width, top),
        _hand_row(seat, top + step),
        _cards_row(seat, top + 2 * step, width),
        _played_row(seat, top + 3 * step, width - 12 if pieces_apart else width - 168),
        _pieces_row(seat, top + (rows - 1) * step, pieces_apart, width),
    ]
    return group(parts, **{"class": f"panel seat-{seat.seat}"})


def _seat_header(view: TableView, seat: SeatView, width: float, y: float) -> str:
    name = shortened(view.name(seat.seat), 19, _NAME_ROOM)
    parts = [
        drawing("small_settlement", _LEFT + 8, y, color=SEATS[seat.seat]),
        text(_LEFT + 24, y + 6.6, name, size=19, fill=INK, bold=True),
    ]
    x = _LEFT + 24 + text_width(name, 19) + 16
    if view.viewer == seat.seat:
        parts.append(drawing("eye", x + 2, y))
        x += 20
    army, army_width = _award("army", seat.cards_played[Card.KNIGHT], seat.has_largest_army)
    road, _ = _award("road", seat.road_length, seat.has_longest_road)
    parts += [moved([army], x, y), moved([road], x + army_width + 6, y)]
    return group([*parts, _points(seat, width - 14, y)])


def _points(seat: SeatView, right: float, y: float) -> str:
    """The visible points and, if the viewer knows them, those of hidden cards."""
    shown = str(seat.visible_points)
    more = f"+{seat.hidden_points}" if seat.hidden_points else ""
    x = right - (text_width(more, 16) + 9 if more else 0)
    return group(
        [
            drawing("victory_point", x - text_width(shown, 24) - 20, y - 0.5),
            text(x, y + 8, shown, size=24, fill=INK, anchor="end", bold=True),
            text(right, y + 7, more, size=16, fill=CARD_PURPLE, anchor="end", bold=True),
        ],
        **{"class": "points"},
    )


def _award(kind: str, count: int, held: bool) -> tuple[str, float]:
    """The length of the road or the size of the army, in gold if it holds the card.

    Also returns its width.
    """
    words = f"{count} {'longest' if kind == 'road' else 'largest'}" if held else str(count)
    size = 14.0
    wide = 25 + text_width(words, size) + (9 if held else 4)
    parts = []
    if held:
        parts.append(rect(0, -12, wide, 24, GOLD, 12, stroke=GOLD_DARK, stroke_width=1.2))
    sign = "winding_road" if kind == "road" else "shield"
    parts.append(drawing(sign, 13, 0, color=GOLD_DARK if held else FAINT_INK))
    parts.append(text(25, 5, words, size=size if held else WORD, fill=INK, bold=True))
    return group(parts, **{"class": f"award {kind}{' held' if held else ''}"}), wide


def _hand_row(seat: SeatView, y: float) -> str:
    parts = [drawing("resource_back", _LEFT + 8, y)]
    parts.append(text(_LEFT + 26, y + 6, str(seat.hand_size), size=18, fill=INK, bold=True))
    if seat.to_discard:
        x = _LEFT + 30 + text_width(str(seat.hand_size), 18)
        parts.append(text(x, y + 5.6, f"−{seat.to_discard}", size=WORD, fill=RED, bold=True))
    for resource, (low, high) in enumerate(seat.hand):
        x = _VALUES + 10 + resource * 69
        words = str(low) if low == high else f"{low}–{high}"
        chip = [resource_chip(resource, x, y), _count(x + 16, y, words, high > 0)]
        parts.append(group(chip, opacity=1.0 if high else 0.38))
    return group(parts, **{"class": "hand"})


def _count(x: float, y: float, words: str, some: bool = True) -> str:
    return text(x, y + 5.6, words, size=16, fill=INK if some else FAINT_INK, bold=some)


def _cards_row(seat: SeatView, y: float, width: float) -> str:
    parts = [drawing("card_back", _LEFT + 8, y)]
    parts.append(text(_LEFT + 26, y + 6, str(seat.card_count), size=18, fill=INK, bold=True))
    room = width - _VALUES - 12
    words = "face down" if seat.card_count else ""
    if seat.cards is not None:
        words = _kinds(seat.cards, room)
    parts.append(_word(_VALUES, y, words, CARD_PURPLE))
    return group(parts, **{"class": "cards"})


def _kinds(cards: tuple[int, ...], room: float) -> str:
    """Development cards in words, shortened if `room` requires it."""
    long, short = (
        " · ".join(
            word + (f" ×{count}" if count > 1 else "")
            for count, word in zip(cards, words, strict=True)
            if count
        )
        for words in (CARD_WORDS, SHORT_CARD_WORDS)
    )
    return long if text_width(long, WORD) <= room else short


def _played_row(seat: SeatView, y: float, right: float) -> str:
    """The cards played except knights, which the army counts."""
    others = tuple(0 if i == Card.KNIGHT else n for i, n in enumerate(seat.cards_played))
    words = _kinds(others, right - _VALUES) or "–"
    return _word(_LEFT, y, "Played", FAINT_INK) + _word(_VALUES, y, words)


def _pieces_row(seat: SeatView, y: float, apart: bool, width: float) -> str:
    color = SEATS[seat.seat]
    first = _VALUES + 10 if apart else width - 156
    parts = [_word(_LEFT, y, "Pieces", FAINT_INK)] if apart else []
    signs = ("small_road", "small_settlement", "small_city")
    for i, (sign, count) in enumerate(zip(signs, seat.pieces_left, strict=True)):
        x = first + i * (69 if apart else 54)
        parts += [drawing(sign, x, y, color=color), _count(x + 14, y, str(count), count > 0)]
    return group(parts, **{"class": "pieces-left"})


def bank_panel(view: TableView, width: float, height: float) -> str:
    """The bank's cards of each resource, and the number of development cards left."""
    y = height / 2
    parts = [_paper(width, height), text(_LEFT, y + 6, "Bank", size=17, fill=INK, bold=True)]
    for resource, count in enumerate(view.bank):
        x = 86 + resource * 60.0
        chip = [resource_chip(resource, x, y), _count(x + 16, y, str(count), count > 0)]
        parts.append(group(chip, opacity=1.0 if count else 0.38))
    parts += [drawing("card_back", width - 52, y), _count(width - 38, y, str(view.deck_size))]
    return group(parts, **{"class": "panel bank"})


def trade_panel(view: TableView, width: float, height: float) -> str:
    """The current offer with the answers to it."""
    parts = [_paper(width, height), text(_LEFT, 27, "Trade", size=17, fill=INK, bold=True)]
    limit = "" if view.max_offers is None else f" of {view.max_offers}"
    made = f"offers this turn: {view.offers_made}{limit}"
    offer = view.offer
    if offer is None:
        parts.append(text(width - 16, 27, made, size=14, fill=FAINT_INK, anchor="end"))
        parts.append(text(_LEFT, 56, "No offer on the table", size=WORD, fill=FAINT_INK))
    else:
        parts.append(_offer_row(view, offer, 21.0))
        step = (height - 42.0) / 3
        rows = enumerate(offer.answers)
        parts += [_answer_row(view, a, 21.0 + (i + 1) * step) for i, a in rows]
    return group(parts, **{"class": "panel trade"})


def _offer_row(view: TableView, offer: OfferView, y: float) -> str:
    parts = [_who(view, offer.seat, y)]
    if offer.sent or any(offer.give) or any(offer.get):
        parts.append(_exchange("gives" if offer.sent else "drafts", offer.give, offer.get, y))
    else:
        parts.append(_word(_SAYS, y, "is composing an offer", FAINT_INK))
    return group(parts)


def _answer_row(view: TableView, answer: AnswerView, y: float) -> str:
    parts = [_who(view, answer.seat, y)]
    if any(answer.give) or any(answer.get):
        words = "gives" if answer.kind == "counter" else "drafts"
        parts.append(_exchange(words, answer.give, answer.get, y))
    else:
        words, fill = {
            "accept": ("✓ accepts", YES),
            "reject": ("✗ rejects", NO),
            "composing": ("… composes a counter-offer", FAINT_INK),
            "counter": ("counters", INK),
        }.get(answer.kind, ("… has not answered yet", FAINT_INK))
        parts.append(_word(_SAYS, y, words, fill, bold=answer.kind in ("accept", "reject")))
    return group(parts, **{"class": f"answer {answer.kind}"})


def _who(view: TableView, seat: int, y: float) -> str:
    name = shortened(view.name(seat), WORD, _SAYS - _WHO - 20)
    sign = drawing("small_settlement", _WHO, y, color=SEATS[seat])
    return sign + _word(_WHO + 13, y, name)


def _exchange(words: str, give: Bundle, get: Bundle, y: float) -> str:
    given, x = _bundle(give, _SAYS + text_width(words, WORD) + 14, y)
    wanted, _ = _bundle(get, x + text_width("for", WORD) + 14, y)
    return group([_word(_SAYS, y, words), given, _word(x, y, "for"), wanted])


def _bundle(cards: Bundle, x: float, y: float) -> tuple[str, float]:
    """One chip per card, or a number and a chip if there are many; and the x after it."""
    parts = []
    for resource, count in enumerate(cards):
        shown = count
        if sum(cards) > 4 and count > 1:
            parts.append(_count(x - 9, y, str(count)))
            x += text_width(str(count), 16) + 4
            shown = 1
        for _ in range(shown):
            parts.append(resource_chip(resource, x, y, 0.84))
            x += 21
    if not parts:
        parts.append(_word(x - 9, y, "…", FAINT_INK))
        x += 14
    return group(parts), x - 4


def status_panel(view: TableView, last_action: str | None, width: float, height: float) -> str:
    """Dice, turn, player to move, and the last action."""
    dice = [
        moved([die(0, 0, d, 40)], 40 + i * 47, 45, turn=(-6, 5)[i]) for i, d in enumerate(view.dice)
    ]
    fresh = view.rolled or view.phase == "over"
    setup = view.phase.startswith("setup")
    head = "Set-up" if setup else f"Turn {view.turn} of {view.name(view.turn_player)}"
    seat, doing = view.decision()
    goal, told, x = f"first to {view.target_points} points", f"{view.name(seat)} {doing}", 126.0
    parts = [
        _paper(width, height),
        group(dice, opacity=1.0 if fresh else 0.4),
        text(x, 28, head, size=15, fill=FAINT_INK),
        text(width - 16, 28, goal, size=15, fill=FAINT_INK, anchor="end"),
        drawing("small_settlement", x + 8, 48, color=SEATS[seat]),
        text(x + 24, 54.5, told, size=19, fill=INK, bold=True, max_width=width - x - 40),
    ]
    if last_action:
        parts.append(text(x, 79, last_action, size=15, fill=FAINT_INK, max_width=width - x - 16))
    return group(parts, **{"class": "panel status"})
