"""The worth of exchanges to both sides, and the probabilities of agreement, as compiled rules.

An exchange is the cards that its maker gets minus those it gives: five numbers, since no resource
is on both sides. Letters: K exchanges, P seats, R resources, X terms of an answer, T types of
players.
"""

import math

from catan_pz.agents.tiles import copy_numbers
from catan_pz.agents.value.features import (
    GOALS,
    HAND,
    HAND_SIZE,
    NEAR_PURCHASES,
    NUM_FEATURES,
    OVER_LIMIT,
    TIMES,
    means_of,
    write_goals,
    write_purchases,
    write_resources,
)
from catan_pz.agents.value.network import (
    Workspace,
    clear_base,
    leader_but,
    set_base,
    write_values_of_features,
)
from catan_pz.engine.hands import move_cards
from catan_pz.engine.state import State, States
from catan_pz.engine.trade import is_addressed
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Float32Array, Float64Array, Float64Matrix, Int8Array, Int8Matrix
from catan_pz.terms import NUM_RESOURCES

HAND_TERMS = (
    *range(HAND, HAND + NUM_RESOURCES),
    HAND_SIZE,
    OVER_LIMIT,
    *range(NEAR_PURCHASES, NEAR_PURCHASES + 4),
    *range(TIMES, TIMES + 5),
    *range(GOALS, GOALS + 6),
)
"""Features of a seat that change with its hand; their changes predict its answer."""

SIGNS = (TIMES, TIMES + 1, TIMES + 2, GOALS + 4)
"""Those of them whose sign of change is a term, too."""

NUM_TERMS = 3 + len(HAND_TERMS) + len(SIGNS)
"""X: a 1, the maker's and the answering seat's nearness to winning, changes, their signs."""

LEAST_CHANCE = 0.02
"""Least probability of agreement for which an offer is evaluated."""


@kernel
def exchange_hands(s: State, maker: int, q: int, swap: Int8Array, times: int) -> None:
    """Exchange cards between the maker and q; times -1 undoes it."""
    for r in range(NUM_RESOURCES):
        move_cards(s, q, maker, r, times * int(swap[r]))


@kernel
def can_pay(s: State, q: int, swap: Int8Array) -> bool:
    """Whether q holds the cards that the maker asks for."""
    for r in range(NUM_RESOURCES):
        if s.hand[q, r] < swap[r]:
            return False
    return True


@kernel
def write_hand(s: State, p: int, features: Float32Array) -> None:
    """Write the features of p that change with its hand."""
    means = means_of(s, p)
    write_resources(s, p, features)
    write_purchases(s, p, means, features)
    write_goals(means, features)


@kernel
def place_of(s: State, p: int, viewer: int) -> int:
    """The index of p's features in those of a position."""
    return NUM_FEATURES * ((p - viewer) % int(s.num_players))


@kernel
def write_terms(
    s: State, maker: int, q: int, before: Float32Array, after: Float32Array, terms: Float64Array
) -> None:
    """Write the X terms of q's answer, from its features before and after the exchange."""
    terms[0] = 1.0
    terms[1] = 1.0 / max(1, int(s.victory_points) - int(s.visible_points[maker]))
    terms[2] = 1.0 / max(1, int(s.victory_points) - int(s.visible_points[q]))
    place = 3
    for k in HAND_TERMS:
        terms[place] = after[k] - before[k]
        place += 1
    for k in SIGNS:
        more = after[k] - before[k]
        terms[place] = 1.0 if more > 0 else (-1.0 if more < 0 else 0.0)
        place += 1


@kernel
def chance_of(terms: Float64Array, types: Float64Matrix, posterior: Float64Array) -> float:
    """The probability that a seat agrees, given the probabilities (T,) of its type."""
    total = 0.0
    for t in range(types.shape[0]):
        logit = 0.0
        for k in range(types.shape[1]):
            logit += types[t, k] * terms[k]
        total += posterior[t] / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))
    return total


@entry
def weigh(  # wide: exchanges, knowledge of the others, and outputs
    games: States,
    maker: int,
    swaps: Int8Matrix,
    refused: Int8Matrix,
    types: Float64Matrix,
    posterior: Float64Matrix,
    w: Workspace,
    terms: Float64Array,
    chances: Float64Matrix,
    values: Float64Matrix,
) -> float:
    """Sum the probability (K, P) that each seat agrees to each exchange, and that times its value.

    The sums are over games (D,), and the value is the maker's win probability after the exchange.
    The posterior (P, T) holds the probabilities of each seat's type. The probability is 0 if a seat
    can't pay, has refused, or if the exchange helps the most probable winner among the others more
    than the maker. Returns the sum of the maker's present win probability.
    """
    total = 0.0
    s, base, mine = w.spare[0], w.base, w.work[:NUM_FEATURES]
    for i in range(games.shape[0]):
        w.spare[0] = games[i]
        seats = int(s.num_players)
        set_base(s, maker, w)
        write_values_of_features(s, maker, w)
        now, leader = w.values[maker], leader_but(maker, seats, w.values)
        of_leader = w.values[leader]
        total += now
        for q in range(seats):
            if not is_addressed(s, maker, q):
                continue
            here = place_of(s, q, maker)
            before, theirs = base[here : here + NUM_FEATURES], w.work[here : here + NUM_FEATURES]
            for k in range(swaps.shape[0]):
                if refused[k, q] != 0 or not can_pay(s, q, swaps[k]):
                    continue
                exchange_hands(s, maker, q, swaps[k], 1)
                write_hand(s, q, theirs)
                write_terms(s, maker, q, before, theirs, terms)
                chance = chance_of(terms, types, posterior[q])
                if chance >= LEAST_CHANCE:
                    write_hand(s, maker, mine)
                    write_values_of_features(s, maker, w)
                    gain = w.values[maker] - now
                    if gain > 0 and w.values[leader] - of_leader <= gain:
                        chances[k, q] += chance
                        values[k, q] += chance * w.values[maker]
                exchange_hands(s, maker, q, swaps[k], -1)
            copy_numbers(before, theirs)
        clear_base(w)
    return total


@entry
def terms_of_answer(
    games: States, maker: int, q: int, swap: Int8Array, w: Workspace, terms: Float64Array
) -> bool:
    """Write the X terms of q's answer to an exchange; False if q can't pay."""
    w.spare[0] = games[0]
    s = w.spare[0]
    if not can_pay(s, q, swap):
        return False
    set_base(s, maker, w)
    here = place_of(s, q, maker)
    before, theirs = w.base[here : here + NUM_FEATURES], w.work[here : here + NUM_FEATURES]
    exchange_hands(s, maker, q, swap, 1)
    write_hand(s, q, theirs)
    write_terms(s, maker, q, before, theirs, terms)
    clear_base(w)
    return True


@entry
def first_to_try(
    chances: Float64Array, values: Float64Array, base: float, tries: int, best: Float64Array
) -> int:
    """The first of K offers, sorted by value, in the best order of tries; -1 for none.

    After a refusal the other offers remain, and `base` is the value without any. Writes the
    expected value by the number of tries into `best` (tries + 1,).
    """
    first = -1
    for n in range(tries + 1):
        best[n] = base
    for k in range(values.shape[0] - 1, -1, -1):
        for n in range(tries, 0, -1):
            worth = chances[k] * values[k] + (1.0 - chances[k]) * best[n - 1]
            if worth > best[n]:
                best[n] = worth
                if n == tries:
                    first = k
    return first
