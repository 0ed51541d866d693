"""Positions to draw: states in the middle of a game, put together without the engine."""

import random
from copy import deepcopy
from typing import Any

from catan_pz.board.topology import EDGE_VERTICES, HEX_VERTICES, VERTEX_EDGES, VERTEX_NEIGHBORS
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    DECK_COUNTS,
    HARBOR_EDGES,
    LETTERED_TOKENS,
    NUM_VERTICES,
    TERRAIN_COUNTS,
)

State = dict[str, Any]

RESOURCES = ("brick", "lumber", "wool", "grain", "ore")
TERRAINS = ("hills", "forest", "pasture", "fields", "mountains", "desert")
CARDS = ("knight", "road_building", "year_of_plenty", "monopoly", "victory_point")
PHASES = (
    "setup_settlement",
    "setup_road",
    "roll",
    "discard",
    "move_robber",
    "steal",
    "main",
    "free_road",
    "compose",
    "answer",
    "close",
    "over",
)
RULES = {
    "num_players": 4,
    "trading": True,
    "counter_offers": True,
    "offer_form": "templates",
    "max_offers_per_turn": 3,
    "victory_points": 10,
    "discard_limit": 7,
    "friendly_robber": False,
    "dice": "random",
    "board": "random",
    "no_adjacent_red": False,
    "first_player": 0,
    "skip_forced": False,
    "max_turns": 1000,
}


def bundle(**counts: int) -> dict[str, int]:
    """Cards of each resource, those not named zero."""
    return {name: counts.get(name, 0) for name in RESOURCES}


def kinds(*counts: int) -> dict[str, int]:
    """Development cards of each kind."""
    return dict(zip(CARDS, counts, strict=True))


class _Table:
    """Builds one position, piece by piece, by the distance and connection rules."""

    def __init__(self, seed: int, num_players: int) -> None:
        self.draw = random.Random(seed)
        self.buildings: dict[int, tuple[int, str]] = {}
        self.roads: dict[int, int] = {}
        self.num_players = num_players

    def board(self) -> dict[str, Any]:
        terrains = [t for t, n in zip(TERRAINS, TERRAIN_COUNTS, strict=True) for _ in range(n)]
        self.draw.shuffle(terrains)
        tokens = iter(LETTERED_TOKENS)
        hexes = [{"terrain": t, "token": None if t == "desert" else next(tokens)} for t in terrains]
        harbors: list[str | None] = [*RESOURCES, None, None, None, None]
        self.draw.shuffle(harbors)
        sites = zip(HARBOR_EDGES, harbors, strict=True)
        return {"hexes": hexes, "harbors": [{"edge": e, "resource": r} for e, r in sites]}

    def free_vertices(self, seat: int | None = None) -> list[int]:
        return [
            v
            for v in range(NUM_VERTICES)
            if v not in self.buildings
            and not any(n in self.buildings for n in VERTEX_NEIGHBORS[v] if n >= 0)
            and (seat is None or any(self.roads.get(int(e)) == seat for e in VERTEX_EDGES[v]))
        ]

    def settle(self, seat: int, connected: bool) -> int | None:
        sites = self.free_vertices(seat if connected else None)
        if not sites:
            return None
        inland = [v for v in sites if (v == HEX_VERTICES).sum() > 1] or sites
        vertex = self.draw.choice(inland)
        self.buildings[vertex] = (seat, "settlements")
        return vertex

    def grow_road(self, seat: int, start: int | None = None) -> None:
        own = [v for v, (s, _) in self.buildings.items() if s == seat]
        reach = {v for e, s in self.roads.items() if s == seat for v in map(int, EDGE_VERTICES[e])}
        blocked = {v for v, (s, _) in self.buildings.items() if s != seat}
        ends = sorted((reach | set(own)) - blocked) if start is None else [start]
        edges = [
            int(e) for v in ends for e in VERTEX_EDGES[v] if e >= 0 and int(e) not in self.roads
        ]
        if edges:
            self.roads[self.draw.choice(edges)] = seat

    def play(self) -> None:
        for seat in [*range(self.num_players), *reversed(range(self.num_players))]:
            vertex = self.settle(seat, connected=False)
            self.grow_road(seat, vertex)
        for seat in range(self.num_players):
            for _ in range(4 + seat * 2):
                self.grow_road(seat)
            for _ in range(1 + seat % 2):
                self.settle(seat, connected=True)
        for seat in range(self.num_players):
            own = sorted(v for v, (s, _) in self.buildings.items() if s == seat)
            for vertex in own[: 1 + (seat + 1) % 2]:
                self.buildings[vertex] = (seat, "cities")

    def placed(self, seat: int, kind: str) -> list[int]:
        return sorted(v for v, b in self.buildings.items() if b == (seat, kind))


def road_length(roads: list[int], blocked: set[int]) -> int:
    """The longest trail over the roads, by trying all."""

    def extend(vertex: int, used: frozenset[int]) -> int:
        if used and vertex in blocked:
            return len(used)
        onward = [int(e) for e in VERTEX_EDGES[vertex] if int(e) in roads and int(e) not in used]
        tried = [extend(int(EDGE_VERTICES[e].sum()) - vertex, used | {e}) for e in onward]
        return max([len(used), *tried])

    starts = {int(v) for e in roads for v in EDGE_VERTICES[e]}
    return max((extend(v, frozenset()) for v in starts), default=0)


