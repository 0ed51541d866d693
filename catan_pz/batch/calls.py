"""Calls on many games at once, with the same rules as for one; compiled on first use.

Each takes the games from `first` up to `last`, so that threads can share a batch. Concurrent
calls on parts of a batch start at different games: `events[first]` is the memory of each for
events, if the log has any.
"""

from catan_pz.batch.steps import (
    NOT_PLACED,
    WHERE_FINISHED,
    Choices,
    LogMemory,
    NextGames,
    Scoring,
    Shown,
    StepOutcome,
    deal_in_place,
    draw_action,
    is_due,
    may_be_played,
    play_in_place,
)
from catan_pz.engine.play import ENDS, Log
from catan_pz.engine.state import ACTIONS_PER_WORD, State, States
from catan_pz.kernels.rule import entry, kernel, prefetch, spell_bits
from catan_pz.kernels.types import (
    BoolArray,
    Float32Matrix,
    Int8Array,
    Int8Matrix,
    Int64Array,
    Int64Matrix,
    UInt64Array,
)
from catan_pz.observation import encode, global_state

ALL_LEGAL = -1
BITS = 64
"""Bits of a word."""
NO_STEP = -1
"""The last step of a seat without a decision in the game."""


@kernel
def spell_mask(s: State, mask: Int8Array) -> None:
    """`legal.write_mask`, 64 actions at a time; the words overlap."""
    last = mask.shape[0] - BITS
    for word in range(last // ACTIONS_PER_WORD + 1):
        spell_bits(mask, ACTIONS_PER_WORD * word, s.legal[word])
    word, shift = last // ACTIONS_PER_WORD, last % ACTIONS_PER_WORD
    members = s.legal[word] >> shift | s.legal[word + 1] << (ACTIONS_PER_WORD - shift)
    spell_bits(mask, last, members)


@kernel
def show_row(games: States, i: int, shown: Shown) -> None:
    """Write the outputs of game i."""
    s = games[i]
    shown.players[i] = s.player
    spell_mask(s, shown.masks[i])
    if shown.observing:
        encode.observe(s, int(s.player), shown.observations[i])


@entry
def deal_games(
    games: States, first: int, last: int, where: int, starts: NextGames, shown: Shown
) -> None:
    """Start games."""
    for i in range(first, last):
        if is_due(games[i], where):
            deal_in_place(games, i, i, where, starts)
            show_row(games, i, shown)


@entry
def place_games(
    games: States, first: int, last: int, given: States, sources: Int64Array, shown: Shown
) -> None:
    """Put given[sources[i]] in the place of game i, unless that is `NOT_PLACED`."""
    for i in range(first, last):
        if sources[i] != NOT_PLACED:
            games[i] = given[sources[i]]
            show_row(games, i, shown)


@kernel
def first_illegal(
    games: States, first: int, last: int, actions: Int64Array, num_actions: int
) -> int:
    """The first game whose action is not legal, or ALL_LEGAL."""
    for i in range(first, last):
        if not may_be_played(games[i], actions[i], num_actions):
            return i
    return ALL_LEGAL


@entry
def find_illegal(
    games: States, first: int, last: int, actions: Int64Array, num_actions: int
) -> int:
    """Entry point of `first_illegal`."""
    return first_illegal(games, first, last, actions, num_actions)


@entry
def sample_actions(
    games: States, first: int, last: int, rng_states: UInt64Array, actions: Int64Array
) -> None:
    """Draw a legal action for each game, each equally likely; -1 where the game is finished."""
    for i in range(first, last):
        actions[i] = draw_action(games[i], i, rng_states)


@entry
def step_games(  # wide: all that a step reads and writes
    games: States,
    first: int,
    last: int,
    num_actions: int,
    choices: Choices,
    scoring: Scoring,
    scratch: LogMemory,
    outcome: StepOutcome,
    following: int,
    starts: NextGames,
    shown: Shown,
) -> int:
    """Play an action in every unfinished game; the next games start if `following`.

    If an action isn't legal or not below `num_actions`, nothing is played. Returns the result of
    `first_illegal`. With `num_actions` 0 all actions are assumed to be legal.
    """
    if num_actions > 0:
        found = first_illegal(games, first, last, choices.actions, num_actions)
        if found != ALL_LEGAL:
            return found
    events = scratch.events[0 if scoring.detail == ENDS else first]
    for i in range(first, last):
        # Writing observations takes longer than a cache miss.
        if not shown.observing and i + 1 < games.shape[0]:
            prefetch(games, i + 1)
        log = Log(scoring.detail, events, scratch.terms[i])
        play_in_place(games, i, i, choices, scoring, log, outcome)
        if following and outcome.done[i]:
            deal_in_place(games, i, i, WHERE_FINISHED, starts)
        show_row(games, i, shown)
    return ALL_LEGAL


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
    """Write the full state of each game, in natural units and scaled."""
    for i in range(first, last):
        global_state.observe_all(games[i], vectors[i])
        global_state.scale_all(vectors[i], states[i])


@entry
def begin_decisions(
    players: Int8Array, begun: BoolArray, step: int, rewards: Float32Matrix, last_steps: Int64Matrix
) -> None:
    """Reset the reward sums (B, P) of seats that have just decided, and of all seats in new games.

    `begun` (B,) is whether it was the first decision of a game. `last_steps` (B, P) holds the
    steps of the last decisions, NO_STEP before the first one of a game.
    """
    for i in range(players.shape[0]):
        if begun[i]:
            for p in range(rewards.shape[1]):
                rewards[i, p] = 0
                last_steps[i, p] = NO_STEP
        p = int(players[i])
        rewards[i, p] = 0
        last_steps[i, p] = step
