"""A seat's view of a game, as JSON and as text made from that JSON."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from catan_pz.actions import RESOURCE_NAMES, bundle_to_dict
from catan_pz.board.topology import HARBOR_VERTICES
from catan_pz.events import Events
from catan_pz.game.view import View
from catan_pz.observation.segments import MANY_TURNS
from catan_pz.render.log import log_line
from catan_pz.render.view import CARD_WORDS
from catan_pz.rules import OBSERVED
from catan_pz.terms import NUM_HEXES, Phase
from catan_pz.text.places import (
    SEATS,
    Segments,
    edge_ends,
    harbor_words,
    hex_words,
    place_words,
)

_PIECES: Final = ("roads", "settlements", "cities")
_ANSWERS: Final = (None, "accepts", "rejects", "counters")

_TASKS: Final = {
    Phase.SETUP_SETTLEMENT: "place a first settlement",
    Phase.SETUP_ROAD: "place a road at the settlement just placed",
    Phase.ROLL: "roll the dice, or play a development card first",
    Phase.DISCARD: "discard a card",
    Phase.MOVE_ROBBER: "move the robber",
    Phase.STEAL: "choose whom to steal from",
    Phase.MAIN: "trade, build, buy, play a card or end the turn",
    Phase.FREE_ROAD: "place a free road",
    Phase.COMPOSE: "compose an offer: add cards, then send it",
    Phase.ANSWER: "answer the offer: accept or reject it, or offer something else",
    Phase.CLOSE: "close the trade with a player who agrees, or withdraw",
    Phase.OVER: "nothing: the game is over",
}
"""The task of the player to move."""

_SECOND: Final = "place a second settlement, which brings a card of each hex around it"

_PLACES: Final = {"vertex": "V{}".format, "edge": edge_ends, "hex": "H{}".format}
"""How lines of news name places."""


def news_of(decisions: Iterable[Events], seat: int, num_players: int) -> list[str]:
    """A line for each decision observed by the agent in a seat."""
    names = [SEATS[(k - seat) % num_players] for k in range(num_players)]
    lines = [log_line(events, names=names, places=_PLACES) for events in decisions]
    return [_addressed(line) if line.startswith(f"{SEATS[0]} ") else line for line in lines]


def _addressed(line: str) -> str:
    """Put a line about the reader into the second person: "you move the robber and take a card"."""
    return re.sub(r"(?<=^you )(\w+)s\b|(?<= and )(take|win)s\b", r"\1\2", line)


def as_json(view: View, news: Sequence[str] = ()) -> dict[str, Any]:
    """A view's full content as JSON values, with seats named as in `SEATS`.

    Args:
        view: the seat's view.
        news: lines since the seat's last decision, from `news_of`.
    """
    seen = view.segments
    players = [_player(seen, k) for k in np.flatnonzero(seen["present"]).tolist()]
    phase = Phase(int(seen["phase"].argmax()))
    mover = int(seen["player_to_move"].argmax())
    is_second = phase == Phase.SETUP_SETTLEMENT and players[mover]["settlements"]
    told = {
        "to_move": SEATS[mover],
        "task": _SECOND if is_second else _TASKS[phase],
        "phase": phase.name.lower(),
        "turn": int(seen["turns_ended"][0]) + 1,
        "turn_of": SEATS[int(seen["turn_player"].argmax())],
        "dice": seen["dice"].tolist() if seen["dice"].any() else None,
        "rolled": bool(seen["rolled"][0]),
        "card_played": bool(seen["card_played"][0]),
        "cards_bought": int(seen["cards_bought"][0]),
        "points_to_win": int(seen["points_to_win"][0]),
        "discard_limit": int(seen["discard_limit"][0]),
        "rules": [
            column.observed
            for column, is_on in zip(OBSERVED, seen["rules_in_force"], strict=False)
            if is_on
        ],
        "players": players,
        "bank": bundle_to_dict(seen["bank"]),
        "deck": int(seen["deck_left"][0]),
        "board": {
            "hexes": {f"H{h}": hex_words(seen, h) for h in range(NUM_HEXES)},
            "robber": f"H{int(seen['hex_robber'].argmax())}",
            "harbors": {
                "/".join(f"V{v}" for v in vertices): harbor_words(seen, b)
                for b, vertices in enumerate(HARBOR_VERTICES.tolist())
            },
        },
        "news": list(news),
    }
    if seen["free_roads"][0]:
        told["free_roads"] = int(seen["free_roads"][0])
    if seen["turns_left"][0] < MANY_TURNS:
        told["turns_left"] = int(seen["turns_left"][0])
    if seen["rolls_left"].any():
        told["rolls_left"] = {k + 2: n for k, n in enumerate(seen["rolls_left"].tolist())}
    if seen["offers_a_turn"][0]:
        told["offers_left"] = int(seen["offers_left"][0])
    offers = [
        _offer(seen, k)
        for k in range(len(players))
        if seen["offer_give"][k].any() or seen["offer_get"][k].any()
    ]
    if offers:
        told["offers"] = offers
        answers = {SEATS[k]: _ANSWERS[int(row.argmax())] for k, row in enumerate(seen["answer"])}
        told["answers"] = {seat: answer for seat, answer in answers.items() if answer}
    return told


def _cards(counts: Any) -> dict[str, int]:
    return {name: n for name, n in zip(CARD_WORDS, counts.tolist(), strict=True) if n}


def _offer(seen: Segments, k: int) -> dict[str, Any]:
    give, get = bundle_to_dict(seen["offer_give"][k]), bundle_to_dict(seen["offer_get"][k])
    return {"by": SEATS[k], "gives": give, "gets": get}


def _player(seen: Segments, k: int) -> dict[str, Any]:
    buildings = seen["vertex_building"][:, k]
    player: dict[str, Any] = {
        "name": SEATS[k],
        "points": int(seen["visible_points"][k]),
        "hand_size": int(seen["hand_size"][k]),
        "hand": {
            name: low if low == high else [low, high]
            for name, low, high in zip(
                RESOURCE_NAMES,
                seen["hand_min"][k].tolist(),
                seen["hand_max"][k].tolist(),
                strict=True,
            )
            if high
        },
        "development_cards": int(seen["card_count"][k]),
        "played": _cards(seen["cards_played"][k]),
        "settlements": [place_words(seen, "vertex", v) for v in _where(buildings == 1)],
        "cities": [place_words(seen, "vertex", v) for v in _where(buildings == 2)],
        "roads": [edge_ends(e) for e in _where(seen["edge_road"][:, k])],
        "road_length": int(seen["road_length"][k]),
        "awards": [
            award.replace("_", " ") for award in ("longest_road", "largest_army") if seen[award][k]
        ],
        "left": dict(zip(_PIECES, seen["pieces_left"][k].tolist(), strict=True)),
        "bank_rates": dict(zip(RESOURCE_NAMES, seen["trade_rate"][k].tolist(), strict=True)),
        "pips": bundle_to_dict(seen["production"][k]),
    }
    if seen["to_discard"][k]:
        player["to_discard"] = int(seen["to_discard"][k])
    if k == 0:
        player["points"] = int(seen["own_points"][0])
        player["visible_points"] = int(seen["visible_points"][0])
        player["development_cards"] = _cards(seen["own_cards"])
        player["bought_this_turn"] = _cards(seen["own_new_cards"])
    return player


def _where(marked: Any) -> list[int]:
    return np.flatnonzero(marked).tolist()


def describe(view: View, news: Sequence[str] = ()) -> str:
    """A view's full content in about 1,000 tokens of text; arguments as for `as_json`."""
    told = as_json(view, news)
    board = told["board"]
    hexes = ", ".join(f"{name} {words}" for name, words in board["hexes"].items())
    harbors = ", ".join(f"{at} {words}" for at, words in board["harbors"].items())
    lines = [_course(told)]
    lines += ["Since your last decision:", *(f"- {line}" for line in told["news"])] * bool(news)
    lines += _offers(told)
    lines += [line for player in told["players"] for line in _player_lines(player)]
    lines += [
        f"Bank: {_listed(told['bank'])}; {told['deck']} development cards in the deck.",
        f"Hexes: {hexes}. The robber stands on {board['robber']}.",
        f"Harbors: {harbors}.",
    ]
    return "\n".join(lines)


