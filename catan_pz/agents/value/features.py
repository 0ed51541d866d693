"""The value network's features of each seat by the viewer's knowledge, as compiled rules.

Of other seats only public facts are read, and the resource cards in their hands, in a game drawn
from the viewer's belief. All features have magnitudes of about 1.
"""

from typing import Annotated, TypeAlias

from numba import types

from catan_pz.agents.heuristic.features import share_at, some
from catan_pz.agents.heuristic.plan import (
    CARD_COST,
    CITY_COST,
    NO_TIMES,
    ROAD_COST,
    SETTLEMENT_COST,
    speed_of,
    time_for,
    times_of,
)
from catan_pz.agents.heuristic.spots import Roads, one_road_on
from catan_pz.agents.heuristic.weights import EVOLVED_WEIGHTS
from catan_pz.agents.value.prospects import (
    best_city,
    cards_missing,
    pips_at,
    road_needed,
    wants,
    worth_of_vertex,
)
from catan_pz.engine import bits
from catan_pz.engine.building import cities_left, roads_left, settlements_left
from catan_pz.engine.hands import CARD, CITY, ROAD, SETTLEMENT, packed
from catan_pz.engine.production import cards_due_from, pips_of
from catan_pz.engine.state import State
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float32Array
from catan_pz.terms import (
    KNIGHT,
    LARGEST_ARMY_MINIMUM,
    MONOPOLY,
    NOBODY,
    NUM_CARD_KINDS,
    NUM_RESOURCES,
    ROAD_BUILDING,
    YEAR_OF_PLENTY,
    Phase,
)

NUM_FEATURES = 80
"""F, features of a seat; the names below are indices of features, or of the first of several."""
NUM_SHARED = 2
"""C, features of the game as a whole."""

NEAR = 4
"""Each number of points to go up to this one is a separate feature."""
TO_GO, NEARNESS = 0, 1  # 1 by the points to go; then one feature for each of 1 to `NEAR` points
SEAT_ORDER, IN_TURN = 6, 10  # the place in turn order; whether the seat is in turn and has rolled
HAS_LONGEST_ROAD, HAS_LARGEST_ARMY, LEAD = 11, 12, 13
PIPS, HAND, RATES = 14, 19, 24  # of each resource
RESOURCES_PRODUCED, ALL_PIPS, HAND_SIZE, OVER_LIMIT = 29, 30, 31, 32
FREE_SPOTS = 33  # spots where it can build now
SPOTS = 34  # two features per distance 0, 1, 2, and for spots that nobody else claims
PIECES_LEFT = 42
NEAR_PURCHASES, TIMES, SPEED = 45, 49, 54  # closeness of purchases in cards, and in time
CARDS, CARDS_HELD, KNIGHTS = 55, 59, 60  # of kinds that the viewer holds; of others; played
ROAD_LENGTH, ARMY_LEAD, ROAD_LEAD = 61, 62, 63
BLOCKED, TO_DISCARD, PENDING_ROBBER, PENDING_THEFT, FREE_ROADS, CARD_PLAYED = 64, 65, 66, 67, 68, 69
TO_LONGEST_ROAD, TO_LARGEST_ARMY = 70, 71
BEST_CITY = 72  # pips of the best settlement for a city
IS_VIEWER = 73
GOALS = 74  # settlements 0 to 2 roads away, a city, the best two of these

HALF_LIFE, PATIENCE = 60.0, 100.0
"""Times, in tenths of a roll, at which a purchase and a goal count for half."""

Means: TypeAlias = Annotated[tuple[int, ...], types.UniTuple(types.int64, 3)]
"""Hand, pips, and shares (trade rates) by resource, each as a bundle."""


@kernel
def means_of(s: State, p: int) -> Means:
    """The means of p for purchases."""
    shares = 0
    for r in range(NUM_RESOURCES):
        shares |= some(r, share_at(int(s.rate[p, r])))
    return packed(s.hand[p]), packed(s.pips[p]), shares


@kernel
def write_standing(s: State, p: int, viewer: int, features: Float32Array) -> None:
    """Write p's distance from winning, and its place in the turn order."""
    points = int(s.points[p]) if p == viewer else int(s.visible_points[p])
    to_go = max(1, int(s.victory_points) - points)
    features[TO_GO] = to_go * 0.1
    features[NEARNESS] = 1.0 / to_go
    if to_go <= NEAR:
        features[NEARNESS + to_go] = 1.0
    features[SEAT_ORDER + (p - int(s.turn_player)) % int(s.num_players)] = 1.0
    features[IN_TURN] = 1.0 if s.turn_player == p and s.phase != Phase.ROLL else 0.0
    features[HAS_LONGEST_ROAD] = 1.0 if s.longest_road_owner == p else 0.0
    features[HAS_LARGEST_ARMY] = 1.0 if s.largest_army_owner == p else 0.0
    least = 100
    for q in range(s.num_players):
        if q != p:
            least = min(least, int(s.victory_points) - int(s.visible_points[q]))
    features[LEAD] = (least - to_go) * 0.1


