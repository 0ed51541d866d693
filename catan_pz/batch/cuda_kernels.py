"""Kernels that play batches on a GPU: one thread per game, with the same rules as elsewhere.

They are the calls of `batch.calls`. Games are the last axis of observations and masks, so
neighbouring threads write neighbouring bytes. Each game's record is staged in local memory, which
the hardware interleaves among threads. It is copied word by word, as assigning a record is a loop
over its bytes.
"""

from typing import Final

import numpy as np
from numba import cuda

from catan_pz.batch.steps import (
    NOT_PLACED,
    NOTHING_REFUSED,
    WHERE_FINISHED,
    Choices,
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
from catan_pz.engine import legal
from catan_pz.engine.event_rows import EVENT_ROWS, NUM_FIELDS
from catan_pz.engine.play import Log
from catan_pz.engine.state import STATE, States
from catan_pz.engine.tally import NUM_TERMS
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Matrix, Int64Array, UInt64Array
from catan_pz.observation import encode
from catan_pz.observation.global_state import observe_all
from catan_pz.terms import MAX_PLAYERS

WORDS: Final = STATE.itemsize // 8

_FIRST, _TOLD = 0, 1
"""Items of `refused`: the place of the first illegal action, and whether the host knows."""


@kernel
def take_in(words: Int64Array, games: States, i: int) -> None:
    """Stage the record of game i."""
    records = games.view(np.int64)
    for w in range(WORDS):
        words[w] = records[i * WORDS + w]


@kernel
def give_out(words: Int64Array, games: States, i: int, shown: Shown) -> None:
    """Write the staged record back as game i, and its outputs."""
    records, s = games.view(np.int64), words.view(STATE)[0]
    for w in range(WORDS):
        records[i * WORDS + w] = words[w]
    shown.players[i] = s.player
    legal.write_mask(s, shown.masks[:, i])
    if shown.observing:
        encode.observe(s, int(s.player), shown.observations[:, i])


def deal_kernel(
    games: States, refused: Int64Array, where: int, starts: NextGames, shown: Shown
) -> None:
    """Start games; none if an action was refused that the host doesn't know about yet."""
    i = cuda.grid(1)
    if i < games.shape[0] and refused[_FIRST] == NOTHING_REFUSED and is_due(games[i], where):
        words = cuda.local.array(WORDS, "int64")
        deal_in_place(words.view(STATE), 0, i, where, starts)
        give_out(words, games, i, shown)


def place_kernel(games: States, given: States, sources: Int64Array, shown: Shown) -> None:
    """Put given[sources[i]] in the place of game i, unless that is `NOT_PLACED`."""
    i = cuda.grid(1)
    if i < games.shape[0] and sources[i] != NOT_PLACED:
        words = cuda.local.array(WORDS, "int64")
        take_in(words, given, sources[i])
        give_out(words, games, i, shown)


def sample_kernel(games: States, rng_states: UInt64Array, actions: Int64Array) -> None:
    """Draw a legal action for each game."""
    i = cuda.grid(1)
    if i < games.shape[0]:
        actions[i] = draw_action(games[i], i, rng_states)


def observe_everything_kernel(games: States, vectors: Int8Matrix) -> None:
    """Write the full state of each game."""
    i = cuda.grid(1)
    if i < games.shape[0]:
        observe_all(games[i], vectors[:, i])


def check_kernel(games: States, actions: Int64Array, num_actions: int, refused: Int64Array) -> None:
    """Record the first game with an illegal action."""
    i = cuda.grid(1)
    if i < games.shape[0] and refused[_TOLD] == 0:
        if not may_be_played(games[i], actions[i], num_actions):
            cuda.atomic.min(refused, _FIRST, i)


def step_kernel(
    games: States,
    choices: Choices,
    refused: Int64Array,
    told: Int64Array,
    scoring: Scoring,
    outcome: StepOutcome,
    following: int,
    starts: NextGames,
    shown: Shown,
) -> None:
    """Play a legal action in every unfinished game; none if one was refused.

    A refused action and its place are written to `told`, in memory visible to the host.
    """
    i = cuda.grid(1)
    if i >= games.shape[0]:
        return
    if refused[_FIRST] != NOTHING_REFUSED:
        if i == refused[_FIRST] and refused[_TOLD] == 0:
            refused[_TOLD] = 1
            told[1] = choices.actions[i]
            told[0] = i
        return
    words = cuda.local.array(WORDS, "int64")
    events = cuda.local.array((EVENT_ROWS, NUM_FIELDS), "int16")
    terms = cuda.local.array((MAX_PLAYERS, NUM_TERMS), "int8")
    take_in(words, games, i)
    staged = words.view(STATE)
    log = Log(scoring.detail, events, terms)
    play_in_place(staged, 0, i, choices, scoring, log, outcome)
    if following and outcome.done[i]:
        deal_in_place(staged, 0, i, WHERE_FINISHED, starts)
    give_out(words, games, i, shown)
