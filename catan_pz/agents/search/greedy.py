"""The greedy player of rollouts, as compiled rules that read the record itself.

It looks at nothing that the seat to move could not know: its own hand and cards, and what
lies open. Never reading an observation, it decides several times faster than a player who
does. The order of what it does in its turn: settlement, city, development card to play,
trade with the bank towards what it can then build, road, development card to buy. It begins
no offer.
"""

from catan_pz import actions
from catan_pz.agents.value.prospects import (
    ON_TABLE,
    best_city,
    can_take,
    cards_missing,
    cards_traded,
    wants,
    wants_roads,
    worth_of_vertex,
)
from catan_pz.board.topology import EDGE_VERTICES, EDGES_PER_WORD, VERTEX_NEIGHBORS
from catan_pz.engine import bits
from catan_pz.engine.awards import own_roads_at
from catan_pz.engine.building import (
    can_build_city,
    can_build_settlement,
    road_spots,
    roads_left,
    settlement_spots,
)
from catan_pz.engine.development import can_play_road_building, may_play
from catan_pz.engine.hands import CARD, CITY, COSTS, ROAD, SETTLEMENT, can_afford
from catan_pz.engine.legal import is_legal
from catan_pz.engine.production import cards_due_from, pips_of
from catan_pz.engine.robber import robber_spots, touches
from catan_pz.engine.setup_phase import setup_road_spots, setup_settlement_spots
from catan_pz.engine.state import State
from catan_pz.engine.trade import ACCEPTED, is_addressed
from catan_pz.kernels.rule import kernel
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    KNIGHT,
    MONOPOLY,
    NUM_RESOURCES,
    YEAR_OF_PLENTY,
    Phase,
    Resource,
)

NOTHING = -1
OWN_LOSS = 20
"""How much more the robber's harm to the own production counts than that to another's."""
MANY_TO_TAKE = 4
"""Cards for which a monopoly is worth playing."""


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
        if is_legal(s, actions.STEAL + k - 1):
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


@kernel
def swap_towards(s: State, p: int, purchase: int) -> int:
    """A trade with the bank, if such trades will pay for a purchase this turn, or NOTHING."""
    missing, swaps, give, get, most = 0, 0, NOTHING, NOTHING, -1
    for r in range(NUM_RESOURCES):
        spare = int(s.hand[p, r]) - COSTS[purchase, r]
        if spare < 0:
            missing -= spare
            if s.bank[r] == 0:
                return NOTHING
            get = r
        elif spare >= s.rate[p, r]:
            swaps += spare // int(s.rate[p, r])
            if spare - s.rate[p, r] > most:
                give, most = r, spare - int(s.rate[p, r])
    if missing == 0 or missing > swaps:
        return NOTHING
    return int(actions.SWAP_ACTIONS[give, get])


@kernel
def plenty_for(s: State, p: int, purchase: int) -> int:
    """The year of plenty that completes a purchase, or NOTHING."""
    if not wants(s, p, purchase):
        return NOTHING
    missing = cards_missing(s, p, purchase)
    if missing == 0 or missing > 2:
        return NOTHING
    first, second = NOTHING, NOTHING
    for r in range(NUM_RESOURCES):
        for _ in range(COSTS[purchase, r] - int(s.hand[p, r])):
            if first == NOTHING:
                first = r
            else:
                second = r
    if second == NOTHING:
        # One card is enough: the other is what the next city lacks.
        second = first if first >= Resource.GRAIN else Resource.ORE
    return int(actions.PLENTY_ACTIONS[first, second])


@kernel
def monopoly_for(s: State, p: int) -> int:
    """The monopoly that takes most, if that is enough, or NOTHING; what others hold is public."""
    best, most = NOTHING, MANY_TO_TAKE - 1
    for r in range(NUM_RESOURCES):
        others = BANK_PER_RESOURCE - int(s.bank[r]) - int(s.hand[p, r])
        if others > most:
            best, most = r, others
    return NOTHING if best == NOTHING else actions.PLAY_MONOPOLY + best