@kernel
def write_resources(s: State, p: int, features: Float32Array) -> None:
    """Write production, hand and harbors of p."""
    kinds, pips = 0, 0
    for r in range(NUM_RESOURCES):
        features[PIPS + r] = int(s.pips[p, r]) * 0.1
        features[HAND + r] = min(6, int(s.hand[p, r])) * 0.25
        features[RATES + r] = (4 - int(s.rate[p, r])) * 0.5
        pips += int(s.pips[p, r])
        if s.pips[p, r] > 0:
            kinds += 1
    features[RESOURCES_PRODUCED] = kinds * 0.2
    features[ALL_PIPS] = pips * 0.05
    features[HAND_SIZE] = int(s.hand_size[p]) * 0.1
    features[OVER_LIMIT] = max(0, int(s.hand_size[p]) - int(s.discard_limit)) * 0.2


@kernel
def write_best_two(s: State, p: int, spots: int, place: int, features: Float32Array) -> None:
    """Write two features: p's worth of the best and the second best of some vertices."""
    best, second = 0, 0
    while spots != 0:
        worth = worth_of_vertex(s, p, bits.first(spots))
        spots &= spots - 1
        second = max(second, min(best, worth))
        best = max(best, worth)
    features[place] = best * 0.01
    features[place + 1] = second * 0.01


@kernel
def write_spots(s: State, p: int, features: Float32Array) -> None:
    """Write p's spots for settlements, now and with one and two more roads."""
    if settlements_left(s, p) == 0:
        return
    theirs, claimed = 0, 0
    taken_0, taken_1 = s.roads[p, 0], s.roads[p, 1]
    for q in range(s.num_players):
        if q != p:
            theirs |= s.settlements[q] | s.cities[q]
            taken_0 |= s.roads[q, 0]
            taken_1 |= s.roads[q, 1]
            claimed |= s.road_ends[q]
    here = s.road_ends[p] | s.settlements[p] | s.cities[p]
    roads = Roads(taken_0, taken_1, claimed)
    near = one_road_on(here, roads, theirs)
    far = one_road_on(near, roads, theirs) & ~(here | near)
    free = ~s.crowded
    features[FREE_SPOTS] = min(3, bits.count(here & free)) * 0.3
    write_best_two(s, p, here & free, SPOTS, features)
    write_best_two(s, p, near & free & ~here, SPOTS + 2, features)
    write_best_two(s, p, far & free, SPOTS + 4, features)
    write_best_two(s, p, (near | far) & free & ~claimed & ~here, SPOTS + 6, features)
    if features[SPOTS + 2] < features[SPOTS + 6]:
        # The best spot that nobody else claims is two roads away.
        features[SPOTS + 7] = 0.0
    else:
        features[SPOTS + 7] = features[SPOTS + 6]


@kernel
def write_purchases(s: State, p: int, means: Means, features: Float32Array) -> None:
    """Write p's closeness to each purchase."""
    hand, pips, shares = means
    features[PIECES_LEFT] = settlements_left(s, p) * 0.2
    features[PIECES_LEFT + 1] = cities_left(s, p) * 0.25
    features[PIECES_LEFT + 2] = roads_left(s, p) * 0.1
    for k, purchase in enumerate((SETTLEMENT, CITY, ROAD, CARD)):
        if purchase == ROAD or wants(s, p, purchase):
            features[NEAR_PURCHASES + k] = 1.0 / (1 + cards_missing(s, p, purchase))
    one_road, both = SETTLEMENT_COST + ROAD_COST, SETTLEMENT_COST + CITY_COST
    for k, cost in enumerate((SETTLEMENT_COST, CITY_COST, CARD_COST, one_road, both)):
        features[TIMES + k] = HALF_LIFE / (HALF_LIFE + time_for(hand, cost, pips, shares))
    times = times_of(pips, shares, NO_TIMES)
    features[SPEED] = speed_of(times, EVOLVED_WEIGHTS[1]) * 0.001


