"""The places that the greedy player builds on and robs: compiled rules.

They read the record itself, but nothing of it that the player could not know.
"""

from catan_pz.actions import STEAL
from catan_pz.agents.value.prospects import worth_of_vertex
from catan_pz.board.topology import EDGE_VERTICES, EDGES_PER_WORD, VERTEX_HEXES, VERTEX_NEIGHBORS
from catan_pz.engine import bits
from catan_pz.engine.awards import own_roads_at
from catan_pz.engine.legal import is_legal
from catan_pz.engine.production import cards_due_from, pips_of
from catan_pz.engine.robber import robber_spots
from catan_pz.engine.state import State
from catan_pz.kernels.rule import kernel
from catan_pz.terms import NUM_RESOURCES, Terrain

NOTHING = -1
OWN_LOSS = 20
"""How much more the robber's harm to the own production counts than that to another's."""


@kernel
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


@kernel
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


@kernel
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


@kernel
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


@kernel
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


@kernel
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


@kernel
def card_to_discard(s: State, p: int) -> int:
    """The resource that p holds most of."""
    best, most = NOTHING, 0
    for r in range(NUM_RESOURCES):
        if s.hand[p, r] > most:
            best, most = r, int(s.hand[p, r])
    return best
