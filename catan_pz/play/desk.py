"""A player's desk below the picture, and the marks on what can be pressed."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.play.controls import (
    DESK,
    DESK_HEIGHT,
    Control,
    Draft,
    card_box,
    hand_box,
    tray_box,
)
from catan_pz.render.icons import drawing, resource_chip
from catan_pz.render.layout import Bar, Box, Disc, layout
from catan_pz.render.lettering import text
from catan_pz.render.palette import (
    CARD_PURPLE,
    FAINT_INK,
    GOLD,
    GOLD_DARK,
    INK,
    PAPER,
    RESOURCES,
    RULE,
    SEATS,
)
from catan_pz.render.shapes import circle, group, line, rect
from catan_pz.render.svg import layer, page, table
from catan_pz.render.view import (
    CARD_WORDS,
    SHORT_CARD_WORDS,
    AnswerView,
    Bundle,
    OfferView,
    State,
    TableView,
    table_view,
)
from catan_pz.render.words import terms_words
from catan_pz.terms import CARD_NAMES

_DECIDES: Final = {
    "setup_settlement": "click a marked vertex to place a settlement",
    "setup_road": "click a marked edge to place a road",
    "roll": "roll the dice, or play a development card first",
    "discard": "click the cards to discard",
    "move_robber": "click a marked hex to move the robber",
    "steal": "click the player to steal from",
    "main": "build on the marks, trade, play or buy cards, or end the turn",
    "free_road": "click a marked edge to place a free road",
    "compose": "add cards to the offer, then send it",
    "answer": "accept, reject, or lay out a counter-offer",
    "close": "choose whom to trade with, or withdraw",
    "over": "the game is over",
}


def desk_svg(
    state: State,
    seat: int,
    controls: Sequence[Control],
    draft: Draft | None = None,
    *,
    width: float,
    last_action: str | None = None,
    names: Sequence[str] | None = None,
    note: str | None = None,
) -> str:
    """The picture of a game as a person in a seat plays it, with a desk and marks.

    Args:
        state: a game as JSON ("catan-pz-state/1", full information).
        seat: whose desk it is; nothing hidden from this seat shows.
        controls: what can be pressed, from `controls.controls`.
        draft: what is laid out.
        width: in pixels.
        last_action: the last decision in words.
        names: what the seats are called.
        note: a line to show instead of what is to be done.
    """
    view = table_view(state, seat, names)
    body = desk_layers(view, seat, controls, draft, last_action=last_action, note=note)
    return page(body, width, DESK_HEIGHT)


def desk_layers(
    view: TableView,
    seat: int,
    controls: Sequence[Control],
    draft: Draft | None = None,
    *,
    last_action: str | None = None,
    note: str | None = None,
) -> list[str]:
    """The layers of the picture that `desk_svg` gives, for the view of the seat."""
    body = table(view, last_action)
    body.insert(2, layer(layout(view).sea, _marks(controls)))
    for control in controls:
        box = control.area
        if isinstance(box, Box) and box.y < DESK.y:  # a seat's panel, or the dice
            dashes: dict[str, Any] = {"stroke_dasharray": "9 6", "stroke_width": 3.0}
            body.append(layer(box.around(4), rect(*box, "none", 10, stroke=GOLD, **dashes)))
    drawn = _desk(view, seat, controls, draft or Draft(), note)
    return [*body, layer(DESK.around(3), drawn)]


_RINGS: Final = {"hex": (40, 4.5), "vertex": (13, 3.2), "seat": (21, 3.2)}
"""Radius and width of the rings on places."""


def _marks(controls: Iterable[Control]) -> str:
    """Rings and dashes on what can be pressed on the board."""
    parts = []
    for control in controls:
        kind, area = control.name.split()[0], control.area
        if isinstance(area, Bar):
            ends = area.start, area.end
            parts.append(line(*ends, "#FFFFFF", 9, opacity=0.95))
            parts.append(line(*ends, GOLD_DARK, 5.5, stroke_dasharray="6 7"))
        elif isinstance(area, Disc) and kind in _RINGS:
            radius, wide = _RINGS[kind]
            place = area.x, area.y, radius, "none"
            ring: dict[str, Any] = {
                "stroke": GOLD_DARK,
                "stroke_width": wide - 0.6,
                "stroke_dasharray": "5 4",
            }
            parts.append(circle(*place, stroke="#FFFFFF", stroke_width=wide + 2.4))
            parts.append(circle(*place, **ring))
    return group(parts, **{"class": "marks"})


def _desk(
    view: TableView, seat: int, controls: Sequence[Control], draft: Draft, note: str | None
) -> str:
    color, held = SEATS[seat], view.seats[seat]
    active = {c.name for c in controls if c.is_active}
    words = note if note is not None else _prompt(view, seat, controls, draft)
    is_asked = bool(controls)
    fill = INK if is_asked or view.winner is not None or note else FAINT_INK
    room = DESK.width - 240
    parts = [
        rect(*DESK, color.tint, 10, stroke=color.line),
        text(DESK.x + 14, DESK.y + 25, words, size=17, fill=fill, bold=is_asked, max_width=room),
    ]
    for resource, (count, _) in enumerate(held.hand):
        name, box = RESOURCE_NAMES[resource], hand_box(resource)
        sign = drawing(name, box.middle[0], box.middle[1] - 12, 1.5)
        pressable = bool({f"hand {name}", f"give {name}"} & active)
        parts.append(_card(box, RESOURCES[resource], sign, count, pressable))
    for card, count in enumerate(held.cards or ()):
        box = card_box(card)
        x, y = box.middle[0], box.y + 44
        called = SHORT_CARD_WORDS[card]
        sign = drawing(CARD_NAMES[card], x, box.y + 21) + text(
            x, y, called, size=10.5, fill="#FFFFFF", anchor="middle", bold=True
        )
        raised = 6 if draft.card == CARD_NAMES[card] else 0
        pressable = f"card {CARD_WORDS[card]}" in active
        parts.append(_card(box, CARD_PURPLE, sign, count, pressable, raised))
    if any(c.name.startswith(("give ", "get ")) for c in controls) or draft != Draft():
        sides = zip(("give", "get"), _on_tray(view, seat, draft), strict=True)
        for side, bundle in sides:
            parts += _tray(side, bundle, active, draft)
    parts += [_button(c, c.area) for c in controls if c.label and isinstance(c.area, Box)]
    return group(parts, **{"class": "desk"})


def _prompt(view: TableView, seat: int, controls: Sequence[Control], draft: Draft) -> str:
    if view.winner is not None:
        return f"{view.name(view.winner)} has won"
    if not controls:
        who, doing = view.decision()
        return f"{view.name(who)} {doing}"
    if draft.card:
        return f"Choose {'two resources' if draft.card == 'year_of_plenty' else 'a resource'}"
    words = f"Your move: {_DECIDES[view.phase]}"
    if view.phase == "answer":
        maker = view.turn_player
        words = f"{view.name(maker)} offers: {terms_words(view, maker)}; {_DECIDES['answer']}"
    if view.phase == "discard":
        words += f" ({view.seats[seat].to_discard} more)"
    return words


def _on_tray(view: TableView, seat: int, draft: Draft) -> tuple[Bundle, Bundle]:
    """What lies on the tray: the draft, or the offer that is being composed in the game."""
    offer = view.offer
    if view.phase != "compose" or offer is None or view.player_to_move != seat:
        return draft.give, draft.get
    sides: list[OfferView | AnswerView] = [offer, *offer.answers]
    mine = next(side for side in sides if side.seat == seat)
    return mine.give or draft.give, mine.get or draft.get


def _card(box: Box, fill: str, sign: str, count: int, pressable: bool, raised: float = 0) -> str:
    frame = GOLD if pressable else "#FFFFFF"
    x, low = box.middle[0], box.y + box.height
    parts = [
        rect(*box._replace(y=box.y - raised), fill, 7, stroke=frame, stroke_width=2.6),
        sign,
        rect(box.x + 9, low - 27, box.width - 18, 21, PAPER, 6),
        text(x, low - 10.4, str(count), size=17, fill=INK, anchor="middle", bold=True),
    ]
    return group(parts, opacity=1.0 if count else 0.35)


def _tray(side: str, bundle: Bundle, active: set[str], draft: Draft) -> list[str]:
    if draft.card and side == "give":
        return []
    first = tray_box(side, 0)
    label = "Take" if draft.card else side.capitalize()
    parts = [text(first.x - 8, first.y + 29, label, size=15, fill=INK, anchor="end", bold=True)]
    for resource, count in enumerate(bundle):
        name, box = RESOURCE_NAMES[resource], tray_box(side, resource)
        pressable = f"{side} {name}" in active
        x, y = box.middle
        cell = [
            rect(*box, PAPER, 7, stroke=GOLD if pressable else RULE, stroke_width=2),
            resource_chip(resource, x, y - 4 if count else y, 1.15),
        ]
        parts.append(group(cell, opacity=1.0 if pressable or count else 0.35))
        if count:
            badge = text(box.x + 9, box.y + 42, str(count), size=16, fill=INK, bold=True)
            parts.append(circle(box.x + 13, box.y + 37, 10, "#FFFFFF", stroke=INK) + badge)
        if f"less {side} {name}" in active:
            x, y = box.x + box.width - 6, box.y + box.height - 6
            parts.append(circle(x, y, 8.4, INK))
            parts.append(line((x - 3.6, y), (x + 3.6, y), "#FFFFFF", 2.2))
    return parts


def _button(control: Control, box: Box) -> str:
    fill, stroke, ink = "#E4DED0", RULE, FAINT_INK
    if control.is_active:
        fill = "#BFE3CF" if control.name == "accept" else "#FFE08A"
        stroke, ink = GOLD_DARK, INK
    x, y = box.middle
    room, words = box.width - 12, control.label
    style: dict[str, Any] = {"size": 15.5, "fill": ink, "anchor": "middle", "bold": True}
    parts = [
        rect(*box, fill, 8, stroke=stroke, stroke_width=1.6),
        text(x, y + 5.4, words, max_width=room, **style),
    ]
    return group(parts, **{"class": "button"})
