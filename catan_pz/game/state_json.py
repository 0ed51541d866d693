"""States as JSON, with everything that the future depends on, and back."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.board.topology import EDGES_PER_WORD
from catan_pz.checks import plain_int, quoted
from catan_pz.engine.options import deal_of
from catan_pz.engine.ranges import MOST_TURNS
from catan_pz.engine.trade import ACCEPTED, COUNTERED, NO_ANSWER, REJECTED
from catan_pz.rules import Board, Rules
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    CARD_NAMES,
    CITIES_PER_PLAYER,
    DECK_SIZE,
    NOBODY,
    NUM_EDGES,
    NUM_HEXES,
    NUM_VERTICES,
    ROADS_PER_PLAYER,
    SETTLEMENTS_PER_PLAYER,
    Phase,
)

FORMAT: Final = "catan-pz-state/1"
PHASE_NAMES: Final = tuple(phase.name.lower() for phase in Phase)
OFFER_PHASES: Final = (Phase.COMPOSE, Phase.ANSWER, Phase.CLOSE)

_ANSWER_NAMES: Final = {ACCEPTED: "accept", REJECTED: "reject"}
_BYTE: Final = (0, 127)
_MOST_PIECES: Final = {
    "roads": ROADS_PER_PLAYER,
    "settlements": SETTLEMENTS_PER_PLAYER,
    "cities": CITIES_PER_PLAYER,
}
_DERIVED: Final = ("road_length", "points", "visible_points")


def counts_to_dict(names: Sequence[str], counts: Iterable[int]) -> dict[str, int]:
    """Counts by name, zeros included."""
    return {name: int(n) for name, n in zip(names, counts, strict=True)}


def edges_of(words: Sequence[int]) -> list[int]:
    """The edges of a set of two words."""
    return [
        e for e in range(NUM_EDGES) if int(words[e // EDGES_PER_WORD]) >> e % EDGES_PER_WORD & 1
    ]


def vertices_of(members: int) -> list[int]:
    """The vertices of a set."""
    return [v for v in range(NUM_VERTICES) if int(members) >> v & 1]


def state_to_dict(state: np.ndarray, rules: Rules) -> dict[str, Any]:
    """A state (a `STATE` scalar) of a game with these rules in the JSON form of DESIGN."""
    seats = range(rules.num_players)
    s = state
    return {
        "format": FORMAT,
        "rules": rules.to_dict(),
        "board": board_of(s).to_dict(),
        "robber": int(s["robber"]),
        "bank": counts_to_dict(RESOURCE_NAMES, s["bank"]),
        "deck": [CARD_NAMES[card] for card in s["deck"][DECK_SIZE - int(s["deck_left"]) :]],
        "players": [_player_to_dict(s, p) for p in seats],
        "longest_road_owner": _seat_or_none(s["longest_road_owner"]),
        "largest_army_owner": _seat_or_none(s["largest_army_owner"]),
        "phase": PHASE_NAMES[s["phase"]],
        "turn": int(s["turn"]),
        "turn_player": int(s["turn_player"]),
        "player_to_move": int(s["player"]),
        "rolled": bool(s["rolled"]),
        "card_played": bool(s["card_played"]),
        "dice": [int(n) for n in s["dice"]],
        "free_roads": int(s["free_roads"]),
        "to_discard": [int(s["to_discard"][p]) for p in seats],
        "offers_made": int(s["offers_made"]),
        "offer": _offer_to_dict(s, rules),
        "knowledge": [[_bounds_to_dict(s, o, p) for p in seats] for o in seats],
        "winner": _seat_or_none(s["winner"]),
        "rng": {
            "state": int(s["rng"]),
            "dice_left": [
                [k // 6 + 1, k % 6 + 1] for k in range(36) if int(s["dice_left"]) >> k & 1
            ],
            "script_place": int(s["script_place"]),
        },
    }


def _seat_or_none(p: Any) -> int | None:
    return None if p == NOBODY else int(p)


def board_of(state: np.ndarray) -> Board:
    """The board of a state."""
    return Board(*(tuple(int(n) for n in state[name]) for name in ("terrain", "token", "harbor")))


def _player_to_dict(s: np.ndarray, p: int) -> dict[str, Any]:
    new = s["new_cards"] if p == s["turn_player"] else [0] * len(CARD_NAMES)
    return {
        "hand": counts_to_dict(RESOURCE_NAMES, s["hand"][p]),
        "cards": counts_to_dict(CARD_NAMES, s["cards"][p]),
        "new_cards": counts_to_dict(CARD_NAMES, new),
        "cards_played": counts_to_dict(CARD_NAMES, s["played"][p]),
        "roads": edges_of(s["roads"][p]),
        "settlements": vertices_of(s["settlements"][p]),
        "cities": vertices_of(s["cities"][p]),
        "road_length": int(s["road_length"][p]),
        "points": int(s["points"][p]),
        "visible_points": int(s["visible_points"][p]),
    }


def _sides_to_dict(s: np.ndarray, p: int) -> dict[str, Any]:
    return {
        "give": counts_to_dict(RESOURCE_NAMES, s["offer_give"][p]),
        "get": counts_to_dict(RESOURCE_NAMES, s["offer_get"][p]),
    }


def _offer_to_dict(s: np.ndarray, rules: Rules) -> dict[str, Any] | None:
    if s["phase"] not in OFFER_PHASES:
        return None
    maker = int(s["turn_player"])
    answers: list[Any] = []
    for p in range(rules.num_players):
        composing = s["phase"] == Phase.COMPOSE and p == s["player"] != maker
        if composing or s["answer"][p] == COUNTERED:
            answers.append(_sides_to_dict(s, p))
        else:
            answers.append(_ANSWER_NAMES.get(int(s["answer"][p])))
    return {"from": maker, **_sides_to_dict(s, maker), "answers": answers}


def _bounds_to_dict(s: np.ndarray, o: int, p: int) -> dict[str, Any]:
    return {
        "min": counts_to_dict(RESOURCE_NAMES, s["hand"][p] - s["below"][o, p]),
        "max": counts_to_dict(RESOURCE_NAMES, s["hand"][p] + s["above"][o, p]),
    }


_ENTRIES: Final = (
    *("format", "rules", "board", "robber", "bank", "deck", "players", "longest_road_owner"),
    *("largest_army_owner", "phase", "turn", "turn_player", "player_to_move", "rolled"),
    *("card_played", "dice", "free_roads", "to_discard", "offers_made", "offer", "knowledge"),
    *("winner", "rng"),
)
_PLAYER_ENTRIES: Final = (
    *("hand", "cards", "new_cards", "cards_played", "roads", "settlements", "cities"),
    *_DERIVED,
)


class _Reader:
    """Reads values out of nested JSON and says where one is wrong."""

    def __init__(self, data: Any, path: str = "state", most_cards: int = BANK_PER_RESOURCE) -> None:
        self.data = data
        self.path = path
        self.most_cards = most_cards

    def __getitem__(self, key: str | int) -> "_Reader":
        path = f"{self.path}[{key}]" if isinstance(key, int) else f"{self.path}.{key}"
        try:
            return _Reader(self.data[key], path, self.most_cards)
        except (KeyError, IndexError, TypeError):
            raise ValueError(f"{path} is missing") from None

    def fail(self, allowed: str) -> ValueError:
        return ValueError(f"{self.path}={quoted(self.data)} is not possible; allowed: {allowed}")

    def only(self, names: Sequence[str]) -> None:
        if not isinstance(self.data, Mapping):
            raise self.fail("an object")
        unknown = sorted(set(self.data) - set(names), key=quoted)
        if unknown:
            raise ValueError(
                f"{self.path} has unknown entries {quoted(unknown)}; known: {list(names)}"
            )

    def members(self, count: int, most: int) -> list[int]:
        if isinstance(self.data, list | tuple) and len(self.data) > most:
            raise self.fail(f"at most {most} numbers")
        numbers = [item.integer(0, count - 1) for item in self.items()]
        if len(set(numbers)) != len(numbers):
            raise self.fail("each number once")
        return numbers

    def integer(self, low: int, high: int) -> int:
        number = plain_int(self.data)
        if type(number) is not int or not low <= number <= high:
            raise self.fail(f"an int from {low} to {high}")
        return number

    def flag(self) -> bool:
        if not isinstance(self.data, bool | np.bool_):
            raise self.fail("true or false")
        return bool(self.data)

    def choice(self, names: Sequence[str]) -> int:
        if not isinstance(self.data, str) or self.data not in names:
            raise self.fail(f"one of {list(names)}")
        return names.index(self.data)

    def seat(self, num_players: int) -> int:
        return NOBODY if self.data is None else self.integer(0, num_players - 1)

    def items(self, length: int | None = None) -> list["_Reader"]:
        if not isinstance(self.data, list | tuple) or length not in (None, len(self.data)):
            raise self.fail("a list" if length is None else f"a list of {length}")
        return [self[k] for k in range(len(self.data))]

    def counts(self, names: Sequence[str]) -> list[int]:
        most = self.most_cards if names is RESOURCE_NAMES else DECK_SIZE
        if not isinstance(self.data, Mapping) or not set(self.data) <= set(names):
            raise self.fail(f"counts of {list(names)}")
        return [self[name].integer(0, most) if name in self.data else 0 for name in names]


def state_from_dict(
    data: Mapping[str, Any], most_cards: int = BANK_PER_RESOURCE
) -> tuple[np.ndarray, Rules]:
    """A record (1,) of `STATE`, derived fields still zero, and its rules, from the JSON form.

    Args:
        data: the JSON form.
        most_cards: of a resource in one place; more than the bank of these rules has, up to 127,
            where a table deals from one that never runs out.
    """
    try:
        return _read_state(_Reader(data, most_cards=most_cards))
    except RecursionError:
        raise ValueError("state is nested too deeply") from None


def _read_state(top: _Reader) -> tuple[np.ndarray, Rules]:
    top.only(_ENTRIES)
    if top["format"].data != FORMAT:
        raise top["format"].fail(repr(FORMAT))
    try:
        rules = Rules.from_dict(top["rules"].data)
        board = Board.from_dict(top["board"].data)
    except TypeError as error:
        raise ValueError(f"state.rules: {error}") from error
    _check_board_entries(top["board"])
    if isinstance(rules.board, Board) and rules.board != board:
        raise ValueError("state.board is another than the explicit board in state.rules")
    games = deal_of(rules).blank.copy()
    s = games[0]
    s["outcome"] = -1
    s["terrain"], s["token"], s["harbor"] = board.terrains, board.tokens, board.harbors
    _read_course(s, top, rules)
    for p, reader in enumerate(top["players"].items(rules.num_players)):
        _read_player(s, p, reader)
    _read_offer(s, top["offer"], rules)
    for o, row in enumerate(top["knowledge"].items(rules.num_players)):
        for p, reader in enumerate(row.items(rules.num_players)):
            _read_bounds(s, o, p, reader)
    return games, rules


def _check_board_entries(reader: _Reader) -> None:
    reader.only(("hexes", "harbors"))
    for hexagon in reader["hexes"].items():
        hexagon.only(("terrain", "token"))
    for harbor in reader["harbors"].items():
        harbor.only(("edge", "resource"))


def _read_course(s: np.ndarray, top: _Reader, rules: Rules) -> None:
    n = rules.num_players
    s["robber"] = top["robber"].integer(0, NUM_HEXES - 1)
    s["bank"] = top["bank"].counts(RESOURCE_NAMES)
    deck = [card.choice(CARD_NAMES) for card in top["deck"].items()]
    if len(deck) > DECK_SIZE:
        raise top["deck"].fail(f"at most {DECK_SIZE} cards")
    s["deck"][DECK_SIZE - len(deck) :] = deck
    s["deck_left"] = len(deck)
    s["longest_road_owner"] = top["longest_road_owner"].seat(n)
    s["largest_army_owner"] = top["largest_army_owner"].seat(n)
    s["phase"] = top["phase"].choice(PHASE_NAMES)
    s["turn"] = top["turn"].integer(0, MOST_TURNS)
    s["turn_player"] = top["turn_player"].integer(0, n - 1)
    s["player"] = top["player_to_move"].integer(0, n - 1)
    s["rolled"] = top["rolled"].flag()
    s["card_played"] = top["card_played"].flag()
    s["dice"] = [die.integer(0, 6) for die in top["dice"].items(2)]
    if (s["dice"] == 0).any() and s["dice"].any():
        raise top["dice"].fail("two numbers from 1 to 6, or zeros before the first roll")
    s["free_roads"] = top["free_roads"].integer(0, 2)
    s["to_discard"][:n] = [count.integer(*_BYTE) for count in top["to_discard"].items(n)]
    s["offers_made"] = top["offers_made"].integer(*_BYTE)
    s["winner"] = top["winner"].seat(n)
    _read_rng(s, top["rng"])


def _read_rng(s: np.ndarray, reader: _Reader) -> None:
    reader.only(("state", "dice_left", "script_place"))
    s["rng"] = reader["state"].integer(0, 2**64 - 1)
    throws = [
        [die.integer(1, 6) for die in throw.items(2)] for throw in reader["dice_left"].items()
    ]
    members = {1 << 6 * (a - 1) + b - 1 for a, b in throws}
    if len(members) != len(throws):
        raise reader["dice_left"].fail("each throw once")
    s["dice_left"] = sum(members)
    s["script_place"] = reader["script_place"].integer(0, 2**31 - 1)


def _read_player(s: np.ndarray, p: int, reader: _Reader) -> None:
    reader.only(_PLAYER_ENTRIES)
    s["hand"][p] = reader["hand"].counts(RESOURCE_NAMES)
    s["cards"][p] = reader["cards"].counts(CARD_NAMES)
    s["played"][p] = reader["cards_played"].counts(CARD_NAMES)
    new = reader["new_cards"].counts(CARD_NAMES)
    if p == s["turn_player"]:
        s["new_cards"] = new
    elif any(new):
        raise reader["new_cards"].fail("zeros, for a player who isn't in turn")
    for e in reader["roads"].members(NUM_EDGES, _MOST_PIECES["roads"]):
        s["roads"][p, e // EDGES_PER_WORD] |= 1 << e % EDGES_PER_WORD
    for name in ("settlements", "cities"):
        for v in reader[name].members(NUM_VERTICES, _MOST_PIECES[name]):
            s[name][p] |= 1 << v


def _read_sides(s: np.ndarray, p: int, reader: _Reader) -> None:
    s["offer_give"][p] = reader["give"].counts(RESOURCE_NAMES)
    s["offer_get"][p] = reader["get"].counts(RESOURCE_NAMES)


def _read_offer(s: np.ndarray, reader: _Reader, rules: Rules) -> None:
    maker = int(s["turn_player"])
    if (reader.data is not None) != (s["phase"] in OFFER_PHASES):
        raise reader.fail("an offer in the phases compose, answer and close, else null")
    if reader.data is not None and not rules.trading:
        raise reader.fail("null, since the rules are without trading")
    if reader.data is None:
        return
    reader.only(("from", "give", "get", "answers"))
    if reader["from"].data != maker:
        raise reader["from"].fail(f"turn_player, {maker}")
    _read_sides(s, maker, reader)
    for p, answer in enumerate(reader["answers"].items(rules.num_players)):
        composing = s["phase"] == Phase.COMPOSE and p == s["player"]
        if isinstance(answer.data, Mapping) and p != maker:
            answer.only(("give", "get"))
            _read_sides(s, p, answer)
            s["answer"][p] = NO_ANSWER if composing else COUNTERED
        elif answer.data is not None:
            names = ["accept", "reject"] if p != maker else []
            s["answer"][p] = (ACCEPTED, REJECTED)[answer.choice(names)]


def _read_bounds(s: np.ndarray, o: int, p: int, reader: _Reader) -> None:
    reader.only(("min", "max"))
    least = np.array(reader["min"].counts(RESOURCE_NAMES), np.int8)
    most = np.array(reader["max"].counts(RESOURCE_NAMES), np.int8)
    if (least > s["hand"][p]).any() or (most < s["hand"][p]).any():
        raise reader.fail(f"bounds around the hand {s['hand'][p].tolist()}")
    s["below"][o, p] = s["hand"][p] - least
    s["above"][o, p] = most - s["hand"][p]


def derived_differences(state: np.ndarray, data: Mapping[str, Any]) -> list[str]:
    """Derived entries of the JSON form (road lengths, points) that aren't what follows."""
    return [
        f"state.players[{p}].{name}={given} should be {int(state[name][p])}"
        for p, player in enumerate(_Reader(data)["players"].items())
        for name in _DERIVED
        if (given := player[name].integer(*_BYTE)) != int(state[name][p])
    ]