@kernel
def knight_helps(s: State, p: int) -> bool:
    """Whether the robber bars an own hex, or the largest army is near."""
    if s.largest_army_owner != p and s.played[p, KNIGHT] >= 1:
        return True
    return touches(s, p, int(s.robber)) or s.cards[p, KNIGHT] > 1


@kernel
def card_to_play(s: State, p: int) -> int:
    """A development card for p to play now, or NOTHING."""
    if s.card_played:
        return NOTHING
    if may_play(s, p, KNIGHT) and knight_helps(s, p):
        return actions.PLAY_KNIGHT
    if s.phase == Phase.ROLL:
        return NOTHING
    if may_play(s, p, MONOPOLY):
        a = monopoly_for(s, p)
        if a != NOTHING:
            return a
    if may_play(s, p, YEAR_OF_PLENTY):
        for purchase in (CITY, SETTLEMENT):
            a = plenty_for(s, p, purchase)
            if a != NOTHING and is_legal(s, a):
                return a
    if can_play_road_building(s, p) and roads_left(s, p) > 1 and wants_roads(s, p):
        return actions.PLAY_ROAD_BUILDING
    return NOTHING


@kernel
def may_spend(s: State, p: int, purchase: int) -> bool:
    """Whether a road or card is worth its cards: nothing better is near, or a 7 threatens."""
    if s.hand_size[p] > s.discard_limit:
        return True
    if purchase == CARD:
        return not wants(s, p, CITY) or cards_missing(s, p, CITY) > 1
    spare = s.hand[p, Resource.BRICK] > 1 and s.hand[p, Resource.LUMBER] > 1
    return not wants(s, p, SETTLEMENT) or spare


@kernel
def build_or_buy(s: State, p: int) -> int:
    """What p can build at once, or trade with the bank for, or end the turn."""
    if can_build_settlement(s, p):
        v = best_vertex(s, p, settlement_spots(s, p))
        if v != NOTHING:
            return actions.BUILD_SETTLEMENT + v
    if can_build_city(s, p) and s.settlements[p] != 0:
        return actions.BUILD_CITY + best_city(s, p)
    a = card_to_play(s, p)
    if a != NOTHING:
        return a
    for purchase in (CITY, SETTLEMENT, ROAD, CARD):
        if wants(s, p, purchase) and (purchase >= SETTLEMENT or may_spend(s, p, purchase)):
            if can_afford(s, p, purchase):
                if purchase == ROAD:
                    edges_0, edges_1 = road_spots(s, p, 0), road_spots(s, p, 1)
                    return actions.BUILD_ROAD + best_road(s, p, edges_0, edges_1)
                if purchase == CARD:
                    return actions.BUY_DEVELOPMENT_CARD
            else:
                a = swap_towards(s, p, purchase)
                if a != NOTHING:
                    return a
    return actions.END_TURN


@kernel
def worth_of_hand(s: State, p: int) -> int:
    """How near the hand of p brings it to a settlement, a city and a card."""
    worth = 0
    for purchase in (SETTLEMENT, CITY, CARD):
        if wants(s, p, purchase):
            worth = max(worth, (8 if purchase < CARD else 6) - 2 * cards_missing(s, p, purchase))
    return 2 * worth + int(s.hand_size[p])


@kernel
def gain_of_trade(s: State, p: int, maker: int, k: int) -> int:
    """How much better the hand of p is once template k, or an offer `ON_TABLE`, is closed.

    p is its maker, or else the one who takes it.
    """
    before = worth_of_hand(s, p)
    after = before
    for sign in (1, -1):
        for r in range(NUM_RESOURCES):
            more = cards_traded(s, maker, k, r)
            if p != maker:
                more = -more
            s.hand[p, r] += sign * more
            s.hand_size[p] += sign * more
        if sign == 1:
            after = worth_of_hand(s, p)
    return after - before


