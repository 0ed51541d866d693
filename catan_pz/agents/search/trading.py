"""How the greedy player trades with others, though it begins no offer: compiled rules."""

from catan_pz import actions
from catan_pz.agents.value.prospects import (
    ON_TABLE,
    can_take,
    cards_missing,
    cards_traded,
    wants,
)
from catan_pz.engine.hands import CARD, CITY, SETTLEMENT
from catan_pz.engine.legal import is_legal
from catan_pz.engine.state import State
from catan_pz.engine.trade import ACCEPTED, is_addressed
from catan_pz.kernels.rule import kernel
from catan_pz.terms import NUM_RESOURCES


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
