"""The end of a game: what points consist of, and counts of dice, cards and trades."""

from collections import Counter
from typing import Any

from catan_pz.events import EventKind
from catan_pz.play.session import PlayedGame
from catan_pz.render.view import TableView
from catan_pz.terms import Card


def ending_json(session: PlayedGame, view: TableView) -> dict[str, Any]:
    """The points of each seat by source, counts of each seat, and how often each sum came."""
    rolls: Counter[int] = Counter()
    counts: dict[str, Counter[int]] = {
        what: Counter() for what in ("rolled", "given", "stolen", "lost", "bought")
    }
    for events in session.heard:
        is_roll = any(event.kind == EventKind.ROLLED for event in events)
        is_close = False
        for event in events:
            match event.kind:
                case EventKind.ROLLED:
                    rolls[event.what + event.amount] += 1
                case EventKind.GAINED if is_roll:
                    counts["rolled"][event.seat] += event.amount
                case EventKind.GIVEN:
                    is_close = True
                case EventKind.STOLEN:
                    counts["stolen"][event.seat] += 1
                    counts["lost"][event.other] += 1
                case EventKind.CARD_BOUGHT:
                    counts["bought"][event.seat] += 1
        if is_close:
            givers = {event.seat for event in events if event.kind == EventKind.GIVEN}
            counts["given"].update(givers)
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
            "of": ["Cards by rolls", "Trades", "Thefts", "Robbed", "Cards bought"],
            "rows": [[count[seat.seat] for count in counts.values()] for seat in view.seats],
        },
        "rolls": [rolls[total] for total in range(2, 13)],
    }
