"""The search's calls from Python, compiled on first use.

Letters: D determinizations, K candidates, S simulations, P seats, B leaves, N
numbers of an observation, A actions. `games` (D,) are determinizations of the position to
decide, `spare` and `trial` scratch records. Simulation j is played in determinization j modulo D,
with chance that follows from `seed` and j.
"""

import numpy as np

from catan_pz.actions import BUY_DEVELOPMENT_CARD, DISCARD, MOVE_ROBBER, OFFER, ROLL
from catan_pz.agents.search import tree
from catan_pz.agents.search.descent import descend, worth_of_offer
from catan_pz.agents.search.greedy import greedy_action
from catan_pz.agents.search.rollout import (
    begin_simulation,
    choose,
    play_and_judge,
    play_decision,
    play_on,
)
from catan_pz.agents.search.tree_policy import BY_EVALUATOR
from catan_pz.agents.search.value import write_win_probabilities
from catan_pz.engine.chance import GAMMA, scramble
from catan_pz.engine.legal import count_legal, write_mask
from catan_pz.engine.play import step
from catan_pz.engine.state import States
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import (
    Float32Array,
    Float64Array,
    Float64Matrix,
    Int8Array,
    Int8Matrix,
    Int64Array,
    Int64Matrix,
    UInt64Array,
)
from catan_pz.observation.encode import observe
from catan_pz.terms import Phase


@kernel
def nth_seed(seed: np.uint64, j: int) -> np.uint64:
    """Where the chance of simulation j comes from."""
    return scramble(seed + GAMMA * np.uint64(j + 1))


@kernel
def has_chance(a: int) -> bool:
    """Whether chance has a part in what comes of an action."""
    return a in (ROLL, BUY_DEVELOPMENT_CARD) or MOVE_ROBBER <= a < DISCARD


@entry
def simulate(  # wide: the arrays of a tree, not yet bundled
    games: States,
    spare: States,
    trial: States,
    actions: Int64Array,
    seed: np.uint64,
    first: int,
    last: int,
    rollout: int,
    turns: int,
    script: Int8Matrix,
    net: Float32Array,
    work: Float32Array,
    win_probabilities: Float64Array,
    obs: Int8Array,
    mask: Int8Array,
    results: Float64Matrix,
) -> None:
    """Play simulations `first` up to `last` of each of some actions, then rollouts.

    Simulation j has the same chance for every action. `results` (K, S) gets the win probability of
    the seat to move in simulation `first` + j.
    """
    s = spare[0]
    for j in range(first, last):
        simulation_seed = nth_seed(seed, j)
        i = j % games.shape[0]
        p = int(games[i].player)
        for k in range(actions.shape[0]):
            spare[0] = games[i]
            begin_simulation(s, simulation_seed)
            play_decision(s, actions[k], simulation_seed, script)
            play_and_judge(
                spare,
                trial,
                p,
                int(games[i].turn),
                rollout,
                simulation_seed,
                turns,
                net,
                work,
                win_probabilities,
                script,
                obs,
                mask,
            )
            results[k, j - first] = win_probabilities[p]


@entry
def find_win(games: States, spare: States, actions: Int64Array, script: Int8Matrix) -> int:
    """The first of some actions that wins in every game without any chance in it, or -1."""
    s = spare[0]
    for k in range(actions.shape[0]):
        a = actions[k]
        wins = not has_chance(a)
        for i in range(games.shape[0]):
            if wins:
                spare[0] = games[i]
                p = int(s.player)
                step(s, a, script)
                wins = s.phase == Phase.OVER and s.winner == p
        if wins:
            return a
    return -1


