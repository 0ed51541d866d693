"""Compiled rules that write one player's observation into the vector of `segments`.

Nothing here may depend on information hidden from the viewer.
"""

import numpy as np

from catan_pz.engine import bits
from catan_pz.engine.building import cities_left, roads_left, settlements_left
from catan_pz.engine.chance import ROLLS_OF_SUM, rolls_left
from catan_pz.engine.hands import least_held, most_held
from catan_pz.engine.state import CITY_OF, ROAD_OF, SETTLEMENT_OF, State, places_from, seat_after
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float32Array, Int8Array
from catan_pz.observation.segments import MANY_TURNS, PLACES, SCALES, SIZE
from catan_pz.rules import NUM_OBSERVED
from catan_pz.terms import (
    MAX_PLAYERS,
    NUM_CARD_KINDS,
    NUM_EDGES,
    NUM_HARBORS,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    Phase,
    Terrain,
)

NUM_TERRAINS = len(Terrain)

BLOCK = 32
"""Bytes that a loop copies at once; the last block overlaps the one before to cover the rest."""

HEX_TERRAIN = PLACES["hex_terrain"].start
HEX_NUMBER_TOKEN = PLACES["hex_number_token"].start
HEX_PIPS = PLACES["hex_pips"].start
HARBOR = PLACES["harbor"].start
HEX_ROBBER = PLACES["hex_robber"].start
VERTEX_BUILDING = PLACES["vertex_building"].start
EDGE_ROAD = PLACES["edge_road"].start
OWN_HAND = PLACES["own_hand"].start
OWN_CARDS = PLACES["own_cards"].start
OWN_NEW_CARDS = PLACES["own_new_cards"].start
OWN_POINTS = PLACES["own_points"].start
POINTS_TO_WIN = PLACES["points_to_win"].start
DISCARD_LIMIT = PLACES["discard_limit"].start
PRESENT = PLACES["present"].start
VISIBLE_POINTS = PLACES["visible_points"].start
HAND_SIZE = PLACES["hand_size"].start
HAND_MIN = PLACES["hand_min"].start
HAND_MAX = PLACES["hand_max"].start
CARD_COUNT = PLACES["card_count"].start
CARDS_PLAYED = PLACES["cards_played"].start
ROAD_LENGTH = PLACES["road_length"].start
LONGEST_ROAD = PLACES["longest_road"].start
LARGEST_ARMY = PLACES["largest_army"].start
PIECES_LEFT = PLACES["pieces_left"].start
TRADE_RATE = PLACES["trade_rate"].start
PRODUCTION = PLACES["production"].start
BANK = PLACES["bank"].start
DECK_LEFT = PLACES["deck_left"].start
PHASE = PLACES["phase"].start
TURN_PLAYER = PLACES["turn_player"].start
PLAYER_TO_MOVE = PLACES["player_to_move"].start
DICE = PLACES["dice"].start
ROLLS_LEFT = PLACES["rolls_left"].start
ROLLED = PLACES["rolled"].start
CARD_PLAYED = PLACES["card_played"].start
FREE_ROADS = PLACES["free_roads"].start
TO_DISCARD = PLACES["to_discard"].start
OFFERS_LEFT = PLACES["offers_left"].start
OFFER_GIVE = PLACES["offer_give"].start
OFFER_GET = PLACES["offer_get"].start
ANSWER = PLACES["answer"].start
TURNS_ENDED = PLACES["turns_ended"].start
TURNS_LEFT = PLACES["turns_left"].start
CARDS_BOUGHT = PLACES["cards_bought"].start
RULES_IN_FORCE = PLACES["rules_in_force"].start
OFFERS_A_TURN = PLACES["offers_a_turn"].start


@kernel
def clear(obs: Int8Array, first: int, last: int) -> None:
    """Write zeros from index `first` up to `last`."""
    for k in range(first, last):
        obs[k] = 0


