"""Playing a game: one decision, dispatched by the kind of its action, and the loop of a step."""

from typing import Final, NamedTuple

import numpy as np

from catan_pz import actions
from catan_pz.engine import building, development, robber, setup_phase, trade, turn
from catan_pz.engine.chance import NO_OUTCOME
from catan_pz.engine.event_rows import NUM_FIELDS, begin_events, end_events
from catan_pz.engine.legal import count_legal, find_legal, pick_legal
from catan_pz.engine.state import State, seat_after
from catan_pz.engine.tally import NUM_TERMS, add_decision_terms, add_end_terms, clear_terms
from catan_pz.kernels.rule import rare, rule
from catan_pz.kernels.types import Int8Matrix, Int16Matrix
from catan_pz.terms import MAX_PLAYERS, Phase

ENDS: Final = 0
EVENTS: Final = 1
DECISIONS: Final = 2
"""Detail of a log: terms at the end of a game only; events and all terms; or the same with a pause
of the step after each decision, for inspection of the game."""

MOVER: Final = 3
"""Bits of a step's code for the seat to move."""
OVER: Final = 4
"""Bit of a step's code: the game is won."""
TRUNCATED: Final = 8
"""Bit of a step's code: the game is truncated."""
FINISHED: Final = OVER | TRUNCATED
COUNTED: Final = 16
"""Bit of a step's code: terms were counted. Otherwise they are left unchanged."""
PAUSED: Final = 32
"""Bit of a step's code: forced decisions remain to be played."""
TERMS_SHIFT: Final = 6
"""Lowest bit of the set of non-zero terms, which calls from Python add to the code."""


class Log(NamedTuple):
    """The log of a step.

    Attributes:
        detail: `ENDS`, `EVENTS` or `DECISIONS`.
        events: of the last decision, laid out by `engine.event_rows`; no rows for `ENDS`.
        terms: (P, F) of the step, counted by `engine.tally`.
    """

    detail: int
    events: Int16Matrix
    terms: Int8Matrix


def new_log() -> Log:
    """A log of game ends only."""
    return Log(
        ENDS, np.zeros((0, NUM_FIELDS), np.int16), np.zeros((MAX_PLAYERS, NUM_TERMS), np.int8)
    )


@rule
def apply_road(s: State, p: int, e: int) -> None:
    """Place a road: in set-up, from a road building card, or paid for."""
    if s.phase == Phase.SETUP_ROAD:
        setup_phase.apply_setup_road(s, p, e)
    elif s.phase == Phase.FREE_ROAD:
        development.apply_free_road(s, p, e)
    else:
        building.apply_build_road(s, p, e)


@rule
def apply_building(s: State, p: int, a: int) -> None:
    if a < actions.BUILD_SETTLEMENT:
        apply_road(s, p, a - actions.BUILD_ROAD)
    elif a >= actions.BUILD_CITY:
        building.apply_build_city(s, p, a - actions.BUILD_CITY)
    elif s.phase == Phase.SETUP_SETTLEMENT:
        setup_phase.apply_setup_settlement(s, p, a - actions.BUILD_SETTLEMENT)
    else:
        building.apply_build_settlement(s, p, a - actions.BUILD_SETTLEMENT)


@rule
def apply_card(s: State, p: int, a: int) -> None:
    if a == actions.BUY_DEVELOPMENT_CARD:
        development.apply_buy_card(s, p)
    elif a == actions.PLAY_KNIGHT:
        development.apply_play_knight(s, p)
    elif a == actions.PLAY_ROAD_BUILDING:
        development.apply_play_road_building(s, p)
    elif a < actions.PLAY_MONOPOLY:
        pair = a - actions.PLAY_YEAR_OF_PLENTY
        development.apply_year_of_plenty(
            s, p, actions.PLENTY_PAIRS[pair, 0], actions.PLENTY_PAIRS[pair, 1]
        )
    else:
        development.apply_monopoly(s, p, a - actions.PLAY_MONOPOLY)


