"""Trade with the bank and between players.

An offer is a bundle for a bundle, stated from its maker's side. Row p of `s.offer_give` and
`s.offer_get` is the offer of the player in turn, or another player's counter-offer to the
player in turn.
"""

import numpy as np

from catan_pz.actions import NUM_OFFERS, OFFER_GET, OFFER_GIVE
from catan_pz.engine import bits
from catan_pz.engine.hands import (
    gain,
    most_held,
    move_cards,
    note_holding,
    note_payment,
    return_cards,
)
from catan_pz.engine.state import State, seat_after
from catan_pz.kernels.rule import rule
from catan_pz.terms import NUM_RESOURCES, Phase

NO_ANSWER, ACCEPTED, REJECTED, COUNTERED = 0, 1, 2, 3
"""Values of `s.answer`; NO_ANSWER while an answering player composes a counter-offer."""

OFFERS_PER_WORD = 40
OFFER_WORDS = 3
"""A set of templates is three int64 words: template k is bit k % 40 of word k // 40."""

_PAIRS = [(a, b) for a in range(NUM_RESOURCES) for b in range(a + 1, NUM_RESOURCES)]
_FIRST_PAIR = 2 * NUM_RESOURCES


_ONE = np.eye(NUM_RESOURCES, dtype=np.int64)

BUNDLES = np.concatenate([_ONE, 2 * _ONE, [_ONE[a] + _ONE[b] for a, b in _PAIRS]])
"""(20, R) the bundles of templates: one card, two alike, two different cards."""

PAIRS_AMONG = np.array(
    [
        sum(1 << k for k, (a, b) in enumerate(_PAIRS) if ones >> a & 1 and ones >> b & 1)
        for ones in range(1 << NUM_RESOURCES)
    ],
    np.int64,
)
"""(32,) for each set of resources: the pairs of two different ones in it, as a set."""


