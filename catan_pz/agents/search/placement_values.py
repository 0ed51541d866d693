"""What places on the board are worth to a player, and what it could use: compiled rules.

They read the record itself, but nothing of it that the player could not know.
"""

import numpy as np

from catan_pz.actions import STEAL
from catan_pz.board.topology import EDGE_VERTICES, EDGES_PER_WORD, VERTEX_HEXES, VERTEX_NEIGHBORS
from catan_pz.compiler.rule import rule
from catan_pz.engine import bits
from catan_pz.engine.awards import own_roads_at
from catan_pz.engine.building import (
    cities_left,
    road_spots,
    roads_left,
    settlement_spots,
    settlements_left,
)
from catan_pz.engine.hands import CITY, COSTS, ROAD, SETTLEMENT
from catan_pz.engine.legal import is_legal
from catan_pz.engine.production import cards_due_from, pips_of
from catan_pz.engine.robber import robber_spots
from catan_pz.engine.state import State
from catan_pz.terms import LONGEST_ROAD_MINIMUM, NOBODY, NUM_RESOURCES, Terrain

NOTHING = -1
WORTH_OF_PIP = np.array([10, 10, 9, 11, 11], np.int64)
"""(R,) worth of a pip of each resource where a settlement is to stand."""
FIRST_OF_ITS_KIND = 12
"""Worth of a resource at a vertex that the player has not had yet."""
OWN_LOSS = 20
"""How much more the robber's harm to the own production counts than that to another's."""


@rule
def worth_of_vertex(s: State, p: int, v: int) -> int:
    """What a settlement of p at a vertex would bring."""
    worth = 0
    kinds = 0
    for k in range(3):
        h = VERTEX_HEXES[v, k]
        if h >= 0 and s.terrain[h] != Terrain.DESERT:
            r = int(s.terrain[h])
            worth += WORTH_OF_PIP[r] * pips_of(int(s.token[h]))
            if s.pips[p, r] == 0 and (kinds >> r) & 1 == 0:
                worth += FIRST_OF_ITS_KIND
            kinds |= 1 << r
    return worth


@rule
def best_vertex(s: State, p: int, vertices: int) -> int:
    """The vertex of a set where a settlement of p would bring most."""
    best, most = NOTHING, -1
    while vertices != 0:
        v = bits.first(vertices)
        vertices &= vertices - 1
        worth = worth_of_vertex(s, p, v)
        if worth > most:
            best, most = v, worth
    return best


@rule
def best_city(s: State, p: int) -> int:
    """The settlement of p that would bring most as a city."""
    best, most = NOTHING, -1
    vertices = s.settlements[p]
    while vertices != 0:
        v = bits.first(vertices)
        vertices &= vertices - 1
        pips = 0
        for k in range(3):
            h = VERTEX_HEXES[v, k]
            if h >= 0 and s.terrain[h] != Terrain.DESERT:
                pips += pips_of(int(s.token[h]))
        if pips > most:
            best, most = v, pips
    return best


@rule
def worth_of_road(s: State, p: int, e: int) -> int:
    """What p could build where a road on an edge leads."""
    most = 0
    for k in range(2):
        v = EDGE_VERTICES[e, k]
        if bits.has_vertex(s.road_ends[p], v):
            continue
        if not bits.has_vertex(s.crowded, v):
            most = max(most, 2 * worth_of_vertex(s, p, v))
        else:
            for j in range(3):
                w = VERTEX_NEIGHBORS[v, j]
                if w >= 0 and not bits.has_vertex(s.crowded, w):
                    most = max(most, worth_of_vertex(s, p, w))
    for k in range(2):
        # A loose end: the road grows longer.
        if own_roads_at(s, p, EDGE_VERTICES[e, k]) == 1:
            most += 1
    return most


@rule
def best_road(s: State, p: int, edges_0: int, edges_1: int) -> int:
    """The edge of a set, two words, that leads to most."""
    best, most = NOTHING, -1
    for word in range(2):
        edges = edges_0 if word == 0 else edges_1
        while edges != 0:
            e = EDGES_PER_WORD * word + bits.first(edges)
            edges &= edges - 1
            worth = worth_of_road(s, p, e)
            if worth > most:
                best, most = e, worth
    return best


@rule
def wants_roads(s: State, p: int) -> bool:
    """Whether a road would help p: to a place for a settlement, or to the longest road."""
    if settlements_left(s, p) > 0 and settlement_spots(s, p) == 0:
        return True
    if s.longest_road_owner == p:
        return False
    needed = LONGEST_ROAD_MINIMUM
    if s.longest_road_owner != NOBODY:
        needed = int(s.road_length[int(s.longest_road_owner)]) + 1
    return needed - int(s.road_length[p]) <= min(2, roads_left(s, p))


@rule
def wants(s: State, p: int, purchase: int) -> bool:
    """Whether p has a piece and a place for a purchase, or a use."""
    if purchase == SETTLEMENT:
        return settlements_left(s, p) > 0 and settlement_spots(s, p) != 0
    if purchase == CITY:
        return cities_left(s, p) > 0 and s.settlements[p] != 0
    if purchase == ROAD:
        spots = road_spots(s, p, 0) | road_spots(s, p, 1)
        return roads_left(s, p) > 0 and spots != 0 and wants_roads(s, p)
    return s.deck_left > 0


@rule
def cards_missing(s: State, p: int, purchase: int) -> int:
    """Cards that p lacks for a purchase."""
    missing = 0
    for r in range(NUM_RESOURCES):
        missing += max(0, COSTS[purchase, r] - int(s.hand[p, r]))
    return missing


@rule
def hex_for_robber(s: State, p: int) -> int:
    """The hex where the robber costs the others most, the leaders above all."""
    spots = robber_spots(s, p)
    best, most = NOTHING, -1000000
    while spots != 0:
        h = bits.first(spots)
        spots &= spots - 1
        harm = 0
        for q in range(s.num_players):
            due = cards_due_from(s, q, h) * pips_of(int(s.token[h]))
            if q == p:
                harm -= OWN_LOSS * due
            elif due > 0:
                harm += (2 + int(s.visible_points[q])) * due + min(4, int(s.hand_size[q]))
        if harm > most:
            best, most = h, harm
    return best


@rule
def victim_to_rob(s: State, p: int) -> int:
    """The place, clockwise from p, of the richest of those who can be robbed."""
    best, most = NOTHING, -1
    for k in range(1, int(s.num_players)):
        q = (p + k) % int(s.num_players)
        if is_legal(s, STEAL + k - 1):
            riches = 2 * int(s.visible_points[q]) + int(s.hand_size[q])
            if riches > most:
                best, most = k, riches
    return best


@rule
def card_to_discard(s: State, p: int) -> int:
    """The resource that p holds most of."""
    best, most = NOTHING, 0
    for r in range(NUM_RESOURCES):
        if s.hand[p, r] > most:
            best, most = r, int(s.hand[p, r])
    return best
