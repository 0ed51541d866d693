"""States as JSON, with everything that determines the future, and back."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import numpy as np
from msgspec import Meta, Struct, field
from msgspec.structs import astuple

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.board.topology import EDGES_PER_WORD
from catan_pz.checks import quoted, shaped
from catan_pz.engine.deal import deal_of
from catan_pz.engine.ranges import MOST_TURNS
from catan_pz.engine.state import RECENT_ROLLS
from catan_pz.engine.trade import ACCEPTED, COUNTERED, NO_ANSWER, REJECTED
from catan_pz.rules import Board, Rules
from catan_pz.terms import (
    CARD_NAMES,
    CITIES_PER_PLAYER,
    DECK_SIZE,
    MAX_PLAYERS,
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

_ANSWERS: Final = {"accept": ACCEPTED, "reject": REJECTED}
_ANSWER_NAMES: Final = {answer: name for name, answer in _ANSWERS.items()}
_OWNERS: Final = ("longest_road_owner", "largest_army_owner", "winner")
_ALIKE: Final = (
    *("robber", "turn", "turn_player", "rolled", "card_played"),
    *("dice", "free_roads", "offers_made"),
)
"""Entries stored unchanged in the record."""
DERIVED: Final = ("road_length", "points", "visible_points")

# The shape: types and sizes. `Game.validate` checks the rules, such as 19 cards of each resource.

_Count = Annotated[int, Meta(ge=0, le=127)]
_CardCount = Annotated[int, Meta(ge=0, le=DECK_SIZE)]
_Die = Annotated[int, Meta(ge=1, le=6)]
_Edge = Annotated[int, Meta(ge=0, lt=NUM_EDGES)]
_Vertex = Annotated[int, Meta(ge=0, lt=NUM_VERTICES)]
_Seat = Annotated[int, Meta(ge=0, lt=MAX_PLAYERS)]


class _Object(Struct, forbid_unknown_fields=True):
    pass


class _Resources(_Object):
    brick: _Count = 0
    lumber: _Count = 0
    wool: _Count = 0
    grain: _Count = 0
    ore: _Count = 0


class _Cards(_Object):
    knight: _CardCount = 0
    road_building: _CardCount = 0
    year_of_plenty: _CardCount = 0
    monopoly: _CardCount = 0
    victory_point: _CardCount = 0


class _Hex(_Object):
    terrain: str
    token: int | None


class _Harbor(_Object):
    edge: _Edge
    resource: str | None


class _Board(_Object):
    hexes: list[_Hex]
    harbors: list[_Harbor]


class _Player(_Object):
    hand: _Resources
    cards: _Cards
    new_cards: _Cards
    cards_played: _Cards
    roads: Annotated[list[_Edge], Meta(max_length=ROADS_PER_PLAYER)]
    settlements: Annotated[list[_Vertex], Meta(max_length=SETTLEMENTS_PER_PLAYER)]
    cities: Annotated[list[_Vertex], Meta(max_length=CITIES_PER_PLAYER)]
    road_length: _Count
    points: _Count
    visible_points: _Count


class _Sides(_Object):
    give: _Resources
    get: _Resources


class _Offer(_Sides):
    maker: _Seat = field(name="from")
    answers: list[Literal["accept", "reject"] | _Sides | None]


class _Bounds(_Object):
    min: _Resources
    max: _Resources


class _Memory(_Object):
    sums: Annotated[list[Annotated[int, Meta(ge=2, le=12)]], Meta(max_length=RECENT_ROLLS)]
    sevens: list[_Count]
    run: tuple[_Seat, _Count]


class _Random(_Object):
    state: Annotated[int, Meta(ge=0)]
    dice_left: list[tuple[_Die, _Die]]
    script_place: Annotated[int, Meta(ge=0, lt=2**31)]
    memory: _Memory | None = None


class _State(_Object):
    format: Literal["catan-pz-state/1"]
    rules: dict[str, Any]
    board: _Board
    robber: Annotated[int, Meta(ge=0, lt=NUM_HEXES)]
    bank: _Resources
    deck: Annotated[list[Literal[CARD_NAMES]], Meta(max_length=DECK_SIZE)]  # type: ignore[valid-type]
    players: list[_Player]
    longest_road_owner: _Seat | None
    largest_army_owner: _Seat | None
    phase: Literal[PHASE_NAMES]  # type: ignore[valid-type]
    turn: Annotated[int, Meta(ge=0, le=MOST_TURNS)]
    turn_player: _Seat
    player_to_move: _Seat
    rolled: bool
    card_played: bool
    dice: tuple[Annotated[int, Meta(ge=0, le=6)], Annotated[int, Meta(ge=0, le=6)]]
    free_roads: Annotated[int, Meta(ge=0, le=2)]
    to_discard: list[_Count]
    offers_made: _Count
    offer: _Offer | None
    knowledge: list[list[_Bounds]]
    winner: _Seat | None
    rng: _Random


def edges_of(words: Sequence[int]) -> list[int]:
    """The edges of a set of two words."""
    return [
        e for e in range(NUM_EDGES) if int(words[e // EDGES_PER_WORD]) >> e % EDGES_PER_WORD & 1
    ]


def vertices_of(members: int) -> list[int]:
    """The vertices of a set."""
    members = int(members)
    return [v for v in range(NUM_VERTICES) if members >> v & 1]


def board_of(state: np.ndarray) -> Board:
    """The board of a state."""
    return Board(*(tuple(state[name].tolist()) for name in ("terrain", "token", "harbor")))


def state_to_dict(state: np.ndarray, rules: Rules) -> dict[str, Any]:
    """A state (a `STATE` scalar) of a game with these rules, in JSON form."""
    seats = range(rules.num_players)
    s = state
    return {
        "format": FORMAT,
        "rules": rules.to_dict(),
        "board": board_of(s).to_dict(),
        "robber": int(s["robber"]),
        "bank": _by_name(RESOURCE_NAMES, s["bank"]),
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
        "dice": s["dice"].tolist(),
        "free_roads": int(s["free_roads"]),
        "to_discard": s["to_discard"][: len(seats)].tolist(),
        "offers_made": int(s["offers_made"]),
        "offer": _offer_to_dict(s, rules),
        "knowledge": [[_bounds_to_dict(s, o, p) for p in seats] for o in seats],
        "winner": _seat_or_none(s["winner"]),
        "rng": _rng_to_dict(s, rules),
    }


def _rng_to_dict(s: np.ndarray, rules: Rules) -> dict[str, Any]:
    dice_left = int(s["dice_left"])
    rng: dict[str, Any] = {
        "state": int(s["rng"]),
        "dice_left": [[k // 6 + 1, k % 6 + 1] for k in range(36) if dice_left >> k & 1],
        "script_place": int(s["script_place"]),
    }
    if rules.dice_memory:
        rng["memory"] = {
            "sums": [total for total in s["recent_sums"].tolist() if total],
            "sevens": s["sevens"][: rules.num_players].tolist(),
            "run": [int(s["seven_roller"]), int(s["seven_run"])],
        }
    return rng


def _by_name(names: Sequence[str], counts: np.ndarray) -> dict[str, int]:
    return dict(zip(names, counts.tolist(), strict=True))


def _seat_or_none(p: Any) -> int | None:
    return None if p == NOBODY else int(p)


def _player_to_dict(s: np.ndarray, p: int) -> dict[str, Any]:
    new = s["new_cards"] if p == s["turn_player"] else np.zeros_like(s["new_cards"])
    return {
        "hand": _by_name(RESOURCE_NAMES, s["hand"][p]),
        "cards": _by_name(CARD_NAMES, s["cards"][p]),
        "new_cards": _by_name(CARD_NAMES, new),
        "cards_played": _by_name(CARD_NAMES, s["played"][p]),
        "roads": edges_of(s["roads"][p].tolist()),
        "settlements": vertices_of(s["settlements"][p]),
        "cities": vertices_of(s["cities"][p]),
        **{name: int(s[name][p]) for name in DERIVED},
    }


def _sides_to_dict(s: np.ndarray, p: int) -> dict[str, Any]:
    return {
        "give": _by_name(RESOURCE_NAMES, s["offer_give"][p]),
        "get": _by_name(RESOURCE_NAMES, s["offer_get"][p]),
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
        "min": _by_name(RESOURCE_NAMES, s["hand"][p] - s["below"][o, p]),
        "max": _by_name(RESOURCE_NAMES, s["hand"][p] + s["above"][o, p]),
    }


def state_from_dict(data: Mapping[str, Any]) -> tuple[np.ndarray, Rules]:
    """A record (1,) of `STATE`, derived fields still zero, and its rules, from the JSON form."""
    state = shaped(data, _State, "state")
    rules = Rules.from_dict(state.rules)
    board = Board.from_dict(data["board"])
    if isinstance(rules.board, Board) and rules.board != board:
        raise ValueError("state.board differs from the explicit board in state.rules")
    games = deal_of(rules).blank.copy()
    s = games[0]
    s["outcome"] = -1
    s["terrain"], s["token"], s["harbor"] = board.terrains, board.tokens, board.harbors
    for name in _ALIKE:
        s[name] = getattr(state, name)
    for name in _OWNERS:
        owner = getattr(state, name)
        s[name] = NOBODY if owner is None else owner
    if 0 in state.dice and any(state.dice):
        raise ValueError(f"state.dice: expected two numbers from 1 to 6 or zeros, got {state.dice}")
    s["phase"] = PHASE_NAMES.index(state.phase)
    s["player"] = state.player_to_move
    s["bank"] = astuple(state.bank)
    s["deck_left"] = len(state.deck)
    s["deck"][DECK_SIZE - len(state.deck) :] = [CARD_NAMES.index(card) for card in state.deck]
    n = rules.num_players
    s["to_discard"][:n] = _one_a_seat("to_discard", state.to_discard, n)
    _read_rng(s, state.rng, n)
    for p, player in enumerate(_one_a_seat("players", state.players, n)):
        _read_player(s, p, player)
    _read_offer(s, state.offer, rules)
    for o, row in enumerate(_one_a_seat("knowledge", state.knowledge, n)):
        for p, bounds in enumerate(_one_a_seat(f"knowledge[{o}]", row, n)):
            _read_bounds(s, o, p, bounds)
    return games, rules


def _one_a_seat(name: str, given: list[Any], seats: int) -> list[Any]:
    if len(given) != seats:
        raise ValueError(f"state.{name}: expected array of length {seats}, got {len(given)}")
    return given


def _set_of(name: str, members: Iterable[int]) -> int:
    """A set of small numbers as bits."""
    bits = [1 << k for k in members]
    if len(set(bits)) < len(bits):
        raise ValueError(f"state.{name}: expected each number once")
    return sum(bits)


def _read_rng(s: np.ndarray, rng: _Random, n: int) -> None:
    if rng.state >= 2**64:
        raise ValueError(f"state.rng.state: expected int < 2**64, got {quoted(rng.state)}")
    s["rng"], s["script_place"] = rng.state, rng.script_place
    throws = (6 * (a - 1) + b - 1 for a, b in rng.dice_left)
    s["dice_left"] = _set_of("rng.dice_left", throws)
    if rng.memory is not None:
        sums, sevens = rng.memory.sums, rng.memory.sevens
        s["recent_sums"][: len(sums)] = sums
        s["sevens"][:n] = _one_a_seat("rng.memory.sevens", sevens, n)
        s["seven_roller"], s["seven_run"] = rng.memory.run


def _read_player(s: np.ndarray, p: int, player: _Player) -> None:
    s["hand"][p] = astuple(player.hand)
    s["cards"][p] = astuple(player.cards)
    s["played"][p] = astuple(player.cards_played)
    new = astuple(player.new_cards)
    if p == s["turn_player"]:
        s["new_cards"] = new
    elif any(new):
        raise ValueError(f"state.players[{p}].new_cards: expected none for a player not in turn")
    roads = _set_of(f"players[{p}].roads", player.roads)
    s["roads"][p] = roads % 2**EDGES_PER_WORD, roads >> EDGES_PER_WORD
    s["settlements"][p] = _set_of(f"players[{p}].settlements", player.settlements)
    s["cities"][p] = _set_of(f"players[{p}].cities", player.cities)


def _read_sides(s: np.ndarray, p: int, sides: _Sides) -> None:
    s["offer_give"][p], s["offer_get"][p] = astuple(sides.give), astuple(sides.get)


def _read_offer(s: np.ndarray, offer: _Offer | None, rules: Rules) -> None:
    due = s["phase"] in OFFER_PHASES
    if (offer is not None) != due:
        raise ValueError(f"state.offer: expected {'one' if due else 'null'} in this phase")
    if offer is None:
        return
    if not rules.trading:
        raise ValueError("state.offer: expected null, since the rules have no trading")
    maker = int(s["turn_player"])
    if offer.maker != maker:
        raise ValueError(f"state.offer.from: expected turn_player, {maker}, got {offer.maker}")
    _read_sides(s, maker, offer)
    for p, answer in enumerate(_one_a_seat("offer.answers", offer.answers, rules.num_players)):
        if p == maker and answer is not None:
            raise ValueError(f"state.offer.answers[{p}]: expected null for the offer's maker")
        if isinstance(answer, _Sides):
            composing = s["phase"] == Phase.COMPOSE and p == s["player"]
            _read_sides(s, p, answer)
            s["answer"][p] = NO_ANSWER if composing else COUNTERED
        elif answer is not None:
            s["answer"][p] = _ANSWERS[answer]


def _read_bounds(s: np.ndarray, o: int, p: int, bounds: _Bounds) -> None:
    hand = s["hand"][p]
    below, above = hand - astuple(bounds.min), np.array(astuple(bounds.max)) - hand
    if (below < 0).any() or (above < 0).any():
        raise ValueError(f"state.knowledge[{o}][{p}]: expected bounds around {hand.tolist()}")
    s["below"][o, p], s["above"][o, p] = below, above


def derived_differences(state: np.ndarray, data: Mapping[str, Any]) -> list[str]:
    """Derived entries of the JSON form `data` with wrong values: road lengths, points."""
    return [
        f"state.players[{p}].{name}={player[name]} should be {int(state[name][p])}"
        for p, player in enumerate(data["players"])
        for name in DERIVED
        if player[name] != int(state[name][p])
    ]
