"""A tree of decisions over determinizations, as compiled rules on flat arrays.

Information set search for one observer (Cowling, Powley and Whitehouse, "Information Set
Monte Carlo Tree Search", 2012): every simulation descends with a separate determinization, among
its legal actions. A node is a *position* or a *move*. A position is a decision of some seat, the
same for all states that the searcher can't distinguish; its children are moves. The children of a
move are the positions that may follow by chance and forced decisions, distinguished by the
searcher's observations. So each simulation draws chance by the rules, and no position mixes
states that the searcher can distinguish. Each seat maximizes its own win probability (max^n), with
exploration by priors as in PUCT (Silver et al., "Mastering the game of Go without human
knowledge", 2017).
"""

import math
from typing import NamedTuple

import numpy as np

from catan_pz.actions import COMPOSE_SEND, OFFER
from catan_pz.agents.search.rollout import choose, play_decision, play_forced
from catan_pz.agents.value.choice import MARGIN, TEMPERATURE, choice_by_view, worth_of_action
from catan_pz.agents.value.network import Workspace, clear_base, set_base
from catan_pz.engine import bits
from catan_pz.engine.chance import scramble
from catan_pz.engine.legal import is_legal
from catan_pz.engine.state import ACTIONS_PER_WORD, LEGAL_WORDS, State, States
from catan_pz.engine.turn import is_setup
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import (
    Float64Array,
    Float64Matrix,
    Int8Array,
    Int64Array,
    Int64Matrix,
    UInt64Array,
)
from catan_pz.observation.encode import DICE, observe
from catan_pz.observation.segments import SIZE
from catan_pz.terms import MAX_PLAYERS, Phase

FIRST, NEXT, PARENT, ACTION, MOVER, VISITS = 0, 1, 2, 3, 4, 5
LINKS = 6
"""Columns of `links`: the first child, the next child of the same parent, the parent (0 for
none), the action of a move, the seat to move at a position (and of its moves), and the visits of a
node."""

ROOT = 1
DEEPEST = 200
"""Moves on a path down a tree."""

IN_TREE = np.array(
    [
        sum(
            1 << bit
            for bit in range(ACTIONS_PER_WORD)
            if not OFFER <= ACTIONS_PER_WORD * word + bit < COMPOSE_SEND
        )
        for word in range(LEGAL_WORDS)
    ],
    np.int64,
)
"""Actions considered below the root: all except those that begin offers."""

_FACTORS = np.random.default_rng(0).integers(0, 2**64, SIZE, np.uint64)


class Nodes(NamedTuple):
    """The nodes of a tree, one per row.

    Row 0 isn't a node: its VISITS is the number of used rows, its child the root. The root is row
    1, a decision of the searcher.
    """

    links: Int64Matrix  # (N, LINKS)
    totals: Float64Matrix  # (N, P) sums of each seat's win probabilities over visits
    keys: UInt64Array  # (N,) hashes of the searcher's views of positions
    priors: Float64Array  # (N,) of moves


@kernel
def key_of(s: State, viewer: int, obs: Int8Array) -> np.uint64:
    """A hash of the viewer's view, equal for all states with the same view.

    The dice are omitted, since their yield is visible.
    """
    observe(s, viewer, obs)
    obs[DICE] = 0
    obs[DICE + 1] = 0
    total = np.uint64(0)
    for k in range(SIZE):
        total += np.uint64(obs[k]) * _FACTORS[k]
    return scramble(total)


@kernel
def add_child(
    parent: int, action: int, mover: int, prior: float, key: np.uint64, nodes: Nodes
) -> int:
    """A new child of a node, or 0 if the arrays are full."""
    links = nodes.links
    node = links[0, VISITS]
    if node >= links.shape[0]:
        return 0
    links[0, VISITS] = node + 1
    links[node, FIRST] = 0
    links[node, NEXT] = links[parent, FIRST]
    links[node, PARENT] = parent
    links[node, ACTION] = action
    links[node, MOVER] = mover
    links[node, VISITS] = 0
    for p in range(MAX_PLAYERS):
        nodes.totals[node, p] = 0.0
    nodes.keys[node] = key
    nodes.priors[node] = prior
    links[parent, FIRST] = node
    return node


@kernel
def find_move(position: int, action: int, links: Int64Matrix) -> int:
    """The child of a position with an action, or 0."""
    node = links[position, FIRST]
    while node != 0 and links[node, ACTION] != action:
        node = links[node, NEXT]
    return node