@kernel
def write_cards(s: State, p: int, viewer: int, features: Float32Array) -> None:
    """Write the development cards of p, by kind if p is the viewer."""
    if p == viewer:
        features[CARDS] = min(4, int(s.cards[p, KNIGHT])) * 0.3
        features[CARDS + 1] = min(2, int(s.cards[p, ROAD_BUILDING])) * 0.5
        features[CARDS + 2] = min(2, int(s.cards[p, YEAR_OF_PLENTY])) * 0.5
        features[CARDS + 3] = min(2, int(s.cards[p, MONOPOLY])) * 0.5
        features[IS_VIEWER] = 1.0
    else:
        held = 0
        for card in range(NUM_CARD_KINDS):
            held += int(s.cards[p, card])
        features[CARDS_HELD] = min(6, held) * 0.3
    features[KNIGHTS] = min(6, int(s.played[p, KNIGHT])) * 0.3


@kernel
def write_awards(s: State, p: int, viewer: int, features: Float32Array) -> None:
    """Write p's standing in the races for the awards."""
    features[ROAD_LENGTH] = int(s.road_length[p]) * 0.1
    knights, longest = 0, 0
    for q in range(s.num_players):
        if q != p:
            knights = max(knights, int(s.played[q, KNIGHT]))
            longest = max(longest, int(s.road_length[q]))
    features[ARMY_LEAD] = max(-3, min(3, int(s.played[p, KNIGHT]) - knights)) * 0.3
    features[ROAD_LEAD] = max(-4, min(4, int(s.road_length[p]) - longest)) * 0.25
    if s.longest_road_owner != p:
        features[TO_LONGEST_ROAD] = 1.0 / (1 + max(0, road_needed(s) - int(s.road_length[p])))
    if s.largest_army_owner != p:
        needed = LARGEST_ARMY_MINIMUM
        if s.largest_army_owner != NOBODY:
            needed = int(s.played[int(s.largest_army_owner), KNIGHT]) + 1
        ready = int(s.played[p, KNIGHT])
        if p == viewer:
            ready += int(s.cards[p, KNIGHT])
        features[TO_LARGEST_ARMY] = 1.0 / (1 + max(0, needed - ready))


@kernel
def write_pending(s: State, p: int, features: Float32Array) -> None:
    """Write the robber's harm to p, and p's pending tasks in this turn."""
    blocked = cards_due_from(s, p, int(s.robber)) * pips_of(int(s.token[int(s.robber)]))
    features[BLOCKED] = blocked * 0.1
    features[TO_DISCARD] = int(s.to_discard[p]) * 0.25
    if s.turn_player == p:
        features[PENDING_ROBBER] = 1.0 if s.phase == Phase.MOVE_ROBBER else 0.0
        features[PENDING_THEFT] = 1.0 if s.phase == Phase.STEAL else 0.0
        features[FREE_ROADS] = int(s.free_roads) * 0.5
        features[CARD_PLAYED] = 1.0 if s.card_played else 0.0


@kernel
def write_goals(means: Means, features: Float32Array) -> None:
    """Write each goal's worth, discounted by the time until it is paid, and the best two.

    The features of spots and of the best city must have been written.
    """
    hand, pips, shares = means
    best, second = 0.0, 0.0
    for k in range(4):
        worth, cost = features[SPOTS + 2 * k], SETTLEMENT_COST + k * ROAD_COST
        if k == 3:
            worth, cost = features[BEST_CITY], CITY_COST
        if worth > 0:
            counts = (1.0 + worth) * PATIENCE / (PATIENCE + time_for(hand, cost, pips, shares))
            features[GOALS + k] = counts
            second = max(second, min(best, counts))
            best = max(best, counts)
    features[GOALS + 4] = best
    features[GOALS + 5] = second


@kernel
def write_features(s: State, p: int, viewer: int, features: Float32Array) -> None:
    """Write the F features of seat p by the viewer's knowledge."""
    for k in range(NUM_FEATURES):
        features[k] = 0.0
    means = means_of(s, p)
    write_standing(s, p, viewer, features)
    write_resources(s, p, features)
    write_spots(s, p, features)
    write_purchases(s, p, means, features)
    write_cards(s, p, viewer, features)
    write_awards(s, p, viewer, features)
    write_pending(s, p, features)
    if cities_left(s, p) > 0 and s.settlements[p] != 0:
        features[BEST_CITY] = pips_at(s, best_city(s, p)) * 0.1
    write_goals(means, features)


@kernel
def write_position(s: State, viewer: int, features: Float32Array) -> None:
    """Write (P * F + C) features of all seats, the viewer first, and of the game as a whole."""
    seats = int(s.num_players)
    for k in range(seats):
        here = NUM_FEATURES * k
        p = (viewer + k) % seats
        write_features(s, p, viewer, features[here : here + NUM_FEATURES])
    features[NUM_FEATURES * seats] = int(s.deck_left) * 0.04
    features[NUM_FEATURES * seats + 1] = min(120, int(s.turn)) * 0.01
