"""A fixed set of positions with the value of each legal action, and the regret of agents there."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.arena.statistics import LEVEL, Interval, mean_interval
from catan_pz.files import read_arrays, resource
from catan_pz.game.game import Game
from catan_pz.rules import Rules


@dataclass(frozen=True)
class Position:
    """A decision of a game: the actions before it, and the value of each legal one.

    Attributes:
        rules: rules of the game.
        seed: seed of the game.
        played: (N,) the actions before it.
        values: win probability of the seat to move after each legal action, by long simulation.
    """

    rules: Rules
    seed: int
    played: NDArray[np.int64]
    values: dict[int, float]

    @property
    def game(self) -> Game:
        """The game at the decision."""
        game = Game(self.rules, self.seed)
        for action in self.played.tolist():
            game.step(action)
        return game

    def table(self, agent: Agent) -> Table:
        """A table where the agent, which has observed the game from its seat, is to move."""
        game, seat = Game(self.rules, self.seed), self.game.player
        seeds = seat_seeds(self.seed, self.rules.num_players)
        table = Table(game, [None] * self.rules.num_players, seeds)
        table.seat(seat, agent, seeds[seat])
        for action in self.played.tolist():
            game.step(action)
        return table

    def regret(self, agent: Agent) -> float:
        """The loss of win probability of an agent's choice against the best action."""
        with self.table(agent) as table:
            return self.loss(table.decide())

    def loss(self, action: int) -> float:
        """The loss of win probability of an action against the best one."""
        return max(self.values.values()) - self.values[action]


def regrets(agent: Agent, asked: Sequence[Position]) -> Iterator[float]:
    """Yield regrets of an agent, in the order of its answers.

    An agent with a batcher is asked in all positions at once.
    """
    if not agent.has_batcher:
        yield from (position.regret(agent) for position in asked)
        return
    with ExitStack() as stack:
        tables = [stack.enter_context(position.table(agent)) for position in asked]
        batcher = agent.batcher()
        for k, table in enumerate(tables):
            seat = table.game.player
            batcher.submit(k, table.agents[seat], table.view(seat))
        left = len(tables)
        while left:
            for k, action in batcher.collect():
                left -= 1
                yield asked[k].loss(action)


@cache
def positions(*, trading: bool = True) -> tuple[Position, ...]:
    """The shipped set, from games with or without trade between players."""
    name = "positions.npz" if trading else "positions-notrade.npz"
    held, rules = read_arrays(resource("catan_pz.arena", name).read_bytes()), Rules(trading=trading)
    played = np.split(held["played"], np.cumsum(held["num_played"])[:-1])
    actions = np.split(held["actions"], np.cumsum(held["num_legal"])[:-1])
    values = np.split(held["values"].astype(float), np.cumsum(held["num_legal"])[:-1])
    return tuple(
        Position(rules, seed, moves, dict(zip(legal.tolist(), worth.tolist(), strict=True)))
        for seed, moves, legal, worth in zip(
            held["seeds"].tolist(), played, actions, values, strict=True
        )
    )


class Regret(NamedTuple):
    """Regrets of an agent, in win probability.

    Attributes:
        mean: mean over the positions.
        interval: 95 % interval of the mean, by Student's t.
        best: share of positions in which it plays the best action.
    """

    mean: float
    interval: Interval
    best: float

    @classmethod
    def of(cls, regrets: Sequence[float]) -> Self:
        """The summary of single positions' regrets."""
        best = sum(regret <= 0 for regret in regrets) / len(regrets)
        return cls(fmean(regrets), mean_interval(regrets, LEVEL), best)
