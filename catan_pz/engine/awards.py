"""Longest road and largest army."""

from catan_pz.board.topology import (
    EDGE_VERTICES,
    RETURN_SLOT,
    SLOT_EDGE_SET,
    VERTEX_EDGES,
    VERTEX_NEIGHBORS,
)
from catan_pz.engine import bits
from catan_pz.engine.state import State
from catan_pz.kernels.rule import rule
from catan_pz.terms import (
    KNIGHT,
    LARGEST_ARMY_MINIMUM,
    LONGEST_ROAD_MINIMUM,
    NOBODY,
    SPECIAL_CARD_POINTS,
)


@rule
def opponents_buildings(s: State, p: int) -> int:
    """The vertices with a building of another player, as a set."""
    vertices = 0
    for q in range(s.num_players):
        if q != p:
            vertices |= s.settlements[q] | s.cities[q]
    return vertices


@rule
def longest_trail(roads_0: int, roads_1: int, start: int, barred: int) -> int:
    """The most roads in a row from a vertex, each used once, without passing a barred vertex.

    `roads_0` and `roads_1` are the two words of an edge set. The search is depth first. `trail` is
    a stack of two-bit numbers: for each vertex reached, the slot in its list of edges of the road
    that led to it.
    """
    left_0, left_1 = roads_0, roads_1
    v, slot, length, longest, trail = start, 0, 0, 0, 0
    while True:
        slots = 0
        if length == 0 or not bits.has_vertex(barred, v):
            for k in range(3):
                roads = (left_0 & SLOT_EDGE_SET[v, k, 0]) | (left_1 & SLOT_EDGE_SET[v, k, 1])
                slots |= int(roads != 0) << k
        slots &= -1 << slot
        if slots != 0:
            used = bits.first(slots)
            trail = trail << 2 | RETURN_SLOT[v, used]
            slot = 0
            length += 1
            longest = max(longest, length)
        elif length == 0:
            return longest
        else:
            used = trail & 3
            trail >>= 2
            slot = RETURN_SLOT[v, used] + 1
            length -= 1
        left_0 ^= SLOT_EDGE_SET[v, used, 0]
        left_1 ^= SLOT_EDGE_SET[v, used, 1]
        v = VERTEX_NEIGHBORS[v, used]


@rule
def longest_from(roads_0: int, roads_1: int, starts: int, barred: int) -> int:
    """The most roads in a row from any vertex of a set."""
    longest = 0
    while starts != 0:
        longest = max(longest, longest_trail(roads_0, roads_1, bits.first(starts), barred))
        starts &= starts - 1
    return longest


@rule
def longest_road_length(s: State, p: int) -> int:
    barred = opponents_buildings(s, p)
    return longest_from(s.roads[p, 0], s.roads[p, 1], s.road_ends[p], barred)


@rule
def own_roads_at(s: State, p: int, v: int) -> int:
    roads = 0
    for k in range(3):
        e = VERTEX_EDGES[v, k]
        if e >= 0 and s.roads[p, bits.edge_word(e)] & bits.edge_bit(e) != 0:
            roads += 1
    return roads


@rule
def longest_road_after(s: State, p: int, e: int) -> int:
    """The length of p's longest continuous road after p placed a road on e."""
    barred = opponents_buildings(s, p)
    for k in range(2):
        v = EDGE_VERTICES[e, k]
        if own_roads_at(s, p, v) == 1:
            # A loose end: a longer road can only begin here.
            trail = longest_trail(s.roads[p, 0], s.roads[p, 1], v, barred)
            return max(int(s.road_length[p]), trail)
    # Unless it is a ring, a longest road begins at a barred vertex or one with an odd road count.
    starts, ends = 1 << EDGE_VERTICES[e, 0] | s.road_ends[p] & barred, s.road_ends[p]
    while ends != 0:
        v = bits.first(ends)
        starts |= (own_roads_at(s, p, v) & 1) << v
        ends &= ends - 1
    longest = longest_from(s.roads[p, 0], s.roads[p, 1], starts, barred)
    return max(int(s.road_length[p]), longest)


@rule
def give_special_card(s: State, old: int, new: int) -> int:
    """Move a special card and its points to another owner; either owner may be NOBODY."""
    if old != NOBODY:
        s.points[old] -= SPECIAL_CARD_POINTS
        s.visible_points[old] -= SPECIAL_CARD_POINTS
    if new != NOBODY:
        s.points[new] += SPECIAL_CARD_POINTS
        s.visible_points[new] += SPECIAL_CARD_POINTS
    return new


@rule
def award_longest_road(s: State) -> None:
    """Give the longest road to its rightful owner after road lengths have changed."""
    owner = int(s.longest_road_owner)
    longest, leader, leaders = 0, NOBODY, 0
    for p in range(s.num_players):
        if s.road_length[p] > longest:
            longest, leader, leaders = int(s.road_length[p]), p, 1
        elif s.road_length[p] == longest:
            leaders += 1
    if longest < LONGEST_ROAD_MINIMUM:
        leader = NOBODY
    elif owner != NOBODY and s.road_length[owner] == longest:
        leader = owner
    elif leaders > 1:
        leader = NOBODY
    if leader != owner:
        s.longest_road_owner = give_special_card(s, owner, leader)


@rule
def award_largest_army(s: State, p: int) -> None:
    """Give the largest army to p, after a knight of p, if p's army is larger."""
    owner = int(s.largest_army_owner)
    knights = s.played[p, KNIGHT]
    if knights < LARGEST_ARMY_MINIMUM or owner == p:
        return
    if owner == NOBODY or knights > s.played[owner, KNIGHT]:
        s.largest_army_owner = give_special_card(s, owner, p)
