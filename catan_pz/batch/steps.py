"""What happens in one place of a batch, as rules: the same on the CPU and on CUDA."""

from catan_pz.actions import NO_ACTION
from catan_pz.engine import chance, legal, tally
from catan_pz.engine.deal import Deal, deal
from catan_pz.engine.play import COUNTED, Log, play
from catan_pz.engine.state import State, States
from catan_pz.engine.turn import is_finished
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import (
    Float32Array,
    Float64Array,
    Int8Array,
    Int8Matrix,
    UInt64Array,
)
from catan_pz.observation import encode
from catan_pz.terms import MAX_PLAYERS

WHERE_FINISHED = 0
EVERYWHERE = 1
FROM_SEEDS = 2
"""Where games are started: the next one in places whose game is finished, the next one
in every place, or in every place the one of its seed."""

NOT_PLACED = -1
"""In place of a position: the game goes on."""

NOTHING_REFUSED = 2**62
"""Place of the first illegal action where all are legal."""


@kernel
def is_due(s: State, where: int) -> bool:
    """Whether a game is to be started in the place of this one."""
    return where != WHERE_FINISHED or is_finished(s)


@kernel
def deal_in_place(
    games: States,
    i: int,
    place: int,
    where: int,
    seeds: UInt64Array,
    how: Deal,
) -> None:
    """Start a game as games[i]; its seed is seeds[place], or a hash of it for the next one."""
    if where != FROM_SEEDS:
        seeds[place] = chance.scramble(seeds[place] + chance.GAMMA)
    deal(games, i, seeds[place], how)


@kernel
def show(s: State, observing: int, mask: Int8Array, obs: Int8Array) -> None:
    """Write the mask of the player to move and, if wanted, what that player sees."""
    legal.write_mask(s, mask)
    if observing:
        encode.observe(s, int(s.player), obs)


@kernel
def draw_action(s: State, i: int, rng_states: UInt64Array) -> int:
    """A legal action of the game in place i, each equally likely; NO_ACTION if it is finished."""
    rng_states[i] += chance.GAMMA
    n = legal.count_legal(s)
    if n == 0:
        return NO_ACTION
    return legal.pick_legal(s, chance.number_below(chance.scramble(rng_states[i]), n))


@kernel
def may_be_played(s: State, a: int, num_actions: int) -> bool:
    """Whether an action is legal; none is where the game is finished, and there alone."""
    if a == NO_ACTION:
        return is_finished(s)
    return 0 <= a < num_actions and legal.is_legal(s, a)


@kernel
def weigh(terms: Int8Matrix, weights: Float64Array, reward: Float32Array) -> None:
    """Weigh the terms (P, F) into the reward of each seat."""
    for p in range(MAX_PLAYERS):
        total = 0.0
        for term in range(weights.shape[0]):
            total += weights[term] * terms[p, term]
        reward[p] = total


@kernel
def play_and_reward(
    s: State,
    a: int,
    script: Int8Matrix,
    log: Log,
    weights: Float64Array,
    reward: Float32Array,
) -> int:
    """Play a step, if there is one, and write the reward of every seat; the step's code, or 0."""
    for p in range(MAX_PLAYERS):
        reward[p] = 0
    if a == NO_ACTION:
        tally.clear_terms(log.terms)
        return 0
    code = play(s, a, script, log)
    if code & COUNTED:
        weigh(log.terms, weights, reward)
    return code
