"""A player's desk below the picture, and the marks on what can be pressed."""

from collections.abc import Iterable, Sequence
from typing import Final

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.play.controls import Control, Draft
from catan_pz.play.desk_layout import DESK, DESK_HEIGHT, card_box, hand_box, tray_box
from catan_pz.play.offers import terms_words
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
from catan_pz.render.view import CARD_WORDS, SHORT_CARD_WORDS, Bundle, State, TableView, table_view
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
    sea = layout(view).sea
    marks = _marks(controls)
    body.insert(2, layer(sea.x, sea.y, sea.width, sea.height, marks))
    body += _panel_marks(controls)
    box = DESK
    drawn = _desk(view, seat, box, controls, draft or Draft(), note)
    body.append(layer(box.x - 3, box.y - 3, box.width + 6, box.height + 6, drawn))
    return body


def _marks(controls: Iterable[Control]) -> str:
    """Rings and dashes on what can be pressed on the board."""
    parts = []
    for control in controls:
        kind, area = control.name.split()[0], control.area
        if isinstance(area, Bar):
            parts.append(line(area.start, area.end, "#FFFFFF", 9, opacity=0.95))
            dashes = line(area.start, area.end, GOLD_DARK, 5.5, stroke_dasharray="6 7")
            parts.append(dashes)
        elif isinstance(area, Disc) and kind in _RINGS:
            radius, wide = _RINGS[kind]
            parts += [
                circle(*area.middle, radius, "none", stroke="#FFFFFF", stroke_width=wide + 2.4),
                circle(
                    *area.middle,
                    radius,
                    "none",
                    stroke=GOLD_DARK,
                    stroke_width=wide - 0.6,
                    stroke_dasharray="5 4",
                ),
            ]
    return group(parts, **{"class": "marks"})


_RINGS: Final = {"hex": (40, 4.5), "vertex": (13, 3.2), "seat": (21, 3.2)}
"""Radius and width of the rings on places."""


def _panel_marks(controls: Iterable[Control]) -> list[str]:
    """Frames around the seats' panels and the dice where these can be pressed."""
    drawn = []
    for control in controls:
        box = control.area
        if isinstance(box, Box) and box.y < DESK.y:
            dashes: dict[str, str | float] = {"stroke_dasharray": "9 6", "stroke_width": 3.0}
            frame = rect(box.x, box.y, box.width, box.height, "none", 10, stroke=GOLD, **dashes)
            drawn.append(layer(box.x - 4, box.y - 4, box.width + 8, box.height + 8, frame))
    return drawn


def _desk(
    view: TableView,
    seat: int,
    box: Box,
    controls: Sequence[Control],
    draft: Draft,
    note: str | None,
) -> str:
    color = SEATS[seat]
    active = {c.name for c in controls if c.is_active}
    parts = [
        rect(box.x, box.y, box.width, box.height, color.tint, 10, stroke=color.line),
        _prompt(view, seat, box, controls, draft, note),
    ]
    for resource, (count, _) in enumerate(view.seats[seat].hand):
        name = RESOURCE_NAMES[resource]
        pressable = f"hand {name}" in active or f"give {name}" in active
        parts.append(_resource_card(hand_box(resource), resource, count, pressable))
    for card, count in enumerate(view.seats[seat].cards or ()):
        chosen = draft.card == CARD_NAMES[card]
        pressable = f"card {CARD_WORDS[card]}" in active
        parts.append(_development_card(card_box(card), card, count, pressable, chosen))
    give, get = _on_tray(view, seat, draft)
    shows_tray = any(c.name.startswith(("give ", "get ")) for c in controls) or not draft.is_empty
    if shows_tray:
        parts += _tray("give", give, active, draft)
        parts += _tray("get", get, active, draft)
    buttons = [c for c in controls if c.label and isinstance(c.area, Box)]
    parts += map(_button, buttons)
    return group(parts, **{"class": "desk"})


def _prompt(
    view: TableView,
    seat: int,
    box: Box,
    controls: Sequence[Control],
    draft: Draft,
    note: str | None,
) -> str:
    mine = bool(controls)
    if note is not None:
        words = note
    elif view.winner is not None:
        words = f"{view.name(view.winner)} has won"
    elif not mine:
        who, doing = view.decision()
        words = f"{view.name(who)} {doing}"
    elif draft.card:
        words = f"Choose {'two resources' if draft.card == 'year_of_plenty' else 'a resource'}"
    else:
        words = f"Your move: {_DECIDES[view.phase]}"
        if view.phase == "answer":
            maker = view.turn_player
            words = f"{view.name(maker)} offers: {terms_words(view, maker)}; {_DECIDES['answer']}"
        if view.phase == "discard":
            words += f" ({view.seats[seat].to_discard} more)"
    fill = INK if mine or view.winner is not None or note else FAINT_INK
    return text(
        box.x + 14, box.y + 25, words, size=17, fill=fill, bold=mine, max_width=box.width - 240
    )