@kernel
def find_position(move: int, key: np.uint64, mover: int, nodes: Nodes) -> int:
    """The child of a move with a key and a seat to move, or 0."""
    links = nodes.links
    node = links[move, FIRST]
    while node != 0 and (nodes.keys[node] != key or links[node, MOVER] != mover):
        node = links[node, NEXT]
    return node


@kernel
def count_in_tree(s: State) -> int:
    """The number of legal actions considered below the root."""
    n = 0
    for word in range(LEGAL_WORDS):
        n += bits.count(s.legal[word] & IN_TREE[word])
    return n


@kernel
def add_moves(s: State, position: int, policy: Float64Array, nodes: Nodes) -> None:
    """Add the legal moves to a position, with a policy (A,) for their priors."""
    mover = nodes.links[position, MOVER]
    for word in range(LEGAL_WORDS):
        members = s.legal[word] & IN_TREE[word]
        while members != 0:
            a = ACTIONS_PER_WORD * word + bits.first(members)
            members &= members - 1
            if find_move(position, a, nodes.links) == 0:
                add_child(position, a, mover, policy[a], np.uint64(0), nodes)


@kernel
def count_moves(s: State, position: int, links: Int64Matrix) -> int:
    """The number of moves of a position that are legal now."""
    n = 0
    node = links[position, FIRST]
    while node != 0:
        if is_legal(s, links[node, ACTION]):
            n += 1
        node = links[node, NEXT]
    return n


@kernel
def sum_of_priors(s: State, position: int, nodes: Nodes) -> float:
    """The sum of the priors of a position's moves that are legal now; 1 if there are none.

    It may differ from 1, since moves get their priors in the determinization that adds them.
    """
    total = 0.0
    move = nodes.links[position, FIRST]
    while move != 0:
        if is_legal(s, nodes.links[move, ACTION]):
            total += nodes.priors[move]
        move = nodes.links[move, NEXT]
    return total if total > 0 else 1.0


@kernel
def worth_of_move(move: int, usual: float, visits: int, exploration: float, nodes: Nodes) -> float:
    """The PUCT score of a move: its mean win probability plus the exploration term.

    `usual` is the mean at its position, `visits` the position's visits, `exploration` is divided
    by the sum of the priors.
    """
    n = nodes.links[move, VISITS]
    mean = nodes.totals[move, nodes.links[move, MOVER]] / n if n > 0 else usual
    # Before the first visit of the root only its priors decide.
    return mean + exploration * nodes.priors[move] * math.sqrt(max(1, visits)) / (1 + n)


@kernel
def select_move(s: State, position: int, exploration: float, nodes: Nodes) -> int:
    """The legal move of a position with the largest score, or 0 for none."""
    links = nodes.links
    visits = links[position, VISITS]
    usual = nodes.totals[position, links[position, MOVER]] / visits if visits > 0 else 0.0
    exploration /= sum_of_priors(s, position, nodes)
    best, most = 0, -1e9
    move = links[position, FIRST]
    while move != 0:
        if is_legal(s, links[move, ACTION]):
            worth = worth_of_move(move, usual, visits, exploration, nodes)
            if worth > most:
                best, most = move, worth
        move = links[move, NEXT]
    return best


@kernel
def back_up(node: int, win_probabilities: Float64Array, visits: int, nodes: Nodes) -> None:
    """Add a simulation's win probabilities, and some visits, from a node up to the root."""
    while node != 0:
        nodes.links[node, VISITS] += visits
        for p in range(MAX_PLAYERS):
            nodes.totals[node, p] += win_probabilities[p]
        node = nodes.links[node, PARENT]


@entry
def keep_below(node: int, nodes: Nodes, moved: Int64Array) -> None:
    """Make a position the root, keeping only its subtree. `moved` is scratch."""
    links, kept = nodes.links, ROOT
    for k in range(links[0, VISITS]):
        parent = links[k, PARENT]
        if k == node or (k > node and moved[parent] != 0):
            moved[k] = kept
            kept += 1
        else:
            moved[k] = 0
    for k in range(node, links[0, VISITS]):
        to = moved[k]
        if to != 0:
            for column in range(LINKS):
                links[to, column] = links[k, column]
            for column in (FIRST, NEXT, PARENT):
                links[to, column] = moved[links[k, column]]
            for p in range(MAX_PLAYERS):
                nodes.totals[to, p] = nodes.totals[k, p]
            nodes.keys[to] = nodes.keys[k]
            nodes.priors[to] = nodes.priors[k]
    links[ROOT, NEXT] = 0
    links[ROOT, PARENT] = 0
    links[0, FIRST] = ROOT
    links[0, VISITS] = kept


