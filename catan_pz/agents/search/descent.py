"""Walks down the tree, and the policies that lead them below its root: compiled rules.

The first of `games` is the position; a walk plays it on.
"""

import math
from typing import NamedTuple

import numpy as np

from catan_pz.agents.search import tree
from catan_pz.agents.search.greedy import greedy_action
from catan_pz.agents.search.rollout import play_decision, play_forced
from catan_pz.agents.value.choice import MARGIN, TEMPERATURE, choice_by_view, worth_of_action
from catan_pz.agents.value.network import Workspace
from catan_pz.engine import bits
from catan_pz.engine.state import ACTIONS_PER_WORD, LEGAL_WORDS, State, States
from catan_pz.engine.turn import is_setup
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float64Array, Int64Matrix
from catan_pz.terms import Phase

BY_GREEDY, BY_EVALUATOR, BY_VALUE = 0, 1, 2
"""What positions below the root get their priors from."""


class Walk(NamedTuple):
    """How moves are chosen on the way down."""

    way: int  # UCB1 or PUCT
    guide: int  # what positions below the root get their priors from
    depth: int  # moves at most; 1 for a choice at the root alone
    exploration: float  # weight of what was little tried


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
def write_by_value(games: States, random_bits: np.uint64, w: Workspace) -> None:
    """The policy of `ValueAgent` outside the set-up, in the game as it is."""
    s, policy = games[0], w.policy
    favorite = -1
    if s.phase != Phase.ANSWER and s.phase != Phase.CLOSE:
        favorite = choice_by_view(s, True, random_bits, w)
    policy[:] = -1.0
    most = -1.0
    for word in range(LEGAL_WORDS):
        members = s.legal[word] & tree.IN_TREE[word]
        while members != 0:
            a = ACTIONS_PER_WORD * word + bits.first(members)
            members &= members - 1
            policy[a] = worth_of_action(games, a, random_bits, w)
            if a == favorite:
                policy[a] += MARGIN
            most = max(most, policy[a])
    total = 0.0
    for a in range(policy.shape[0]):
        policy[a] = math.exp((policy[a] - most) / TEMPERATURE) if policy[a] >= 0 else 0.0
        total += policy[a]
    for a in range(policy.shape[0]):
        policy[a] /= total


@kernel
def write_policy(games: States, guide: int, random_bits: np.uint64, w: Workspace) -> None:
    """A policy over the legal actions, equal for all until an evaluator judges its leaves.

    Actions that begin offers get nothing: below the root they aren't considered. In the set-up the
    value gives way to the greedy player: it would play on from each placement to the end of the
    set-up, which takes longer than the simulation itself.
    """
    s = games[0]
    if guide == BY_VALUE and not is_setup(s):
        write_by_value(games, random_bits, w)
    elif guide == BY_EVALUATOR:
        write_favorite(s, -1, w.policy)
    else:
        write_favorite(s, greedy_action(s), w.policy)


@kernel
def is_leaf(s: State, position: int, guide: int, links: Int64Matrix) -> bool:
    """Whether the tree ends here, or ends here for now: its moves wait for an evaluation.

    Rollouts complete what is being composed.
    """
    if position == tree.ROOT:
        return False
    if s.phase == Phase.COMPOSE or links[position, tree.VISITS] == 0:
        return True
    return guide == BY_EVALUATOR and links[position, tree.FIRST] == 0


@kernel
def descend(
    games: States, viewer: int, seed: np.uint64, walk: Walk, w: Workspace, nodes: tree.Nodes
) -> int:
    """Play the first game down the tree to a new position or the end; return the last node."""
    s, links = games[0], nodes.links
    position = tree.ROOT
    for _ in range(walk.depth):
        if is_leaf(s, position, walk.guide, links):
            return position
        if position != tree.ROOT and tree.count_moves(s, position, links) < tree.count_in_tree(s):
            write_policy(games, walk.guide, seed, w)
            tree.add_moves(s, position, w.policy, nodes)
        move = tree.select_move(s, position, walk.way, walk.exploration, nodes)
        if move == 0:
            return position
        play_decision(s, links[move, tree.ACTION], seed, w.script)
        if play_forced(s, seed, w.script) == 0:
            return move
        mover = int(s.player)
        key = tree.key_of(s, viewer, w.obs)
        position = tree.find_position(move, key, mover, nodes)
        if position == 0:
            position = tree.add_child(move, -1, mover, 1.0, key, nodes)
            return move if position == 0 else position
    return position
