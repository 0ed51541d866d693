"""Calls from Python on compiled players: a decision in each of many games, and whole games."""

from typing import NamedTuple

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


class Seated(NamedTuple):
    """The players of whole games, and room for what they see."""

    policies: Int64Array  # (P,)
    weights: Int64Matrix  # (P, W)
    seeds: UInt64Matrix  # (G, P) of the seats' random streams
    random: UInt64Array  # (P,) room
    mask: Int8Array  # room
    obs: Int8Array  # room


class SeatTotals(NamedTuple):
    """What is written of whole games."""

    winners: Int64Array  # (G,) players, -1 for none
    points: Int64Matrix  # (G, P) by player
    decisions: Int64Array  # (P,) of each player, added up


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
    seeds: UInt64Array,
    how: Deal,
    script: Int8Matrix,
    log: Log,
    seated: Seated,
    tally: SeatTotals,
) -> None:
    """Play whole games between compiled players; in game i player k has the seat k + i."""
    mask, obs = seated.mask, seated.obs
    for i in range(games.shape[0]):
        deal(games, i, seeds[i], how)
        s = games[i]
        n = int(s.num_players)
        for p in range(n):
            seated.random[p] = seated.seeds[i, p]
        while not is_finished(s):
            p = int(s.player)
            k = (p - i) % n
            legal.write_mask(s, mask)
            encode.observe(s, p, obs)
            seated.random[p] += chance.GAMMA
            bits = chance.scramble(seated.random[p])
            play(s, choose(seated.policies[k], obs, mask, bits, seated.weights[k]), script, log)
            tally.decisions[k] += 1
        tally.winners[i] = -1 if s.winner < 0 else (int(s.winner) - i) % n
        for p in range(n):
            tally.points[i, (p - i) % n] = s.points[p]
