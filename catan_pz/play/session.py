"""A game between agents and people, to play or to watch."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Self

import numpy as np

from catan_pz.actions import END_TURN, OFFERING, is_offering
from catan_pz.agents.adviser import Adviser
from catan_pz.agents.base import Agent
from catan_pz.agents.hosting import blamed
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table, decide_once
from catan_pz.events import ONLOOKER, Events
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.names import seat_names
from catan_pz.render.log import log_line
from catan_pz.rules import Rules
from catan_pz.terms import Phase


def get_ready(rules: Rules, agents: Sequence[Agent | None]) -> None:
    """Compile the code for a game, through a first decision of each agent in a separate game."""
    for agent in {agent.name: agent for agent in agents if agent is not None}.values():
        decide_once(rules, agent)


def names_of(agents: Sequence[Agent | None], person: str = "Human") -> list[str]:
    """Names of seats, from their players."""
    return [person if agent is None else agent.name for agent in agents]


class PlayedGame:
    """One game with its agents, its record, and the log of each viewer.

    Args:
        game: the game, at its start.
        agents: by seat, None for a person.
        seed: of the agents' random streams.
        names: names of the seats; by default those of the agents and "Human".
        viewer: if nobody plays, the seat whose knowledge is shown; None for full information.
        specs: by seat, names of the agents for the record, None for a person.
        adviser: the agent whose advice people may see at their own decisions; None for none.

    Attributes:
        table: the table at which the agents sit.
        record: the game so far, with the seats' names.
        persons: the seats of people, including seats that an agent plays temporarily.
        seat: the first person's seat, None if nobody plays.
        viewers: `ONLOOKER` and the people's seats.
        heard: the events of each decision, hidden ones included.
        advisers: people's advisers, by seat.
        failed: the seat whose agent failed while observing the game; None for none.
    """

    def __init__(  # wide: a match has this many independent parts
        self,
        game: Game,
        agents: Sequence[Agent | None],
        seed: int,
        names: Sequence[str] | None = None,
        viewer: int | None = None,
        specs: Sequence[str | None] | None = None,
        adviser: Agent | None = None,
    ) -> None:
        self.game, self.agents, self.adviser = game, agents, adviser
        self.names = list(names or names_of(agents))
        self.persons = [seat for seat, one in enumerate(specs or agents) if one is None]
        self.seat = self.persons[0] if self.persons else None
        self.viewer = viewer if self.seat is None else self.seat
        self.viewers: tuple[int, ...] = (ONLOOKER, *self.persons)
        self._log: list[str] = []
        self.heard: list[Events] = []
        self.failed: int | None = None
        # Before agents observe a decision, as they may fail.
        self.record = GameRecord.of(game, self.names, specs)
        game.listeners.append(self._listen)
        seeds = seat_seeds(seed, game.rules.num_players)
        self.table = Table(game, agents, seeds)
        self.table.guard = self._guarded
        self.advisers = {
            seat: Adviser(game, seat, adviser, seeds[seat])
            for seat in self.persons
            if adviser is not None
        }

    @classmethod
    def resumed(
        cls,
        record: GameRecord,
        agents: Sequence[Agent | None],
        seed: int,
        names: Sequence[str] | None = None,
        specs: Sequence[str | None] | None = None,
        adviser: Agent | None = None,
    ) -> Self:
        """A session that continues a recorded game.

        The agents observe the recorded decisions again, which also enter record and logs. Names
        and specs default to those of the record.
        """
        game = Game.from_snapshot(record.start)
        session = cls(
            game, agents, seed, names or record.names, specs=specs or record.agents, adviser=adviser
        )
        try:
            for _ in record.replay(game):
                pass
            if session.is_finished:
                raise ValueError("the recorded game is over")
        except BaseException:
            session.close()
            raise
        session.draw_chance_anew(seed)
        return session

    def renewed(self, decisions: int, agents: Sequence[Agent | None]) -> "PlayedGame":
        """The game after some decisions, with these agents in the seats."""
        seed = secrets.randbits(63)
        session = self._another(Game.from_snapshot(self.record.start), agents, seed)
        for decision in self.record.decisions[:decisions]:
            session.game.step_once(decision.action, decision.outcome)
        session.draw_chance_anew(seed)
        return session

    def again(self, agents: Sequence[Agent | None]) -> "PlayedGame":
        """A new game with the same seats, these agents and an unknown seed."""
        seed = secrets.randbits(63)
        return self._another(Game(self.game.rules, seed), agents, seed)

    def _another(self, game: Game, agents: Sequence[Agent | None], seed: int) -> "PlayedGame":
        """A session of a new game with the same seats and adviser."""
        specs = self.record.agents
        return PlayedGame(game, agents, seed, self.names, specs=specs, adviser=self.adviser)

    def draw_chance_anew(self, seed: int) -> None:
        """Draw rolls, thefts and the deck's order from a seed that the record doesn't contain.

        A replay doesn't need the deck's order: a named card swaps places with the top card.
        """
        games = self.game.games
        games["rng"][0] = np.uint64(seed)
        deck, left = games["deck"][0], int(games["deck_left"][0])
        np.random.default_rng(seed).shuffle(deck[len(deck) - left :])

    def shown_to(self, viewer: int) -> int | None:
        """The seat whose knowledge a person or `ONLOOKER` sees; None for full information."""
        return viewer if self.persons else self.viewer

    def _listen(self, _game: Game, events: Events) -> None:
        self.heard.append(events)

    @contextmanager
    def _guarded(self, agent: Agent, seat: int) -> Iterator[None]:
        before, self.failed = self.failed, seat
        with blamed(agent, seat):
            yield
        self.failed = before

    @property
    def log(self) -> list[str]:
        """The lines for the first person, or for onlookers if nobody plays."""
        viewer = self.shown_to(ONLOOKER if self.seat is None else self.seat)
        for events in self.heard[len(self._log) :]:
            self._log.append(log_line(events, viewer, self.names))
        return self._log

    @property
    def is_finished(self) -> bool:
        """Whether the game is over or truncated."""
        return self.game.is_over or self.game.is_truncated

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to move."""
        return not self.is_finished and self.agents[self.game.player] is None

    def decide(self) -> int:
        """The choice of the agent to move; in games with people it makes one offer a turn."""
        has_offered = self.game.games["offers_made"][0] > 0
        if not self.persons or self.game.phase != Phase.MAIN or not has_offered:
            return self.table.decide()
        action = self.table.decide(OFFERING)
        return END_TURN if is_offering(action) else action

    def play(self, action: int) -> None:
        """Play an action; at the end of the game release the agents."""
        self.game.step(action)
        if self.is_finished:
            self.table.close()

    def snapshot(self) -> dict[str, Any]:
        """The state as JSON values."""
        return self.game.snapshot()

    def result(self) -> str:
        """A sentence about the end of the game or its present turn."""
        called = seat_names(self.names, len(self.names))
        points = ", ".join(
            f"{name} {int(n)}" for name, n in zip(called, self.game.points, strict=True)
        )
        if self.game.winner is not None:
            return f"{called[self.game.winner]} won in turn {self.game.turn}. Points: {points}."
        if self.game.is_truncated:
            return f"Nobody won within {self.game.turn} turns. Points: {points}."
        return f"Left in turn {self.game.turn}."

    def close(self) -> None:
        """Release all agents."""
        with ExitStack() as leaving:  # all of them, even if some raise
            for adviser in self.advisers.values():
                leaving.callback(adviser.close)
            leaving.callback(self.table.close)
