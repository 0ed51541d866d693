"""The policies that lead the tree below its root: compiled rules.

`games` and `spare` hold one record each, the position and scratch. Actions that begin offers get
nothing: below the root they aren't considered.
"""

import math

import numpy as np

from catan_pz.agents.heuristic.choose import evolved_action
from catan_pz.agents.search import tree
from catan_pz.agents.search.greedy import greedy_action
from catan_pz.agents.value.choice import MARGIN, TEMPERATURE, worth_of_action
from catan_pz.engine import bits
from catan_pz.engine.legal import write_mask
from catan_pz.engine.state import ACTIONS_PER_WORD, LEGAL_WORDS, State, States
from catan_pz.engine.turn import is_setup
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float32Array, Float64Array, Int8Array, Int8Matrix
from catan_pz.observation.encode import observe
from catan_pz.terms import Phase

BY_GREEDY, BY_EVALUATOR, BY_VALUE = 0, 1, 2
"""What positions below the root get their priors from."""


@kernel
def write_favorite(s: State, favorite: int, policy: Float64Array) -> None:
    """Half of the policy for one action, the other half for all alike; -1 favors none."""
    part = (0.5 if favorite >= 0 else 1.0) / tree.count_in_tree(s)
    policy[:] = 0.0
    for word in range(LEGAL_WORDS):
        members = s.legal[word] & tree.IN_TREE[word]
        while members != 0:
            a = ACTIONS_PER_WORD * word + bits.first(members)
            members &= members - 1
            policy[a] = part + (0.5 if a == favorite else 0.0)


@kernel
def write_by_value(
    games: States,
    spare: States,
    random_bits: np.uint64,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
    policy: Float64Array,
) -> None:
    """The policy of `ValueAgent` outside the set-up, in the game as it is."""
    s = games[0]
    observe(s, int(s.player), obs)
    write_mask(s, mask)
    favorite = -1
    if s.phase != Phase.ANSWER and s.phase != Phase.CLOSE:
        favorite = evolved_action(obs, mask, random_bits)
    policy[:] = 0.0
    most = -1.0
    for word in range(LEGAL_WORDS):
        members = s.legal[word] & tree.IN_TREE[word]
        while members != 0:
            a = ACTIONS_PER_WORD * word + bits.first(members)
            members &= members - 1
            policy[a] = worth_of_action(
                games, spare, a, random_bits, net, work, values, script, obs, mask
            )
            if a == favorite:
                policy[a] += MARGIN
            most = max(most, policy[a])
    total = 0.0
    for word in range(LEGAL_WORDS):
        members = s.legal[word] & tree.IN_TREE[word]
        while members != 0:
            a = ACTIONS_PER_WORD * word + bits.first(members)
            members &= members - 1
            policy[a] = math.exp((policy[a] - most) / TEMPERATURE)
            total += policy[a]
    for a in range(policy.shape[0]):
        policy[a] /= total


@kernel
def write_policy(  # wide: the arrays of a tree, not yet bundled
    games: States,
    spare: States,
    guide: int,
    random_bits: np.uint64,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
    policy: Float64Array,
) -> None:
    """A policy (A,) over the legal actions, equal for all until an evaluator judges its leaves.

    In the set-up the value gives way to the greedy player: it would play on from each placement to
    the end of the set-up, which takes longer than the simulation itself.
    """
    s = games[0]
    if guide == BY_VALUE and not is_setup(s):
        write_by_value(games, spare, random_bits, net, work, values, script, obs, mask, policy)
    elif guide == BY_EVALUATOR:
        write_favorite(s, -1, policy)
    else:
        write_favorite(s, greedy_action(s), policy)