@kernel
def write_board(s: State, obs: Int8Array) -> None:
    """Write hexes, number tokens, harbors and robber."""
    for h in range(NUM_HEXES):
        obs[HEX_NUMBER_TOKEN + h] = s.token[h]
    for first in (0, NUM_HEXES - BLOCK // 2):
        for h in range(first, first + BLOCK // 2):
            # As `production.pips_of`, in bytes so that the loop is vectorised.
            token = s.token[h]
            opposite = np.int8(14 - token)
            obs[HEX_PIPS + h] = (min(token, opposite) - 1) * int(token > 0)
    clear(obs, HEX_TERRAIN, HEX_NUMBER_TOKEN)
    for h in range(NUM_HEXES):
        obs[HEX_TERRAIN + NUM_TERRAINS * h + int(s.terrain[h])] = 1
    clear(obs, HARBOR, VERTEX_BUILDING)
    for b in range(NUM_HARBORS):
        obs[HARBOR + (NUM_RESOURCES + 1) * b + int(s.harbor[b])] = 1
    obs[HEX_ROBBER + int(s.robber)] = 1


@kernel
def owner_at(s: State, viewer: int, k: int) -> np.int8:
    """The seat k places clockwise from the viewer, or a seat without pieces if there is none."""
    return np.int8(seat_after(s, viewer, k) if k < s.num_players else k)


@kernel
def write_buildings(s: State, viewer: int, obs: Int8Array) -> None:
    """Write 1 for a settlement and 2 for a city at each vertex, for all seats."""
    seat_0, seat_1 = owner_at(s, viewer, 0), owner_at(s, viewer, 1)
    seat_2, seat_3 = owner_at(s, viewer, 2), owner_at(s, viewer, 3)
    for first in (0, NUM_VERTICES - BLOCK):
        for v in range(first, first + BLOCK):
            piece = s.on_vertex[v]
            owner = np.int8((piece - SETTLEMENT_OF) & (MAX_PLAYERS - 1))
            kind = np.int8(int(piece >= SETTLEMENT_OF) + int(piece >= CITY_OF))
            at = VERTEX_BUILDING + MAX_PLAYERS * v
            obs[at] = kind * int(owner == seat_0)
            obs[at + 1] = kind * int(owner == seat_1)
            obs[at + 2] = kind * int(owner == seat_2)
            obs[at + 3] = kind * int(owner == seat_3)


@kernel
def write_roads(s: State, viewer: int, obs: Int8Array) -> None:
    """Write 1 for a road at each edge, for all seats."""
    seat_0, seat_1 = owner_at(s, viewer, 0), owner_at(s, viewer, 1)
    seat_2, seat_3 = owner_at(s, viewer, 2), owner_at(s, viewer, 3)
    for first in (0, BLOCK, NUM_EDGES - BLOCK):
        for e in range(first, first + BLOCK):
            owner = np.int8(s.on_edge[e] - ROAD_OF)
            at = EDGE_ROAD + MAX_PLAYERS * e
            obs[at] = owner == seat_0
            obs[at + 1] = owner == seat_1
            obs[at + 2] = owner == seat_2
            obs[at + 3] = owner == seat_3


@kernel
def write_own(s: State, viewer: int, obs: Int8Array) -> None:
    """Write the viewer's private information."""
    for r in range(NUM_RESOURCES):
        obs[OWN_HAND + r] = s.hand[viewer, r]
    for card in range(NUM_CARD_KINDS):
        obs[OWN_CARDS + card] = s.cards[viewer, card]
        if viewer == s.turn_player:
            obs[OWN_NEW_CARDS + card] = s.new_cards[card]
    obs[OWN_POINTS] = s.points[viewer]


@kernel
def write_cards_of(s: State, viewer: int, p: int, k: int, obs: Int8Array) -> None:
    """Write the cards of p, k places away, as the viewer knows them, and p's production."""
    # One loop per segment, so that neighbouring bytes are written together.
    at = NUM_RESOURCES * k
    for r in range(NUM_RESOURCES):
        obs[HAND_MIN + at + r] = least_held(s, viewer, p, r)
    for r in range(NUM_RESOURCES):
        obs[HAND_MAX + at + r] = most_held(s, viewer, p, r)
    for r in range(NUM_RESOURCES):
        obs[TRADE_RATE + at + r] = s.rate[p, r]
    for r in range(NUM_RESOURCES):
        obs[PRODUCTION + at + r] = s.pips[p, r]
    for card in range(NUM_CARD_KINDS):
        obs[CARDS_PLAYED + NUM_CARD_KINDS * k + card] = s.played[p, card]
    held = 0
    for card in range(NUM_CARD_KINDS):
        held += int(s.cards[p, card])
    obs[CARD_COUNT + k] = held


@kernel
def write_player(s: State, viewer: int, p: int, obs: Int8Array) -> None:
    """Write the viewer's view of p."""
    k = places_from(s, viewer, p)
    write_cards_of(s, viewer, p, k, obs)
    obs[PRESENT + k] = 1
    obs[VISIBLE_POINTS + k] = s.visible_points[p]
    obs[HAND_SIZE + k] = s.hand_size[p]
    obs[ROAD_LENGTH + k] = s.road_length[p]
    obs[LONGEST_ROAD + k] = s.longest_road_owner == p
    obs[LARGEST_ARMY + k] = s.largest_army_owner == p
    obs[PIECES_LEFT + 3 * k] = roads_left(s, p)
    obs[PIECES_LEFT + 3 * k + 1] = settlements_left(s, p)
    obs[PIECES_LEFT + 3 * k + 2] = cities_left(s, p)
    obs[TO_DISCARD + k] = s.to_discard[p]


@kernel
def write_offer(s: State, viewer: int, obs: Int8Array) -> None:
    """Write the open offer; an offer being composed is visible to its maker only."""
    for p in range(s.num_players):
        k = places_from(s, viewer, p)
        composing = s.phase == Phase.COMPOSE and p == s.player
        if not composing or p == viewer:
            for r in range(NUM_RESOURCES):
                obs[OFFER_GIVE + NUM_RESOURCES * k + r] = s.offer_give[p, r]
                obs[OFFER_GET + NUM_RESOURCES * k + r] = s.offer_get[p, r]
        if p != s.turn_player:
            obs[ANSWER + 4 * k + int(s.answer[p])] = 1


@kernel
def write_course(s: State, viewer: int, obs: Int8Array) -> None:
    """Write phase, turn, dice, bank and deck."""
    obs[POINTS_TO_WIN] = s.victory_points
    obs[DISCARD_LIMIT] = s.discard_limit
    for r in range(NUM_RESOURCES):
        obs[BANK + r] = s.bank[r]
    obs[DECK_LEFT] = s.deck_left
    obs[PHASE + int(s.phase)] = 1
    obs[TURN_PLAYER + places_from(s, viewer, int(s.turn_player))] = 1
    obs[PLAYER_TO_MOVE + places_from(s, viewer, int(s.player))] = 1
    obs[DICE] = s.dice[0]
    obs[DICE + 1] = s.dice[1]
    if s.balanced_dice:
        for total in range(2, 13):
            obs[ROLLS_LEFT + total - 2] = bits.count(rolls_left(s) & ROLLS_OF_SUM[total])
    obs[ROLLED] = s.rolled
    obs[CARD_PLAYED] = s.card_played
    obs[FREE_ROADS] = s.free_roads
    if s.trading:
        obs[OFFERS_LEFT] = s.max_offers - s.offers_made
        if s.phase in (Phase.COMPOSE, Phase.ANSWER, Phase.CLOSE):
            write_offer(s, viewer, obs)


@kernel
def write_turns(s: State, obs: Int8Array) -> None:
    """Write the turn counts and the cards bought this turn."""
    obs[TURNS_ENDED] = min(MANY_TURNS, int(s.turn))
    obs[TURNS_LEFT] = MANY_TURNS
    if s.max_turns > 0:
        obs[TURNS_LEFT] = max(0, min(MANY_TURNS, int(s.max_turns) - int(s.turn)))
    bought = 0
    for card in range(NUM_CARD_KINDS):
        bought += int(s.new_cards[card])
    obs[CARDS_BOUGHT] = bought


@kernel
def write_rules(s: State, obs: Int8Array) -> None:
    """Write the rules that differ between games."""
    for k in range(NUM_OBSERVED):
        obs[RULES_IN_FORCE + k] = s.observed_rules[k]
    if s.trading:
        obs[OFFERS_A_TURN] = s.max_offers


@kernel
def observe(s: State, viewer: int, obs: Int8Array) -> None:
    """Write the viewer's observation as N numbers in natural units."""
    write_board(s, obs)
    write_buildings(s, viewer, obs)
    write_roads(s, viewer, obs)
    clear(obs, OWN_HAND, SIZE)
    write_own(s, viewer, obs)
    for p in range(s.num_players):
        write_player(s, viewer, p, obs)
    write_course(s, viewer, obs)
    write_turns(s, obs)
    write_rules(s, obs)


@kernel
def scale(obs: Int8Array, scaled: Float32Array) -> None:
    """Scale N numbers in natural units to [0, 1]."""
    for k in range(SIZE):
        scaled[k] = min(obs[k] * SCALES[k], np.float32(1))
