"""Violations of a state: cards, pieces, special cards, and what players know about hands."""

from enum import IntFlag, auto

from catan_pz import terms
from catan_pz.board.topology import EDGE_VERTICES, VERTEX_SURROUNDINGS
from catan_pz.engine import bits
from catan_pz.engine.awards import own_roads_at
from catan_pz.engine.hands import least_held, most_held
from catan_pz.engine.state import State
from catan_pz.kernels.rule import rule
from catan_pz.terms import MAX_PLAYERS, NOBODY, NUM_RESOURCES


class Violation(IntFlag):
    """A rule that a state breaks; several may be set."""

    NONE = 0
    RESOURCE_COUNT = auto()  # hands and bank aren't 19 cards of each resource, or one is negative
    DECK_COUNT = auto()  # deck, hands and played cards don't add up to the 25 development cards
    PIECE_COUNT = auto()  # a player has more roads, settlements or cities on the board than pieces
    OVERLAP = auto()  # two pieces stand on one vertex or edge
    DISTANCE_RULE = auto()  # two buildings stand on adjacent vertices
    LOOSE_ROAD = auto()  # a road touches no other road or building of its owner
    LONGEST_ROAD = auto()  # the longest road is held by the wrong player
    LARGEST_ARMY = auto()  # the largest army is held by the wrong player
    KNOWLEDGE = auto()  # a bound on a hidden hand excludes the truth or contradicts what is public
    TURN = auto()  # phase, player to move, flags, discards or victims don't fit together
    SETUP = auto()  # settlements and roads of the set-up aren't those of its order
    OFFER = auto()  # an offer or an answer is impossible, or its maker lacks the cards
    WINNER = auto()  # nobody has won though the player in turn has the points, or the reverse
    NO_ACTION = auto()  # the game goes on but the player to move has no legal action
    STALE = auto()  # a derived field differs from its recomputed value


@rule
def resources_add_up(s: State) -> bool:
    for r in range(NUM_RESOURCES):
        total = int(s.bank[r])
        for p in range(MAX_PLAYERS):
            total += int(s.hand[p, r])
            if s.hand[p, r] < 0:
                return False
        if total != terms.BANK_PER_RESOURCE or s.bank[r] < 0:
            return False
    return True


@rule
def cards_add_up(s: State) -> bool:
    if s.deck_left < 0 or s.deck_left > terms.DECK_SIZE:
        return False
    for card in range(terms.NUM_CARD_KINDS):
        total = 0
        for k in range(terms.DECK_SIZE - int(s.deck_left), terms.DECK_SIZE):
            total += int(s.deck[k] == card)
        for p in range(MAX_PLAYERS):
            total += int(s.cards[p, card]) + int(s.played[p, card])
            if s.cards[p, card] < 0 or s.played[p, card] < 0:
                return False
        new = int(s.new_cards[card])
        if total != terms.DECK_COUNTS[card] or new < 0 or new > s.cards[int(s.turn_player), card]:
            return False
    return True


@rule
def pieces_suffice(s: State) -> bool:
    """Whether no player has more pieces on the board than there are; absent seats have none."""
    for p in range(MAX_PLAYERS):
        roads = bits.count(s.roads[p, 0]) + bits.count(s.roads[p, 1])
        settlements, cities = bits.count(s.settlements[p]), bits.count(s.cities[p])
        if roads > terms.ROADS_PER_PLAYER or settlements > terms.SETTLEMENTS_PER_PLAYER:
            return False
        if cities > terms.CITIES_PER_PLAYER:
            return False
        if p >= s.num_players and roads + settlements + cities > 0:
            return False
    return True


@rule
def overlap(s: State) -> bool:
    """Whether two pieces stand on one vertex or edge."""
    taken_0, taken_1, built = 0, 0, 0
    for p in range(MAX_PLAYERS):
        shared = (taken_0 & s.roads[p, 0]) | (taken_1 & s.roads[p, 1])
        shared |= (s.settlements[p] & s.cities[p]) | (built & (s.settlements[p] | s.cities[p]))
        if shared != 0:
            return True
        taken_0 |= s.roads[p, 0]
        taken_1 |= s.roads[p, 1]
        built |= s.settlements[p] | s.cities[p]
    return False


@rule
def keep_distance(s: State) -> bool:
    built = 0
    for p in range(s.num_players):
        built |= s.settlements[p] | s.cities[p]
    for v in range(terms.NUM_VERTICES):
        others = VERTEX_SURROUNDINGS[v] & ~(1 << v)
        if bits.has_vertex(built, v) and built & others != 0:
            return False
    return True


@rule
def roads_are_joined(s: State) -> bool:
    """Whether each road touches another road, or a building, of its owner."""
    for p in range(s.num_players):
        for e in range(terms.NUM_EDGES):
            if s.roads[p, bits.edge_word(e)] & bits.edge_bit(e) != 0:
                joined = False
                for k in range(2):
                    v = EDGE_VERTICES[e, k]
                    own = bits.has_vertex(s.settlements[p] | s.cities[p], v)
                    if own or own_roads_at(s, p, v) > 1:
                        joined = True
                if not joined:
                    return False
    return True


@rule
def is_longest_road_right(s: State) -> bool:
    """Whether the holder has one of the longest roads of 5 or more.

    Without a holder, no player has the single longest road of 5 or more.
    """
    longest, leaders = 0, 0
    for p in range(s.num_players):
        if s.road_length[p] > longest:
            longest, leaders = int(s.road_length[p]), 1
        elif s.road_length[p] == longest:
            leaders += 1
    owner = int(s.longest_road_owner)
    if owner < NOBODY or owner >= s.num_players:
        return False
    if owner == NOBODY:
        return longest < terms.LONGEST_ROAD_MINIMUM or leaders > 1
    return longest >= terms.LONGEST_ROAD_MINIMUM and s.road_length[owner] == longest


@rule
def is_largest_army_right(s: State) -> bool:
    most = 0
    for p in range(s.num_players):
        most = max(most, int(s.played[p, terms.KNIGHT]))
    owner = int(s.largest_army_owner)
    if owner < NOBODY or owner >= s.num_players:
        return False
    if owner == NOBODY:
        return most < terms.LARGEST_ARMY_MINIMUM
    return most >= terms.LARGEST_ARMY_MINIMUM and s.played[owner, terms.KNIGHT] == most


@rule
def is_knowledge_right(s: State) -> bool:
    for o in range(MAX_PLAYERS):
        for p in range(MAX_PLAYERS):
            for r in range(NUM_RESOURCES):
                below, above = int(s.below[o, p, r]), int(s.above[o, p, r])
                if below < 0 or above < 0 or least_held(s, o, p, r) < 0:
                    return False
                if most_held(s, o, p, r) > terms.BANK_PER_RESOURCE - s.bank[r]:
                    return False
                if (o == p or o >= s.num_players or p >= s.num_players) and below + above > 0:
                    return False
    return True