@entry
def plant(
    games: States,
    actions: Int64Array,
    links: Int64Matrix,
    totals: Float64Matrix,
    keys: UInt64Array,
    priors: Float64Array,
    obs: Int8Array,
) -> None:
    """Give the tree a root, if it has none, with some actions as its moves."""
    s = games[0]
    p = int(s.player)
    if links[0, tree.FIRST] == 0:
        links[0, tree.VISITS] = tree.ROOT
        key = tree.key_of(s, p, obs)
        tree.add_child(0, -1, p, 1.0, key, links, totals, keys, priors)
    favorite = greedy_action(s)
    for k in range(actions.shape[0]):
        if tree.find_move(tree.ROOT, actions[k], links) == 0:
            prior = (0.5 if actions[k] == favorite else 0.0) + 0.5 / actions.shape[0]
            tree.add_child(
                tree.ROOT, actions[k], p, prior, np.uint64(0), links, totals, keys, priors
            )


@entry
def grow(  # wide: the arrays of a tree, not yet bundled
    games: States,
    spare: States,
    trial: States,
    seed: np.uint64,
    first: int,
    last: int,
    way: int,
    guide: int,
    depth: int,
    exploration: float,
    rollout: int,
    turns: int,
    script: Int8Matrix,
    net: Float32Array,
    work: Float32Array,
    win_probabilities: Float64Array,
    obs: Int8Array,
    mask: Int8Array,
    policy: Float64Array,
    links: Int64Matrix,
    totals: Float64Matrix,
    keys: UInt64Array,
    priors: Float64Array,
) -> None:
    """Simulations `first` up to `last`: down the tree, a rollout, win probabilities back up."""
    s = spare[0]
    for j in range(first, last):
        simulation_seed = nth_seed(seed, j)
        i = j % games.shape[0]
        spare[0] = games[i]
        begin_simulation(s, simulation_seed)
        viewer = int(s.player)
        node = descend(
            spare,
            trial,
            viewer,
            way,
            guide,
            depth,
            exploration,
            simulation_seed,
            script,
            net,
            work,
            win_probabilities,
            obs,
            mask,
            policy,
            links,
            totals,
            keys,
            priors,
        )
        play_and_judge(
            spare,
            trial,
            viewer,
            int(games[i].turn),
            rollout,
            simulation_seed,
            turns,
            net,
            work,
            win_probabilities,
            script,
            obs,
            mask,
        )
        tree.back_up(node, win_probabilities, 1, links, totals)


@entry
def pick_leaves(  # wide: the arrays of a tree, not yet bundled
    games: States,
    spare: States,
    trial: States,
    seed: np.uint64,
    first: int,
    way: int,
    depth: int,
    exploration: float,
    script: Int8Matrix,
    net: Float32Array,
    work: Float32Array,
    obs: Int8Array,
    mask: Int8Array,
    policy: Float64Array,
    leaves: Int64Array,
    observations: Int8Matrix,
    masks: Int8Matrix,
    players: Int8Array,
    links: Int64Matrix,
    totals: Float64Matrix,
    keys: UInt64Array,
    priors: Float64Array,
    win_probabilities: Float64Array,
) -> None:
    """Descend once for each of B leaves, from simulation `first` on; nothing is backed up yet.

    Writes the nodes reached, `leaves` (B,), who is to move there, `players` (B,), with what
    that seat sees and may do. A visit is counted at once with a win probability of zero (a
    virtual loss), which keeps the next descents from taking the same way.
    """
    for b in range(leaves.shape[0]):
        simulation_seed = nth_seed(seed, first + b)
        spare[b] = games[(first + b) % games.shape[0]]
        s = spare[b]
        begin_simulation(s, simulation_seed)
        viewer = int(s.player)
        leaves[b] = descend(
            spare[b : b + 1],
            trial,
            viewer,
            way,
            BY_EVALUATOR,
            depth,
            exploration,
            simulation_seed,
            script,
            net,
            work,
            win_probabilities,
            obs,
            mask,
            policy,
            links,
            totals,
            keys,
            priors,
        )
        win_probabilities[:] = 0.0
        tree.back_up(leaves[b], win_probabilities, 1, links, totals)
        players[b] = s.player
        observe(s, int(s.player), observations[b])
        write_mask(s, masks[b])