def _on_tray(view: TableView, seat: int, draft: Draft) -> tuple[Bundle, Bundle]:
    """What lies on the tray: the draft, or the offer that is being composed in the game."""
    offer = view.offer
    if view.phase != "compose" or offer is None or view.player_to_move != seat:
        return draft.give, draft.get
    sides = [(offer.give, offer.get)] if offer.seat == seat else []
    sides += [(answer.give, answer.get) for answer in offer.answers if answer.seat == seat]
    give, get = sides[0]
    return give or draft.give, get or draft.get


def _resource_card(box: Box, resource: int, count: int, pressable: bool) -> str:
    x, y = box.middle
    frame = GOLD if pressable else "#FFFFFF"
    parts = [
        rect(
            box.x,
            box.y,
            box.width,
            box.height,
            RESOURCES[resource],
            7,
            stroke=frame,
            stroke_width=2.6,
        ),
        drawing(RESOURCE_NAMES[resource], x, y - 12, 1.5),
        rect(box.x + 9, box.y + box.height - 27, box.width - 18, 21, PAPER, 6),
        text(
            x, box.y + box.height - 10.4, str(count), size=17, fill=INK, anchor="middle", bold=True
        ),
    ]
    return group(parts, opacity=1.0 if count else 0.35)


def _development_card(box: Box, card: int, count: int, pressable: bool, chosen: bool) -> str:
    x, _ = box.middle
    frame = GOLD if pressable else "#FFFFFF"
    parts = [
        rect(
            box.x,
            box.y - (6 if chosen else 0),
            box.width,
            box.height,
            CARD_PURPLE,
            7,
            stroke=frame,
            stroke_width=2.6,
        ),
        drawing(CARD_NAMES[card], x, box.y + 21),
        text(
            x,
            box.y + 44,
            SHORT_CARD_WORDS[card],
            size=10.5,
            fill="#FFFFFF",
            anchor="middle",
            bold=True,
        ),
        rect(box.x + 9, box.y + box.height - 27, box.width - 18, 21, PAPER, 6),
        text(
            x, box.y + box.height - 10.4, str(count), size=17, fill=INK, anchor="middle", bold=True
        ),
    ]
    return group(parts, opacity=1.0 if count else 0.35)


def _tray(side: str, bundle: Bundle, active: set[str], draft: Draft) -> list[str]:
    first = tray_box(side, 0)
    label = side.capitalize()
    if draft.card:
        label = "Take" if side == "get" else ""
    parts = [text(first.x - 8, first.y + 29, label, size=15, fill=INK, anchor="end", bold=True)]
    if draft.card and side == "give":
        return []
    for resource, count in enumerate(bundle):
        name = RESOURCE_NAMES[resource]
        box = tray_box(side, resource)
        pressable = f"{side} {name}" in active
        x, y = box.middle
        stroke = GOLD if pressable else RULE
        cell = [
            rect(box.x, box.y, box.width, box.height, PAPER, 7, stroke=stroke, stroke_width=2),
            resource_chip(resource, x, y - 4 if count else y, 1.15),
        ]
        drawn = [group(cell, opacity=1.0 if pressable or count else 0.35)]
        if count:
            badge = text(box.x + 9, box.y + 42, str(count), size=16, fill=INK, bold=True)
            drawn.append(circle(box.x + 13, box.y + 37, 10, "#FFFFFF", stroke=INK) + badge)
        if f"less {side} {name}" in active:
            corner_x, corner_y = box.x + box.width - 6, box.y + box.height - 6
            drawn.append(circle(corner_x, corner_y, 8.4, INK))
            ends = ((corner_x - 3.6, corner_y), (corner_x + 3.6, corner_y))
            drawn.append(line(*ends, "#FFFFFF", 2.2))
        parts += drawn
    return parts


def _button(control: Control) -> str:
    box = control.area
    assert isinstance(box, Box)
    fill = "#FFE08A" if control.is_active else "#E4DED0"
    if control.name == "accept":
        fill = "#BFE3CF"
    parts = [
        rect(
            box.x,
            box.y,
            box.width,
            box.height,
            fill,
            8,
            stroke=GOLD_DARK if control.is_active else RULE,
            stroke_width=1.6,
        ),
        text(
            box.x + box.width / 2,
            box.y + box.height / 2 + 5.4,
            control.label,
            size=15.5,
            fill=INK if control.is_active else FAINT_INK,
            anchor="middle",
            bold=True,
            max_width=box.width - 12,
        ),
    ]
    return group(parts, **{"class": "button"})
