"""A fixed set of positions with the value of each legal action, and the regret of agents there."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.arena.statistics import LEVEL, Interval, mean_interval
from catan_pz.files import read_arrays, resource
from catan_pz.game.game import Game
from catan_pz.rules import Rules

RULES: Final = Rules(trading=False)
"""Of the games of the set."""


@dataclass(frozen=True)
class Position:
    """A decision of a game: the actions that led there, and what each legal one is worth.

    The game is one of four players by the base rules without trade between players.

    Attributes:
        seed: of the game.
        played: (N,) the actions before it.
        values: win probability of the seat to move after each legal action, by a long search.
    """

    seed: int
    played: NDArray[np.int64]
    values: dict[int, float]

    @property
    def game(self) -> Game:
        """The game at the decision."""
        game = Game(RULES, self.seed)
        for action in self.played.tolist():
            game.step(action)
        return game

    def choice(self, agent: Agent) -> int:
        """What an agent plays here, once it has seen the game from its seat."""
        game, seat = Game(RULES, self.seed), self.game.player
        seeds = seat_seeds(self.seed, RULES.num_players)
        with Table(game, [None] * RULES.num_players, seeds) as table:
            table.seat(seat, agent, seeds[seat])
            for action in self.played.tolist():
                game.step(action)
            return table.decide()

    def regret(self, agent: Agent) -> float:
        """The win probability that an agent's choice loses against the best action."""
        return max(self.values.values()) - self.values[self.choice(agent)]


@cache
def positions() -> tuple[Position, ...]:
    """The set that comes with the package; `examples/make_positions.py` made it."""
    held = read_arrays(resource("catan_pz.arena", "positions.npz").read_bytes())
    played = np.split(held["played"], np.cumsum(held["num_played"])[:-1])
    actions = np.split(held["actions"], np.cumsum(held["num_legal"])[:-1])
    values = np.split(held["values"].astype(float), np.cumsum(held["num_legal"])[:-1])
    return tuple(
        Position(seed, moves, dict(zip(legal.tolist(), worth.tolist(), strict=True)))
        for seed, moves, legal, worth in zip(
            held["seeds"].tolist(), played, actions, values, strict=True
        )
    )


class Regret(NamedTuple):
    """Regrets of an agent, in win probability.

    Attributes:
        mean: over the positions.
        interval: of the mean, 95 %, by Student's t.
        best: share of positions in which it plays the best action.
    """

    mean: float
    interval: Interval
    best: float

    @classmethod
    def of(cls, regrets: Sequence[float]) -> Self:
        """From those of single positions."""
        best = sum(regret <= 0 for regret in regrets) / len(regrets)
        return cls(fmean(regrets), mean_interval(regrets, LEVEL), best)