def _course(told: Mapping[str, Any]) -> str:
    """The first line: whose turn it is, the task, and the rules of this table."""
    mover, owner = told["to_move"], told["turn_of"]
    later = " or later" if told["turn"] > MANY_TURNS else ""
    parts = [
        f"Turn {told['turn']}{later}, {'yours' if owner == SEATS[0] else f'of {owner}'}.",
        "The game is over."
        if told["phase"] == "over"
        else f"{'You are' if mover == SEATS[0] else f'{mover} is'} to {told['task']}.",
        f"{told['points_to_win']} points win.",
        f"A 7 costs half of a hand over {told['discard_limit']} cards.",
    ]
    if told["dice"]:
        parts.append(f"The last roll is {' + '.join(map(str, told['dice']))}.")
    for key, words in _REST.items():
        if told.get(key):
            parts.append(words.format(told[key]))
    if "rolls_left" in told:
        left = ", ".join(f"{n} of {total}" for total, n in told["rolls_left"].items())
        parts.append(f"Rolls left to the balanced dice: {left}.")
    if told["rules"]:
        parts.append(f"Rules: {', '.join(told['rules'])}.")
    return " ".join(parts)


_REST: Final = {
    "free_roads": "Free roads left to place: {}.",
    "offers_left": "Offers left in this turn: {}.",
    "turns_left": "Turns left in the game: {}.",
    "card_played": "A development card was played in this turn.",
    "cards_bought": "Development cards bought in this turn: {}.",
}
"""Sentences about the course of the game, for non-zero entries."""


