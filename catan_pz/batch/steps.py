"""The steps of one game of a batch, as rules: the same on the CPU and on CUDA.

`games[i]` is the game, on CUDA a copy in the thread's own memory. Its index in the batch's
arrays is `place`.
"""

from typing import NamedTuple

from catan_pz.actions import NO_ACTION
from catan_pz.engine import chance, legal, tally
from catan_pz.engine.deal import Deal, deal
from catan_pz.engine.play import COUNTED, FINISHED, TRUNCATED, Log, play
from catan_pz.engine.state import State, States
from catan_pz.engine.turn import is_finished
from catan_pz.kernels.rule import kernel, rare
from catan_pz.kernels.types import (
    BoolArray,
    Float32Array,
    Float32Matrix,
    Float64Array,
    Int8Array,
    Int8Cube,
    Int8Matrix,
    Int16Cube,
    Int64Array,
    UInt64Array,
)
from catan_pz.terms import MAX_PLAYERS, NOBODY

WHERE_FINISHED = 0
EVERYWHERE = 1
FROM_SEEDS = 2
"""Which games are started: the next one in place of each finished game, the next one in every
place, or in every place the one of its seed."""

NOT_PLACED = -1
"""Source of a place without a new position: the game continues."""

NOTHING_REFUSED = 2**62
"""Place of the first illegal action if all are legal."""


class NextGames(NamedTuple):
    """The next games: (B,) seeds of the current games, and their deal."""

    seeds: UInt64Array
    how: Deal


class Shown(NamedTuple):
    """Outputs of each game: seat to move, mask and, if `observing`, observation."""

    observing: int
    players: Int8Array
    masks: Int8Matrix
    observations: Int8Matrix


class Choices(NamedTuple):
    """Actions (B,): given, or (`drawing`) drawn from random streams (B,)."""

    drawing: int
    actions: Int64Array
    rng_states: UInt64Array


class Scoring(NamedTuple):
    """How games are played and rewarded: scripted dice, detail of logs, (F,) weights."""

    script: Int8Matrix
    detail: int
    weights: Float64Array


class LogMemory(NamedTuple):
    """Memory of logs: events (B, ...), or one row if none are written; terms (B, P, F)."""

    events: Int16Cube
    terms: Int8Cube


class StepOutcome(NamedTuple):
    """Outcome of the last step: (B, P) rewards, (B,) ends and winners."""

    rewards: Float32Matrix
    done: BoolArray
    truncated: BoolArray
    winners: Int8Array


@kernel
def is_due(s: State, where: int) -> bool:
    """Whether a new game is to be started in place of this one."""
    return where != WHERE_FINISHED or is_finished(s)


@kernel
@rare
def deal_in_place(games: States, i: int, place: int, where: int, starts: NextGames) -> None:
    """Start a game; the next one's seed is a hash of this seed."""
    seeds = starts.seeds
    if where != FROM_SEEDS:
        seeds[place] = chance.scramble(seeds[place] + chance.GAMMA)
    deal(games, i, seeds[place], starts.how)


@kernel
def draw_action(s: State, i: int, rng_states: UInt64Array) -> int:
    """A random legal action of the game in place i, uniform; NO_ACTION if it is finished."""
    rng_states[i] += chance.GAMMA
    n = legal.count_legal(s)
    if n == 0:
        return NO_ACTION
    return legal.pick_legal(s, chance.number_below(chance.scramble(rng_states[i]), n))


@kernel
def may_be_played(s: State, a: int, num_actions: int) -> bool:
    """Whether an action is legal; for a finished game only the absence of one is."""
    if a == NO_ACTION:
        return is_finished(s)
    return 0 <= a < num_actions and legal.is_legal(s, a)


@kernel
@rare
def weigh(terms: Int8Matrix, weights: Float64Array, reward: Float32Array) -> None:
    """Reduce the terms (P, F) to the reward of each seat."""
    for p in range(MAX_PLAYERS):
        total = 0.0
        for term in range(weights.shape[0]):
            total += weights[term] * terms[p, term]
        reward[p] = total


@kernel
def play_in_place(
    games: States,
    i: int,
    place: int,
    choices: Choices,
    scoring: Scoring,
    log: Log,
    outcome: StepOutcome,
) -> None:
    """Play a step, if there is one, and record its outcome."""
    s, actions, reward = games[i], choices.actions, outcome.rewards[place]
    if choices.drawing:
        actions[place] = draw_action(s, place, choices.rng_states)
    for p in range(MAX_PLAYERS):
        reward[p] = 0
    code = 0
    if actions[place] == NO_ACTION:
        tally.clear_terms(log.terms)
    else:
        code = play(s, actions[place], scoring.script, log)
        if code & COUNTED:
            weigh(log.terms, scoring.weights, reward)
    outcome.truncated[place] = code & TRUNCATED != 0
    outcome.done[place] = code & FINISHED != 0
    outcome.winners[place] = s.winner if code & FINISHED else NOBODY
