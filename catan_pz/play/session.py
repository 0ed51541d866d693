"""A match that somebody plays or watches: a game between agents and perhaps a person."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from catan_pz.agents.base import Agent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.events import Events
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.names import seat_names
from catan_pz.render.log import log_line
from catan_pz.rules import Rules


def get_ready(rules: Rules, agents: Sequence[Agent | None]) -> None:
    """Compile what a game needs, by a first decision of each agent in a game of its own.

    Where nothing is cached that takes seconds, in which a window could not be drawn.
    """
    others = {agent.name: agent for agent in agents if agent is not None}
    for agent in others.values():
        game = Game(rules, 0)
        game.listeners.append(lambda _game, _events: None)  # as sessions do
        everyone = [agent] * rules.num_players
        with Table(game, everyone, seat_seeds(0, rules.num_players)) as table:
            table.step()


def names_of(agents: Sequence[Agent | None], person: str = "Human") -> list[str]:
    """What seats are called by those who play them."""
    return [person if agent is None else agent.name for agent in agents]


class Session:
    """One game with its table, its record and its log.

    Args:
        game: the game, at its start.
        agents: by seat, None for the person's.
        seed: of the agents' random streams.
        names: what the seats are called; by default as the agents and "Human".
        viewer: where nobody plays, the seat whose knowledge limits the log; None for all.
        specs: by seat, what the record is to name the agents by, None for the person's.

    Attributes:
        game: the game.
        table: the table at which the agents sit.
        record: all that was played, with the seats' names.
        names: what the seats are called.
        seat: the person's seat, None where nobody plays.
        viewer: the seat whose knowledge is shown; None for all.
        log: what happened, a line a decision, as the viewer may know it.
    """

    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent | None],
        seed: int,
        names: Sequence[str] | None = None,
        viewer: int | None = None,
        specs: Sequence[str | None] | None = None,
    ) -> None:
        self.game = game
        self.table = Table(game, agents, seat_seeds(seed, game.rules.num_players))
        self.names = list(names or names_of(agents))
        self.record = GameRecord.of(game, self.names, specs)
        self.seat = next((p for p, agent in enumerate(agents) if agent is None), None)
        self.viewer = viewer if self.seat is None else self.seat
        self.log: list[str] = []
        self.game.listeners.append(self._listen)

    @classmethod
    def resumed(
        cls,
        record: GameRecord,
        agents: Sequence[Agent | None],
        seed: int,
        names: Sequence[str] | None = None,
        specs: Sequence[str | None] | None = None,
    ) -> Self:
        """A session that goes on where a recorded game was left.

        The agents hear again what was played, and it stands in record and log.

        Args:
            record: the game so far.
            agents: by seat, None for the person's.
            seed: of what the agents and chance draw from now on.
            names: what the seats are called; by default as in the record.
            specs: by seat, what the record is to name the agents by; by default as before.

        Raises:
            ValueError: if the record isn't that of a game by the rules, or the game is over.
        """
        game = Game.from_snapshot(record.start)
        session = cls(game, agents, seed, names or record.names, specs=specs or record.agents)
        try:
            for _ in record.replay(game):
                pass
            if session.is_finished:
                raise ValueError("the recorded game is over")
        except BaseException:
            session.close()
            raise
        game.games["rng"][0] = np.uint64(seed)
        return session

    def _listen(self, _game: Game, events: Events) -> None:
        self.log.append(log_line(events, self.viewer, self.names))

    @property
    def is_finished(self) -> bool:
        """Whether the game is over or truncated."""
        return self.game.is_over or self.game.is_truncated

    @property
    def waits_for_person(self) -> bool:
        """Whether the person is to decide."""
        return not self.is_finished and self.game.player == self.seat

    @property
    def last_line(self) -> str | None:
        """What happened last."""
        return self.log[-1] if self.log else None

    def snapshot(self) -> dict[str, Any]:
        """The state as JSON values."""
        return self.game.snapshot()

    def result(self) -> str:
        """How the game stands or ended, in a sentence."""
        points = ", ".join(
            f"{name} {int(n)}" for name, n in zip(self.seat_names(), self.game.points, strict=True)
        )
        if self.game.winner is not None:
            winner = self.seat_names()[self.game.winner]
            return f"{winner} won in turn {self.game.turn}. Points: {points}."
        if self.game.is_truncated:
            return f"Nobody won within {self.game.turn} turns. Points: {points}."
        return f"Left in turn {self.game.turn}."

    def seat_names(self) -> list[str]:
        """Names of the seats, with their numbers where several have the same."""
        return seat_names(self.names, len(self.names))

    def save(self, path: Path) -> None:
        """Write the record to a file, whole or not at all."""
        self.record.save(path)

    def close(self) -> None:
        """Let the agents go."""
        self.table.close()
