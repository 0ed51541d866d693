"""Walks down the tree and rankings at its root, as compiled rules."""

import numpy as np

from catan_pz.actions import OFFER_GET
from catan_pz.agents.search import tree
from catan_pz.agents.search.greedy import greedy_action
from catan_pz.agents.search.rollout import play_decision, play_forced
from catan_pz.agents.search.trading import gain_of_template, is_near_winning
from catan_pz.compiler.rule import rule
from catan_pz.compiler.types import (
    Float64Array,
    Float64Matrix,
    Int8Array,
    Int8Matrix,
    Int64Matrix,
    UInt64Array,
)
from catan_pz.engine.state import State
from catan_pz.engine.trade import is_addressed
from catan_pz.terms import NUM_RESOURCES, Phase


@rule
def is_leaf(s: State, position: int, guided: int, links: Int64Matrix) -> bool:
    """Whether the tree ends here, or ends here for now: its moves wait for an evaluation.

    Rollouts complete what is being composed.
    """
    if position == tree.ROOT:
        return False
    if s.phase == Phase.COMPOSE or links[position, tree.VISITS] == 0:
        return True
    return guided == 1 and links[position, tree.FIRST] == 0


@rule
def descend(
    s: State,
    viewer: int,
    way: int,
    guided: int,
    depth: int,
    exploration: float,
    seed: np.uint64,
    script: Int8Matrix,
    obs: Int8Array,
    links: Int64Matrix,
    totals: Float64Matrix,
    keys: UInt64Array,
    priors: Float64Array,
) -> int:
    """Play down the tree to a new position or the end of the game; return the last node.

    `guided` is 1 where an evaluator gives positions their moves, else the greedy player does.
    No more than `depth` moves are chosen.
    """
    position = tree.ROOT
    for _ in range(depth):
        if is_leaf(s, position, guided, links):
            return position
        if position != tree.ROOT and tree.count_moves(s, position, links) < tree.count_in_tree(s):
            favorite = -1
            if guided == 0:
                favorite = greedy_action(s)
            tree.add_moves(s, position, favorite, links, totals, keys, priors)
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


@rule
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
