"""Walks down the tree and rankings at its root, as compiled rules."""

import numpy as np

from catan_pz.actions import OFFER_GET
from catan_pz.agents.search import tree
from catan_pz.agents.search.rollout import play_decision, play_forced
from catan_pz.agents.search.trading import gain_of_template, is_near_winning
from catan_pz.agents.search.tree_policy import BY_EVALUATOR, write_policy
from catan_pz.engine.state import State, States
from catan_pz.engine.trade import is_addressed
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import (
    Float32Array,
    Float64Array,
    Float64Matrix,
    Int8Array,
    Int8Matrix,
    Int64Matrix,
    UInt64Array,
)
from catan_pz.terms import NUM_RESOURCES, Phase


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
def descend(  # wide: the arrays of a tree, not yet bundled
    games: States,
    spare: States,
    viewer: int,
    way: int,
    guide: int,
    depth: int,
    exploration: float,
    seed: np.uint64,
    script: Int8Matrix,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    obs: Int8Array,
    mask: Int8Array,
    policy: Float64Array,
    links: Int64Matrix,
    totals: Float64Matrix,
    keys: UInt64Array,
    priors: Float64Array,
) -> int:
    """Play the first game down the tree to a new position or the end; return the last node.

    `guide` says what gives positions their priors: an evaluator does so later, by leaves. No more
    than `depth` moves are chosen.
    """
    s = games[0]
    position = tree.ROOT
    for _ in range(depth):
        if is_leaf(s, position, guide, links):
            return position
        if position != tree.ROOT and tree.count_moves(s, position, links) < tree.count_in_tree(s):
            write_policy(games, spare, guide, seed, net, work, values, script, obs, mask, policy)
            tree.add_moves(s, position, policy, links, totals, keys, priors)
        move = tree.select_move(s, position, way, exploration, links, totals, priors)
        if move == 0:
            return position
        play_decision(s, links[move, tree.ACTION], seed, script)
        if play_forced(s, seed, script) == 0:
            return move
        mover = int(s.player)
        key = tree.key_of(s, viewer, obs)
        position = tree.find_position(move, key, mover, links, keys)
        if position == 0:
            position = tree.add_child(move, -1, mover, 1.0, key, links, totals, keys, priors)
            return move if position == 0 else position
    return position


@kernel
def worth_of_offer(s: State, p: int, k: int) -> int:
    """What template k, offered by p, promises: its gain to p if somebody gains by it too."""
    gained = gain_of_template(s, p, k, 1)
    if gained <= 0:
        return 0
    for q in range(s.num_players):
        if is_addressed(s, p, q) and not is_near_winning(s, q):
            held = True
            for r in range(NUM_RESOURCES):
                if s.hand[q, r] < OFFER_GET[k, r]:
                    held = False
            if held and gain_of_template(s, q, k, -1) > 0:
                return gained
    return 0
