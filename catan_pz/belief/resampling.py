"""Parts of resampling: weighted draws, and rules as entry points, compiled on first use."""

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from catan_pz.engine.chance import GAMMA, NO_OUTCOME, number_below, scramble
from catan_pz.engine.derive import derive_points
from catan_pz.engine.hands import least_held, tighten
from catan_pz.engine.legal import find_legal
from catan_pz.engine.state import States
from catan_pz.engine.trade import can_compose_get, can_compose_give, erase_offer
from catan_pz.kernels.rule import entry, rule
from catan_pz.kernels.types import Int8Array, Int16Cube, Int64Array, Int64Matrix, UInt64Array
from catan_pz.terms import DECK_SIZE, NUM_CARD_KINDS, NUM_RESOURCES, VICTORY_POINT, Phase

DECK: Final = -1
"""The deck's entry in lists of seats."""


def drawn_by_weight(weights: ArrayLike, count: int, rng: np.random.Generator) -> NDArray[Any]:
    """(count,) indices drawn in proportion to weights, which need not add up to 1."""
    up_to = np.asarray(weights, np.float64).cumsum()
    return up_to.searchsorted(rng.random(count) * up_to[-1], "right")


@entry
def deal_cards(
    games: States,
    drawn: Int64Array,
    k: int,
    viewer: int,
    places: Int64Matrix,
    points: Int64Array,
    others: Int8Array,
    seeds: UInt64Array,
) -> None:
    """Deal the unknown development cards at random in each game i with drawn[i] equal to k.

    The rows of `places` are `cards.Slots`, `points` is the number of victory point cards in each,
    and `others` (N,) the kinds of all other cards, which are shuffled.
    """
    for i in range(len(games)):
        if drawn[i] != k:
            continue
        s, seed, dealt = games[i], seeds[i], 0
        for p in range(s.num_players):
            if p != viewer:
                s.cards[p] = 0
        if s.turn_player != viewer:
            s.new_cards[:] = 0
        s.deck[:] = 0
        for place in range(len(places)):
            seat, left, is_new = places[place]
            points_left = points[place]
            while left > 0:
                seed += GAMMA
                card = VICTORY_POINT
                if number_below(scramble(seed), left) < points_left:
                    points_left -= 1
                else:
                    seed += GAMMA
                    other = dealt + number_below(scramble(seed), len(others) - dealt)
                    others[dealt], others[other] = others[other], others[dealt]
                    card = int(others[dealt])
                    dealt += 1
                if seat == DECK:
                    s.deck[DECK_SIZE - left] = card
                else:
                    s.cards[seat, card] += 1
                    s.new_cards[card] += is_new
                left -= 1


@entry
def write_bounds(games: States, least: Int16Cube, most: Int16Cube) -> None:
    """Write each seat's knowledge of the others' hands, given as bounds (P, P, R), into games.

    Hands drawn without regard to the sums may lie outside the bounds.
    """
    n = len(least)
    for i in range(len(games)):
        s = games[i]
        for o in range(n):
            for p in range(n):
                for r in range(NUM_RESOURCES):
                    held = int(s.hand[p, r])
                    s.below[o, p, r] = max(0, held - least[o, p, r]) if p != o else 0
                    s.above[o, p, r] = max(0, most[o, p, r] - held) if p != o else 0


@rule
def put_together(cards: Int8Array) -> None:
    """Turn all cards (C,) into cards of the first kind."""
    for c in range(1, NUM_CARD_KINDS):
        cards[0] += cards[c]
        cards[c] = 0


@entry
def hide(games: States, viewer: int) -> None:
    """Remove all information hidden from the viewer from each game.

    Other hands become their lower bounds, other development cards all of one kind.
    """
    for i in range(len(games)):
        s = games[i]
        s.rng, s.outcome = np.uint64(0), NO_OUTCOME
        s.deck[:] = 0
        s.legal[:] = 0
        for p in range(s.num_players):
            for r in range(NUM_RESOURCES):
                known = int(s.below[viewer, p, r]) + int(s.above[viewer, p, r])
                s.hand[p, r] = least_held(s, viewer, p, r)
                for o in range(s.num_players):
                    s.below[o, p, r] = 0
                    s.above[o, p, r] = known if o == viewer else 0
            if p != viewer:
                s.points[p] = s.visible_points[p]
                put_together(s.cards[p])
        if s.turn_player != viewer:
            put_together(s.new_cards[:])
        if s.player != viewer and s.phase == Phase.COMPOSE:
            erase_offer(s, s.player)


@entry
def settle(games: States, viewer: int) -> None:
    """Narrow the bounds of all but the viewer, count points and find legal actions in each game."""
    for i in range(len(games)):
        s = games[i]
        for o in range(s.num_players):
            if o != viewer:
                tighten(s, o)
            derive_points(s, o)
        find_legal(s)


@entry
def first_cards_to_compose(games: States, i: int, p: int) -> int:
    """Empty the offer that p composes in game i, and return the possible first cards.

    Bit r is a card to give, bit R + r a card to get.
    """
    s = games[i]
    erase_offer(s, p)
    cards = 0
    for r in range(NUM_RESOURCES):
        if can_compose_give(s, p, r):
            cards |= 1 << r
        if can_compose_get(s, p, r):
            cards |= 1 << (NUM_RESOURCES + r)
    return cards
