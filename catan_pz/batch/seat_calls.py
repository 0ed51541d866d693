"""Calls on many games in which one seat of each is a learner's; compiled on first use.

The other seats' actions come from outside or are drawn here. Like the calls of `batch.calls`,
each takes the games from `first` up to `last`.
"""

from typing import NamedTuple

from catan_pz.batch.steps import (
    LogMemory,
    NextGames,
    Scoring,
    Shown,
    deal_in_place,
    draw_action,
    is_due,
)
from catan_pz.engine import chance, legal
from catan_pz.engine.play import COUNTED, ENDS, Log, play
from catan_pz.engine.state import State, States, places_from
from catan_pz.engine.turn import is_finished, is_truncated
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import BoolArray, Float64Array, Int8Array, Int64Array, UInt64Array
from catan_pz.observation import encode


class Learners(NamedTuple):
    """The learner of each game: (B,) its seat, rewards, ends, and whether an opponent is to move.

    `seat` is the learner's seat in new games; negative to draw it.
    """

    seat: int
    seats: Int8Array
    rewards: Float64Array
    done: BoolArray
    truncated: BoolArray
    waiting: BoolArray


class Drawn(NamedTuple):
    """Set of places whose actions are drawn at random, counted from the learner's seat.

    `rng_states` are the random streams (B,) of these draws.
    """

    places: int
    rng_states: UInt64Array


@kernel
def is_drawn(s: State, i: int, drawn: Drawn, learners: Learners) -> bool:
    """Whether the next action of game i is drawn at random."""
    return (drawn.places >> places_from(s, int(learners.seats[i]), int(s.player))) & 1 == 1


@kernel
def play_decision(s: State, i: int, a: int, scoring: Scoring, log: Log, learners: Learners) -> None:
    """Play a decision in game i, and add the learner's reward unless its episode is done."""
    if play(s, a, scoring.script, log) & COUNTED and not learners.done[i]:
        for term in range(scoring.weights.shape[0]):
            n = log.terms[int(learners.seats[i]), term]
            if n != 0:
                learners.rewards[i] += scoring.weights[term] * n


@kernel
def play_drawn(
    s: State, i: int, drawn: Drawn, scoring: Scoring, log: Log, learners: Learners
) -> None:
    """Play game i while a seat whose actions are drawn at random is to move."""
    while not is_finished(s) and is_drawn(s, i, drawn, learners):
        play_decision(s, i, draw_action(s, i, drawn.rng_states), scoring, log, learners)


@kernel
def show_to_seat(s: State, i: int, learners: Learners, shown: Shown) -> None:
    """Write the view of the player to move, or of the learner if game i is finished, and the mask.

    Also records whether an opponent is to move.
    """
    seat = int(learners.seats[i])
    viewer = seat if is_finished(s) else int(s.player)
    learners.waiting[i] = viewer != seat
    legal.write_mask(s, shown.masks[i])
    encode.observe(s, viewer, shown.observations[i])


@entry
def deal_seats(
    games: States,
    first: int,
    last: int,
    where: int,
    starts: NextGames,
    drawn: Drawn,
    scoring: Scoring,
    scratch: LogMemory,
    learners: Learners,
    shown: Shown,
) -> None:
    """Start games for learners and play drawn actions up to the first other decision.

    The game's seed determines all draws.
    """
    events = scratch.events[0 if scoring.detail == ENDS else first]
    for i in range(first, last):
        if is_due(games[i], where):
            deal_in_place(games, i, i, where, starts)
            s = games[i]
            drawn.rng_states[i] = ~starts.seeds[i]
            seat = learners.seat
            if seat < 0:
                seat = chance.number_below(chance.scramble(drawn.rng_states[i]), int(s.num_players))
            learners.seats[i] = seat
            log = Log(scoring.detail, events, scratch.terms[i])
            play_drawn(s, i, drawn, scoring, log, learners)
            show_to_seat(s, i, learners, shown)


@entry
def play_seats(
    games: States,
    first: int,
    last: int,
    actions: Int64Array,
    drawn: Drawn,
    scoring: Scoring,
    scratch: LogMemory,
    learners: Learners,
    shown: Shown,
) -> int:
    """Play a legal action in every waiting game, and the drawn ones that follow.

    Returns the number of games that ended.
    """
    finished = 0
    events = scratch.events[0 if scoring.detail == ENDS else first]
    for i in range(first, last):
        if learners.waiting[i]:
            s = games[i]
            log = Log(scoring.detail, events, scratch.terms[i])
            play_decision(s, i, actions[i], scoring, log, learners)
            play_drawn(s, i, drawn, scoring, log, learners)
            if is_finished(s):
                finished += 1
                learners.done[i] = True
                learners.truncated[i] = is_truncated(s)
            show_to_seat(s, i, learners, shown)
    return finished


@entry
def draw_waiting(
    games: States, first: int, last: int, drawn: Drawn, learners: Learners, actions: Int64Array
) -> None:
    """Draw an action in every game that waits for a seat with drawn actions."""
    for i in range(first, last):
        if learners.waiting[i] and is_drawn(games[i], i, drawn, learners):
            actions[i] = draw_action(games[i], i, drawn.rng_states)
