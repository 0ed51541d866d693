"""The rules that a game followed from one seat needs, as entry points; compiled on first use."""

from typing import Final

from catan_pz.engine.legal import find_legal, is_legal, write_mask
from catan_pz.engine.outcomes import outcomes_of
from catan_pz.engine.play import decide
from catan_pz.engine.state import States
from catan_pz.engine.trade import begin_composing, may_offer
from catan_pz.engine.turn import end_as_won
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Int8Array, Int8Matrix, Int16Matrix
from catan_pz.terms import Phase

OUT_OF_REACH: Final = 127
"""Points that nobody has."""


@entry
def find_action(games: States, i: int, a: int) -> int:
    """Work out the legal actions of game i; whether `a` is one of them."""
    s = games[i]
    find_legal(s)
    return int(is_legal(s, a))


@entry
def possible_outcomes(games: States, i: int, a: int) -> int:
    """`outcomes_of` an action in game i."""
    return outcomes_of(games[i], a)


@entry
def play_without_winning(
    games: States, i: int, a: int, script: Int8Matrix, forced: int, events: Int16Matrix
) -> None:
    """Play one decision in game i and write its events, as if nobody could win."""
    s = games[i]
    points = int(s.victory_points)
    s.victory_points = OUT_OF_REACH
    decide(s, a, script, forced, events)
    s.victory_points = points


@entry
def compose_unseen(games: States, i: int) -> int:
    """The player to move adds a card to an offer, unseen; whether the rules allow it.

    What is composed stays as it was.
    """
    s = games[i]
    in_turn = s.phase == Phase.MAIN and may_offer(s)
    answering = s.phase == Phase.ANSWER and s.counter_offers
    allowed = s.offer_composed and (s.phase == Phase.COMPOSE or in_turn or answering)
    if allowed:
        begin_composing(s)
    return int(allowed)


@entry
def end_decision(games: States, i: int, won: int, mask: Int8Array) -> None:
    """End the game for the player in turn if it is won, and write the mask."""
    s = games[i]
    if won:
        end_as_won(s)
    find_legal(s)
    write_mask(s, mask)