HANDS = (
    bundle(brick=2, wool=1, ore=3),
    bundle(lumber=3, grain=2),
    bundle(brick=1, lumber=1, wool=4, grain=1, ore=2),
    bundle(grain=3),
)
HELD = (kinds(1, 0, 0, 0, 1), kinds(0, 0, 1, 0, 0), kinds(2, 1, 0, 0, 0), kinds(0, 0, 0, 0, 0))
PLAYED = (kinds(3, 0, 0, 0, 0), kinds(1, 0, 0, 1, 0), kinds(0, 0, 0, 0, 0), kinds(1, 1, 1, 0, 0))


def _player(table: _Table, seat: int) -> dict[str, Any]:
    roads = sorted(e for e, s in table.roads.items() if s == seat)
    blocked = {v for v, (s, _) in table.buildings.items() if s != seat}
    return {
        "hand": dict(HANDS[seat]),
        "cards": dict(HELD[seat]),
        "new_cards": kinds(0, 0, 0, 0, 0),
        "cards_played": dict(PLAYED[seat]),
        "roads": roads,
        "settlements": table.placed(seat, "settlements"),
        "cities": table.placed(seat, "cities"),
        "road_length": road_length(roads, blocked),
        "points": 0,
        "visible_points": 0,
    }


def _count_points(state: State) -> None:
    players = state["players"]
    lengths = [p["road_length"] for p in players]
    longest = max(lengths)
    if longest >= 5 and lengths.count(longest) == 1:
        state["longest_road_owner"] = lengths.index(longest)
    state["largest_army_owner"] = 0
    for seat, player in enumerate(players):
        seen = len(player["settlements"]) + 2 * len(player["cities"])
        seen += 2 * (state["longest_road_owner"] == seat) + 2 * (seat == 0)
        player["visible_points"] = seen
        player["points"] = seen + player["cards"]["victory_point"]


def _knowledge(players: list[dict[str, Any]], observer: int) -> list[dict[str, Any]]:
    known = []
    for seat, player in enumerate(players):
        hand = player["hand"]
        slack = 0 if seat == observer or len(players) == 2 else 1
        most = {r: min(n + slack, sum(hand.values())) for r, n in hand.items()}
        known.append({"min": {r: max(0, n - slack) for r, n in hand.items()}, "max": most})
    return known


def _deck(players: list[dict[str, Any]], draw: random.Random) -> list[str]:
    left = []
    for name, count in zip(CARDS, DECK_COUNTS, strict=True):
        gone = sum(p["cards"][name] + p["cards_played"][name] for p in players)
        left += [name] * (count - gone)
    draw.shuffle(left)
    return left


def midgame(num_players: int = 4, seed: int = 122, **changes: Any) -> State:
    """A position in the main phase; `changes` replace entries of the state."""
    table = _Table(seed, num_players)
    board = table.board()
    table.play()
    players = [_player(table, seat) for seat in range(num_players)]
    desert = next(i for i, h in enumerate(board["hexes"]) if h["terrain"] == "desert")
    state: State = {
        "format": "catan-pz-state/1",
        "rules": {**RULES, "num_players": num_players},
        "board": board,
        "robber": (desert + 6) % 19,
        "bank": {r: BANK_PER_RESOURCE - sum(p["hand"][r] for p in players) for r in RESOURCES},
        "deck": _deck(players, table.draw),
        "players": players,
        "longest_road_owner": None,
        "largest_army_owner": None,
        "phase": "main",
        "turn": 37,
        "turn_player": 1,
        "player_to_move": 1,
        "rolled": True,
        "card_played": False,
        "dice": [3, 5],
        "free_roads": 0,
        "to_discard": [0] * num_players,
        "offers_made": 0,
        "offer": None,
        "knowledge": [_knowledge(players, observer) for observer in range(num_players)],
        "winner": None,
        "rng": {"key": 1, "counter": 2},
    }
    _count_points(state)
    return {**state, **deepcopy(changes)}


def with_offer(phase: str = "close") -> State:
    """Seat 1 offers grain for ore: one has accepted, one countered, one rejected."""
    answers: list[Any] = [
        "accept",
        None,
        {"give": bundle(ore=1, wool=1), "get": bundle(lumber=2)},
        "reject",
    ]
    mover = 1
    if phase == "answer":
        # Clockwise from seat 1: seat 2 has answered, seat 3 is asked.
        answers = [None, None, answers[2], None]
        mover = 3
    offer = {"from": 1, "give": bundle(grain=2), "get": bundle(ore=1), "answers": answers}
    return midgame(phase=phase, player_to_move=mover, offer=offer, offers_made=2)


def composing(seat: int) -> State:
    """Seat 1 composes an offer, or another seat composes a counter-offer to it."""
    answers: list[Any] = [None] * 4
    offer = {"from": 1, "give": bundle(grain=1), "get": bundle(ore=1), "answers": answers}
    if seat != 1:
        answers[seat] = {"give": bundle(wool=1), "get": bundle()}
    return midgame(phase="compose", player_to_move=seat, offer=offer, offers_made=1)


def in_phase(phase: str, num_players: int = 4) -> State:
    """A position that waits for what `phase` names."""
    if phase in ("answer", "close"):
        return with_offer(phase)
    if phase == "compose":
        return composing(1)
    state = midgame(num_players, phase=phase)
    if phase == "discard":
        state |= {"dice": [3, 4], "to_discard": [0, 0, 4, 0][:num_players], "player_to_move": 2}
    if phase == "free_road":
        state["free_roads"] = 2
    if phase == "roll":
        state["rolled"] = False
    if phase.startswith("setup"):
        state |= {"turn": 0, "dice": [0, 0], "rolled": False}
    if phase == "over":
        state |= {"winner": 1}
    return state