def _listed(counts: Mapping[str, Any]) -> str:
    """Counts or bounds by name: "2 brick, 0-3 ore"."""
    parts = [
        f"{'-'.join(map(str, n)) if isinstance(n, list) else n} {name}"
        for name, n in counts.items()
    ]
    return ", ".join(parts) or "nothing"


def _offers(told: Mapping[str, Any]) -> list[str]:
    lines = []
    for one in told.get("offers", ()):
        verb = "give" if one["by"] == SEATS[0] else "gives"
        sides = f"{_listed(one['gives'])} for {_listed(one['gets'])}"
        lines.append(f"On offer: {one['by']} {verb} {sides}.")
    lines += [f"{seat} {answer}." for seat, answer in told.get("answers", {}).items()]
    return lines


def _player_lines(player: Mapping[str, Any]) -> list[str]:
    """Describe a seat in two lines: its holdings and its buildings."""
    name = player["name"]
    cards = player["development_cards"]
    hidden = f" ({player['visible_points']} visible)" if "visible_points" in player else ""
    first = [
        f"{name}: points {player['points']}{hidden}",
        f"hand {player['hand_size']}: {_listed(player['hand'])}",
        f"development cards: {_listed(cards) if isinstance(cards, dict) else cards}",
    ]
    for key, words in (("bought_this_turn", "of these, bought this turn:"), ("played", "played")):
        if player.get(key):
            first.append(f"{words} {_listed(player[key])}")
    if player["awards"]:
        first.append(f"holds {' and '.join(player['awards'])}")
    if "to_discard" in player:
        first.append(f"must discard {player['to_discard']}")
    second = [
        f"{kind} {', '.join(player[kind])}" for kind in ("settlements", "cities") if player[kind]
    ]
    if player["roads"]:
        second.append(f"roads {' '.join(player['roads'])}, longest {player['road_length']}")
    second.append(f"left {_listed(player['left'])}")
    rates = {rate: [r for r, n in player["bank_rates"].items() if n == rate] for rate in (2, 3)}
    second += [f"{rate}:1 for {', '.join(kinds)}" for rate, kinds in rates.items() if kinds]
    if player["pips"]:
        second.append(f"pips {_listed(player['pips'])}")
    return ["; ".join(first), f"  {'; '.join(second)}"]
