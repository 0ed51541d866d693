"""Whether a state keeps the rules: `find_violations` names all that it breaks."""

from catan_pz.board.topology import EDGE_VERTICES, VERTEX_NEIGHBORS
from catan_pz.engine import bits
from catan_pz.engine.course import check_course
from catan_pz.engine.derive import derive
from catan_pz.engine.knowledge import least_held, most_held
from catan_pz.engine.state import LEGAL_WORDS, State
from catan_pz.engine.violations import (
    DECK_COUNT,
    DISTANCE_RULE,
    KNOWLEDGE,
    LARGEST_ARMY,
    LONGEST_ROAD,
    LOOSE_ROAD,
    OVERLAP,
    PIECE_COUNT,
    RESOURCE_COUNT,
    STALE,
)
from catan_pz.kernels.rule import rule
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    CITIES_PER_PLAYER,
    DECK_COUNTS,
    DECK_SIZE,
    KNIGHT,
    LARGEST_ARMY_MINIMUM,
    LONGEST_ROAD_MINIMUM,
    MAX_PLAYERS,
    NOBODY,
    NUM_CARD_KINDS,
    NUM_EDGES,
    NUM_RESOURCES,
    NUM_VERTICES,
    ROADS_PER_PLAYER,
    SETTLEMENTS_PER_PLAYER,
)


@rule
def check_resources(s: State) -> int:
    for r in range(NUM_RESOURCES):
        total = int(s.bank[r])
        if s.bank[r] < 0:
            return RESOURCE_COUNT
        for p in range(MAX_PLAYERS):
            total += int(s.hand[p, r])
            if s.hand[p, r] < 0:
                return RESOURCE_COUNT
        if total != BANK_PER_RESOURCE:
            return RESOURCE_COUNT
    return 0


@rule
def check_deck(s: State) -> int:
    if s.deck_left < 0 or s.deck_left > DECK_SIZE:
        return DECK_COUNT
    for card in range(NUM_CARD_KINDS):
        total = 0
        for k in range(DECK_SIZE - int(s.deck_left), DECK_SIZE):
            if s.deck[k] == card:
                total += 1
        for p in range(MAX_PLAYERS):
            total += int(s.cards[p, card]) + int(s.played[p, card])
            if s.cards[p, card] < 0 or s.played[p, card] < 0:
                return DECK_COUNT
        new = int(s.new_cards[card])
        if total != DECK_COUNTS[card] or new < 0 or new > s.cards[int(s.turn_player), card]:
            return DECK_COUNT
    return 0


@rule
def check_pieces(s: State) -> int:
    """Piece counts and overlaps; absent seats have no pieces."""
    found = 0
    taken_0, taken_1, built = 0, 0, 0
    for p in range(MAX_PLAYERS):
        roads = bits.count(s.roads[p, 0]) + bits.count(s.roads[p, 1])
        settlements, cities = bits.count(s.settlements[p]), bits.count(s.cities[p])
        if roads > ROADS_PER_PLAYER or settlements > SETTLEMENTS_PER_PLAYER:
            found |= PIECE_COUNT
        if cities > CITIES_PER_PLAYER or (p >= s.num_players and roads + settlements + cities > 0):
            found |= PIECE_COUNT
        if (taken_0 & s.roads[p, 0]) | (taken_1 & s.roads[p, 1]) != 0:
            found |= OVERLAP
        if s.settlements[p] & s.cities[p] != 0 or built & (s.settlements[p] | s.cities[p]) != 0:
            found |= OVERLAP
        taken_0 |= s.roads[p, 0]
        taken_1 |= s.roads[p, 1]
        built |= s.settlements[p] | s.cities[p]
    return found


@rule
def check_distance_rule(s: State) -> int:
    built = 0
    for p in range(s.num_players):
        built |= s.settlements[p] | s.cities[p]
    for v in range(NUM_VERTICES):
        for k in range(3):
            w = VERTEX_NEIGHBORS[v, k]
            if w >= 0 and bits.has_vertex(built, v) and bits.has_vertex(built, w):
                return DISTANCE_RULE
    return 0


@rule
def roads_touching(s: State, p: int, v: int) -> int:
    """How many roads of p end at a vertex, counted from the edges."""
    roads = 0
    for e in range(NUM_EDGES):
        if s.roads[p, bits.edge_word(e)] & bits.edge_bit(e) != 0:
            if EDGE_VERTICES[e, 0] == v or EDGE_VERTICES[e, 1] == v:
                roads += 1
    return roads


