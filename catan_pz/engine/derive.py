"""Recomputes the derived fields of a state from the others.

Play updates these fields step by step; states loaded from outside get them here.
`Game.validate` compares the two.
"""

from catan_pz.board.topology import EDGE_VERTICES, VERTEX_SURROUNDINGS
from catan_pz.engine import bits
from catan_pz.engine.awards import longest_road_length
from catan_pz.engine.building import extend_reach, is_connected, use_harbor
from catan_pz.engine.legal import find_legal
from catan_pz.engine.production import add_pips_at
from catan_pz.engine.state import CITY_OF, ROAD_OF, SETTLEMENT_OF, State
from catan_pz.kernels.rule import rule
from catan_pz.terms import (
    NUM_EDGES,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    SPECIAL_CARD_POINTS,
    VICTORY_POINT,
)

BANK_RATE = 4


@rule
def derive_token_hexes(s: State) -> None:
    for number in range(13):
        s.token_hexes[number, 0] = -1
        s.token_hexes[number, 1] = -1
    for h in range(NUM_HEXES):
        number = int(s.token[h])
        if number > 0:
            s.token_hexes[number, 0 if s.token_hexes[number, 0] < 0 else 1] = h


@rule
def derive_places(s: State) -> None:
    """What stands where, and which vertices the distance rule bars."""
    s.crowded = 0
    for v in range(NUM_VERTICES):
        s.on_vertex[v] = 0
        for p in range(s.num_players):
            if bits.has_vertex(s.settlements[p], v):
                s.on_vertex[v] = SETTLEMENT_OF + p
            if bits.has_vertex(s.cities[p], v):
                s.on_vertex[v] = CITY_OF + p
        if s.on_vertex[v] != 0:
            s.crowded |= VERTEX_SURROUNDINGS[v]
    for e in range(NUM_EDGES):
        s.on_edge[e] = 0
        for p in range(s.num_players):
            if s.roads[p, bits.edge_word(e)] & bits.edge_bit(e) != 0:
                s.on_edge[e] = ROAD_OF + p


@rule
def derive_network(s: State, p: int) -> None:
    """Road ends, reach and road length of p."""
    s.road_ends[p] = 0
    s.reach[p, 0] = 0
    s.reach[p, 1] = 0
    for e in range(NUM_EDGES):
        if s.roads[p, bits.edge_word(e)] & bits.edge_bit(e) != 0:
            for k in range(2):
                s.road_ends[p] |= 1 << EDGE_VERTICES[e, k]
    for v in range(NUM_VERTICES):
        if is_connected(s, p, v):
            extend_reach(s, p, v)
    s.road_length[p] = longest_road_length(s, p)


@rule
def derive_income(s: State, p: int) -> None:
    """Hand size, trade rates and pips of p."""
    s.hand_size[p] = 0
    for r in range(NUM_RESOURCES):
        s.hand_size[p] += s.hand[p, r]
        s.rate[p, r] = BANK_RATE
        s.pips[p, r] = 0
    for v in range(NUM_VERTICES):
        if bits.has_vertex(s.settlements[p] | s.cities[p], v):
            use_harbor(s, p, v)
            add_pips_at(s, p, v)
        if bits.has_vertex(s.cities[p], v):
            add_pips_at(s, p, v)


@rule
def derive_points(s: State, p: int) -> None:
    points = bits.count(s.settlements[p]) + 2 * bits.count(s.cities[p])
    if s.longest_road_owner == p:
        points += SPECIAL_CARD_POINTS
    if s.largest_army_owner == p:
        points += SPECIAL_CARD_POINTS
    s.visible_points[p] = points
    s.points[p] = points + s.cards[p, VICTORY_POINT]


@rule
def derive(s: State) -> None:
    derive_token_hexes(s)
    derive_places(s)
    for p in range(s.num_players):
        derive_network(s, p)
        derive_income(s, p)
        derive_points(s, p)
    find_legal(s)
