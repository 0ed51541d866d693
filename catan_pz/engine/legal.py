"""The legal actions: the set `s.legal`, and the mask made from it."""

import numpy as np

from catan_pz import actions
from catan_pz.board.topology import EDGES_PER_WORD
from catan_pz.engine import bits, building, development, robber, setup_phase, trade
from catan_pz.engine.hands import ONES, packed, resources_covered, resources_held
from catan_pz.engine.state import ACTIONS_PER_WORD, LEGAL_WORDS, State, seat_after
from catan_pz.engine.turn import is_truncated
from catan_pz.kernels.rule import rare, rule
from catan_pz.kernels.types import Int8Array
from catan_pz.terms import KNIGHT, MONOPOLY, NUM_RESOURCES, YEAR_OF_PLENTY, Phase

WORD_MASK = (1 << ACTIONS_PER_WORD) - 1


def _swaps_with(side: int) -> np.ndarray:
    found = np.zeros(1 << NUM_RESOURCES, np.int64)
    for k, resource in enumerate(actions.MARITIME_SWAPS[:, side].tolist()):
        found[(np.arange(len(found)) >> resource & 1).astype(bool)] |= 1 << k
    return found


SWAPS_GIVING, SWAPS_GETTING = _swaps_with(0), _swaps_with(1)
"""(32,) for each set of resources: the maritime trades that give, or get, one of them."""


@rule
def allow(s: State, first: int, members: int) -> None:
    """Make the action first + member legal for each member of a set (up to 56)."""
    word = first // ACTIONS_PER_WORD
    shift = first % ACTIONS_PER_WORD
    s.legal[word] |= (members << shift) & WORD_MASK
    rest = members >> (ACTIONS_PER_WORD - shift)
    if rest != 0:
        s.legal[word + 1] |= rest


