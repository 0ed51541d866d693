"""Changes to a position set up by hand, in its JSON form ("catan-pz-state/1").

A change keeps the position consistent: a card added to a hand comes from the bank or the deck, a
phase sets the fields that it needs. The rules are checked afterwards.
"""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.checks import quoted
from catan_pz.game.state_json import PHASE_NAMES
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    CARD_NAMES,
    DECK_COUNTS,
    ROADS_OF_A_CARD,
    ROADS_PER_PLAYER,
)

Position = dict[str, Any]

PIECES: Final = {"settlement": "settlements", "city": "cities", "road": "roads"}
"""Pieces that can be placed for a seat, with the position's entry that lists them."""

_PLACE_OF: Final = {"settlement": "vertex", "city": "vertex", "road": "edge", "robber": "hex"}
_ONE: Final = {"vertex": "a vertex", "edge": "an edge", "hex": "a hex"}
_PLAIN: Final = ("turn", "player_to_move", "rolled", "card_played", "dice", "free_roads")
_AFTER_A_SEVEN: Final = ("discard", "move_robber", "steal")


def edited(position: Mapping[str, Any], change: Mapping[str, Any]) -> Position:
    """A copy of a position with one change.

    A ValueError says why a change isn't possible.

    Args:
        position: a position in its JSON form.
        change: one of
            `{"put": "settlement", "at": "vertex 12", "seat": 1}`, also "city", "road", "robber",
            or "nothing", which removes; a piece that is already there is removed, too,
            `{"move": "vertex 12", "to": "vertex 30"}`, for any piece,
            `{"lay": "terrain", "at": "hex 3", "to": "forest", "spared": ["hex 7"]}`, also "token",
            or "harbor" at an edge; it is swapped with the one there, and comes from one of the
            spared places only if there is no other,
            `{"set": "hand", "seat": 1, "of": "ore", "to": 3}`, also "cards", "new_cards" and
            "cards_played", and without "of" "to_discard",
            `{"set": "phase", "to": "main"}`, also "turn_player", "turn", "player_to_move",
            "rolled", "card_played", "dice", "free_roads", "next_card", and "seed".
    """
    new: Position = json.loads(json.dumps(position))
    try:
        if "put" in change:
            _put(new, change["put"], change["at"], change.get("seat"))
        elif "lay" in change:
            _lay(new, change["lay"], change["at"], change["to"], change["spared"])
        elif "move" in change:
            _move(new, change["move"], change["to"])
        else:
            _set(new, change)
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{quoted(change)} is no change of a position") from error
    return new


def _place(name: str) -> tuple[str, int]:
    kind, _, number = name.partition(" ")
    if kind not in _PLACE_OF.values() or not number.isdecimal():
        raise ValueError(f"a place must be one like 'vertex 12', got {quoted(name)}")
    return kind, int(number)


def _player(position: Position, seat: Any) -> dict[str, Any]:
    players: list[dict[str, Any]] = position["players"]
    if type(seat) is not int or not 0 <= seat < len(players):
        raise ValueError(f"seat must be an int from 0 to {len(players) - 1}, got {quoted(seat)}")
    return players[seat]


def _standing(position: Position, kind: str, number: int) -> tuple[str, int] | None:
    """The piece at a place, and its owner."""
    for seat, player in enumerate(position["players"]):
        for piece, entry in PIECES.items():
            if _PLACE_OF[piece] == kind and number in player[entry]:
                return piece, seat
    return None


def _take_away(position: Position, kind: str, number: int) -> tuple[str, int] | None:
    standing = _standing(position, kind, number)
    if standing is not None:
        piece, seat = standing
        position["players"][seat][PIECES[piece]].remove(number)
    return standing


def _put(position: Position, piece: str, at: str, seat: Any) -> None:
    kind, number = _place(at)
    if piece == "nothing":
        _take_away(position, kind, number)
        return
    if _PLACE_OF[piece] != kind:
        raise ValueError(f"a {piece} stands on {_ONE[_PLACE_OF[piece]]}")
    if piece == "robber":
        position["robber"] = number
        return
    player = _player(position, seat)
    if _take_away(position, kind, number) != (piece, seat):
        player[PIECES[piece]] = sorted([*player[PIECES[piece]], number])


def _move(position: Position, start: str, end: str) -> None:
    (kind, number), (other_kind, other) = _place(start), _place(end)
    if kind != other_kind:
        raise ValueError(f"what stands on {_ONE[kind]} can't stand on {_ONE[other_kind]}")
    if kind == "hex":
        if position["robber"] != number:
            raise ValueError(f"the robber isn't at {start}")
        position["robber"] = other
        return
    standing = _take_away(position, kind, number)
    if standing is None:
        raise ValueError(f"nothing stands at {start}")
    _take_away(position, kind, other)
    piece, seat = standing
    _put(position, piece, end, seat)