@rule
@rare
def apply_offering(s: State, p: int, a: int) -> None:
    if a < actions.COMPOSE_GIVE:
        trade.apply_offer(s, p, a - actions.OFFER)
    elif a < actions.COMPOSE_SEND:
        trade.apply_compose(s, p, a - actions.COMPOSE_GIVE)
    elif a == actions.COMPOSE_SEND:
        trade.send_offer(s, p)
    elif a == actions.ACCEPT:
        trade.apply_accept(s, p)
    elif a == actions.REJECT:
        trade.apply_reject(s, p)
    elif a < actions.WITHDRAW:
        trade.apply_close(s, p, seat_after(s, p, a - actions.CLOSE_WITH + 1))
    else:
        trade.apply_withdraw(s, p)


@rule
def apply_action(s: State, a: int, script: Int8Matrix) -> None:
    p = int(s.player)
    if a == actions.ROLL:
        turn.apply_roll(s, script)
    elif a == actions.END_TURN:
        turn.apply_end_turn(s)
    elif a < actions.BUY_DEVELOPMENT_CARD:
        apply_building(s, p, a)
    elif a < actions.MOVE_ROBBER:
        apply_card(s, p, a)
    elif a < actions.STEAL:
        robber.apply_move_robber(s, p, a - actions.MOVE_ROBBER)
    elif a < actions.DISCARD:
        robber.apply_steal(s, p, seat_after(s, p, a - actions.STEAL + 1))
    elif a < actions.MARITIME_TRADE:
        robber.apply_discard(s, p, a - actions.DISCARD)
    elif a < actions.OFFER:
        swap = a - actions.MARITIME_TRADE
        trade.apply_maritime_trade(
            s, p, actions.MARITIME_SWAPS[swap, 0], actions.MARITIME_SWAPS[swap, 1]
        )
    else:
        apply_offering(s, p, a)


@rule
def step(s: State, a: int, script: Int8Matrix) -> None:
    apply_action(s, a, script)
    s.outcome = NO_OUTCOME
    turn.end_if_won(s)
    find_legal(s)


@rule
def forced_action(s: State) -> int:
    """The action that the engine plays because it is the only legal one, or NO_ACTION."""
    if s.skip_forced and count_legal(s) == 1:
        return pick_legal(s, 0)
    return actions.NO_ACTION


@rule
@rare
def decide(s: State, a: int, script: Int8Matrix, forced: int, events: Int16Matrix) -> None:
    """Play one decision and write its events; `forced` is 1 if the engine chose it."""
    p = int(s.player)
    begin_events(s, a, forced, events)
    step(s, a, script)
    end_events(s, p, a, events)


@rule
def play(s: State, a: int, script: Int8Matrix, log: Log) -> int:
    """Play a step: a decision and, if the rules say so, the forced ones that follow.

    NO_ACTION continues a paused step. Returns the step's code: the seat to move (`MOVER`) and
    the bits `OVER`, `TRUNCATED`, `COUNTED`, `PAUSED`.
    """
    forced = int(a == actions.NO_ACTION)
    if forced:
        a = forced_action(s)
    while a != actions.NO_ACTION:
        p = int(s.player)
        if log.detail == ENDS:
            step(s, a, script)
        else:
            decide(s, a, script, forced, log.events)
            add_decision_terms(s, p, forced, log.events, log.terms)
        a = forced_action(s)
        forced = 1
        if log.detail == DECISIONS and a != actions.NO_ACTION:
            return int(s.player) | COUNTED | PAUSED
    code = int(s.player) | (COUNTED if log.detail != ENDS else 0)
    if s.phase == Phase.OVER:
        if log.detail == ENDS:
            clear_terms(log.terms)
        add_end_terms(s, log.terms)
        return code | OVER | COUNTED
    return code | TRUNCATED if turn.is_truncated(s) else code