BY_PLAYER, BY_EVALUATOR, BY_VALUE = 0, 1, 2
"""Sources of priors for positions below the root."""


class Walk(NamedTuple):
    """The selection of moves during the descent."""

    guide: int  # source of priors for positions below the root
    player: int  # rollout player
    exploration: float  # weight of the exploration term


@kernel
def write_favorite(s: State, favorite: int, policy: Float64Array) -> None:
    """A policy with half for one action, unless it is -1 or an offer; the rest is uniform."""
    is_favored = favorite >= 0 and not OFFER <= favorite < COMPOSE_SEND
    part = (0.5 if is_favored else 1.0) / count_in_tree(s)
    policy[:] = 0.0
    for word in range(LEGAL_WORDS):
        members = s.legal[word] & IN_TREE[word]
        while members != 0:
            a = ACTIONS_PER_WORD * word + bits.first(members)
            members &= members - 1
            policy[a] = part + (0.5 if a == favorite else 0.0)


@kernel
def write_by_value(games: States, random_bits: np.uint64, w: Workspace) -> None:
    """The policy of `ValueAgent` outside the set-up, given the true state."""
    s, policy = games[0], w.policy
    favorite = -1
    if s.phase != Phase.ANSWER and s.phase != Phase.CLOSE:
        favorite = choice_by_view(s, True, random_bits, w)
    policy[:] = -1.0
    most = -1.0
    set_base(s, int(s.player), w)
    for word in range(LEGAL_WORDS):
        members = s.legal[word] & IN_TREE[word]
        while members != 0:
            a = ACTIONS_PER_WORD * word + bits.first(members)
            members &= members - 1
            policy[a] = worth_of_action(games, a, random_bits, w)
            if a == favorite:
                policy[a] += MARGIN
            most = max(most, policy[a])
    clear_base(w)
    total = 0.0
    for a in range(policy.shape[0]):
        policy[a] = math.exp((policy[a] - most) / TEMPERATURE) if policy[a] >= 0 else 0.0
        total += policy[a]
    for a in range(policy.shape[0]):
        policy[a] /= total


@kernel
def write_policy(games: States, walk: Walk, random_bits: np.uint64, w: Workspace) -> None:
    """A policy over the legal actions; uniform with an evaluator, which sets priors later.

    Actions that begin offers get 0: below the root they aren't considered. In the set-up the
    rollout player replaces the value, which would complete the set-up after each placement and
    take longer than the simulation itself.
    """
    s = games[0]
    if walk.guide == BY_VALUE and not is_setup(s):
        write_by_value(games, random_bits, w)
    elif walk.guide == BY_EVALUATOR:
        write_favorite(s, -1, w.policy)
    else:
        write_favorite(s, choose(games, walk.player, random_bits, w), w.policy)


@kernel
def is_leaf(s: State, position: int, guide: int, links: Int64Matrix) -> bool:
    """Whether the descent ends at a position: it is new, or its moves wait for an evaluation.

    Rollouts complete offers in composition.
    """
    if position == ROOT:
        return False
    if s.phase == Phase.COMPOSE or links[position, VISITS] == 0:
        return True
    return guide == BY_EVALUATOR and links[position, FIRST] == 0


@kernel
def descend(
    games: States, viewer: int, seed: np.uint64, walk: Walk, w: Workspace, nodes: Nodes
) -> int:
    """Descend with the first game to a new position or the end; return the last node."""
    s, links = games[0], nodes.links
    position = ROOT
    for _ in range(DEEPEST):
        if is_leaf(s, position, walk.guide, links):
            return position
        if position != ROOT and count_moves(s, position, links) < count_in_tree(s):
            write_policy(games, walk, seed, w)
            add_moves(s, position, w.policy, nodes)
        move = select_move(s, position, walk.exploration, nodes)
        if move == 0:
            return position
        play_decision(s, links[move, ACTION], seed, w.script)
        if play_forced(s, seed, w.script) == 0:
            return move
        mover = int(s.player)
        key = key_of(s, viewer, w.obs)
        position = find_position(move, key, mover, nodes)
        if position == 0:
            position = add_child(move, -1, mover, 1.0, key, nodes)
            return move if position == 0 else position
    return position
