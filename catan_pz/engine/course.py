"""Whether a state follows the rules; `find_violations` returns everything that it breaks."""

from catan_pz.engine import bits, violations
from catan_pz.engine.awards import own_roads_at
from catan_pz.engine.building import roads_left
from catan_pz.engine.legal import count_legal
from catan_pz.engine.robber import cards_due, victims
from catan_pz.engine.setup_phase import seat_to_place
from catan_pz.engine.state import State, seat_after
from catan_pz.engine.trade import (
    ACCEPTED,
    COUNTERED,
    NO_ANSWER,
    asked,
    can_accept,
    can_send,
    offered,
)
from catan_pz.engine.turn import is_finished, is_setup
from catan_pz.engine.violations import Violation
from catan_pz.kernels.rule import rule
from catan_pz.terms import (
    MAX_PLAYERS,
    NOBODY,
    NUM_CARD_KINDS,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    Phase,
)

CARDS_AT_START = 3
"""The most cards that a second settlement yields."""


@rule
def needs_a_card_played(s: State) -> bool:
    """Whether the phase requires that a development card was played this turn."""
    if s.phase == Phase.FREE_ROAD:
        return True
    return not s.rolled and (s.phase == Phase.MOVE_ROBBER or s.phase == Phase.STEAL)


@rule
def fits_phase(s: State) -> bool:
    """Whether the turn's flags and pending choices are possible in the phase."""
    if (s.phase == Phase.FREE_ROAD) != (s.free_roads > 0):
        return False
    if s.phase == Phase.DISCARD and (not s.rolled or s.to_discard[int(s.player)] == 0):
        return False
    if s.phase == Phase.MAIN and not s.rolled:
        return False
    if s.phase == Phase.ROLL and (s.rolled or s.offers_made > 0):
        return False
    for card in range(NUM_CARD_KINDS):
        if s.phase == Phase.ROLL and s.new_cards[card] > 0:
            return False
    return bool(s.card_played) or not needs_a_card_played(s)


@rule
def can_have_begun(s: State, p: int) -> bool:
    """Whether the discard still due from p fits a hand that p can have had after the roll."""
    kept = int(s.hand_size[p]) - int(s.to_discard[p])
    # A hand of 2 * kept cards, or one fewer, discards half, rounded down.
    return 2 * kept > s.discard_limit and 2 * kept >= s.hand_size[p]


@rule
def are_discards_in_order(s: State) -> bool:
    """Whether all players before the player to move have discarded, and none after."""
    reached = False
    for k in range(s.num_players):
        q = seat_after(s, int(s.turn_player), k)
        if q == s.player:
            reached = True
            if not can_have_begun(s, q):
                return False
        elif reached and s.to_discard[q] != cards_due(s, q):
            return False
        elif not reached and s.to_discard[q] != 0:
            return False
    return True


@rule
def is_choice_due(s: State) -> bool:
    """Whether the phase's choice is due: discards in order, or a theft with several victims."""
    if s.phase == Phase.DISCARD:
        return are_discards_in_order(s)
    if s.phase == Phase.STEAL:
        return bits.count(victims(s, int(s.turn_player), int(s.robber))) > 1
    return True


@rule
def is_turn_right(s: State) -> bool:
    """Whether phase, player to move, flags, discards and victims fit together."""
    n = s.num_players
    if s.phase < Phase.SETUP_SETTLEMENT or s.phase > Phase.OVER:
        return False
    if s.turn_player < 0 or s.turn_player >= n or s.player < 0 or s.player >= n:
        return False
    if s.robber < 0 or s.robber >= NUM_HEXES or s.turn < 0:
        return False
    if s.free_roads > roads_left(s, int(s.turn_player)):
        return False
    away = s.phase == Phase.DISCARD or s.phase == Phase.ANSWER or s.phase == Phase.COMPOSE
    if s.player != s.turn_player and not away:
        return False
    for p in range(MAX_PLAYERS):
        if s.to_discard[p] < 0 or s.to_discard[p] > s.hand_size[p]:
            return False
        if s.to_discard[p] > 0 and s.phase != Phase.DISCARD:
            return False
    return fits_phase(s) and is_choice_due(s)


@rule
def settlements_due(s: State, first: int, k: int, p: int) -> int:
    """The number of the first k set-up settlements that p places."""
    settlements = 0
    for j in range(k):
        if seat_to_place(s, first, j) == p:
            settlements += 1
    return settlements


@rule
def is_start_of_game(s: State) -> bool:
    """Whether no turn has begun and hands hold at most the yield of second settlements."""
    if s.rolled or s.card_played or s.turn != 0:
        return False
    for q in range(s.num_players):
        most = CARDS_AT_START if bits.count(s.settlements[q]) == 2 else 0
        if s.hand_size[q] > most:
            return False
    return True


