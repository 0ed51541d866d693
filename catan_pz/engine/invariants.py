"""Whether a state keeps the rules: `find_violations` names all that it breaks."""

from enum import IntFlag, auto
from typing import Final

from catan_pz.board.topology import EDGE_VERTICES, VERTEX_NEIGHBORS
from catan_pz.engine import bits
from catan_pz.engine.derive import derive
from catan_pz.engine.knowledge import least_held, most_held
from catan_pz.engine.rule import rule
from catan_pz.engine.state import LEGAL_WORDS
from catan_pz.engine.turn import is_finished, is_setup
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
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    ROADS_PER_PLAYER,
    SETTLEMENTS_PER_PLAYER,
    Phase,
)


class Violation(IntFlag):
    """What a state can break; several may hold at once."""

    NONE = 0
    RESOURCE_COUNT = auto()
    """Hands and bank don't add up to 19 cards of each resource, or one is negative."""
    DECK_COUNT = auto()
    """Deck, hands and played cards don't add up to the 25 development cards."""
    PIECE_COUNT = auto()
    """A player has more roads, settlements or cities on the board than pieces."""
    OVERLAP = auto()
    """Two pieces stand on one vertex or edge."""
    DISTANCE_RULE = auto()
    """Two buildings stand on adjacent vertices."""
    LOOSE_ROAD = auto()
    """A road touches no other road or building of its owner."""
    LONGEST_ROAD = auto()
    """The longest road is held by the wrong player."""
    LARGEST_ARMY = auto()
    """The largest army is held by the wrong player."""
    KNOWLEDGE = auto()
    """A bound on a hidden hand excludes the truth or contradicts what is public."""
    TURN = auto()
    """Phase, player to move and flags don't fit together."""
    WINNER = auto()
    """Nobody has won though the player in turn has the points, or the reverse."""
    NO_ACTION = auto()
    """The game goes on but the player to move has no legal action."""
    STALE = auto()
    """A derived field differs from what it follows from."""


# Plain numbers: compiled code takes no flags.
RESOURCE_COUNT: Final = Violation.RESOURCE_COUNT.value
DECK_COUNT: Final = Violation.DECK_COUNT.value
PIECE_COUNT: Final = Violation.PIECE_COUNT.value
OVERLAP: Final = Violation.OVERLAP.value
DISTANCE_RULE: Final = Violation.DISTANCE_RULE.value
LOOSE_ROAD: Final = Violation.LOOSE_ROAD.value
LONGEST_ROAD: Final = Violation.LONGEST_ROAD.value
LARGEST_ARMY: Final = Violation.LARGEST_ARMY.value
KNOWLEDGE: Final = Violation.KNOWLEDGE.value
TURN: Final = Violation.TURN.value
WINNER: Final = Violation.WINNER.value
NO_ACTION: Final = Violation.NO_ACTION.value
STALE: Final = Violation.STALE.value


@rule
def check_resources(s):
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
def check_deck(s):
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
def check_pieces(s):
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
def check_distance_rule(s):
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
def roads_touching(s, p, v):
    """How many roads of p end at a vertex, counted from the edges."""
    roads = 0
    for e in range(NUM_EDGES):
        if s.roads[p, bits.edge_word(e)] & bits.edge_bit(e) != 0:
            if EDGE_VERTICES[e, 0] == v or EDGE_VERTICES[e, 1] == v:
                roads += 1
    return roads


@rule
def check_roads(s):
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
def check_longest_road(s):
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
def check_largest_army(s):
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
def check_knowledge(s):
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
def check_turn(s):
    n = s.num_players
    if s.phase < Phase.SETUP_SETTLEMENT or s.phase > Phase.OVER:
        return TURN
    if s.turn_player < 0 or s.turn_player >= n or s.player < 0 or s.player >= n:
        return TURN
    if s.robber < 0 or s.robber >= NUM_HEXES or s.turn < 0:
        return TURN
    if (s.phase == Phase.FREE_ROAD) != (s.free_roads > 0):
        return TURN
    if s.phase == Phase.DISCARD and s.to_discard[int(s.player)] == 0:
        return TURN
    away = s.phase == Phase.DISCARD or s.phase == Phase.ANSWER or s.phase == Phase.COMPOSE
    if s.player != s.turn_player and not away:
        return TURN
    if (s.phase == Phase.ROLL and s.rolled) or (s.phase == Phase.MAIN and not s.rolled):
        return TURN
    for p in range(MAX_PLAYERS):
        if s.to_discard[p] < 0 or s.to_discard[p] > s.hand_size[p]:
            return TURN
        if s.to_discard[p] > 0 and s.phase != Phase.DISCARD:
            return TURN
    return 0


@rule
def check_winner(s):
    enough = s.points[int(s.turn_player)] >= s.victory_points and not is_setup(s)
    over = s.phase == Phase.OVER
    if over != enough or over != (s.winner != NOBODY):
        return WINNER
    return WINNER if over and s.winner != s.turn_player else 0


@rule
def check_actions(s):
    """A game that goes on has a legal action, a finished one has none."""
    none = True
    for word in range(LEGAL_WORDS):
        if s.legal[word] != 0:
            none = False
    return NO_ACTION if none != is_finished(s) else 0


@rule
def check_network(s, t, p):
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
def check_derived(s, t):
    """Compare the derived fields of a state with those worked out from scratch in t."""
    derive(t)
    if s.crowded != t.crowded:
        return STALE
    for p in range(s.num_players):
        if check_network(s, t, p) != 0:
            return STALE
    for number in range(13):
        for k in range(2):
            if s.token_hexes[number, k] != t.token_hexes[number, k]:
                return STALE
    for word in range(LEGAL_WORDS):
        if s.legal[word] != t.legal[word]:
            return STALE
    return 0


@rule
def find_violations(s, t):
    """All that a state breaks, as the sum of `Violation` flags; t is a copy to work on."""
    found = check_resources(s) | check_deck(s) | check_pieces(s) | check_distance_rule(s)
    found |= check_roads(s) | check_longest_road(s) | check_largest_army(s)
    found |= check_knowledge(s) | check_turn(s) | check_winner(s) | check_actions(s)
    return found | check_derived(s, t)
