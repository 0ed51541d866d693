"""What happened, in words, without what a viewer may not know."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from catan_pz.notation.actions import describe_action
from catan_pz.render.words import CARD_KEYS, CARD_WORDS, RESOURCE_NAMES

State = Mapping[str, Any]

_PLAIN: Final = {
    "roll": "roll",
    "end_turn": "end the turn",
    "buy_development_card": "buy a development card",
    "play_knight": "play a knight",
    "play_road_building": "play road building",
    "compose_send": "send the offer",
    "accept": "accept",
    "reject": "reject",
    "withdraw": "withdraw",
}


def bundle_words(bundle: Mapping[str, int]) -> str:
    """A bundle of cards: "2 grain + 1 ore"."""
    return " + ".join(f"{n} {name}" for name in RESOURCE_NAMES if (n := bundle.get(name, 0)))


def action_words(action: int) -> str:
    """What an action does, as an order: "road at edge 12", "bank: 1 brick for ore"."""
    described = describe_action(action)
    kind = described["kind"]
    if kind in _PLAIN:
        return _PLAIN[kind]
    words = {
        "build_road": "road at edge {edge}",
        "build_settlement": "settlement at vertex {vertex}",
        "build_city": "city at vertex {vertex}",
        "play_monopoly": "monopoly of {resource}",
        "move_robber": "robber to hex {hex}",
        "steal": "steal from the player {seat} to the left",
        "discard": "discard {resource}",
        "maritime_trade": "bank: {give} for {get}",
        "compose_give": "offer: add {resource} to what is given",
        "compose_get": "offer: add {resource} to what is asked for",
        "close_with": "trade with the player {seat} to the left",
    }
    if kind == "play_year_of_plenty":
        return "year of plenty: " + " + ".join(described["pair"])
    if kind == "offer":
        return f"offer {bundle_words(described['give'])} for {bundle_words(described['get'])}"
    return words[kind].format(**described)


def tell(
    before: State,
    action: int,
    after: State,
    viewer: int | None = None,
    names: Sequence[str] | None = None,
) -> str:
    """What a decision brought, in one line.

    Args:
        before: the state in which it was made, as JSON.
        action: what was played.
        after: the state right after it, forced decisions not played yet.
        viewer: the seat that reads it; None for somebody who sees everything.
        names: what the seats are called; "Player 0" and so on where None.
    """
    return _Teller(before, after, viewer, names).line(describe_action(action))


class _Teller:
    """Tells of one decision."""

    def __init__(
        self, before: State, after: State, viewer: int | None, names: Sequence[str] | None
    ) -> None:
        self.before = before
        self.after = after
        self.viewer = viewer
        self.mover: int = before["player_to_move"]
        self.count = len(before["players"])
        self._names = names

    def name(self, seat: int) -> str:
        if self._names is None:
            return f"Player {seat}"
        name = self._names[seat]
        return name if list(self._names).count(name) == 1 else f"{name} {seat}"

    def line(self, described: Mapping[str, Any]) -> str:
        kind = described["kind"]
        special = getattr(self, f"_{kind}", None)
        words = special(described) if special is not None else self._simply(kind, described)
        return f"{self.name(self.mover)} {words}{self._victory()}"

    def _victory(self) -> str:
        winner = self.after["winner"]
        if winner is None:
            return ""
        return " and wins" if winner == self.mover else f"; {self.name(winner)} wins"

    def _simply(self, kind: str, described: Mapping[str, Any]) -> str:
        return {
            "end_turn": "ends the turn",
            "build_road": "builds a road",
            "build_settlement": "builds a settlement",
            "build_city": "builds a city",
            "play_knight": "plays a knight",
            "play_road_building": "plays road building",
            "compose_send": "sends the offer",
            "withdraw": "takes the offer back",
        }[kind]

    def _gained(self, seat: int) -> dict[str, int]:
        before = self.before["players"][seat]["hand"]
        after = self.after["players"][seat]["hand"]
        return {name: after[name] - before[name] for name in RESOURCE_NAMES}

    def _seat(self, relative: int) -> int:
        return (self.mover + relative) % self.count

    def _sees(self, *seats: int) -> bool:
        return self.viewer is None or self.viewer in seats

    def _roll(self, _described: Mapping[str, Any]) -> str:
        first, second = self.after["dice"]
        gains = [
            f"{bundle_words(cards)} for {self.name(seat)}"
            for seat in range(self.count)
            if any((cards := self._gained(seat)).values())
        ]
        if first + second == 7:
            return f"rolls {first} + {second}"
        return f"rolls {first} + {second}: {', '.join(gains) or 'nothing for anybody'}"

    def _buy_development_card(self, _described: Mapping[str, Any]) -> str:
        if not self._sees(self.mover):
            return "buys a development card"
        before = self.before["players"][self.mover]["cards"]
        after = self.after["players"][self.mover]["cards"]
        bought = next(
            word
            for key, word in zip(CARD_KEYS, CARD_WORDS, strict=True)
            if after[key] > before[key]
        )
        return f"buys a development card: {bought}"

    def _play_year_of_plenty(self, described: Mapping[str, Any]) -> str:
        return f"plays year of plenty: {' and '.join(described['pair'])}"

    def _play_monopoly(self, described: Mapping[str, Any]) -> str:
        resource = described["resource"]
        return f"plays monopoly: {self._gained(self.mover)[resource]} {resource}"

    def _move_robber(self, _described: Mapping[str, Any]) -> str:
        robbed = [q for q in range(self.count) if q != self.mover and any(self._gained(q).values())]
        return "moves the robber" + (f" and {self._theft(robbed[0])}" if robbed else "")

    def _steal(self, described: Mapping[str, Any]) -> str:
        return self._theft(self._seat(described["seat"]))

    def _theft(self, victim: int) -> str:
        card = "a card"
        if self._sees(self.mover, victim):
            card = next((f"1 {r}" for r, n in self._gained(self.mover).items() if n), card)
        return f"takes {card} from {self.name(victim)}"

    def _discard(self, described: Mapping[str, Any]) -> str:
        return f"discards 1 {described['resource']}"

    def _maritime_trade(self, described: Mapping[str, Any]) -> str:
        given = -self._gained(self.mover)[described["give"]]
        return f"gives the bank {given} {described['give']} for 1 {described['get']}"

    def _offer(self, described: Mapping[str, Any]) -> str:
        verb = "counters with" if self.before["phase"] == "answer" else "offers"
        return f"{verb} {bundle_words(described['give'])} for {bundle_words(described['get'])}"

    def _compose(self, described: Mapping[str, Any], side: str) -> str:
        if not self._sees(self.mover):
            return "composes an offer"
        return f"adds 1 {described['resource']} to what is {side}"

    def _compose_give(self, described: Mapping[str, Any]) -> str:
        return self._compose(described, "given")

    def _compose_get(self, described: Mapping[str, Any]) -> str:
        return self._compose(described, "asked for")

    def _compose_send(self, _described: Mapping[str, Any]) -> str:
        offer = self.before["offer"]
        own = offer if offer["from"] == self.mover else offer["answers"][self.mover]
        verb = "offers" if offer["from"] == self.mover else "counters with"
        return f"{verb} {bundle_words(own['give'])} for {bundle_words(own['get'])}"

    def _accept(self, _described: Mapping[str, Any]) -> str:
        return "accepts the offer"

    def _reject(self, _described: Mapping[str, Any]) -> str:
        return "rejects the offer"

    def _close_with(self, described: Mapping[str, Any]) -> str:
        gained = self._gained(self.mover)
        got = {r: n for r, n in gained.items() if n > 0}
        given = {r: -n for r, n in gained.items() if n < 0}
        other = self.name(self._seat(described["seat"]))
        return f"trades with {other}: {bundle_words(given)} for {bundle_words(got)}"
