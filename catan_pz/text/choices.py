"""The legal actions of a view, numbered and grouped, in words."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from catan_pz.actions import RESOURCE_NAMES, bundle_to_dict, describe_action
from catan_pz.game.view import View
from catan_pz.render.log import bundle_words
from catan_pz.text.places import SEATS, Segments, place_words


class Choice(NamedTuple):
    """A legal action in words.

    Attributes:
        number: from 1, its place among the legal actions.
        action: its id.
        group: words shared with similar actions: "build a road at".
        rest: words that distinguish it within its group; "" for the only action of a group.
    """

    number: int
    action: int
    group: str
    rest: str

    @property
    def words(self) -> str:
        """The full text: "build a road at E20 V12-V17 (grain 6/ore 8)"."""
        return f"{self.group} {self.rest}".rstrip()


_GROUPS = {
    "roll": "roll the dice",
    "end_turn": "end the turn",
    "build_road": "build a road at",
    "build_settlement": "build a settlement at",
    "build_city": "build a city at",
    "buy_development_card": "buy a development card",
    "play_knight": "play a knight",
    "play_road_building": "play road building",
    "play_year_of_plenty": "play year of plenty for",
    "play_monopoly": "play monopoly on",
    "move_robber": "move the robber to",
    "steal": "steal from",
    "discard": "discard",
    "compose_give": "add to what you give",
    "compose_get": "add to what you ask for",
    "compose_send": "send the offer",
    "accept": "accept the offer",
    "reject": "reject the offer",
    "close_with": "close the trade with",
    "withdraw": "withdraw the offer",
}
"""The common words of each kind of action; trades add what is given."""


def choices_of(view: View) -> list[Choice]:
    """The legal actions, in the order of their ids."""
    seen = view.segments
    legal = np.flatnonzero(view.mask).tolist()
    return [Choice(k + 1, action, *_words(seen, action)) for k, action in enumerate(legal)]


def legal_actions(view: View) -> str:
    """The legal actions as text: a line for each group, each action after its number."""
    groups: dict[str, list[Choice]] = {}
    for choice in choices_of(view):
        groups.setdefault(choice.group, []).append(choice)
    return "\n".join(_line(group, members) for group, members in groups.items())


def choices_text(view: View, otherwise: str = "") -> str:
    """`legal_actions` below a heading; another text if there are none."""
    choices = legal_actions(view)
    return f"Your legal actions:\n{choices}" if choices else otherwise


def _line(group: str, members: Sequence[Choice]) -> str:
    if not members[0].rest:
        return f"[{members[0].number}] {group}"
    return f"{group}: " + ", ".join(f"[{one.number}] {one.rest}" for one in members)


def _words(seen: Segments, action: int) -> tuple[str, str]:
    """The group of an action, and the words that distinguish it within the group."""
    described = describe_action(action)
    kind = described["kind"]
    if kind == "maritime_trade":
        rate = int(seen["trade_rate"][0, RESOURCE_NAMES.index(described["give"])])
        return f"give the bank {rate} {described['give']} for", described["get"]
    if kind == "offer":
        given, got = (bundle_words(described[side]) for side in ("give", "get"))
        return f"offer {given} for", got
    if kind == "accept":
        return _GROUPS[kind] + _terms(seen, int(seen["turn_player"].argmax())), ""
    if kind == "close_with":
        return _GROUPS[kind], SEATS[described["seat"]] + _terms(seen, described["seat"])
    return _GROUPS[kind], _rest(seen, described)


def _rest(seen: Segments, described: dict[str, Any]) -> str:
    for place in ("hex", "vertex", "edge"):
        if place in described:
            return place_words(seen, place, described[place])
    if "seat" in described:
        return SEATS[described["seat"]]
    if "pair" in described:
        return " + ".join(described["pair"])
    return str(described.get("resource", ""))


def _terms(seen: Segments, seat: int) -> str:
    """The terms of a seat's offer: " (you give 1 ore, get 1 brick)"."""
    sides = (bundle_to_dict(seen[side][seat]) for side in ("offer_get", "offer_give"))
    give, get = map(bundle_words, sides)
    return f" (you give {give}, get {get})" if give or get else ""