@entry
def take_evaluations(  # wide: the arrays of a tree, not yet bundled
    games: States,
    spare: States,
    net: Float32Array,
    work: Float32Array,
    win_probabilities: Float64Array,
    leaves: Int64Array,
    advice: Float64Matrix,
    values: Float64Matrix,
    links: Int64Matrix,
    totals: Float64Matrix,
    keys: UInt64Array,
    priors: Float64Array,
) -> None:
    """Give each leaf its moves by priors (B, A), and back up win probabilities (B, P).

    Where the game is finished its result counts instead.
    """
    for b in range(leaves.shape[0]):
        s = spare[b]
        node = leaves[b]
        if count_legal(s) == 0:
            write_win_probabilities(
                s, int(games[0].player), int(games[0].turn), net, work, win_probabilities
            )
        else:
            for p in range(win_probabilities.shape[0]):
                win_probabilities[p] = values[b, p]
            if links[node, tree.ACTION] < 0 and s.phase != Phase.COMPOSE:
                tree.add_moves(s, node, advice[b], links, totals, keys, priors)
        tree.back_up(node, win_probabilities, 0, links, totals)


@entry
def set_root_priors(policy: Float64Array, links: Int64Matrix, priors: Float64Array) -> None:
    """Give the root's moves a policy (A,) for their priors."""
    move = links[tree.ROOT, tree.FIRST]
    while move != 0:
        priors[move] = policy[links[move, tree.ACTION]]
        move = links[move, tree.NEXT]


@entry
def move_root(
    node: int,
    links: Int64Matrix,
    totals: Float64Matrix,
    keys: UInt64Array,
    priors: Float64Array,
    moved: Int64Array,
) -> None:
    """Make a position the root and drop all that isn't below it."""
    tree.keep_below(node, links, totals, keys, priors, moved)


@entry
def look_key(games: States, i: int, viewer: int, obs: Int8Array) -> np.uint64:
    """The key of what a viewer sees of game i."""
    return tree.key_of(games[i], viewer, obs)


@entry
def rank_offers(games: States, actions: Int64Array, gains: Float64Array) -> None:
    """Write what each of some offers promises: the mean of `worth_of_offer`, (K,)."""
    for k in range(actions.shape[0]):
        gains[k] = 0.0
        for i in range(games.shape[0]):
            s = games[i]
            gains[k] += worth_of_offer(s, int(s.player), actions[k] - OFFER) / games.shape[0]


@entry
def play_out(  # wide: the arrays of a tree, not yet bundled
    games: States,
    spare: States,
    rollout: int,
    seed: np.uint64,
    last_turn: int,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
) -> None:
    """Play the first game on as a rollout does."""
    play_on(games, spare, rollout, seed, last_turn, net, work, values, script, obs, mask)


@entry
def choose_action(
    games: States,
    spare: States,
    rollout: int,
    random_bits: np.uint64,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
) -> int:
    """What a player of rollouts does in the first game."""
    return choose(games, spare, rollout, random_bits, net, work, values, script, obs, mask)


@entry
def estimate(
    games: States,
    i: int,
    viewer: int,
    since: int,
    net: Float32Array,
    work: Float32Array,
    win_probabilities: Float64Array,
) -> None:
    """Write each seat's win probability in game i, (P,), for a viewer since turn `since`."""
    write_win_probabilities(games[i], viewer, since, net, work, win_probabilities)


@entry
def look_at(games: States, observations: Int8Matrix, masks: Int8Matrix) -> None:
    """Write what the seat to move in the first game sees and may do, into row 0."""
    s = games[0]
    observe(s, int(s.player), observations[0])
    write_mask(s, masks[0])


@entry
def begin(games: States, spare: States, seed: np.uint64) -> None:
    """Begin a simulation of a given seed in the first game, as a copy."""
    spare[0] = games[0]
    begin_simulation(spare[0], seed)
