"""The search's calls from Python, compiled on first use.

Letters: D determinizations, K candidates, S simulations, P seats, B leaves, N numbers of an
observation, A actions. `games` (D,) are determinizations of the position to decide, `played` (1,)
is a scratch record. Simulation j is played in determinization j modulo D, with chance that follows
from `seed` and j.
"""

from typing import NamedTuple

import numpy as np

from catan_pz.actions import NO_ACTION
from catan_pz.agents.search import tree
from catan_pz.agents.search.rollout import (
    Rollout,
    begin_simulation,
    choose,
    play_and_judge,
    play_decision,
    write_win_probabilities,
)
from catan_pz.agents.search.tree import Walk, descend
from catan_pz.agents.value.network import Workspace
from catan_pz.engine.chance import GAMMA, scramble
from catan_pz.engine.legal import count_legal, write_mask
from catan_pz.engine.outcomes import outcomes_of
from catan_pz.engine.play import step
from catan_pz.engine.state import States
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import (
    Float64Array,
    Float64Matrix,
    Int8Array,
    Int8Matrix,
    Int64Array,
)
from catan_pz.observation.encode import observe
from catan_pz.terms import MAX_PLAYERS, NOBODY, Phase


class Simulations(NamedTuple):
    """The starting data of one worker's simulations."""

    games: States  # (D,) determinizations
    played: States  # (1,) scratch
    seed: np.uint64
    rollout: Rollout
    w: Workspace


class Leaves(NamedTuple):
    """Positions that an evaluator evaluates at once."""

    games: States  # (B,)
    nodes: Int64Array  # (B,) nodes where the descents ended
    players: Int8Array  # (B,) seats to move
    observations: Int8Matrix  # (B, N) of these seats
    masks: Int8Matrix  # (B, A) their legal actions; none for finished games


@kernel
def begin_nth(games: States, played: States, seed: np.uint64, j: int) -> np.uint64:
    """Begin simulation j in the first of `played`; returns the seed of its chance."""
    simulation_seed = scramble(seed + GAMMA * np.uint64(j + 1))
    played[0] = games[j % games.shape[0]]
    begin_simulation(played[0], simulation_seed)
    return simulation_seed


@entry
def simulate(
    run: Simulations,
    actions: Int64Array,
    first: int,
    last: int,
    viewer: int,
    results: Float64Matrix,
) -> int:
    """Play simulations `first` up to `last` of each of some actions, then rollouts.

    Simulation j has the same chance for every action; `NO_ACTION` continues the position itself.
    `results` (K * S, P) gets each seat's win probability in simulation `first` + j, whose end is
    evaluated by the viewer's knowledge, or with NOBODY the mover's. Without simulations it returns
    the rollout player's choice in the first determinization, else `NO_ACTION`.
    """
    played, w = run.played, run.w
    if first == last:
        return choose(run.games, run.rollout.player, run.seed, w)
    for j in range(first, last):
        for k in range(actions.shape[0]):
            seed = begin_nth(run.games, played, run.seed, j)
            since = int(played[0].turn)
            judge = int(played[0].player) if viewer == NOBODY else viewer
            if actions[k] != NO_ACTION:
                play_decision(played[0], actions[k], seed, w.script)
            play_and_judge(played, judge, since, seed, run.rollout, w)
            for p in range(MAX_PLAYERS):
                results[k * (last - first) + j - first, p] = w.values[p]
    return NO_ACTION


@entry
def find_win(games: States, played: States, actions: Int64Array, script: Int8Matrix) -> int:
    """The first of some actions that wins in every game, without chance; or -1."""
    s = played[0]
    for k in range(actions.shape[0]):
        a = actions[k]
        wins = outcomes_of(games[0], a) == 0
        for i in range(games.shape[0]):
            if wins:
                played[0] = games[i]
                p = int(s.player)
                step(s, a, script)
                wins = s.phase == Phase.OVER and s.winner == p
        if wins:
            return a
    return -1


@entry
def plant(
    games: States, actions: Int64Array, policy: Float64Array, nodes: tree.Nodes, obs: Int8Array
) -> None:
    """Give the tree a root, if it has none, and moves for the actions, with a policy (A,)."""
    s = games[0]
    p = int(s.player)
    if nodes.links[0, tree.FIRST] == 0:
        nodes.links[0, tree.VISITS] = tree.ROOT
        tree.add_child(0, -1, p, 1.0, tree.key_of(s, p, obs), nodes)
    for k in range(actions.shape[0]):
        if tree.find_move(tree.ROOT, actions[k], nodes.links) == 0:
            tree.add_child(tree.ROOT, actions[k], p, 0.0, np.uint64(0), nodes)
    move = nodes.links[tree.ROOT, tree.FIRST]
    while move != 0:
        nodes.priors[move] = policy[nodes.links[move, tree.ACTION]]
        move = nodes.links[move, tree.NEXT]


@entry
def grow(run: Simulations, first: int, last: int, walk: Walk, nodes: tree.Nodes) -> None:
    """Run simulations `first` up to `last`: descend, roll out, back up win probabilities."""
    played, w = run.played, run.w
    for j in range(first, last):
        seed = begin_nth(run.games, played, run.seed, j)
        viewer, since = int(played[0].player), int(played[0].turn)
        node = descend(played, viewer, seed, walk, w, nodes)
        play_and_judge(played, viewer, since, seed, run.rollout, w)
        tree.back_up(node, w.values, 1, nodes)


@entry
def pick_leaves(
    run: Simulations, first: int, walk: Walk, nodes: tree.Nodes, leaves: Leaves
) -> None:
    """Descend once for each leaf, from simulation `first` on, without backups.

    A visit counts immediately with a win probability of zero (a virtual loss), which keeps the
    next descents from taking the same path.
    """
    for b in range(leaves.nodes.shape[0]):
        played = leaves.games[b : b + 1]
        seed = begin_nth(run.games, played, run.seed, first + b)
        s = played[0]
        leaves.nodes[b] = descend(played, int(s.player), seed, walk, run.w, nodes)
        run.w.values[:] = 0.0
        tree.back_up(leaves.nodes[b], run.w.values, 1, nodes)
        leaves.players[b] = s.player
        observe(s, int(s.player), leaves.observations[b])
        write_mask(s, leaves.masks[b])


@entry
def take_evaluations(
    games: States,
    w: Workspace,
    nodes: tree.Nodes,
    leaves: Leaves,
    advice: Float64Matrix,
    values: Float64Matrix,
) -> None:
    """Give each leaf its moves by priors (B, A), and back up win probabilities (B, P).

    The result of a finished game counts instead.
    """
    for b in range(leaves.nodes.shape[0]):
        s = leaves.games[b]
        node = leaves.nodes[b]
        if count_legal(s) == 0:
            write_win_probabilities(s, int(games[0].player), int(games[0].turn), w)
        else:
            for p in range(MAX_PLAYERS):
                w.values[p] = values[b, p]
            if nodes.links[node, tree.ACTION] < 0 and s.phase != Phase.COMPOSE:
                tree.add_moves(s, node, advice[b], nodes)
        tree.back_up(node, w.values, 0, nodes)


@entry
def look_key(games: States, viewer: int, obs: Int8Array) -> np.uint64:
    """The key of the first game from a viewer's perspective."""
    return tree.key_of(games[0], viewer, obs)


@entry
def look_at(games: States, observations: Int8Matrix, masks: Int8Matrix) -> None:
    """Write observation and mask of the seat to move in each game."""
    for i in range(games.shape[0]):
        s = games[i]
        observe(s, int(s.player), observations[i])
        write_mask(s, masks[i])
