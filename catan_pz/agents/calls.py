"""Calls from Python on compiled players: a decision in each of many games, and whole games."""

import numpy as np

from catan_pz.agents import policies as players
from catan_pz.agents.draws import OF_A_SEAT
from catan_pz.agents.heuristic import choose as heuristic
from catan_pz.engine import chance, deal, legal, step
from catan_pz.engine.rule import entry, rule
from catan_pz.engine.turn import is_finished
from catan_pz.observation import encode

RANDOM, WEIGHTED, HEURISTIC = 0, 1, 2
"""Compiled players by number."""


@entry
def choose_random(observations, masks, draws, actions):
    """Choose in each game as `RandomAgent` does."""
    for i in range(masks.shape[0]):
        actions[i] = players.random_action(observations[i], masks[i], draws[i])


@entry
def choose_weighted(observations, masks, draws, actions):
    """Choose in each game as `WeightedAgent` does."""
    for i in range(masks.shape[0]):
        actions[i] = players.weighted_action(observations[i], masks[i], draws[i])


@entry
def choose_heuristic(observations, masks, draws, style, actions):
    """Choose in each game as `HeuristicAgent` does."""
    for i in range(masks.shape[0]):
        actions[i] = heuristic.styled_action(observations[i], masks[i], draws[i], style)


@rule
def choose(policy, obs, mask, draw, style):
    """The choice of a compiled player."""
    if policy == HEURISTIC:
        return heuristic.styled_action(obs, mask, draw, style)
    if policy == WEIGHTED:
        return players.weighted_action(obs, mask, draw)
    return players.random_action(obs, mask, draw)


@rule
def seed_seats(seed, samplers):
    """Start the streams of all seats of a game, as `draws.seat_seeds` does."""
    for p in range(samplers.shape[0]):
        samplers[p] = chance.scramble(~seed + np.uint64(p + 1) * OF_A_SEAT)


@entry
def play_games(
    games,
    first,
    last,
    blank,
    seeds,
    layouts,
    spiral,
    no_adjacent_red,
    random_first,
    script,
    policies,
    styles,
    samplers,
    mask,
    obs,
    winners,
    points,
    counts,
):
    """Play whole games between compiled players; in game i player k has the seat k + i.

    Writes the player that has won, -1 for none, the points of each player, and adds the
    decisions of each to `counts`. `samplers`, `mask` and `obs` are scratch space.
    """
    for i in range(first, last):
        games[i] = blank[0]
        s = games[i]
        deal.deal(s, seeds[i], layouts, spiral, no_adjacent_red, random_first)
        seed_seats(seeds[i], samplers)
        n = int(s.num_players)
        while not is_finished(s):
            p = int(s.player)
            k = (p - i) % n
            legal.write_mask(s, mask)
            encode.observe(s, p, obs)
            samplers[p] += chance.GAMMA
            draw = chance.scramble(samplers[p])
            step.advance(s, choose(policies[k], obs, mask, draw, styles[k]), script)
            counts[k] += 1
        winners[i] = -1 if s.winner < 0 else (int(s.winner) - i) % n
        for p in range(n):
            points[i, (p - i) % n] = s.points[p]