@kernel
def is_near_winning(s: State, p: int) -> bool:
    """Whether two visible points more would do."""
    return s.visible_points[p] + 2 >= s.victory_points


@kernel
def answer_to_offer(s: State, p: int) -> int:
    """Accept what brings p nearer to its next building; no counter-offers."""
    maker = int(s.turn_player)
    if (
        is_legal(s, actions.ACCEPT)
        and not is_near_winning(s, maker)
        and gain_of_trade(s, p, maker, ON_TABLE) > 0
    ):
        return actions.ACCEPT
    return actions.REJECT


@kernel
def seat_to_close_with(s: State, p: int) -> int:
    """The best of the answers to the offer of p, or to withdraw it."""
    best, most = actions.WITHDRAW, 0
    for k in range(1, int(s.num_players)):
        q = (p + k) % int(s.num_players)
        if is_legal(s, actions.CLOSE_WITH + k - 1):
            gained = gain_of_trade(s, p, p if s.answer[q] == ACCEPTED else q, ON_TABLE)
            if gained > most:
                best, most = actions.CLOSE_WITH + k - 1, gained
    return best


@kernel
def card_to_compose(s: State, p: int, first: int) -> int:
    """To give (`first` COMPOSE_GIVE) what p holds most of, or to get what it holds least of."""
    best, most = -1, -1000
    for r in range(NUM_RESOURCES):
        if is_legal(s, first + r):
            worth = int(s.hand[p, r]) if first == actions.COMPOSE_GIVE else -int(s.hand[p, r])
            if worth > most:
                best, most = first + r, worth
    return best


@kernel
def compose_on(s: State, p: int) -> int:
    """Complete an offer with one card a side, and send it."""
    if is_legal(s, actions.COMPOSE_SEND):
        return actions.COMPOSE_SEND
    gives = 0
    for r in range(NUM_RESOURCES):
        gives += int(s.offer_give[p, r])
    a = card_to_compose(s, p, actions.COMPOSE_GIVE if gives == 0 else actions.COMPOSE_GET)
    return actions.WITHDRAW if a < 0 else a


@kernel
def worth_of_offer(s: State, p: int, k: int) -> int:
    """What template k, offered by p, promises: its gain to p if somebody gains by it too."""
    gained = gain_of_trade(s, p, p, k)
    if gained <= 0:
        return 0
    for q in range(s.num_players):
        if is_addressed(s, p, q) and not is_near_winning(s, q) and can_take(s, q, k):
            if gain_of_trade(s, q, p, k) > 0:
                return gained
    return 0


@kernel
def greedy_action(s: State) -> int:
    """The choice of the greedy player for the seat to move."""
    p = int(s.player)
    if s.phase == Phase.MAIN:
        return build_or_buy(s, p)
    if s.phase == Phase.ROLL:
        a = card_to_play(s, p)
        return actions.ROLL if a == NOTHING else a
    if s.phase == Phase.MOVE_ROBBER:
        return actions.MOVE_ROBBER + hex_for_robber(s, p)
    if s.phase == Phase.STEAL:
        return actions.STEAL + victim_to_rob(s, p) - 1
    if s.phase == Phase.DISCARD:
        return actions.DISCARD + card_to_discard(s, p)
    if s.phase == Phase.FREE_ROAD:
        return actions.BUILD_ROAD + best_road(s, p, road_spots(s, p, 0), road_spots(s, p, 1))
    if s.phase == Phase.SETUP_SETTLEMENT:
        return actions.BUILD_SETTLEMENT + best_vertex(s, p, setup_settlement_spots(s))
    if s.phase == Phase.SETUP_ROAD:
        edges_0, edges_1 = setup_road_spots(s, p, 0), setup_road_spots(s, p, 1)
        return actions.BUILD_ROAD + best_road(s, p, edges_0, edges_1)
    if s.phase == Phase.ANSWER:
        return answer_to_offer(s, p)
    if s.phase == Phase.CLOSE:
        return seat_to_close_with(s, p)
    return compose_on(s, p)
