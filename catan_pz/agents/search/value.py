"""Each seat's win probability, estimated at the start of a turn: compiled rules.

A small network, the same for every seat, makes one number of what a seat has; the win probabilities
are the softmax of these numbers over the seats. Letters: F features, H hidden units.
"""

import math

from catan_pz.agents.search.placement_values import (
    best_vertex,
    cards_missing,
    wants,
    worth_of_vertex,
)
from catan_pz.compiler.rule import rule
from catan_pz.compiler.types import Float32Array, Float64Array
from catan_pz.engine import bits
from catan_pz.engine.building import cities_left, roads_left, settlement_spots, settlements_left
from catan_pz.engine.hands import CARD, CITY, ROAD, SETTLEMENT
from catan_pz.engine.state import State
from catan_pz.terms import KNIGHT, MAX_PLAYERS, NUM_RESOURCES, VICTORY_POINT, Phase

NUM_FEATURES = 48
NUM_HIDDEN = 32
NET_SIZE = NUM_HIDDEN * (NUM_FEATURES + 2)
"""Numbers of a network: (F, H) weights, (H,) offsets, (H,) weights of the output."""

DELAY = 1e-4
"""Odds that a turn is worth: between two ways to win, the quicker is chosen."""

NEAR = 4
"""Points to go of which each is a feature of its own."""


@rule
def write_standing(s: State, p: int, features: Float32Array) -> None:
    """How far p is from winning, and when it is to move: features 0 to 13."""
    to_go = max(1, int(s.victory_points) - int(s.points[p]))
    features[0] = to_go * 0.1
    features[1] = 1.0 / to_go
    if to_go <= NEAR:
        features[1 + to_go] = 1.0
    features[6 + (p - int(s.turn_player)) % int(s.num_players)] = 1.0
    features[10] = 0.25 * int(s.num_players)
    features[11] = 1.0 if s.longest_road_owner == p else 0.0
    features[12] = 1.0 if s.largest_army_owner == p else 0.0
    least = 100
    for q in range(s.num_players):
        if q != p:
            least = min(least, int(s.victory_points) - int(s.points[q]))
    features[13] = (least - to_go) * 0.1


@rule
def write_resources(s: State, p: int, features: Float32Array) -> None:
    """Production, hand and harbors of p: features 14 to 32."""
    kinds, pips = 0, 0
    for r in range(NUM_RESOURCES):
        features[14 + r] = int(s.pips[p, r]) * 0.1
        features[19 + r] = min(6, int(s.hand[p, r])) * 0.25
        features[24 + r] = (4 - int(s.rate[p, r])) * 0.5
        pips += int(s.pips[p, r])
        if s.pips[p, r] > 0:
            kinds += 1
    features[29] = kinds * 0.2
    features[30] = pips * 0.05
    features[31] = int(s.hand_size[p]) * 0.1
    features[32] = 1.0 if s.hand_size[p] > s.discard_limit else 0.0


@rule
def write_prospects(s: State, p: int, features: Float32Array) -> None:
    """What p can build, and its development cards: features 33 to 47."""
    spots = settlement_spots(s, p)
    features[33] = min(3, bits.count(spots)) * 0.3
    if spots != 0 and settlements_left(s, p) > 0:
        features[34] = worth_of_vertex(s, p, best_vertex(s, p, spots)) * 0.01
    features[35] = settlements_left(s, p) * 0.2
    features[36] = cities_left(s, p) * 0.25
    features[37] = roads_left(s, p) * 0.1
    if wants(s, p, SETTLEMENT):
        features[38] = 1.0 / (1 + cards_missing(s, p, SETTLEMENT))
    if wants(s, p, CITY):
        features[39] = 1.0 / (1 + cards_missing(s, p, CITY))
    features[40] = 1.0 / (1 + cards_missing(s, p, ROAD))
    features[41] = 1.0 / (1 + cards_missing(s, p, CARD)) if s.deck_left > 0 else 0.0
    held = 0
    for card in range(VICTORY_POINT):
        held += int(s.cards[p, card])
    features[42] = min(4, int(s.cards[p, KNIGHT])) * 0.3
    features[43] = min(4, held - int(s.cards[p, KNIGHT])) * 0.5
    features[44] = min(6, int(s.played[p, KNIGHT])) * 0.3
    features[45] = int(s.road_length[p]) * 0.1
    most_knights, longest = 0, 0
    for q in range(s.num_players):
        if q != p:
            most_knights = max(most_knights, int(s.played[q, KNIGHT]))
            longest = max(longest, int(s.road_length[q]))
    features[46] = max(-3, min(3, int(s.played[p, KNIGHT]) - most_knights)) * 0.3
    features[47] = max(-4, min(4, int(s.road_length[p]) - longest)) * 0.25


@rule
def write_features(s: State, p: int, features: Float32Array) -> None:
    """What a seat has, as F numbers of about the size of 1."""
    for k in range(NUM_FEATURES):
        features[k] = 0.0
    write_standing(s, p, features)
    write_resources(s, p, features)
    write_prospects(s, p, features)


@rule
def strength(s: State, p: int, net: Float32Array, features: Float32Array) -> float:
    """What the network makes of a seat; `features` has room for F + H numbers."""
    write_features(s, p, features)
    hidden = features[NUM_FEATURES:]
    for j in range(NUM_HIDDEN):
        hidden[j] = net[NUM_FEATURES * NUM_HIDDEN + j]
    for k in range(NUM_FEATURES):
        x = features[k]
        if x != 0:
            for j in range(NUM_HIDDEN):
                hidden[j] += x * net[k * NUM_HIDDEN + j]
    total = net[0] * 0
    for j in range(NUM_HIDDEN):
        total += max(hidden[j], 0) * net[(NUM_FEATURES + 1) * NUM_HIDDEN + j]
    return total


@rule
def write_win_probabilities(
    s: State, since: int, net: Float32Array, features: Float32Array, win_probabilities: Float64Array
) -> None:
    """Each seat's win probability, (P,): what is so when the game is finished, else estimates.

    All are zero when the game is truncated. Each turn between turn `since` and the end costs
    the winner `DELAY`.
    """
    for p in range(MAX_PLAYERS):
        win_probabilities[p] = 0.0
    if s.phase == Phase.OVER:
        win_probabilities[int(s.winner)] = 1.0 - DELAY * min(1000, int(s.turn) - since)
        return
    if s.max_turns > 0 and s.turn >= s.max_turns:
        return
    most = -1e30
    for p in range(s.num_players):
        win_probabilities[p] = strength(s, p, net, features)
        most = max(most, win_probabilities[p])
    total = 0.0
    for p in range(s.num_players):
        win_probabilities[p] = math.exp(win_probabilities[p] - most)
        total += win_probabilities[p]
    for p in range(s.num_players):
        win_probabilities[p] /= total