@rule
def is_legal(s: State, a: int) -> bool:
    return (s.legal[a // ACTIONS_PER_WORD] >> (a % ACTIONS_PER_WORD)) & 1 == 1


@rule
def count_legal(s: State) -> int:
    n = 0
    for word in range(LEGAL_WORDS):
        n += bits.count(s.legal[word])
    return n


@rule
def pick_legal(s: State, n: int) -> int:
    """The n-th legal action in increasing order, from 0."""
    word, before, total = 0, 0, 0
    for w in range(LEGAL_WORDS - 1):
        total += bits.count(s.legal[w])
        passed = int(total <= n)
        word += passed
        before = total if passed else before
    return word * ACTIONS_PER_WORD + bits.pick(s.legal[word], n - before)


@rule
def allow_cards(s: State, p: int) -> None:
    if development.may_play(s, p, KNIGHT):
        allow(s, actions.PLAY_KNIGHT, 1)
    if development.can_play_road_building(s, p):
        allow(s, actions.PLAY_ROAD_BUILDING, 1)
    if development.may_play(s, p, MONOPOLY):
        allow(s, actions.PLAY_MONOPOLY, (1 << NUM_RESOURCES) - 1)
    if development.may_play(s, p, YEAR_OF_PLENTY):
        for k in range(actions.PLENTY_PAIRS.shape[0]):
            first, second = actions.PLENTY_PAIRS[k, 0], actions.PLENTY_PAIRS[k, 1]
            needed = 2 if first == second else 1
            if s.bank[first] >= needed and s.bank[second] >= needed:
                allow(s, actions.PLAY_YEAR_OF_PLENTY + k, 1)


@rule
def allow_building(s: State, p: int) -> None:
    if building.can_build_road(s, p):
        allow(s, actions.BUILD_ROAD, building.road_spots(s, p, 0))
        allow(s, actions.BUILD_ROAD + EDGES_PER_WORD, building.road_spots(s, p, 1))
    if building.can_build_settlement(s, p):
        allow(s, actions.BUILD_SETTLEMENT, building.settlement_spots(s, p))
    if building.can_build_city(s, p):
        allow(s, actions.BUILD_CITY, s.settlements[p])
    if development.can_buy_card(s, p):
        allow(s, actions.BUY_DEVELOPMENT_CARD, 1)


@rule
def allow_maritime_trade(s: State, p: int) -> None:
    """Allow trades of p with the bank for resources that the bank has."""
    in_bank = resources_covered(ONES, packed(s.bank[:]))
    can_give = resources_covered(packed(s.rate[p]), packed(s.hand[p]))
    allow(s, actions.MARITIME_TRADE, SWAPS_GIVING[can_give] & SWAPS_GETTING[in_bank])


@rule
def allow_composing(s: State, p: int) -> None:
    for r in range(NUM_RESOURCES):
        if trade.can_compose_give(s, p, r):
            allow(s, actions.COMPOSE_GIVE + r, 1)
        if trade.can_compose_get(s, p, r):
            allow(s, actions.COMPOSE_GET + r, 1)


@rule
@rare
def allow_offers(s: State, p: int) -> None:
    """Allow the offers or counter-offers that p may make or begin."""
    if s.offer_templates:
        giving, getting = trade.bundles_held(s, p), trade.bundles_to_ask_for(s, p)
        for word in range(trade.OFFER_WORDS):
            allow(
                s,
                actions.OFFER + trade.OFFERS_PER_WORD * word,
                trade.offers_between(giving, getting, word),
            )
    if s.offer_composed:
        allow_composing(s, p)


@rule
def allow_closing(s: State, p: int) -> None:
    """Allow trades with the partners of p, by relative seat."""
    for k in range(1, int(s.num_players)):
        if trade.can_close_with(s, p, seat_after(s, p, k)):
            allow(s, actions.CLOSE_WITH + k - 1, 1)


@rule
def allow_stealing(s: State, p: int) -> None:
    """Allow thefts from the victims of p, by relative seat."""
    seats = robber.victims(s, p, int(s.robber))
    for k in range(1, int(s.num_players)):
        if (seats >> seat_after(s, p, k)) & 1 == 1:
            allow(s, actions.STEAL + k - 1, 1)


@rule
def allow_main(s: State, p: int) -> None:
    """Allow p's actions in its turn after the roll."""
    allow(s, actions.END_TURN, 1)
    allow_building(s, p)
    allow_cards(s, p)
    allow_maritime_trade(s, p)
    if trade.may_offer(s):
        allow_offers(s, p)


@rule
def allow_in_turn(s: State, p: int) -> None:
    """Allow the actions of the player in turn outside domestic trade."""
    if s.phase == Phase.MAIN:
        allow_main(s, p)
    elif s.phase == Phase.ROLL:
        allow(s, actions.ROLL, 1)
        allow_cards(s, p)
    elif s.phase == Phase.MOVE_ROBBER:
        allow(s, actions.MOVE_ROBBER, robber.robber_spots(s, p))
    elif s.phase == Phase.STEAL:
        allow_stealing(s, p)
    elif s.phase == Phase.FREE_ROAD:
        allow(s, actions.BUILD_ROAD, building.road_spots(s, p, 0))
        allow(s, actions.BUILD_ROAD + EDGES_PER_WORD, building.road_spots(s, p, 1))
    elif s.phase == Phase.SETUP_SETTLEMENT:
        allow(s, actions.BUILD_SETTLEMENT, setup_phase.setup_settlement_spots(s))
    elif s.phase == Phase.SETUP_ROAD:
        allow(s, actions.BUILD_ROAD, setup_phase.setup_road_spots(s, p, 0))
        allow(s, actions.BUILD_ROAD + EDGES_PER_WORD, setup_phase.setup_road_spots(s, p, 1))


@rule
@rare
def allow_in_trade(s: State, p: int) -> None:
    """Allow the actions while an offer is composed, answered or closed."""
    if s.phase == Phase.ANSWER:
        allow(s, actions.REJECT, 1)
        if trade.can_accept(s, p):
            allow(s, actions.ACCEPT, 1)
        if s.counter_offers:
            allow_offers(s, p)
    elif s.phase == Phase.COMPOSE:
        allow(s, actions.WITHDRAW, 1)
        allow_composing(s, p)
        if trade.can_send(s, p):
            allow(s, actions.COMPOSE_SEND, 1)
    elif s.phase == Phase.CLOSE:
        allow(s, actions.WITHDRAW, 1)
        allow_closing(s, p)


@rule
def find_legal(s: State) -> None:
    """Write the set of legal actions of the player to move; empty when the game is finished."""
    for word in range(LEGAL_WORDS):
        s.legal[word] = 0
    if s.phase == Phase.OVER or is_truncated(s):
        return
    p = int(s.player)
    if s.phase == Phase.DISCARD:
        allow(s, actions.DISCARD, resources_held(s, p))
    elif s.phase in (Phase.COMPOSE, Phase.ANSWER, Phase.CLOSE):
        allow_in_trade(s, p)
    else:
        allow_in_turn(s, p)


@rule
def write_mask(s: State, mask: Int8Array) -> None:
    """Write the set of legal actions as a mask of A numbers, 0 or 1."""
    mask[:] = 0
    for word in range(LEGAL_WORDS):
        members = s.legal[word]
        while members != 0:
            mask[ACTIONS_PER_WORD * word + bits.first(members)] = 1
            members &= members - 1
