"""What is counted for each seat in a step, from its events: the terms that rewards weigh.

A step is one decision and, with `skip_forced`, the forced ones that follow it. Letters:
P = 4 seats (absent ones stay zero), F terms.

Events (points, cards, robber, discards, cities) are added up over all decisions of a step,
forced ones included and for every seat. What a seat holds after a decision of its own is
counted for the decision that it took, never for forced ones. A truncated game has no winner.
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
    """What is counted for each seat in a step, as int8; sums stop at -128 and 127."""

    WON = 0  # 1 for the winner
    LOST = 1  # 1 for each other seat when somebody has won
    POINTS_GAINED = 2  # points gained less those lost, hidden ones too, in anybody's decisions
    POINTS_WON = 3  # points gained, without those lost: gains of single decisions, added up
    CARD_PLAYED = 4  # development cards played
    ROBBER_MOVED = 5  # times that the seat moved the robber
    CARDS_DISCARDED = 6  # resource cards discarded to a 7
    CITY_BUILT = 7  # cities built
    POINTS_HELD = 8  # points, hidden ones included, once the seat's own decision was played
    POINTS_HELD_IN_VAIN = 9  # the same, but 0 where that decision gained a point
    ROAD_HELD = 10  # roads in its longest continuous road, once the seat's own decision was played
    FINAL_LEAD = 11  # when somebody has won: own points less those of the best other seat


NUM_TERMS: Final = len(RewardTerm)
"""F, the number of reward terms."""

_MOST, _LEAST = 127, -128

# Plain numbers: on CUDA compiled rules can't index with enums.
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
    """Count who has won, and by how much."""
    for p in range(s.num_players):
        best = 0
        for q in range(s.num_players):
            if q != p:
                best = max(best, int(s.points[q]))
        add_term(terms, p, _WON if p == s.winner else _LOST, 1)
        add_term(terms, p, _FINAL_LEAD, int(s.points[p]) - best)


@rule
def add_event_terms(events: Int16Matrix, k: int, terms: Int8Matrix) -> None:
    """Count event k of a decision."""
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
    """Count what p holds once the decision that it took is played."""
    add_term(terms, p, _POINTS_HELD, int(s.points[p]))
    add_term(terms, p, _ROAD_HELD, int(s.road_length[p]))
    if terms[p, _POINTS_WON] == 0:
        add_term(terms, p, _POINTS_HELD_IN_VAIN, int(s.points[p]))


@rule
@rare
def add_decision_terms(
    s: State, p: int, forced: int, events: Int16Matrix, terms: Int8Matrix
) -> None:
    """Add what a decision of p has brought; the first one of a step clears the terms before."""
    if forced == 0:
        clear_terms(terms)
    for k in range(1, int(events[0, 0]) + 1):
        add_event_terms(events, k, terms)
    if forced == 0:
        add_own_terms(s, p, terms)


@rule
def nonzero_terms(terms: Int8Matrix) -> int:
    """The set of the terms that aren't zero for everybody."""
    found = 0
    for p in range(MAX_PLAYERS):
        for term in range(NUM_TERMS):
            found |= int(terms[p, term] != 0) << term
    return found