@rule
def is_setup_right(s: State) -> bool:
    """Whether the pieces follow the set-up order, with each road at its settlement."""
    if not is_setup(s):
        return True
    n, p = int(s.num_players), int(s.turn_player)
    placed = 0
    for q in range(n):
        placed += bits.count(s.settlements[q])
    # The index, in set-up order, of the settlement that is due or whose road is due.
    k = placed - 1 if s.phase == Phase.SETUP_ROAD else placed
    if k < 0 or k >= 2 * n:
        return False
    first = p - k if k < n else p + k + 1
    for q in range(n):
        roads = bits.count(s.roads[q, 0]) + bits.count(s.roads[q, 1])
        due = settlements_due(s, first, k, q)
        own = 1 if q == p and s.phase == Phase.SETUP_ROAD else 0
        if bits.count(s.settlements[q]) != due + own or roads != due or s.cities[q] != 0:
            return False
    without_road = 0
    for q in range(n):
        for v in range(NUM_VERTICES):
            if bits.has_vertex(s.settlements[q], v):
                roads = own_roads_at(s, q, v)
                if roads > 1 or (roads == 0 and q != p):
                    return False
                without_road += 1 - roads
    return is_start_of_game(s) and without_road == int(s.phase == Phase.SETUP_ROAD)


@rule
def is_composable(s: State, p: int) -> bool:
    """Whether the sides of p's offer are disjoint and small enough, and p holds the giving side."""
    for r in range(NUM_RESOURCES):
        give, get = s.offer_give[p, r], s.offer_get[p, r]
        if give < 0 or get < 0 or (give > 0 and get > 0) or give > s.hand[p, r]:
            return False
    return offered(s, p) <= s.max_offer_cards and asked(s, p) <= s.max_offer_cards


@rule
def is_sent(s: State, p: int) -> bool:
    """Whether p can have sent its offer."""
    return is_composable(s, p) and can_send(s, p)


@rule
def is_answer_possible(s: State, p: int) -> bool:
    """Whether the answer of p fits its offer and its hand."""
    if s.answer[p] == COUNTERED:
        return is_sent(s, p)
    if s.phase == Phase.COMPOSE and p == s.player:
        composing = is_composable(s, p) and offered(s, p) + asked(s, p) > 0
        return s.answer[p] == NO_ANSWER and composing
    if offered(s, p) + asked(s, p) > 0:
        return False
    return s.answer[p] != ACCEPTED or can_accept(s, p)


@rule
def is_order_kept(s: State) -> bool:
    """Whether all players before the player to move have answered, and none after."""
    n, maker = int(s.num_players), int(s.turn_player)
    reached, taken_up = False, False
    for k in range(1, n):
        q = (maker + k) % n
        if q == s.player:
            reached = True
        if (s.answer[q] == NO_ANSWER) != reached:
            return False
        if s.answer[q] == ACCEPTED or s.answer[q] == COUNTERED:
            taken_up = True
    if s.phase == Phase.CLOSE:
        return taken_up
    return reached


@rule
def is_table_clear(s: State) -> bool:
    """Whether there are no offers and no answers."""
    for p in range(MAX_PLAYERS):
        if s.answer[p] != NO_ANSWER or offered(s, p) != 0 or asked(s, p) != 0:
            return False
    return True


@rule
def is_open_offer_right(s: State) -> bool:
    """Whether the open offer, or the one that the player in turn composes, is possible."""
    maker = int(s.turn_player)
    if not s.trading or not s.rolled or s.offers_made == 0:
        return False
    if s.phase == Phase.COMPOSE and s.player == maker:
        for q in range(s.num_players):
            if s.answer[q] != NO_ANSWER or (q != maker and offered(s, q) + asked(s, q) > 0):
                return False
        return is_composable(s, maker) and offered(s, maker) + asked(s, maker) > 0
    if not is_sent(s, maker) or s.answer[maker] != NO_ANSWER:
        return False
    for q in range(s.num_players):
        if q != maker and not is_answer_possible(s, q):
            return False
    return is_order_kept(s)


@rule
def is_offer_right(s: State) -> bool:
    """Whether offers and answers belong to their phases."""
    if s.offers_made < 0 or s.offers_made > s.max_offers:
        return False
    if s.phase in (Phase.COMPOSE, Phase.ANSWER, Phase.CLOSE):
        return is_open_offer_right(s)
    return is_table_clear(s)


@rule
def is_winner_right(s: State) -> bool:
    enough = s.points[int(s.turn_player)] >= s.victory_points and not is_setup(s)
    over = s.phase == Phase.OVER
    if over != enough or over != (s.winner != NOBODY):
        return False
    return not over or s.winner == s.turn_player


@rule
def find_violations(s: State) -> int:
    """The rules that a state breaks, as a sum of `Violation` flags; `derive` finds `STALE`."""
    return (
        Violation.RESOURCE_COUNT.value * (not violations.resources_add_up(s))
        | Violation.DECK_COUNT.value * (not violations.cards_add_up(s))
        | Violation.PIECE_COUNT.value * (not violations.pieces_suffice(s))
        | Violation.OVERLAP.value * violations.overlap(s)
        | Violation.DISTANCE_RULE.value * (not violations.keep_distance(s))
        | Violation.LOOSE_ROAD.value * (not violations.roads_are_joined(s))
        | Violation.LONGEST_ROAD.value * (not violations.is_longest_road_right(s))
        | Violation.LARGEST_ARMY.value * (not violations.is_largest_army_right(s))
        | Violation.KNOWLEDGE.value * (not violations.is_knowledge_right(s))
        | Violation.TURN.value * (not is_turn_right(s))
        | Violation.SETUP.value * (not is_setup_right(s))
        | Violation.OFFER.value * (not is_offer_right(s))
        | Violation.WINNER.value * (not is_winner_right(s))
        | Violation.NO_ACTION.value * ((count_legal(s) == 0) != is_finished(s))
    )
