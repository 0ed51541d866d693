"""The reward terms of each seat in a step, counted from events.

A step is one decision and, with `skip_forced`, the forced ones after it. Letters:
P = 4 seats (absent ones stay zero), F terms.

Events (points, cards, robber, discards, cities) are summed over all decisions of a step,
forced ones included, for every seat. Holdings are counted after a seat's own decision, never
after forced ones. A truncated game has no winner.
"""

from enum import IntEnum
from typing import Final

from catan_pz.actions import DISCARD, MARITIME_TRADE
from catan_pz.engine import event_rows as ev
from catan_pz.engine.state import State
from catan_pz.kernels.rule import rare, rule
from catan_pz.kernels.types import Int8Matrix, Int16Matrix
from catan_pz.terms import MAX_PLAYERS


class RewardTerm(IntEnum):
    """The reward terms of each seat in a step, as int8; sums saturate at -128 and 127."""

    WON = 0  # 1 for the winner
    LOST = 1  # 1 for each other seat when somebody has won
    POINTS_GAINED = 2  # points gained less points lost, hidden ones included, in all decisions
    POINTS_WON = 3  # points gained, summed over decisions; losses don't count
    CARD_PLAYED = 4  # development cards played
    ROBBER_MOVED = 5  # robber moves by the seat
    CARDS_DISCARDED = 6  # resource cards discarded to a 7
    CITY_BUILT = 7  # cities built
    POINTS_HELD = 8  # points, hidden ones included, after the seat's own decision
    POINTS_HELD_IN_VAIN = 9  # the same, but 0 if that decision gained a point
    ROAD_HELD = 10  # roads in its longest continuous road, after the seat's own decision
    FINAL_LEAD = 11  # when somebody has won: own points less the best other seat's


NUM_TERMS: Final = len(RewardTerm)
"""F, the number of reward terms."""

_MOST, _LEAST = 127, -128

# Plain integers: compiled rules on CUDA can't index with enums.
_TERMS = [term.value for term in RewardTerm]
_WON, _LOST, _POINTS_GAINED, _POINTS_WON, _CARD_PLAYED, _ROBBER_MOVED = _TERMS[:6]
_CARDS_DISCARDED, _CITY_BUILT, _POINTS_HELD, _POINTS_HELD_IN_VAIN, _ROAD_HELD = _TERMS[6:11]
_FINAL_LEAD = _TERMS[11]


@rule
def add_term(terms: Int8Matrix, p: int, term: int, n: int) -> None:
    total = int(terms[p, term]) + n
    terms[p, term] = max(_LEAST, min(_MOST, total))


@rule
def clear_terms(terms: Int8Matrix) -> None:
    for p in range(MAX_PLAYERS):
        for term in range(NUM_TERMS):
            terms[p, term] = 0


@rule
@rare
def add_end_terms(s: State, terms: Int8Matrix) -> None:
    """Add the terms of the end of a game."""
    for p in range(s.num_players):
        best = 0
        for q in range(s.num_players):
            if q != p:
                best = max(best, int(s.points[q]))
        add_term(terms, p, _WON if p == s.winner else _LOST, 1)
        add_term(terms, p, _FINAL_LEAD, int(s.points[p]) - best)


@rule
def add_event_terms(events: Int16Matrix, k: int, terms: Int8Matrix) -> None:
    """Add the terms of event k of a decision."""
    kind, p = int(events[k, ev.KIND]), int(events[k, ev.SEAT])
    if kind == ev.POINTS_CHANGED:
        change = int(events[k, ev.AMOUNT])
        add_term(terms, p, _POINTS_GAINED, change)
        if change > 0:
            add_term(terms, p, _POINTS_WON, change)
    elif kind == ev.CARD_PLAYED:
        add_term(terms, p, _CARD_PLAYED, 1)
    elif kind == ev.ROBBER_MOVED:
        add_term(terms, p, _ROBBER_MOVED, 1)
    elif kind == ev.CITY_BUILT:
        add_term(terms, p, _CITY_BUILT, 1)
    elif kind == ev.DECISION and DISCARD <= events[k, ev.WHAT] < MARITIME_TRADE:
        add_term(terms, p, _CARDS_DISCARDED, 1)


@rule
def add_own_terms(s: State, p: int, terms: Int8Matrix) -> None:
    """Add the terms of p's holdings after its own decision."""
    add_term(terms, p, _POINTS_HELD, int(s.points[p]))
    add_term(terms, p, _ROAD_HELD, int(s.road_length[p]))
    if terms[p, _POINTS_WON] == 0:
        add_term(terms, p, _POINTS_HELD_IN_VAIN, int(s.points[p]))


@rule
@rare
def add_decision_terms(
    s: State, p: int, forced: int, events: Int16Matrix, terms: Int8Matrix
) -> None:
    """Add the terms of p's decision; the first decision of a step clears them."""
    if forced == 0:
        clear_terms(terms)
    for k in range(1, int(events[0, 0]) + 1):
        add_event_terms(events, k, terms)
    if forced == 0:
        add_own_terms(s, p, terms)


@rule
def nonzero_terms(terms: Int8Matrix) -> int:
    """The set of terms that are non-zero for some seat."""
    found = 0
    for p in range(MAX_PLAYERS):
        for term in range(NUM_TERMS):
            found |= int(terms[p, term] != 0) << term
    return found
