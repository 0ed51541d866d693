"""One game between agents."""

from collections.abc import Sequence
from functools import partial
from typing import Self

from catan_pz.agents.base import Agent
from catan_pz.agents.hosting import Guard, SeatedAgent, blamed, dismiss
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.checks import as_action, check_seat
from catan_pz.events import Events
from catan_pz.game.game import Game, IllegalActionError
from catan_pz.game.view import View, view_of
from catan_pz.rules import Rules


class Table:
    """Hosts a game between agents: gives each its view, and plays its choices.

    For agents with `needs_belief` a `Belief` follows the game from here on; it is exact if the game
    has just begun. Exceptions of an agent get a note with its name and seat. When `step` ends the
    game, the agents are dismissed; a host that plays the game itself, or stops it, calls `close`,
    or uses the table as a context manager.

    Args:
        game: the game, at any position.
        agents: an agent or name per seat; None for a seat that is played from outside. Copies
            play, so one object may be given for several seats and tables.
        seeds: seeds of the agents' random streams, such as from `random_stream.seat_seeds`.

    Attributes:
        observing: the seat whose `observe` is running, or has raised; else None.
        guard: context around agents' `observe`, `end` and `close`; a host may replace it to time
            them.
    """

    def __init__(
        self, game: Game, agents: Sequence[Agent | str | None], seeds: Sequence[int]
    ) -> None:
        self.game = game
        self.observing: int | None = None
        self.guard: Guard = blamed
        self._seated: list[SeatedAgent | None] = [None] * game.rules.num_players
        self._is_open = True
        try:
            for seat, (agent, seed) in enumerate(zip(agents, seeds, strict=True)):
                if agent is not None:
                    self.seat(seat, agent, seed)
        except BaseException:
            self.close()
            raise

    @property
    def agents(self) -> list[Agent | None]:
        """The copies that play, by seat."""
        return [None if seated is None else seated.agent for seated in self._seated]

    def seat(self, seat: int, agent: Agent | str, seed: int, *, shows_state: bool = False) -> None:
        """Seat a copy of an agent in a free seat.

        With `shows_state` its views resample the true state, hidden cards and chance included,
        for comparisons with programs that see everything.
        """
        seat = check_seat(seat, self.game.rules.num_players)
        if self._seated[seat] is not None:
            raise ValueError(f"seat {seat} is taken")
        tell = partial(self._tell, seat)
        self._seated[seat] = SeatedAgent(
            self.game, seat, agent, seed, tell, shows_state=shows_state
        )

    def _tell(self, seat: int, events: Events) -> None:
        agent = self.agents[seat]
        assert agent is not None
        self.observing = seat
        with self.guard(agent, seat):
            agent.observe(events)
        self.observing = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @property
    def _is_finished(self) -> bool:
        return self.game.is_over or self.game.is_truncated

    def view(self, seat: int) -> View:
        """The current view of a seat."""
        seated = self._seated[check_seat(seat, self.game.rules.num_players)]
        return view_of(self.game, seat) if seated is None else seated.view

    def decide(self, without: slice | None = None) -> int:
        """Ask the agent that is to move for its choice, without playing it.

        Args:
            without: actions removed from its mask; an agent that ignores the mask may choose them.

        Raises:
            RuntimeError: if no agent is to move.
            IllegalActionError: if the choice isn't legal; names the agent.
        """
        game = self.game
        seat = game.player
        seated = self._seated[seat]
        if seated is None or self._is_finished or not self._is_open:
            reason = "no agent is to move" if self._is_open else "the table is closed"
            raise RuntimeError("the game is finished" if self._is_finished else reason)
        agent, view = seated.agent, seated.view
        if without is not None:
            view.mask[without] = 0
        with blamed(agent, seat):
            action = as_action(agent.act(view))
        try:
            game.check(action)
        except IllegalActionError as error:
            raise IllegalActionError(f"agent {agent.name!r} in seat {seat}: {error}") from None
        return action

    def step(self) -> int:
        """Play the choice of the agent that is to move, and return it; raises as `decide`."""
        action = self.decide()
        self.game.step(action)
        if self._is_finished:
            self.close()
        return action

    def play(self) -> int | None:
        """Play to the end; the winner, or None at the turn limit."""
        with self:
            while not self._is_finished:
                self.step()
        return self.game.winner

    def close(self) -> None:
        """Tell the agents the result, dismiss them, and stop following the game."""
        if not self._is_open:
            return
        self._is_open = False
        there = [seated for seated in self._seated if seated is not None]
        for seated in there:
            seated.leave()
        dismiss(((seated.agent, seated.result) for seated in there), self.guard)


def decide_once(rules: Rules, agent: Agent) -> None:
    """Let an agent decide in a separate game, which compiles the code for its games."""
    game = Game(rules, 0)
    seats = rules.num_players
    with Table(game, [None] * seats, seat_seeds(0, seats)) as table:
        table.seat(game.player, agent, 0)
        table.step()
