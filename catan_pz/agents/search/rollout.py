"""Games played on from a position by a quick player, as compiled rules.

All chance comes from one seed. The random generator starts afresh from it with each roll: whatever
was stolen before, the same dice are rolled in the same turn. That makes what different actions lead
to comparable.
"""

import numpy as np

from catan_pz.actions import ROLL
from catan_pz.agents.policies import EVOLVED, GREEDY, HEURISTIC, RANDOM, VALUE
from catan_pz.agents.search.greedy import greedy_action, random_action
from catan_pz.agents.search.value import write_win_probabilities
from catan_pz.agents.value.choice import MARGIN, policy_action
from catan_pz.engine.chance import GAMMA, scramble, shuffle_rest_of_deck
from catan_pz.engine.legal import count_legal, pick_legal
from catan_pz.engine.play import step
from catan_pz.engine.state import State, States
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float32Array, Float64Array, Int8Array, Int8Matrix
from catan_pz.terms import Phase

PLAYERS = {
    "random": RANDOM,
    "greedy": GREEDY,
    "heuristic": HEURISTIC,
    "evolved": EVOLVED,
    "value": VALUE,
}
"""Players of rollouts by name."""

_PLAYERS_SALT = np.uint64(0x5851F42D4C957F2D)


@kernel
def begin_simulation(s: State, seed: np.uint64) -> None:
    """Draw anew what lies ahead: the order of the deck and all that is random later on."""
    s.rng = scramble(seed)
    shuffle_rest_of_deck(s)


@kernel
def play_decision(s: State, a: int, seed: np.uint64, script: Int8Matrix) -> None:
    """Play a decision; the random generator starts afresh with each roll."""
    if a == ROLL:
        s.rng = scramble(seed + GAMMA * np.uint64(s.turn + 1))
    step(s, a, script)


@kernel
def play_forced(s: State, seed: np.uint64, script: Int8Matrix) -> int:
    """Play decisions with one legal action; return the number of those of the next, 0 for none."""
    n = count_legal(s)
    while n == 1:
        play_decision(s, pick_legal(s, 0), seed, script)
        n = count_legal(s)
    return n


@kernel
def begins_turn(s: State) -> bool:
    """Whether a turn has just begun."""
    return s.phase == Phase.ROLL and not s.card_played


@kernel
def choose(
    games: States,
    spare: States,
    policy: int,
    random_bits: np.uint64,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
) -> int:
    """What a player of rollouts does where there is a choice."""
    if policy == GREEDY:
        return greedy_action(games[0])
    if policy == RANDOM:
        return random_action(games[0], random_bits)
    return policy_action(
        games, spare, policy, MARGIN, random_bits, net, work, values, script, obs, mask
    )


@kernel
def play_on(  # wide: the arrays of a tree, not yet bundled
    games: States,
    spare: States,
    policy: int,
    seed: np.uint64,
    last_turn: int,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
) -> None:
    """Play until a turn begins, no earlier than `last_turn`, or the game is finished."""
    s = games[0]
    rng_state = scramble(seed ^ _PLAYERS_SALT)
    n = count_legal(s)
    while n > 0 and not (s.turn >= last_turn and begins_turn(s)):
        if n == 1:
            a = pick_legal(s, 0)
        else:
            rng_state += GAMMA
            a = choose(
                games,
                spare,
                policy,
                scramble(rng_state),
                net,
                work,
                values,
                script,
                obs,
                mask,
            )
        play_decision(s, a, seed, script)
        n = count_legal(s)


@kernel
def play_and_judge(  # wide: the arrays of a tree, not yet bundled
    games: States,
    spare: States,
    viewer: int,
    since: int,
    policy: int,
    seed: np.uint64,
    turns: int,
    net: Float32Array,
    work: Float32Array,
    win_probabilities: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
) -> None:
    """Play the first game on for some turns since one, and write each seat's win probability."""
    last_turn = since + turns
    play_on(games, spare, policy, seed, last_turn, net, work, win_probabilities, script, obs, mask)
    write_win_probabilities(games[0], viewer, since, net, work, win_probabilities)
