"""Calls on many games at once in which one seat of each is a learner's; compiled on first use.

The others' actions come from outside, or are drawn here. Each call takes the games from `first` up
to `last`, as those of `batch_calls` do.
"""

from catan_pz.batch.steps import deal_in_place, draw_action, is_due
from catan_pz.engine import chance, legal
from catan_pz.engine.deal import Deal
from catan_pz.engine.play import COUNTED, Log, play
from catan_pz.engine.seats import places_from
from catan_pz.engine.state import State, States
from catan_pz.engine.turn import is_finished, is_truncated
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import (
    BoolArray,
    Float64Array,
    Int8Array,
    Int8Cube,
    Int8Matrix,
    Int16Cube,
    Int16Matrix,
    Int64Array,
    UInt64Array,
)
from catan_pz.observation import encode


@kernel
def reward_learner(
    i: int, terms: Int8Cube, weights: Float64Array, seats: Int8Array, rewards: Float64Array
) -> None:
    """Add the learner's reward of game i for a step."""
    for term in range(weights.shape[0]):
        n = terms[i, int(seats[i]), term]
        if n != 0:
            rewards[i] += weights[term] * n


@kernel
def play_in_place(
    s: State,
    i: int,
    a: int,
    script: Int8Matrix,
    dense: int,
    events: Int16Matrix,
    terms: Int8Cube,
    weights: Float64Array,
    seats: Int8Array,
    rewards: Float64Array,
    done: BoolArray,
) -> None:
    """Play a decision in game i, and add the learner's reward unless its episode is done."""
    if play(s, a, script, Log(dense, events, terms[i])) & COUNTED and not done[i]:
        reward_learner(i, terms, weights, seats, rewards)


@kernel
def play_drawn(
    s: State,
    i: int,
    drawn: int,
    rng_states: UInt64Array,
    script: Int8Matrix,
    dense: int,
    events: Int16Matrix,
    terms: Int8Cube,
    weights: Float64Array,
    seats: Int8Array,
    rewards: Float64Array,
    done: BoolArray,
) -> None:
    """Play on in game i while those are to move whose actions are drawn at random.

    `drawn` is the set of their places, counted clockwise from the learner's seat.
    """
    while not is_finished(s) and (drawn >> places_from(s, int(seats[i]), int(s.player))) & 1 == 1:
        a = draw_action(s, i, rng_states)
        play_in_place(s, i, a, script, dense, events, terms, weights, seats, rewards, done)


@kernel
def show_to_seat(
    s: State,
    i: int,
    seats: Int8Array,
    waiting: BoolArray,
    masks: Int8Matrix,
    observations: Int8Matrix,
) -> None:
    """Write what the player to move sees, or the learner once game i is finished, and the mask.

    Notes whether an opponent is to move.
    """
    viewer = int(s.player)
    if is_finished(s):
        viewer = int(seats[i])
    waiting[i] = viewer != int(seats[i])
    legal.write_mask(s, masks[i])
    encode.observe(s, viewer, observations[i])


@entry
def deal_seats(
    games: States,
    first: int,
    last: int,
    seeds: UInt64Array,
    how: Deal,
    where: int,
    seat: int,
    drawn: int,
    rng_states: UInt64Array,
    script: Int8Matrix,
    dense: int,
    events: Int16Cube,
    terms: Int8Cube,
    weights: Float64Array,
    seats: Int8Array,
    rewards: Float64Array,
    done: BoolArray,
    waiting: BoolArray,
    masks: Int8Matrix,
    observations: Int8Matrix,
) -> None:
    """Start games for learners and play up to their first decision, as far as others are drawn.

    The learner's seat is drawn if it is negative. The game's seed settles all that is drawn.
    """
    scratch = events[first * dense]
    for i in range(first, last):
        if is_due(games[i], where):
            deal_in_place(games, i, i, where, seeds, how)
            s = games[i]
            rng_states[i] = ~seeds[i]
            seats[i] = seat
            if seat < 0:
                seats[i] = chance.number_below(chance.scramble(rng_states[i]), int(s.num_players))
            play_drawn(
                s,
                i,
                drawn,
                rng_states,
                script,
                dense,
                scratch,
                terms,
                weights,
                seats,
                rewards,
                done,
            )
            show_to_seat(s, i, seats, waiting, masks, observations)


@entry
def play_seats(
    games: States,
    first: int,
    last: int,
    actions: Int64Array,
    drawn: int,
    rng_states: UInt64Array,
    script: Int8Matrix,
    dense: int,
    events: Int16Cube,
    terms: Int8Cube,
    weights: Float64Array,
    seats: Int8Array,
    rewards: Float64Array,
    done: BoolArray,
    truncated: BoolArray,
    waiting: BoolArray,
    masks: Int8Matrix,
    observations: Int8Matrix,
) -> int:
    """Play a legal action in every game that waits for one, and the drawn ones that follow.

    Returns how many games have come to their end.
    """
    finished = 0
    scratch = events[first * dense]
    for i in range(first, last):
        if waiting[i]:
            s = games[i]
            a = actions[i]
            play_in_place(s, i, a, script, dense, scratch, terms, weights, seats, rewards, done)
            play_drawn(
                s,
                i,
                drawn,
                rng_states,
                script,
                dense,
                scratch,
                terms,
                weights,
                seats,
                rewards,
                done,
            )
            if is_finished(s):
                finished += 1
                done[i] = True
                truncated[i] = is_truncated(s)
            show_to_seat(s, i, seats, waiting, masks, observations)
    return finished


@entry
def draw_waiting(
    games: States,
    first: int,
    last: int,
    drawn: int,
    seats: Int8Array,
    waiting: BoolArray,
    rng_states: UInt64Array,
    actions: Int64Array,
) -> None:
    """Draw an action in every game that waits for one of those whose actions are drawn."""
    for i in range(first, last):
        if waiting[i]:
            s = games[i]
            if (drawn >> places_from(s, int(seats[i]), int(s.player))) & 1 == 1:
                actions[i] = draw_action(s, i, rng_states)
