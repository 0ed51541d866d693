"""Decisions in words, without information hidden from a viewer."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from catan_pz.actions import RESOURCE_NAMES, describe_action
from catan_pz.events import UNKNOWN, Event, EventKind, Events, as_seen_by
from catan_pz.names import seat_names
from catan_pz.render.view import CARD_WORDS
from catan_pz.terms import MAX_PLAYERS

_ORDERS: Final = {
    "roll": "roll",
    "end_turn": "end the turn",
    "buy_development_card": "buy a development card",
    "play_knight": "play a knight",
    "play_road_building": "play road building",
    "compose_send": "send the offer",
    "accept": "accept",
    "reject": "reject",
    "withdraw": "withdraw",
    "build_road": "road at {edge}",
    "build_settlement": "settlement at {vertex}",
    "build_city": "city at {vertex}",
    "play_year_of_plenty": "year of plenty: {pair[0]} + {pair[1]}",
    "play_monopoly": "monopoly of {resource}",
    "move_robber": "robber to {hex}",
    "steal": "steal from the player {seat} to the left",
    "discard": "discard {resource}",
    "maritime_trade": "bank: {give} for {get}",
    "compose_give": "offer: add {resource} to what is given",
    "compose_get": "offer: add {resource} to what is asked for",
    "close_with": "trade with the player {seat} to the left",
}

_SIMPLE: Final = {
    "end_turn": "ends the turn",
    "build_road": "builds a road",
    "build_settlement": "builds a settlement",
    "build_city": "builds a city",
    "play_knight": "plays a knight",
    "play_road_building": "plays road building",
    "play_year_of_plenty": "plays year of plenty: {pair[0]} and {pair[1]}",
    "discard": "discards 1 {resource}",
    "compose_give": "adds 1 {resource} to what is given",
    "compose_get": "adds 1 {resource} to what is asked for",
    "withdraw": "takes the offer back",
    "accept": "accepts the offer",
    "reject": "rejects the offer",
}
"""The words for a played action without further details."""

_AT: Final = {"vertex": " at ", "edge": " at ", "hex": ", now on "}
"""The words before the name of a place."""

Places = Mapping[str, Callable[[int], str]]
"""Names each "vertex", "edge" and "hex"."""

_IDS: Final[Places] = {kind: f"{kind} {{}}".format for kind in _AT}


def bundle_words(bundle: Mapping[str, int]) -> str:
    """A bundle of cards: "2 grain + 1 ore"."""
    return " + ".join(f"{n} {name}" for name in RESOURCE_NAMES if (n := bundle.get(name, 0)))


def action_words(action: int, places: Places = _IDS) -> str:
    """An action as an order: "road at edge 12", "bank: 1 brick for ore"."""
    described = describe_action(action)
    described |= {kind: name(described[kind]) for kind, name in places.items() if kind in described}
    if described["kind"] == "offer":
        return f"offer {bundle_words(described['give'])} for {bundle_words(described['get'])}"
    return _ORDERS[described["kind"]].format(**described)


def log_line(
    events: Events,
    viewer: int | None = None,
    names: Sequence[str] | None = None,
    *,
    places: Places = MappingProxyType({}),
) -> str:
    """The result of a decision, in one line.

    Args:
        events: all events of the decision.
        viewer: the seat that reads it, or `ONLOOKER`; None for full information.
        names: names of the seats; None for "Player 0" and so on.
        places: names the place that is built on or robbed; by default it isn't named.
    """
    seen = events if viewer is None else as_seen_by(events, viewer)
    return _LogLine(seen, names, places).line()


class _LogLine:
    """Describes one decision as a viewer sees it."""

    def __init__(self, events: Events, names: Sequence[str] | None, places: Places) -> None:
        self._decision, *self._events = events
        self._names = names
        self._places = places

    def name(self, seat: int) -> str:
        return seat_names(self._names, MAX_PLAYERS)[seat]

    def line(self) -> str:
        action = self._decision.what
        words = "composes an offer" if action == UNKNOWN else self._words(describe_action(action))
        return f"{self.name(self._decision.seat)} {words}{self._victory()}"

    def _words(self, described: Mapping[str, Any]) -> str:
        special = getattr(self, f"_{described['kind']}", None)
        if special is not None:
            return f"{special(described)}{self._place(described)}"
        return f"{_SIMPLE[described['kind']].format(**described)}{self._place(described)}"

    def _place(self, described: Mapping[str, Any]) -> str:
        for kind, words in _AT.items():
            if kind in self._places and kind in described:
                return words + self._places[kind](described[kind])
        return ""

    def _victory(self) -> str:
        for event in self._of(EventKind.WON):
            winner = event.seat
            return " and wins" if winner == self._decision.seat else f"; {self.name(winner)} wins"
        return ""

    def _of(self, kind: EventKind) -> list[Event]:
        return [event for event in self._events if event.kind == kind]

    def _cards(self, kind: EventKind, seat: int | None = None) -> str:
        """The bundle of all events of a kind, or only of those about one seat."""
        bundle = dict.fromkeys(RESOURCE_NAMES, 0)
        for event in self._of(kind):
            if seat in (None, event.seat):
                bundle[RESOURCE_NAMES[event.what]] += event.amount
        return bundle_words(bundle)

    def _roll(self, _described: Mapping[str, Any]) -> str:
        (dice,) = self._of(EventKind.ROLLED)
        first, second = dice.what, dice.amount
        if first + second == 7:
            return f"rolls {first} + {second}"
        seats = sorted({event.seat for event in self._of(EventKind.GAINED)})
        gains = [f"{self._cards(EventKind.GAINED, p)} for {self.name(p)}" for p in seats]
        return f"rolls {first} + {second}: {', '.join(gains) or 'nothing for anybody'}"

    def _buy_development_card(self, _described: Mapping[str, Any]) -> str:
        (card,) = self._of(EventKind.CARD_BOUGHT)
        bought = "" if card.what == UNKNOWN else f": {CARD_WORDS[card.what]}"
        return f"buys a development card{bought}"

    def _play_monopoly(self, described: Mapping[str, Any]) -> str:
        taken = sum(event.amount for event in self._of(EventKind.GIVEN))
        return f"plays monopoly: {taken} {described['resource']}"

    def _move_robber(self, _described: Mapping[str, Any]) -> str:
        return "moves the robber" + "".join(
            f" and {self._theft(event)}" for event in self._of(EventKind.STOLEN)
        )

    def _steal(self, _described: Mapping[str, Any]) -> str:
        (event,) = self._of(EventKind.STOLEN)
        return self._theft(event)

    def _theft(self, event: Event) -> str:
        card = "a card" if event.what == UNKNOWN else f"1 {RESOURCE_NAMES[event.what]}"
        return f"takes {card} from {self.name(event.other)}"

    def _maritime_trade(self, _described: Mapping[str, Any]) -> str:
        given, got = self._cards(EventKind.PAID), self._cards(EventKind.GAINED)
        return f"gives the bank {given} for {got}"

    def _offer(self, _described: Mapping[str, Any]) -> str:
        in_turn = self._decision.seat == self._decision.other
        give, ask = self._cards(EventKind.OFFER_GIVES), self._cards(EventKind.OFFER_ASKS)
        return f"{'offers' if in_turn else 'counters with'} {give} for {ask}"

    _compose_send = _offer

    def _close_with(self, _described: Mapping[str, Any]) -> str:
        mover = self._decision.seat
        other = next(e.other for e in self._of(EventKind.GIVEN) if e.seat == mover)
        given, got = (self._cards(EventKind.GIVEN, p) for p in (mover, other))
        return f"trades with {self.name(other)}: {given} for {got}"
