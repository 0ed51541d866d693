"""The end of a game: sources of points, and counts of dice, cards and trades."""

from collections import Counter
from typing import Any, Final

from catan_pz.events import EventKind, Events
from catan_pz.play.session import PlayedGame
from catan_pz.render.view import TableView
from catan_pz.terms import Card

_COUNTS: Final = {
    "rolled": "Cards by rolls",
    "trades": "Trades",
    "stolen": "Thefts",
    "lost": "Robbed",
    "bought": "Cards bought",
}
"""Displayed counts with their titles."""


def counts_of(events: Events) -> Counter[tuple[int, str]]:
    """The counts of a decision, by seat and name.

    Cards from a roll ("rolled"); trades between players, cards given and received ("trades",
    "given", "got"), the same with the bank ("bank", "bank given", "bank got"); thefts ("stolen",
    "lost"); development cards, and victory points among them ("bought", "points").
    """
    kinds = {event.kind for event in events}
    is_of_bank = {EventKind.PAID, EventKind.GAINED} <= kinds
    is_trade = EventKind.GIVEN in kinds and EventKind.CARD_PLAYED not in kinds  # no monopoly
    counts: Counter[tuple[int, str]] = Counter()
    for kind, seat, other, what, amount, _ in events:
        if kind == EventKind.GAINED and EventKind.ROLLED in kinds:
            counts[seat, "rolled"] += amount
        elif kind == EventKind.GAINED and is_of_bank:
            counts[seat, "bank got"] += amount
            counts[seat, "bank"] = 1
        elif kind == EventKind.PAID and is_of_bank:
            counts[seat, "bank given"] += amount
        elif kind == EventKind.GIVEN and is_trade:
            counts[seat, "given"] += amount
            counts[other, "got"] += amount
            counts[seat, "trades"] = 1
        elif kind == EventKind.STOLEN:
            counts[seat, "stolen"] = counts[other, "lost"] = 1
        elif kind == EventKind.CARD_BOUGHT:
            counts[seat, "bought"], counts[seat, "points"] = 1, int(what == Card.VICTORY_POINT)
    return counts


def ending_json(session: PlayedGame, view: TableView) -> dict[str, Any]:
    """The points of each seat by source, counts by seat, and the frequency of each dice sum."""
    rolls: Counter[int] = Counter()
    counts: Counter[tuple[int, str]] = Counter()
    for events in session.heard:
        counts.update(counts_of(events))
        rolls.update(e.what + e.amount for e in events if e.kind == EventKind.ROLLED)
    rows = []
    for seat in view.seats:
        cards = 0 if seat.cards is None else seat.cards[Card.VICTORY_POINT]
        rows.append(
            [
                len(seat.settlements),
                2 * len(seat.cities),
                2 * seat.has_longest_road,
                2 * seat.has_largest_army,
                cards,
            ]
        )
    return {
        "points": {
            "of": ["Settlements", "Cities", "Longest road", "Largest army", "Cards"],
            "rows": rows,
        },
        "counts": {
            "of": [*_COUNTS.values()],
            "rows": [[counts[seat.seat, name] for name in _COUNTS] for seat in view.seats],
        },
        "rolls": [rolls[total] for total in range(2, 13)],
    }
