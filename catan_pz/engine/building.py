"""Roads, settlements and cities: where they may be placed, and placing them."""

from catan_pz.board.topology import (
    EDGE_VERTICES,
    EDGES_PER_WORD,
    VERTEX_EDGE_SET,
    VERTEX_EDGES,
    VERTEX_HARBOR,
    VERTEX_NEIGHBORS,
    VERTEX_SURROUNDINGS,
)
from catan_pz.engine import awards, bits
from catan_pz.engine.hands import CITY, ROAD, SETTLEMENT, can_afford, pay
from catan_pz.engine.production import add_pips_at
from catan_pz.engine.state import CITY_OF, ROAD_OF, SETTLEMENT_OF, State
from catan_pz.kernels.rule import rule
from catan_pz.terms import (
    CITIES_PER_PLAYER,
    GENERIC_HARBOR,
    NUM_RESOURCES,
    NUM_VERTICES,
    ROADS_PER_PLAYER,
    SETTLEMENTS_PER_PLAYER,
)

ALL_VERTICES = (1 << NUM_VERTICES) - 1
ALL_EDGES_OF_WORD = (1 << EDGES_PER_WORD) - 1


@rule
def roads_left(s: State, p: int) -> int:
    return ROADS_PER_PLAYER - bits.count(s.roads[p, 0]) - bits.count(s.roads[p, 1])


@rule
def settlements_left(s: State, p: int) -> int:
    return SETTLEMENTS_PER_PLAYER - bits.count(s.settlements[p])


@rule
def cities_left(s: State, p: int) -> int:
    return CITIES_PER_PLAYER - bits.count(s.cities[p])


@rule
def empty_edges(s: State, word: int) -> int:
    """Edges without a road, as one of the two words of an edge set."""
    taken = 0
    for p in range(s.num_players):
        taken |= s.roads[p, word]
    return ALL_EDGES_OF_WORD & ~taken


@rule
def road_spots(s: State, p: int, word: int) -> int:
    """Edges where the position lets p place a road, as one of the two words of an edge set."""
    return s.reach[p, word] & empty_edges(s, word)


@rule
def has_road_spot(s: State, p: int) -> bool:
    return road_spots(s, p, 0) != 0 or road_spots(s, p, 1) != 0


@rule
def can_build_road(s: State, p: int) -> bool:
    """Whether p has the cards and a road in stock."""
    return can_afford(s, p, ROAD) and roads_left(s, p) > 0


@rule
def settlement_spots(s: State, p: int) -> int:
    """Vertices where the position lets p build a settlement."""
    return s.road_ends[p] & ~s.crowded


@rule
def can_build_settlement(s: State, p: int) -> bool:
    return can_afford(s, p, SETTLEMENT) and settlements_left(s, p) > 0


@rule
def can_build_city(s: State, p: int) -> bool:
    return can_afford(s, p, CITY) and cities_left(s, p) > 0


@rule
def is_connected(s: State, p: int, v: int) -> bool:
    """Whether p may start a road at a vertex.

    It needs p's building, or p's road without an opponent's building at the vertex.
    """
    if bits.has_vertex(s.settlements[p] | s.cities[p], v):
        return True
    return bits.has_vertex(s.road_ends[p] & ~awards.opponents_buildings(s, p), v)


@rule
def extend_reach(s: State, p: int, v: int) -> None:
    """Add the edges at a vertex that p has connected to the reach of p."""
    s.reach[p, 0] |= VERTEX_EDGE_SET[v, 0]
    s.reach[p, 1] |= VERTEX_EDGE_SET[v, 1]


@rule
def cut_reach(s: State, p: int, v: int) -> None:
    """Update the reach of p after an opponent built at a vertex of p's roads."""
    for k in range(3):
        e = VERTEX_EDGES[v, k]
        if e >= 0 and not is_connected(s, p, VERTEX_NEIGHBORS[v, k]):
            s.reach[p, bits.edge_word(e)] &= ~bits.edge_bit(e)


@rule
def place_road(s: State, p: int, e: int) -> None:
    s.roads[p, bits.edge_word(e)] |= bits.edge_bit(e)
    s.on_edge[e] = ROAD_OF + p
    for k in range(2):
        v = EDGE_VERTICES[e, k]
        s.road_ends[p] |= 1 << v
        if is_connected(s, p, v):
            extend_reach(s, p, v)
    s.road_length[p] = awards.longest_road_after(s, p, e)
    awards.award_longest_road(s)


@rule
def use_harbor(s: State, p: int, v: int) -> None:
    """Apply the rate of the harbor at a vertex, if there is one."""
    harbor = VERTEX_HARBOR[v]
    if harbor < 0:
        return
    kind = int(s.harbor[harbor])
    if kind == GENERIC_HARBOR:
        for r in range(NUM_RESOURCES):
            s.rate[p, r] = min(int(s.rate[p, r]), 3)
    else:
        s.rate[p, kind] = 2


@rule
def place_settlement(s: State, p: int, v: int) -> None:
    """Place a settlement of p; it may break another player's road."""
    s.settlements[p] |= 1 << v
    s.on_vertex[v] = SETTLEMENT_OF + p
    s.crowded |= VERTEX_SURROUNDINGS[v]
    s.points[p] += 1
    s.visible_points[p] += 1
    extend_reach(s, p, v)
    use_harbor(s, p, v)
    add_pips_at(s, p, v)
    for q in range(s.num_players):
        if q != p and bits.has_vertex(s.road_ends[q], v):
            cut_reach(s, q, v)
            if awards.own_roads_at(s, q, v) > 1:
                s.road_length[q] = awards.longest_road_length(s, q)
                awards.award_longest_road(s)


@rule
def apply_build_road(s: State, p: int, e: int) -> None:
    pay(s, p, ROAD)
    place_road(s, p, e)


@rule
def apply_build_settlement(s: State, p: int, v: int) -> None:
    pay(s, p, SETTLEMENT)
    place_settlement(s, p, v)


@rule
def apply_build_city(s: State, p: int, v: int) -> None:
    """Replace a settlement of p, which returns to p's stock, with a city."""
    pay(s, p, CITY)
    s.settlements[p] ^= 1 << v
    s.cities[p] |= 1 << v
    s.on_vertex[v] = CITY_OF + p
    add_pips_at(s, p, v)
    s.points[p] += 1
    s.visible_points[p] += 1
