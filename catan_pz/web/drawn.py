"""A table for pages: the board as SVG, places on it, and the rest as numbers and words."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from typing import Any, Final

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.play.controls import PLACES, Control, Draft
from catan_pz.render.geometry import HEX_POSITIONS, VERTEX_POSITIONS, edge_ends, shortened
from catan_pz.render.icons import drawings
from catan_pz.render.island import island
from catan_pz.render.layout import SEA_WIDTH
from catan_pz.render.palette import RESOURCES, SeatColor
from catan_pz.render.pieces import pieces
from catan_pz.render.shapes import rect
from catan_pz.render.view import SeatView, TableView
from catan_pz.render.words import terms_words
from catan_pz.terms import CARD_NAMES, NUM_EDGES, NUM_HEXES, NUM_VERTICES

BOX: Final = (-SEA_WIDTH / 2, -292, SEA_WIDTH, 584)
"""Corner and size of the visible sea, relative to the board's middle."""

_SIGNS: Final = (
    "victory_point", "card_back", "resource_back", "shield", "winding_road", "small_road",
    "small_settlement", "small_city", "robber",
)  # fmt: skip

_DECIDES: Final = {
    "setup_settlement": "place a settlement on a marked vertex",
    "setup_road": "place a road on a marked edge",
    "roll": "roll, or play a development card first",
    "discard": "press the cards to discard",
    "move_robber": "move the robber to a marked hex",
    "steal": "choose whom to steal from",
    "main": "build, trade, play or buy cards, or end the turn",
    "free_road": "place a free road on a marked edge",
    "compose": "add cards to the offer, then send it",
    "close": "choose whom to trade with, or withdraw",
}

_ON_THE_BOARD: Final = ("roads", "settlements", "cities")


def prompt(view: TableView, seat: int, pressable: Sequence[Control], draft: Draft) -> str:
    """The line above the controls: the person's task, or who decides now."""
    if view.winner is not None or view.is_truncated:
        return "The game is over"
    if any(c.name == "reject" for c in pressable):
        maker = view.turn_player
        return f"{view.name(maker)} offers: {terms_words(view, seat, maker)}"
    if view.player_to_move != seat:
        who, doing = view.decision()
        return f"{view.name(who)} {doing}"
    if draft.card:
        return f"Choose {'two resources' if draft.card == 'year_of_plenty' else 'a resource'}"
    more = f" ({view.seats[seat].to_discard} more)" if view.phase == "discard" else ""
    return f"Your move: {_DECIDES[view.phase]}{more}"


def board_layers(view: TableView) -> list[str]:
    """The board's layers as SVG about (0, 0): the ground and the pieces."""
    return [island(view), pieces(view)]


@cache
def areas() -> dict[str, list[float]]:
    """The clickable area of each place: a disc's centre and radius, a bar's ends and reach."""
    found: dict[str, list[float]] = {}
    for v in range(NUM_VERTICES):
        found[f"vertex {v}"] = [*VERTEX_POSITIONS[v], 17]
    for e in range(NUM_EDGES):
        start, end = shortened(*edge_ends(e), 12)
        found[f"edge {e}"] = [*start, *end, 11]
    for h in range(NUM_HEXES):
        found[f"hex {h}"] = [*HEX_POSITIONS[h], 44]
    return {name: [round(x, 1) for x in area] for name, area in found.items()}


def places_json(view: TableView) -> list[dict[str, Any]]:
    """All vertices, edges and hexes with their descriptions, topmost first."""
    return [
        {"name": f"{kind} {k}", "words": words(view, k)}
        for kind, (count, words) in PLACES.items()
        for k in range(count)
    ]


def control_json(control: Control) -> dict[str, Any]:
    """A control as sent to the page, without its actions."""
    given = {
        "key": control.key,
        "label": control.label,
        "places": control.places,
        "plays": bool(control.play),
    }
    kept = {what: value for what, value in given.items() if value}
    return {"name": control.name, "words": control.words, "active": control.is_active} | kept


def view_json(view: TableView) -> dict[str, Any]:
    """Seats, bank, dice, turn and offer."""
    seat, doing = view.decision()
    return {
        **{f"seat {one.seat}": _seat_json(view, one) for one in view.seats},
        "bank": view.bank,
        "deck_size": view.deck_size,
        "dice": view.dice,
        "rolled": view.rolled,
        "turn": view.turn,
        "phase": view.phase,
        "decides": [seat, doing],
        "target_points": view.target_points,
        "offer": None if view.offer is None else asdict(view.offer),
    }


def _seat_json(view: TableView, seat: SeatView) -> dict[str, Any]:
    """The viewer's knowledge of a seat besides its pieces on the board."""
    known = {name: value for name, value in asdict(seat).items() if name not in _ON_THE_BOARD}
    counted = {"hidden_points": seat.hidden_points, "pieces_left": seat.pieces_left}
    return known | counted | {"name": view.name(seat.seat)}


@cache
def symbols() -> str:
    """The icons of pages, as symbols of one SVG; pieces take the colours of a seat."""
    fill, line = "var(--seat)", "var(--seat-line)"
    seat = SeatColor(fill, fill, fill, fill, line)
    drawn = drawings()
    parts = {name: drawn[name].format(c=seat) for name in _SIGNS}
    parts |= {card: drawn[card] for card in CARD_NAMES}
    for name, fill in zip(RESOURCE_NAMES, RESOURCES, strict=True):
        parts[name] = rect(-12, -12, 24, 24, fill, 5) + drawn[name]
    for sign in ("shield", "winding_road"):
        parts[sign] = drawn[sign].format(c="currentColor")
    made = (
        f'<symbol id="{name}" viewBox="-12 -12 24 24">{part}</symbol>'
        for name, part in parts.items()
    )
    return f'<svg class="symbols" aria-hidden="true">{"".join(made)}</svg>'
