"""Shared code of agents' hosts: seating copies, giving them views, and dismissing them."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent, Seated, SeatResult, result_for
from catan_pz.agents.registry import as_agent
from catan_pz.belief import Belief
from catan_pz.events import Events, as_seen_by
from catan_pz.game.game import Game
from catan_pz.game.view import View, view_of
from catan_pz.rules import Rules

AGENT_ERRORS: Final = (Exception, SystemExit)
"""Exceptions of agents that end their game, but not the host program."""


@contextmanager
def blamed(agent: Agent, seat: int | None = None) -> Iterator[None]:
    """Add a note to an exception that an agent raises: its name, and its seat."""
    try:
        yield
    except Exception as error:
        where = "" if seat is None else f" in seat {seat}"
        error.add_note(f"raised by agent {agent.name!r}{where}")
        raise


def seat_copy(agent: Agent, seat: int, rules: Rules, seed: int) -> Agent:
    """A copy of an agent, reset for a seat of a game."""
    own = copy(agent)
    with blamed(own, seat):
        own.reset(seat, rules, seed)
    return own


Guard = Callable[[Agent, int], AbstractContextManager[None]]
"""A context for calls of an agent in a seat, such as `blamed`."""


def dismiss(leaving: Iterable[tuple[Agent, SeatResult]], guard: Guard = blamed) -> None:
    """Call `end` and `close` of all agents whose game is over, even if some raise.

    Raises the first exception that ends programs, such as `KeyboardInterrupt`, else the first.
    """
    raised: list[BaseException] = []
    for agent, result in leaving:
        for hook in (partial(agent.end, result), agent.close):
            try:
                with guard(agent, result.seat):
                    hook()
            except BaseException as error:
                raised.append(error)
    if raised:
        raise next((error for error in raised if not isinstance(error, Exception)), raised[0])


class FromBelief:
    """Answers `View.resample` from the seat's information; it holds no reference to the game."""

    __slots__ = ("_belief", "_known", "_rules")

    def __init__(self, belief: Belief, game: Game) -> None:
        self._belief = belief.copy()
        self._known = belief.known_part(game.state)
        self._rules = game.rules

    def resample(self, rng: np.random.Generator) -> Game:
        """A game drawn from the belief."""
        return Game.from_games(self.resample_many(rng, 1), self._rules)

    def resample_many(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) `STATE` of such games."""
        return self._belief.resample(self._known[0], rng, count)


class TrueState:
    """Answers `View.resample` with the true game."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def resample(self, _rng: np.random.Generator) -> Game:
        """A copy of the game."""
        return self._game.copy()

    def resample_many(self, _rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) `STATE`, all equal."""
        return np.repeat(self._game.games, count)


class SeatedAgent:
    """A copy of an agent in a seat of a game, with a belief if it needs one.

    `tell` is called with the events of each decision, from the seat's perspective, if the agent
    `needs_events`. With `shows_state` its views resample the true state, with nothing hidden.
    """

    def __init__(
        self,
        game: Game,
        seat: int,
        agent: Agent | str,
        seed: int,
        tell: Callable[[Events], None],
        *,
        shows_state: bool = False,
    ) -> None:
        self.seat = seat
        self.agent = seat_copy(as_agent(agent), seat, game.rules, seed)
        self._game = game
        self._tell = tell if self.agent.needs_events else None
        self._shows_state = shows_state
        follows = self.agent.needs_belief and not shows_state
        self._belief = Belief(seat, game.state) if follows else None
        if follows or self._tell is not None:
            game.listeners.append(self._hear)

    def _hear(self, game: Game, events: Events) -> None:
        if self._belief is not None:
            self._belief.listen(game, events)
        if self._tell is not None:
            self._tell(as_seen_by(events, self.seat))

    @property
    def view(self) -> View:
        """The seat's current view."""
        if self._shows_state:
            return view_of(self._game, self.seat, TrueState(self._game.copy()))
        if self._belief is None:
            return view_of(self._game, self.seat)
        return view_of(self._game, self.seat, FromBelief(self._belief, self._game))

    @property
    def result(self) -> SeatResult:
        """The result for the seat in the current position."""
        return result_for(self._game.state, self._game.rules, self.seat)

    def leave(self) -> None:
        """Stop following the game."""
        self._belief = self._tell = None
        # The game may be iterating over its list.
        self._game.listeners = [one for one in self._game.listeners if one != self._hear]


class SeatedCopies:
    """Copies of agents in the seats of many games, created when they first decide there."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        # The original is kept with its copy, so that its id isn't reused.
        self._copies: dict[tuple[int, int, int], tuple[Agent, Agent]] = {}

    @property
    def names(self) -> list[str]:
        """Names of the agents that sit in a game."""
        return sorted({own.name for _, own in self._copies.values()})

    def rows(
        self, games: NDArray[np.intp], seats: NDArray[np.int8], seeds: NDArray[np.uint64]
    ) -> Seated:
        """The function that finds the copy in each row (K,) for `Views`; it holds no games."""

        def seated(agent: Agent, row: int) -> Agent:
            game, seat = int(games[row]), int(seats[row])
            key = game, seat, id(agent)
            if key not in self._copies:
                self._copies[key] = agent, seat_copy(agent, seat, self._rules, int(seeds[row]))
            return self._copies[key][1]

        return seated

    def leave(self, games: Collection[int], result: Callable[[int, int], SeatResult]) -> None:
        """Dismiss the copies in finished games; `result` returns a game's result for a seat."""
        over = [key for key in self._copies if key[0] in games]
        dismiss([(self._copies.pop(key)[1], result(*key[:2])) for key in over])
