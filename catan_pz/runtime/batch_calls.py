"""Calls on many games at once, by the same rules as for one; compiled on first use.

Each takes the games from `first` up to `last`, so that threads can share a batch. The
parameters of a deal are those of `engine.options.Table`. Calls on parts of a batch that run at
the same time begin at different games: `events[first]` is the scratch space of each, where the
reward is `dense`; a sparse one needs a single row, of which nothing is read.
"""

from catan_pz.compiler.memory import prefetch
from catan_pz.compiler.rule import entry, rule
from catan_pz.compiler.types import (
    BoolArray,
    Float32Matrix,
    Float64Array,
    Int8Array,
    Int8Cube,
    Int8Matrix,
    Int16Cube,
    Int16Matrix,
    Int64Array,
    UInt64Array,
)
from catan_pz.engine import chance, legal
from catan_pz.engine.seats import places_from
from catan_pz.engine.state import State, States
from catan_pz.engine.turn import is_finished, is_truncated
from catan_pz.observation import encode, encode_global
from catan_pz.runtime.batch_rules import (
    NOT_PLACED,
    WHERE_FINISHED,
    advance_and_count,
    deal_in_place,
    draw_action,
    is_due,
    play_and_reward,
    show,
)

ALL_LEGAL = -1


@rule
def reward_learner(
    i: int, terms: Int8Cube, weights: Float64Array, seats: Int8Array, rewards: Float64Array
) -> None:
    """Add the learner's reward of game i for a step."""
    for term in range(weights.shape[0]):
        n = terms[i, int(seats[i]), term]
        if n != 0:
            rewards[i] += weights[term] * n


@rule
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
    if advance_and_count(s, a, script, dense, events, terms[i]) and not done[i]:
        reward_learner(i, terms, weights, seats, rewards)


@rule
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


@rule
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
def deal_games(
    games: States,
    first: int,
    last: int,
    blank: States,
    seeds: UInt64Array,
    layouts: Int8Matrix,
    spiral: int,
    no_adjacent_red: int,
    random_first: int,
    where: int,
    observing: int,
    players: Int8Array,
    masks: Int8Matrix,
    observations: Int8Matrix,
) -> None:
    """Start games."""
    for i in range(first, last):
        if is_due(games[i], where):
            deal_in_place(
                games, i, i, blank, where, seeds, layouts, spiral, no_adjacent_red, random_first
            )
            players[i] = games[i].player
            show(games[i], observing, masks[i], observations[i * observing])


@entry
def place_games(
    games: States,
    first: int,
    last: int,
    given: States,
    sources: Int64Array,
    observing: int,
    players: Int8Array,
    masks: Int8Matrix,
    observations: Int8Matrix,
) -> None:
    """Put given[sources[i]] in the place of game i, unless that is `NOT_PLACED`."""
    for i in range(first, last):
        if sources[i] != NOT_PLACED:
            games[i] = given[sources[i]]
            players[i] = games[i].player
            show(games[i], observing, masks[i], observations[i * observing])


@entry
def find_illegal(
    games: States, first: int, last: int, actions: Int64Array, num_actions: int
) -> int:
    """The first game whose action is not legal, or ALL_LEGAL."""
    for i in range(first, last):
        a = actions[i]
        if a < 0 or a >= num_actions or not legal.is_legal(games[i], a):
            return i
    return ALL_LEGAL


@entry
def sample_actions(
    games: States, first: int, last: int, rng_states: UInt64Array, actions: Int64Array
) -> None:
    """Draw a legal action for each game, each equally likely; -1 where the game is finished."""
    for i in range(first, last):
        actions[i] = draw_action(games[i], i, rng_states)


@entry
def step_games(
    games: States,
    first: int,
    last: int,
    actions: Int64Array,
    drawing: int,
    rng_states: UInt64Array,
    script: Int8Matrix,
    dense: int,
    events: Int16Cube,
    terms: Int8Cube,
    weights: Float64Array,
    rewards: Float32Matrix,
    done: BoolArray,
    truncated: BoolArray,
    following: int,
    blank: States,
    seeds: UInt64Array,
    layouts: Int8Matrix,
    spiral: int,
    no_adjacent_red: int,
    random_first: int,
    observing: int,
    players: Int8Array,
    masks: Int8Matrix,
    observations: Int8Matrix,
) -> None:
    """Play a legal action in every game, given or (`drawing`) drawn at random.

    Finished games are followed by the next ones if `following`.
    """
    scratch = events[first * dense]
    for i in range(first, last):
        # Writing observations takes longer than a cache miss.
        if not observing and i + 1 < games.shape[0]:
            prefetch(games, i + 1)
        if drawing:
            actions[i] = draw_action(games[i], i, rng_states)
        play_and_reward(
            games[i],
            actions[i],
            script,
            dense,
            scratch,
            terms[i],
            weights,
            rewards[i],
        )
        truncated[i] = is_truncated(games[i])
        done[i] = is_finished(games[i])
        if following and done[i]:
            deal_in_place(
                games,
                i,
                i,
                blank,
                WHERE_FINISHED,
                seeds,
                layouts,
                spiral,
                no_adjacent_red,
                random_first,
            )
        players[i] = games[i].player
        show(games[i], observing, masks[i], observations[i * observing])


@entry
def deal_seats(
    games: States,
    first: int,
    last: int,
    blank: States,
    seeds: UInt64Array,
    layouts: Int8Matrix,
    spiral: int,
    no_adjacent_red: int,
    random_first: int,
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
            deal_in_place(
                games, i, i, blank, where, seeds, layouts, spiral, no_adjacent_red, random_first
            )
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


@entry
def scale_observations(
    games: States,
    first: int,
    last: int,
    observations: Int8Matrix,
    scaled_observations: Float32Matrix,
) -> None:
    """Scale observations into [0, 1]."""
    for i in range(first, last):
        encode.scale(observations[i], scaled_observations[i])


@entry
def observe_everything(
    games: States, first: int, last: int, vectors: Int8Matrix, states: Float32Matrix
) -> None:
    """Write everything about each game, in natural units and scaled."""
    for i in range(first, last):
        encode_global.observe_all(games[i], vectors[i])
        encode_global.scale_all(vectors[i], states[i])