def _lay(position: Position, what: str, at: str, to: Any, spared: Collection[str]) -> None:
    """Swap two parts of the board, which always has the same ones."""
    board = position["board"]
    parts, entry = board["hexes"], what
    places = [f"hex {k}" for k in range(len(parts))]
    if what == "harbor":
        parts, entry = board["harbors"], "resource"
        places = [f"edge {one['edge']}" for one in parts]
    if at not in places:
        raise ValueError(f"a {what} lies at one of: {', '.join(places)}")
    here = parts[places.index(at)]
    those = [k for k, one in enumerate(parts) if one[entry] == to]
    if not those:
        raise ValueError(f"there is no {what} {quoted(to)}")
    if here[entry] == to:
        return
    there = parts[next((k for k in those if places[k] not in spared), those[-1])]
    with_desert = "desert" in (here.get("terrain"), there.get("terrain"))
    if with_desert and what == "token":
        raise ValueError("the desert has no token")
    for one in ("terrain", "token") if with_desert else (entry,):
        here[one], there[one] = there[one], here[one]
    if isinstance(position["rules"]["board"], dict):
        position["rules"]["board"] = board


def _set(position: Position, change: Mapping[str, Any]) -> None:
    what, to = change["set"], change["to"]
    if what in ("hand", "cards", "new_cards", "cards_played"):
        _set_count(position, what, _player(position, change["seat"]), change["of"], to)
    elif what == "to_discard":
        _player(position, change["seat"])
        position["to_discard"][change["seat"]] = to
    elif what == "seed":
        position["rng"]["state"] = to
    elif what in _PLAIN:
        position[what] = to
    else:
        _SPECIAL[what](position, to)


def _set_count(position: Position, what: str, player: dict[str, Any], of: str, to: Any) -> None:
    if type(to) is not int or to < 0:
        raise ValueError(f"{quoted(to)} is no number of cards")
    if of not in (RESOURCE_NAMES if what == "hand" else CARD_NAMES):
        raise ValueError(f"{quoted(of)} is no kind of card")
    player[what][of] = to
    if what == "hand":
        _settle_bank(position, of)
    elif what == "new_cards":
        if to > player["cards"][of]:
            _set_count(position, "cards", player, of, to)
    else:
        player["new_cards"][of] = min(player["new_cards"][of], player["cards"][of])
        _settle_deck(position, of)


def _settle_bank(position: Position, resource: str) -> None:
    """Give the remaining cards to the bank, and make all hands known to everybody."""
    held = [player["hand"][resource] for player in position["players"]]
    total = sum(held)
    if total > BANK_PER_RESOURCE:
        raise ValueError(f"there are {BANK_PER_RESOURCE} cards of {resource}; these are {total}")
    position["bank"][resource] = BANK_PER_RESOURCE - total
    for row in position["knowledge"]:
        for bounds, count in zip(row, held, strict=True):
            bounds["min"][resource] = bounds["max"][resource] = count


def _settle_deck(position: Position, card: str) -> None:
    """Put the cards neither held nor played into the deck, new ones at the bottom."""
    total = DECK_COUNTS[CARD_NAMES.index(card)]
    out = sum(p["cards"][card] + p["cards_played"][card] for p in position["players"])
    words = card.replace("_", " ")
    if out > total:
        raise ValueError(f"the deck has {total} cards of {words}; these are {out}")
    deck: list[str] = position["deck"]
    while deck.count(card) < total - out:
        deck.append(card)
    while deck.count(card) > total - out:
        del deck[len(deck) - 1 - deck[::-1].index(card)]


def _set_next_card(position: Position, card: Any) -> None:
    deck: list[str] = position["deck"]
    if card not in deck:
        raise ValueError(f"the deck holds no card {quoted(card)}")
    deck.remove(card)
    deck.insert(0, card)


def _set_turn_player(position: Position, seat: Any) -> None:
    _player(position, seat)
    for other, player in enumerate(position["players"]):
        if other != seat:
            player["new_cards"] = dict.fromkeys(player["new_cards"], 0)
    position["turn_player"] = seat
    _set_phase(position, position["phase"])


def _set_phase(position: Position, phase: Any) -> None:
    """Set a phase with the fields it needs: player to move, discards, free roads."""
    if phase not in PHASE_NAMES:
        raise ValueError(f"phase must be one of {', '.join(PHASE_NAMES)}, got {quoted(phase)}")
    mover = position["turn_player"]
    count = len(position["players"])
    rolled = phase not in ("setup_settlement", "setup_road", "roll")
    position |= {
        "phase": phase,
        "player_to_move": mover,
        "rolled": rolled,
        "free_roads": 0,
        "to_discard": [0] * count,
        "offer": None,
        "winner": mover if phase == "over" else None,
    }
    if phase in _AFTER_A_SEVEN:
        position["dice"] = [3, 4]
    elif rolled and position["dice"] == [0, 0]:
        position["dice"] = [1, 2]
    if phase == "roll":
        position["offers_made"] = 0
        for player in position["players"]:
            player["new_cards"] = dict.fromkeys(player["new_cards"], 0)
    if phase == "free_road":
        left = ROADS_PER_PLAYER - len(position["players"][mover]["roads"])
        position |= {"card_played": True, "free_roads": min(ROADS_OF_A_CARD, left)}
    if phase == "discard":
        limit = position["rules"]["discard_limit"]
        sizes = [sum(player["hand"].values()) for player in position["players"]]
        position["to_discard"] = [size // 2 if size > limit else 0 for size in sizes]
        order = [(mover + k) % count for k in range(count)]
        position["player_to_move"] = next((p for p in order if position["to_discard"][p]), mover)


_SPECIAL: Final[dict[str, Callable[[Position, Any], None]]] = {
    "phase": _set_phase,
    "turn_player": _set_turn_player,
    "next_card": _set_next_card,
}