@rule
def check_roads(s: State) -> int:
    for p in range(s.num_players):
        for e in range(NUM_EDGES):
            if s.roads[p, bits.edge_word(e)] & bits.edge_bit(e) != 0:
                joined = False
                for k in range(2):
                    v = EDGE_VERTICES[e, k]
                    own = bits.has_vertex(s.settlements[p] | s.cities[p], v)
                    if own or roads_touching(s, p, v) > 1:
                        joined = True
                if not joined:
                    return LOOSE_ROAD
    return 0


@rule
def check_longest_road(s: State) -> int:
    """The holder has one of the longest roads, of 5 or more.

    Without a holder nobody alone has the longest of 5 or more.
    """
    longest, leaders = 0, 0
    for p in range(s.num_players):
        if s.road_length[p] > longest:
            longest, leaders = int(s.road_length[p]), 1
        elif s.road_length[p] == longest:
            leaders += 1
    owner = int(s.longest_road_owner)
    if owner < NOBODY or owner >= s.num_players:
        return LONGEST_ROAD
    if owner == NOBODY:
        return LONGEST_ROAD if longest >= LONGEST_ROAD_MINIMUM and leaders == 1 else 0
    held = int(s.road_length[owner])
    return LONGEST_ROAD if held < LONGEST_ROAD_MINIMUM or held < longest else 0


@rule
def check_largest_army(s: State) -> int:
    most = 0
    for p in range(s.num_players):
        most = max(most, int(s.played[p, KNIGHT]))
    owner = int(s.largest_army_owner)
    if owner < NOBODY or owner >= s.num_players:
        return LARGEST_ARMY
    if owner == NOBODY:
        return LARGEST_ARMY if most >= LARGEST_ARMY_MINIMUM else 0
    held = s.played[owner, KNIGHT]
    return LARGEST_ARMY if held < LARGEST_ARMY_MINIMUM or held < most else 0


@rule
def check_knowledge(s: State) -> int:
    for o in range(MAX_PLAYERS):
        for p in range(MAX_PLAYERS):
            for r in range(NUM_RESOURCES):
                below, above = int(s.below[o, p, r]), int(s.above[o, p, r])
                if below < 0 or above < 0 or least_held(s, o, p, r) < 0:
                    return KNOWLEDGE
                if most_held(s, o, p, r) > BANK_PER_RESOURCE - s.bank[r]:
                    return KNOWLEDGE
                if (o == p or o >= s.num_players or p >= s.num_players) and below + above > 0:
                    return KNOWLEDGE
    return 0


@rule
def check_network(s: State, t: State, p: int) -> int:
    """Compare the derived fields of p in a state with those worked out from scratch."""
    if s.hand_size[p] != t.hand_size[p] or s.road_length[p] != t.road_length[p]:
        return STALE
    if s.points[p] != t.points[p] or s.visible_points[p] != t.visible_points[p]:
        return STALE
    if s.road_ends[p] != t.road_ends[p]:
        return STALE
    if s.reach[p, 0] != t.reach[p, 0] or s.reach[p, 1] != t.reach[p, 1]:
        return STALE
    for r in range(NUM_RESOURCES):
        if s.rate[p, r] != t.rate[p, r] or s.pips[p, r] != t.pips[p, r]:
            return STALE
    return 0


@rule
def check_places(s: State, t: State) -> int:
    """Compare where things are with what is worked out from scratch in t."""
    for v in range(NUM_VERTICES):
        if s.on_vertex[v] != t.on_vertex[v]:
            return STALE
    for e in range(NUM_EDGES):
        if s.on_edge[e] != t.on_edge[e]:
            return STALE
    for number in range(13):
        for k in range(2):
            if s.token_hexes[number, k] != t.token_hexes[number, k]:
                return STALE
    return STALE if s.crowded != t.crowded else 0


@rule
def check_derived(s: State, t: State) -> int:
    """Compare the derived fields of a state with those worked out from scratch in t."""
    derive(t)
    found = check_places(s, t)
    for p in range(s.num_players):
        found |= check_network(s, t, p)
    for word in range(LEGAL_WORDS):
        if s.legal[word] != t.legal[word]:
            return STALE
    return found


@rule
def find_violations(s: State, t: State) -> int:
    """All that a state breaks, as the sum of `Violation` flags; t is a copy to work on."""
    found = check_resources(s) | check_deck(s) | check_pieces(s) | check_distance_rule(s)
    found |= check_roads(s) | check_longest_road(s) | check_largest_army(s)
    found |= check_knowledge(s) | check_course(s)
    return found | check_derived(s, t)
