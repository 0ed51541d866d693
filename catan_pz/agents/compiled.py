"""Whole games between compiled players, without a step in Python."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents import player_calls, policies
from catan_pz.agents.base import Agent
from catan_pz.agents.heuristic.agent import EvolvedAgent, HeuristicAgent
from catan_pz.agents.heuristic.weights import Weights
from catan_pz.agents.random import RandomAgent, WeightedAgent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.registry import as_agent
from catan_pz.checks import check_count, check_seed
from catan_pz.engine.options import deal_of, script_of
from catan_pz.engine.play import new_log
from catan_pz.engine.state import STATE, as_games
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS

_NUMBERS: dict[type[Agent], int] = {
    RandomAgent: policies.RANDOM,
    WeightedAgent: policies.WEIGHTED,
    HeuristicAgent: policies.HEURISTIC,
    EvolvedAgent: policies.EVOLVED,
}


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The results of G games between K players.

    Attributes:
        winners: (G,) the player that won each game, -1 where the turns were over.
        points: (G, K) points of each player at the end.
        turns: (G,) turns of all players together.
        decisions: (K,) decisions of each player in all games.
    """

    winners: NDArray[np.int64]
    points: NDArray[np.int64]
    turns: NDArray[np.int64]
    decisions: NDArray[np.int64]

    def won(self, player: int) -> int:
        """How many games a player won."""
        return int((self.winners == player).sum())


def play_compiled(
    agents: Sequence[Agent | str],
    games: int,
    rules: Rules | str | None = None,
    *,
    seed: int = 0,
    **options: Any,
) -> Outcomes:
    """Play games between "random", "weighted", "heuristic" and "evolved" players.

    In game i player k has seat (k + i) mod P, so that seats even out. Game i is the one
    that the same agents play at a `Table` with `Game(rules, seed + i)` and the seeds
    `random_stream.seat_seeds(seed + i, P)`.

    Args:
        agents: one for each of P seats, or their names.
        games: how many games, from 1.
        rules: a `Rules`, a preset's name, or None for the defaults.
        seed: of game 0; game i has the seed + i.
        **options: replace single options of the rules.
    """
    rules = Rules.make(rules, **options)
    players = [as_agent(agent) for agent in agents]
    if len(players) != rules.num_players or not all(type(one) in _NUMBERS for one in players):
        raise ValueError(
            f"agents {list(agents)!r} are not possible; allowed: {rules.num_players} of "
            f"{sorted(kind.name for kind in _NUMBERS)}"
        )
    games = check_count("games", games)
    weights = [one.weights if isinstance(one, HeuristicAgent) else Weights() for one in players]
    records = as_games(np.zeros(games, STATE))
    with np.errstate(over="ignore"):
        seeds = np.uint64(check_seed(seed)) + np.arange(games, dtype=np.uint64)
    seated = player_calls.Seated(
        policies=np.array([_NUMBERS[type(one)] for one in players], np.int64),
        weights=np.array([one.array() for one in weights]),
        seeds=np.array([seat_seeds(one, len(players)) for one in seeds.tolist()], np.uint64),
        random=np.zeros(MAX_PLAYERS, np.uint64),
        mask=np.zeros(rules.num_actions, np.int8),
        obs=np.zeros(SIZE, np.int8),
    )
    tally = player_calls.SeatTotals(
        winners=np.zeros(games, np.int64),
        points=np.zeros((games, MAX_PLAYERS), np.int64),
        decisions=np.zeros(MAX_PLAYERS, np.int64),
    )
    player_calls.play_games(
        records, seeds, deal_of(rules), script_of(rules), new_log(), seated, tally
    )
    count = rules.num_players
    turns = np.array(records["turn"], np.int64)
    return Outcomes(tally.winners, tally.points[:, :count], turns, tally.decisions[:count])
