"""Calls on many games at once, by the same rules as for one; compiled on first use.

Each takes the games from `first` up to `last`, so that threads can share a batch. Calls on parts
of a batch that run at the same time begin at different games: `events[first]` is the scratch space
of each, where the reward is `dense`; a sparse one needs a single row, of which nothing is read.
"""

from catan_pz.batch.steps import (
    NOT_PLACED,
    WHERE_FINISHED,
    deal_in_place,
    draw_action,
    is_due,
    may_be_played,
    play_and_reward,
    show,
)
from catan_pz.engine.deal import Deal
from catan_pz.engine.play import FINISHED, TRUNCATED, Log
from catan_pz.engine.state import States
from catan_pz.kernels.memory import prefetch
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import (
    BoolArray,
    Float32Matrix,
    Float64Array,
    Int8Array,
    Int8Cube,
    Int8Matrix,
    Int16Cube,
    Int64Array,
    UInt64Array,
)
from catan_pz.observation import encode, encode_global

ALL_LEGAL = -1


@entry
def deal_games(
    games: States,
    first: int,
    last: int,
    seeds: UInt64Array,
    how: Deal,
    where: int,
    observing: int,
    players: Int8Array,
    masks: Int8Matrix,
    observations: Int8Matrix,
) -> None:
    """Start games."""
    for i in range(first, last):
        if is_due(games[i], where):
            deal_in_place(games, i, i, where, seeds, how)
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
        if not may_be_played(games[i], actions[i], num_actions):
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
    seeds: UInt64Array,
    how: Deal,
    observing: int,
    players: Int8Array,
    masks: Int8Matrix,
    observations: Int8Matrix,
) -> None:
    """Play a legal action in every game that goes on, given or (`drawing`) drawn at random.

    Finished games are followed by the next ones if `following`.
    """
    scratch = events[first * dense]
    for i in range(first, last):
        # Writing observations takes longer than a cache miss.
        if not observing and i + 1 < games.shape[0]:
            prefetch(games, i + 1)
        if drawing:
            actions[i] = draw_action(games[i], i, rng_states)
        log = Log(dense, scratch, terms[i])
        code = play_and_reward(games[i], actions[i], script, log, weights, rewards[i])
        truncated[i] = code & TRUNCATED != 0
        done[i] = code & FINISHED != 0
        if following and done[i]:
            deal_in_place(
                games,
                i,
                i,
                WHERE_FINISHED,
                seeds,
                how,
            )
        players[i] = games[i].player
        show(games[i], observing, masks[i], observations[i * observing])


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
