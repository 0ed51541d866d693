"""The search's calls from Python, compiled on first use.

Letters: D determinisations, K candidates, S simulations, P seats, F features, B leaves, N
numbers of an observation, A actions. `games` (D,) are determinisations of the position to
decide, `spare` scratch records. Simulation j is played in determinisation j modulo D, with
chance that follows from `seed` and j.
"""

import numpy as np

from catan_pz.agents.search import tree
from catan_pz.agents.search.descent import descend, worth_of_offer
from catan_pz.agents.search.greedy import greedy_action
from catan_pz.agents.search.rollout import (
    begin_simulation,
    choose,
    play_decision,
    play_on,
)
from catan_pz.agents.search.value import write_features, write_odds
from catan_pz.engine.actions import BUY_DEVELOPMENT_CARD, DISCARD, MOVE_ROBBER, OFFER, ROLL
from catan_pz.engine.chance import GAMMA, scramble
from catan_pz.engine.legal import count_legal, write_mask
from catan_pz.engine.rule import entry, rule
from catan_pz.engine.step import step
from catan_pz.observation.encode import observe
from catan_pz.terms import Phase


@rule
def nth_seed(seed, j):
    """Where the chance of simulation j comes from."""
    return scramble(seed + GAMMA * np.uint64(j + 1))


@rule
def has_chance(a):
    """Whether chance has a part in what comes of an action."""
    return a in (ROLL, BUY_DEVELOPMENT_CARD) or MOVE_ROBBER <= a < DISCARD


@entry
def simulate(
    games,
    spare,
    actions,
    seed,
    first,
    last,
    player,
    turns,
    script,
    net,
    features,
    odds,
    obs,
    mask,
    results,
):
    """Play simulations `first` up to `last` of each of some actions, then rollouts.

    Simulation j has the same chance for every action. `results` (K, S) gets the odds of the
    seat to move in simulation `first` + j.
    """
    s = spare[0]
    for j in range(first, last):
        here = nth_seed(seed, j)
        i = j % games.shape[0]
        p, last_turn = int(games[i].player), int(games[i].turn) + turns
        for k in range(actions.shape[0]):
            spare[0] = games[i]
            begin_simulation(s, here)
            play_decision(s, actions[k], here, script)
            play_on(s, player, here, last_turn, script, obs, mask)
            write_odds(s, int(games[i].turn), net, features, odds)
            results[k, j - first] = odds[p]


@entry
def find_win(games, spare, actions, script):
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
def plant(games, actions, links, totals, keys, priors, obs):
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
def grow(
    games,
    spare,
    seed,
    first,
    last,
    way,
    depth,
    exploration,
    player,
    turns,
    script,
    net,
    features,
    odds,
    obs,
    mask,
    links,
    totals,
    keys,
    priors,
):
    """Simulations `first` up to `last`: down the tree, then a rollout, and its odds back up."""
    s = spare[0]
    for j in range(first, last):
        here = nth_seed(seed, j)
        i = j % games.shape[0]
        last_turn = int(games[i].turn) + turns
        spare[0] = games[i]
        begin_simulation(s, here)
        viewer = int(s.player)
        node = descend(
            s,
            viewer,
            way,
            0,
            depth,
            exploration,
            here,
            script,
            obs,
            links,
            totals,
            keys,
            priors,
        )
        play_on(s, player, here, last_turn, script, obs, mask)
        write_odds(s, int(games[i].turn), net, features, odds)
        tree.back_up(node, odds, 1, links, totals)


@entry
def pick_leaves(
    games,
    spare,
    seed,
    first,
    way,
    depth,
    exploration,
    script,
    obs,
    leaves,
    observations,
    masks,
    players,
    links,
    totals,
    keys,
    priors,
    odds,
):
    """Descend once for each of B leaves, from simulation `first` on; nothing is backed up yet.

    Writes the nodes reached, `leaves` (B,), who is to move there, `players` (B,), with what
    that seat sees and may do. A visit is counted at once with odds of zero, which keeps the
    next descents from taking the same way.
    """
    for b in range(leaves.shape[0]):
        here = nth_seed(seed, first + b)
        spare[b] = games[(first + b) % games.shape[0]]
        s = spare[b]
        begin_simulation(s, here)
        viewer = int(s.player)
        leaves[b] = descend(
            s,
            viewer,
            way,
            1,
            depth,
            exploration,
            here,
            script,
            obs,
            links,
            totals,
            keys,
            priors,
        )
        odds[:] = 0.0
        tree.back_up(leaves[b], odds, 1, links, totals)
        players[b] = s.player
        observe(s, int(s.player), observations[b])
        write_mask(s, masks[b])


@entry
def take_evaluations(
    games, spare, net, features, odds, leaves, advice, values, links, totals, keys, priors
):
    """Give each leaf its moves by priors (B, A), and back up the odds (B, P) of all seats.

    Where the game is finished its result counts instead.
    """
    for b in range(leaves.shape[0]):
        s = spare[b]
        node = leaves[b]
        if count_legal(s) == 0:
            write_odds(s, int(games[0].turn), net, features, odds)
        else:
            for p in range(odds.shape[0]):
                odds[p] = values[b, p]
            if links[node, tree.ACTION] < 0 and s.phase != Phase.COMPOSE:
                tree.add_moves(s, node, -1, links, totals, keys, priors)
                move = links[node, tree.FIRST]
                while move != 0:
                    priors[move] = advice[b, links[move, tree.ACTION]]
                    move = links[move, tree.NEXT]
        tree.back_up(node, odds, 0, links, totals)


@entry
def set_root_priors(advice, links, priors):
    """Give the root's moves the priors of row 0 of `advice` (1, A)."""
    move = links[tree.ROOT, tree.FIRST]
    while move != 0:
        priors[move] = advice[0, links[move, tree.ACTION]]
        move = links[move, tree.NEXT]


@entry
def move_root(node, links, totals, keys, priors, moved):
    """Make a position the root and drop all that isn't below it."""
    tree.keep_below(node, links, totals, keys, priors, moved)


@entry
def look_key(games, i, viewer, obs):
    """The key of what a viewer sees of game i."""
    return tree.key_of(games[i], viewer, obs)


@entry
def rank_offers(games, actions, odds):
    """Write what each of some offers promises: the mean of `worth_of_offer`, (K,)."""
    for k in range(actions.shape[0]):
        odds[k] = 0.0
        for i in range(games.shape[0]):
            s = games[i]
            odds[k] += worth_of_offer(s, int(s.player), actions[k] - OFFER) / games.shape[0]


@entry
def play_out(games, i, player, seed, last_turn, script, obs, mask):
    """Play game i on as a rollout does."""
    play_on(games[i], player, seed, last_turn, script, obs, mask)


@entry
def choose_action(games, i, player, draw, obs, mask):
    """What a player of rollouts does in game i."""
    return choose(games[i], player, draw, obs, mask)


@entry
def estimate(games, i, since, net, features, odds):
    """Write each seat's odds in game i, (P,), for a search from turn `since`."""
    write_odds(games[i], since, net, features, odds)


@entry
def describe(games, i, p, features):
    """Write the features of seat p in game i."""
    write_features(games[i], p, features)


@entry
def look_at(games, observations, masks):
    """Write what the seat to move in the first game sees and may do, into row 0."""
    s = games[0]
    observe(s, int(s.player), observations[0])
    write_mask(s, masks[0])


@entry
def begin(games, spare, seed):
    """Begin a simulation of a given seed in the first game, as a copy."""
    spare[0] = games[0]
    begin_simulation(spare[0], seed)
