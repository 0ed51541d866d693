"""Whole games between compiled players, without a step in Python."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from catan_pz.agents.base import Agent
from catan_pz.agents.heuristic.agent import EvolvedAgent, HeuristicAgent
from catan_pz.agents.heuristic.choose import action_by_weights, evolved_action
from catan_pz.agents.heuristic.weights import WeightRows, Weights, rows_of
from catan_pz.agents.random import (
    EVOLVED,
    HEURISTIC,
    RANDOM,
    WEIGHTED,
    RandomAgent,
    WeightedAgent,
    random_action,
    weighted_action,
)
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.registry import as_agent
from catan_pz.checks import check_count, check_seed
from catan_pz.engine import legal
from catan_pz.engine.chance import GAMMA, scramble
from catan_pz.engine.deal import Deal, deal, deal_of, script_of
from catan_pz.engine.play import Log, new_log, play
from catan_pz.engine.state import STATE, States, as_games
from catan_pz.engine.turn import is_finished
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import (
    Int8Array,
    Int8Matrix,
    Int64Array,
    Int64Matrix,
    UInt64Array,
    UInt64Matrix,
)
from catan_pz.observation.encode import observe
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS

_PLAYERS: dict[type[Agent], int] = {
    RandomAgent: RANDOM,
    WeightedAgent: WEIGHTED,
    HeuristicAgent: HEURISTIC,
    EvolvedAgent: EVOLVED,
}


class Players(NamedTuple):
    """The players of whole games, and scratch space for their views."""

    policies: Int64Array  # (P,)
    weights: WeightRows  # (P,)
    seeds: UInt64Matrix  # (G, P) of the seats' random streams
    random: UInt64Array  # (P,) states of the streams, scratch
    mask: Int8Array  # scratch
    obs: Int8Array  # scratch


class Outcomes(NamedTuple):
    """The results of G games between K players."""

    winners: Int64Array  # (G,) the winner of each game, -1 if it was truncated
    points: Int64Matrix  # (G, K) points of each player at the end
    turns: Int64Array  # (G,) turns of all players together
    decisions: Int64Array  # (K,) decisions of each player in all games

    def won(self, player: int) -> int:
        """The number of games won by a player."""
        return int((self.winners == player).sum())


@kernel
def choose(players: Players, k: int, random_bits: np.uint64) -> int:
    """The choice of player k."""
    policy, obs, mask = players.policies[k], players.obs, players.mask
    if policy == RANDOM:
        return random_action(obs, mask, random_bits)
    if policy == WEIGHTED:
        return weighted_action(obs, mask, random_bits)
    if policy == EVOLVED:
        return evolved_action(obs, mask, random_bits)
    return action_by_weights(obs, mask, random_bits, players.weights[k])


@entry
def play_games(
    games: States,
    seeds: UInt64Array,
    how: Deal,
    script: Int8Matrix,
    log: Log,
    players: Players,
    totals: Outcomes,
) -> None:
    """Play whole games between compiled players; in game i player k has the seat k + i."""
    for i in range(games.shape[0]):
        deal(games, i, seeds[i], how)
        s = games[i]
        n = int(s.num_players)
        for p in range(n):
            players.random[p] = players.seeds[i, p]
        while not is_finished(s):
            p = int(s.player)
            k = (p - i) % n
            legal.write_mask(s, players.mask)
            observe(s, p, players.obs)
            players.random[p] += GAMMA
            play(s, choose(players, k, scramble(players.random[p])), script, log)
            totals.decisions[k] += 1
        totals.turns[i] = s.turn
        totals.winners[i] = -1 if s.winner < 0 else (int(s.winner) - i) % n
        for p in range(n):
            totals.points[i, (p - i) % n] = s.points[p]


def play_compiled(
    agents: Sequence[Agent | str],
    games: int,
    rules: Rules | str | None = None,
    *,
    seed: int = 0,
    **options: Any,
) -> Outcomes:
    """Play games between "random", "weighted", "heuristic" and "evolved" players.

    In game i player k has seat (k + i) mod P, which balances the seats. Game i is the same as that
    of the agents at a `Table` with `Game(rules, seed + i)` and the seeds
    `random_stream.seat_seeds(seed + i, P)`.

    The rules are a `Rules`, a preset's name, or None for the defaults, with single options.
    """
    rules = Rules.make(rules, **options)
    given = [as_agent(agent) for agent in agents]
    if len(given) != rules.num_players or not all(type(one) in _PLAYERS for one in given):
        names = sorted(kind.name for kind in _PLAYERS)
        raise ValueError(f"agents must be {rules.num_players} of {names}, got {list(agents)!r}")
    games = check_count("games", games)
    records = as_games(np.zeros(games, STATE))
    with np.errstate(over="ignore"):
        seeds = np.uint64(check_seed(seed)) + np.arange(games, dtype=np.uint64)
    weights = [one.weights if type(one) is HeuristicAgent else Weights() for one in given]
    players = Players(
        policies=np.array([_PLAYERS[type(one)] for one in given], np.int64),
        weights=rows_of(*weights),
        seeds=np.array([seat_seeds(one, len(given)) for one in seeds.tolist()], np.uint64),
        random=np.zeros(MAX_PLAYERS, np.uint64),
        mask=np.zeros(rules.num_actions, np.int8),
        obs=np.zeros(SIZE, np.int8),
    )
    count = len(given)
    totals = Outcomes(
        winners=np.zeros(games, np.int64),
        points=np.zeros((games, count), np.int64),
        turns=np.zeros(games, np.int64),
        decisions=np.zeros(count, np.int64),
    )
    play_games(records, seeds, deal_of(rules), script_of(rules), new_log(), players, totals)
    return totals
