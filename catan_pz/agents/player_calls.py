"""Calls from Python on compiled players: a decision in each of many games, and whole games."""

import numpy as np

from catan_pz.agents import policies as players
from catan_pz.agents.heuristic import choose as heuristic
from catan_pz.agents.policies import EVOLVED, HEURISTIC, WEIGHTED
from catan_pz.engine import chance, legal
from catan_pz.engine.deal import Deal, deal
from catan_pz.engine.play import Log, play
from catan_pz.engine.state import States
from catan_pz.engine.turn import is_finished
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import (
    ConstInt64Array,
    ConstInt64Matrix,
    Int8Array,
    Int8Matrix,
    Int64Array,
    Int64Matrix,
    UInt64Array,
    UInt64Matrix,
)
from catan_pz.observation import encode


@entry
def choose_random(
    observations: Int8Matrix, masks: Int8Matrix, random_bits: UInt64Array, actions: Int64Array
) -> None:
    """Choose in each game as `RandomAgent` does."""
    for i in range(masks.shape[0]):
        actions[i] = players.random_action(observations[i], masks[i], random_bits[i])


@entry
def choose_weighted(
    observations: Int8Matrix, masks: Int8Matrix, random_bits: UInt64Array, actions: Int64Array
) -> None:
    """Choose in each game as `WeightedAgent` does."""
    for i in range(masks.shape[0]):
        actions[i] = players.weighted_action(observations[i], masks[i], random_bits[i])


@kernel
def choose(
    policy: int, obs: Int8Array, mask: Int8Array, random_bits: np.uint64, weights: ConstInt64Array
) -> int:
    """The choice of a compiled player."""
    if policy == HEURISTIC:
        return heuristic.action_by_weights(obs, mask, random_bits, weights)
    if policy == EVOLVED:
        return heuristic.evolved_action(obs, mask, random_bits)
    if policy == WEIGHTED:
        return players.weighted_action(obs, mask, random_bits)
    return players.random_action(obs, mask, random_bits)


@entry
def play_games(
    games: States,
    first: int,
    last: int,
    seeds: UInt64Array,
    how: Deal,
    script: Int8Matrix,
    log: Log,
    policies: ConstInt64Array,
    weights_by_player: ConstInt64Matrix,
    seat_seeds: UInt64Matrix,
    rng_states: UInt64Array,
    mask: Int8Array,
    obs: Int8Array,
    winners: Int64Array,
    points: Int64Matrix,
    counts: Int64Array,
) -> None:
    """Play whole games between compiled players; in game i player k has the seat k + i.

    `seat_seeds` (G, P) are the seeds of the seats' random streams. Writes the player that has
    won, -1 for none, the points of each player, and adds the decisions of each to `counts`.
    `log`, `rng_states`, `mask` and `obs` are scratch space.
    """
    for i in range(first, last):
        deal(games, i, seeds[i], how)
        s = games[i]
        n = int(s.num_players)
        for p in range(n):
            rng_states[p] = seat_seeds[i, p]
        while not is_finished(s):
            p = int(s.player)
            k = (p - i) % n
            legal.write_mask(s, mask)
            encode.observe(s, p, obs)
            rng_states[p] += chance.GAMMA
            a = choose(policies[k], obs, mask, chance.scramble(rng_states[p]), weights_by_player[k])
            play(s, a, script, log)
            counts[k] += 1
        winners[i] = -1 if s.winner < 0 else (int(s.winner) - i) % n
        for p in range(n):
            points[i, (p - i) % n] = s.points[p]
