"""The log on a table's pages: a line for each move, one for each offer."""

from collections.abc import Sequence
from typing import Any, Final

from catan_pz.actions import describe_action
from catan_pz.events import ONLOOKER, UNKNOWN, EventKind, Events, as_seen_by
from catan_pz.names import seat_names
from catan_pz.play.session import PlayedGame
from catan_pz.render.log import log_line
from catan_pz.render.view import TableView, table_view
from catan_pz.render.words import places_of
from catan_pz.terms import NUM_RESOURCES

_COMPOSING: Final = ("compose_give", "compose_get", "")
"""Kinds of actions without a line, "" for a hidden one: the offer itself has one."""

_SHORT: Final = {"accept": "accepts", "reject": "rejects", "withdraw": "takes it back"}

_GIVES: Final = {EventKind.GAINED: 1, EventKind.PAID: -1}


class Story:
    """The lines of a game for one viewer, each with its places and cards.

    An entry has `words`; `at`, the changed places; `hexes` lit by a roll; `cards` gained and
    lost by each seat; and a `theft` from the viewer.
    """

    def __init__(self, viewer: int) -> None:
        self._viewer = viewer
        self._session: PlayedGame | None = None
        self._told = 0
        self._entries: list[dict[str, Any]] = []
        self._view: TableView | None = None
        self._robber = 0

    def entries(self, session: PlayedGame) -> list[dict[str, Any]]:
        """All lines of a game so far; another game starts a new log."""
        if session is not self._session:
            self._session, self._told, self._entries = session, 0, []
            self._view = table_view(session.record.start, ONLOOKER, session.names)
            self._robber = self._view.robber
        for events in session.heard[self._told :]:
            self._tell(session, events)
        self._told = len(session.heard)
        return [*self._entries]

    def _tell(self, session: PlayedGame, events: Events) -> None:
        view = self._view
        assert view is not None
        viewer = session.shown_to(self._viewer)
        seen = events if viewer is None else as_seen_by(events, viewer)
        decision = seen[0]
        kind = "" if decision.what == UNKNOWN else describe_action(decision.what)["kind"]
        if kind in _COMPOSING:
            return
        words = log_line(seen, names=session.names, places=places_of(view))
        entry = {"words": words} | happened(seen, view.tokens, self._robber)
        for event in seen:
            if event.kind == EventKind.ROBBER_MOVED:
                self._robber = event.what
            elif event.kind == EventKind.STOLEN and event.other == self._viewer:
                entry["theft"] = True
        is_offer = kind in ("offer", "compose_send") and decision.seat == decision.other
        if not is_offer and self._entries and "offer" in self._entries[-1]:
            if kind in _SHORT:
                entry["words"] = f"{_name(session, decision.seat)} {_SHORT[kind]}"
            if kind in (*_SHORT, "offer", "compose_send", "close_with"):
                before = self._entries.pop()
                sign = "; " if "answers" in before else ": "
                words = before["words"] + sign + entry["words"]
                entry = before | entry | {"words": words, "answers": True}
        self._entries.append(entry | ({"offer": True} if is_offer else {}))


def happened(seen: Events, tokens: Sequence[int | None], robber: int) -> dict[str, Any]:
    """Places changed by events, hexes lit by a roll, and each seat's gains and losses.

    Args:
        seen: events of a decision, as the viewer sees them.
        tokens: number token of each hex.
        robber: the robber's hex, which a roll doesn't light.
    """
    at: list[str] = []
    cards: dict[str, list[int]] = {}
    lit: list[str] = []

    def count(seat: int, what: int, amount: int) -> None:
        # A resource hidden from the viewer is counted as the last one.
        counts = cards.setdefault(str(seat), [0] * (NUM_RESOURCES + 1))
        counts[NUM_RESOURCES if what == UNKNOWN else what] += amount

    for event in seen:
        match event.kind:
            case EventKind.ROAD_BUILT:
                at.append(f"edge {event.what}")
            case EventKind.SETTLEMENT_BUILT | EventKind.CITY_BUILT:
                at.append(f"vertex {event.what}")
            case EventKind.ROBBER_MOVED:
                at.append(f"hex {event.what}")
            case EventKind.ROLLED:
                total = event.what + event.amount
                lit = [
                    f"hex {h}" for h, token in enumerate(tokens) if token == total and h != robber
                ]
            case EventKind.GAINED | EventKind.PAID:
                count(event.seat, event.what, _GIVES[event.kind] * event.amount)
            case EventKind.GIVEN:
                count(event.seat, event.what, -event.amount)
                count(event.other, event.what, event.amount)
            case EventKind.STOLEN:
                count(event.other, event.what, -1)
                count(event.seat, event.what, 1)
    return {k: v for k, v in {"at": at, "hexes": lit, "cards": cards}.items() if v}


def _name(session: PlayedGame, seat: int) -> str:
    return seat_names(session.names, len(session.names))[seat]
