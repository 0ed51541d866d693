"""What trades between players are worth by the value, as compiled rules.

Bundles of cards are those of `agents.heuristic.features`.
"""

import math

from catan_pz.actions import ACCEPT, CLOSE_WITH, OFFER, OFFER_GET, OFFER_GIVE
from catan_pz.agents.heuristic.features import of, some
from catan_pz.agents.value.network import write_values
from catan_pz.engine.state import State, States, seat_after
from catan_pz.engine.trade import ACCEPTED, is_addressed
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float32Array, Float64Array
from catan_pz.terms import MAX_PLAYERS, NUM_RESOURCES

DOUBT = 0.01
"""Gain in win probability by which the odds that somebody agrees to a trade change e times."""


@kernel
def offered(s: State, maker: int) -> int:
    """The bundle that the maker of an offer gives."""
    bundle = 0
    for r in range(NUM_RESOURCES):
        bundle |= some(r, int(s.offer_give[maker, r]))
    return bundle


@kernel
def asked(s: State, maker: int) -> int:
    """The bundle that the maker of an offer gets."""
    bundle = 0
    for r in range(NUM_RESOURCES):
        bundle |= some(r, int(s.offer_get[maker, r]))
    return bundle


@kernel
def holds(s: State, p: int, bundle: int) -> bool:
    """Whether p has all cards of a bundle."""
    for r in range(NUM_RESOURCES):
        if s.hand[p, r] < of(bundle, r):
            return False
    return True


@kernel
def write_exchanged(
    games: States,
    spare: States,
    p: int,
    q: int,
    give: int,
    get: int,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
) -> None:
    """Each seat's win probability, as the seat to move knows it, once p gave to q and got back."""
    spare[0] = games[0]
    s = spare[0]
    for r in range(NUM_RESOURCES):
        more = of(get, r) - of(give, r)
        s.hand[p, r] += more
        s.hand[q, r] -= more
        s.hand_size[p] += more
        s.hand_size[q] -= more
    write_values(s, int(games[0].player), net, work, values)


@kernel
def worth_of_trade(
    games: States,
    spare: States,
    a: int,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
) -> float:
    """The win probability of the seat to move after an answer, or after it closed with somebody.

    To reject and to withdraw is worth what the position is.
    """
    s = games[0]
    p = int(s.player)
    if a == ACCEPT:
        maker = int(s.turn_player)
        give, get = asked(s, maker), offered(s, maker)
        write_exchanged(games, spare, p, maker, give, get, net, work, values)
    elif CLOSE_WITH <= a < CLOSE_WITH + int(s.num_players) - 1:
        q = seat_after(s, p, a - CLOSE_WITH + 1)
        give, get = offered(s, p), asked(s, p)
        if s.answer[q] != ACCEPTED:
            give, get = asked(s, q), offered(s, q)
        write_exchanged(games, spare, p, q, give, get, net, work, values)
    else:
        write_values(s, p, net, work, values)
    return values[p]


@kernel
def worth_of_offer(
    games: States,
    spare: States,
    a: int,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
) -> float:
    """What an offer from the list is worth: the gain, by the chance that somebody agrees.

    Of those who could pay, the one with whom that product is largest counts. Whoever gains by a
    trade is the more likely to agree. `values` has room for two numbers of each seat.
    """
    s, k = games[0], a - OFFER
    p = int(s.player)
    give, get = 0, 0
    for r in range(NUM_RESOURCES):
        give |= some(r, int(OFFER_GIVE[k, r]))
        get |= some(r, int(OFFER_GET[k, r]))
    write_values(s, p, net, work, values)
    for q in range(MAX_PLAYERS):
        values[MAX_PLAYERS + q] = values[q]
    best = 0.0
    for q in range(s.num_players):
        if is_addressed(s, p, q) and holds(s, q, get):
            write_exchanged(games, spare, p, q, give, get, net, work, values)
            gained = values[q] - values[MAX_PLAYERS + q]
            chance = 1.0 / (1.0 + math.exp(-gained / DOUBT))
            best = max(best, chance * (values[p] - values[MAX_PLAYERS + p]))
    return values[MAX_PLAYERS + p] + best