def _offers_with(side: np.ndarray) -> np.ndarray:
    sets = np.zeros((len(BUNDLES), OFFER_WORDS), np.int64)
    for b, bundle in enumerate(BUNDLES):
        for k in range(NUM_OFFERS):
            if (side[k] == bundle).all():
                sets[b, k // OFFERS_PER_WORD] |= 1 << k % OFFERS_PER_WORD
    return sets


OFFERS_GIVING = _offers_with(OFFER_GIVE)
"""(20, 3) the templates that give each bundle, as a set."""

OFFERS_GETTING = _offers_with(OFFER_GET)
"""(20, 3) the templates that get each bundle, as a set."""


@rule
def apply_maritime_trade(s: State, p: int, give: int, get: int) -> None:
    """Trade with the bank at p's best rate."""
    return_cards(s, p, give, int(s.rate[p, give]))
    gain(s, p, get, 1)


@rule
def may_offer(s: State) -> bool:
    return s.trading and s.offers_made < s.max_offers


@rule
def is_addressed(s: State, maker: int, q: int) -> bool:
    """Whether an offer is addressed to q; counter-offers go to the player in turn."""
    return q != maker and (maker == s.turn_player or q == s.turn_player)


@rule
def bundles_of(ones: int, twos: int) -> int:
    """The bundles that a hand covers, from its sets of resources held once and twice."""
    return ones | twos << NUM_RESOURCES | PAIRS_AMONG[ones] << _FIRST_PAIR


@rule
def bundles_held(s: State, p: int) -> int:
    ones, twos = 0, 0
    for r in range(NUM_RESOURCES):
        if s.hand[p, r] >= 1:
            ones |= 1 << r
        if s.hand[p, r] >= 2:
            twos |= 1 << r
    return bundles_of(ones, twos)


@rule
def bundles_possible(s: State, o: int, p: int) -> int:
    """The bundles that p can hold in full, as far as o knows."""
    if s.hand_size[p] == 0:
        return 0
    ones, twos = 0, 0
    for r in range(NUM_RESOURCES):
        if most_held(s, o, p, r) >= 1:
            ones |= 1 << r
        if most_held(s, o, p, r) >= 2:
            twos |= 1 << r
    return ones if s.hand_size[p] == 1 else bundles_of(ones, twos)


@rule
def bundles_to_ask_for(s: State, maker: int) -> int:
    """The bundles that some addressee can hold in full, as far as the maker knows."""
    bundles = 0
    for q in range(s.num_players):
        if is_addressed(s, maker, q):
            bundles |= bundles_possible(s, maker, q)
    return bundles


@rule
def offers_between(giving: int, getting: int, word: int) -> int:
    """The templates that give and get bundles of two sets, in one of three words."""
    given, got = 0, 0
    while giving != 0:
        given |= OFFERS_GIVING[bits.first(giving), word]
        giving &= giving - 1
    while getting != 0:
        got |= OFFERS_GETTING[bits.first(getting), word]
        getting &= getting - 1
    return given & got


@rule
def offered(s: State, p: int) -> int:
    """The cards on the giving side of p's offer."""
    cards = 0
    for r in range(NUM_RESOURCES):
        cards += int(s.offer_give[p, r])
    return cards


@rule
def asked(s: State, p: int) -> int:
    """The cards on the getting side of p's offer."""
    cards = 0
    for r in range(NUM_RESOURCES):
        cards += int(s.offer_get[p, r])
    return cards


@rule
def can_compose_give(s: State, maker: int, r: int) -> bool:
    """Whether the maker may add another card of r to its giving side."""
    held = s.hand[maker, r] > s.offer_give[maker, r]
    return held and offered(s, maker) < s.max_offer_cards and s.offer_get[maker, r] == 0


@rule
def may_hold_request(s: State, maker: int, q: int, extra: int) -> bool:
    """Whether q can hold the request and `extra` besides, as far as the maker knows."""
    for r in range(NUM_RESOURCES):
        if int(s.offer_get[maker, r]) + int(r == extra) > most_held(s, maker, q, r):
            return False
    return asked(s, maker) < s.hand_size[q]


@rule
def can_compose_get(s: State, maker: int, r: int) -> bool:
    """Whether the maker may add another card of r to its getting side."""
    if asked(s, maker) >= s.max_offer_cards or s.offer_give[maker, r] > 0:
        return False
    for q in range(s.num_players):
        if is_addressed(s, maker, q) and may_hold_request(s, maker, q, r):
            return True
    return False


@rule
def can_send(s: State, maker: int) -> bool:
    """Whether both sides of the offer being composed have a card."""
    return offered(s, maker) > 0 and asked(s, maker) > 0


@rule
def can_accept(s: State, p: int) -> bool:
    """Whether p holds what the player in turn asks for."""
    for r in range(NUM_RESOURCES):
        if s.hand[p, r] < s.offer_get[int(s.turn_player), r]:
            return False
    return True


@rule
def can_close_with(s: State, p: int, q: int) -> bool:
    """Whether p, in turn, may trade with q: q accepted, or p can pay q's counter-offer."""
    if s.answer[q] != COUNTERED:
        return s.answer[q] == ACCEPTED
    for r in range(NUM_RESOURCES):
        if s.hand[p, r] < s.offer_get[q, r]:
            return False
    return True


@rule
def erase_offer(s: State, p: int) -> None:
    for r in range(NUM_RESOURCES):
        s.offer_give[p, r] = 0
        s.offer_get[p, r] = 0


@rule
def end_offer(s: State) -> None:
    """End a closed, withdrawn or lapsed offer and return to the turn."""
    for p in range(s.num_players):
        erase_offer(s, p)
        s.answer[p] = NO_ANSWER
    s.phase = Phase.MAIN
    s.player = s.turn_player


@rule
def next_to_answer(s: State) -> None:
    """Pass the move to the next player who has to answer, or back to the offer's maker."""
    answered_otherwise = False
    for k in range(1, int(s.num_players)):
        p = seat_after(s, int(s.turn_player), k)
        if s.answer[p] == NO_ANSWER:
            s.phase = Phase.ANSWER
            s.player = p
            return
        if s.answer[p] != REJECTED:
            answered_otherwise = True
    if answered_otherwise:
        s.phase = Phase.CLOSE
        s.player = s.turn_player
    else:
        end_offer(s)


@rule
def send_offer(s: State, p: int) -> None:
    """Publish the offer or counter-offer of p, which proves the cards on its giving side."""
    for r in range(NUM_RESOURCES):
        if s.offer_give[p, r] > 0:
            note_holding(s, p, r, int(s.offer_give[p, r]))
    if p != s.turn_player:
        s.answer[p] = COUNTERED
    next_to_answer(s)


@rule
def apply_offer(s: State, p: int, k: int) -> None:
    """Send template k as an offer, or as a counter-offer."""
    if p == s.turn_player:
        s.offers_made += 1
    for r in range(NUM_RESOURCES):
        s.offer_give[p, r] = OFFER_GIVE[k, r]
        s.offer_get[p, r] = OFFER_GET[k, r]
    send_offer(s, p)


@rule
def begin_composing(s: State) -> None:
    if s.phase == Phase.MAIN:
        s.offers_made += 1
    s.phase = Phase.COMPOSE


@rule
def apply_compose(s: State, p: int, k: int) -> None:
    """Add a card: k below R is a resource to give, k - R a resource to get."""
    begin_composing(s)
    if k < NUM_RESOURCES:
        s.offer_give[p, k] += 1
    else:
        s.offer_get[p, k - NUM_RESOURCES] += 1


@rule
def apply_accept(s: State, p: int) -> None:
    """Accept the offer, which proves the cards that it asks for."""
    maker = int(s.turn_player)
    for r in range(NUM_RESOURCES):
        if s.offer_get[maker, r] > 0:
            note_holding(s, p, r, int(s.offer_get[maker, r]))
    s.answer[p] = ACCEPTED
    next_to_answer(s)


@rule
def apply_reject(s: State, p: int) -> None:
    s.answer[p] = REJECTED
    next_to_answer(s)


@rule
def apply_withdraw(s: State, p: int) -> None:
    """Withdraw the offer; an answering player who composes rejects instead."""
    if p == s.turn_player:
        end_offer(s)
    else:
        erase_offer(s, p)
        apply_reject(s, p)


@rule
def apply_close(s: State, p: int, q: int) -> None:
    """Trade with q on the offer that q accepted, or on q's counter-offer."""
    for r in range(NUM_RESOURCES):
        if s.answer[q] == ACCEPTED:
            move_cards(s, p, q, r, int(s.offer_give[p, r]))
            move_cards(s, q, p, r, int(s.offer_get[p, r]))
        else:
            move_cards(s, p, q, r, int(s.offer_get[q, r]))
            move_cards(s, q, p, r, int(s.offer_give[q, r]))
    note_payment(s, p)
    note_payment(s, q)
    end_offer(s)
