"""What hosts of agents share: seating copies, ending their games, naming them in errors."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent
from catan_pz.agents.result import SeatResult
from catan_pz.rules import Rules


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
    """A copy of an agent, reset for a seat of a game.

    Raises:
        ValueError: for a seed that is not possible, or rules that it can't play by.
    """
    own = copy(agent)
    with blamed(own, seat):
        own.reset(seat, rules, seed)
    return own


Guard = Callable[[Agent, int], AbstractContextManager[None]]
"""What a host enters around calls of an agent in a seat; `blamed` is one."""


def dismiss(leaving: Iterable[tuple[Agent, SeatResult]], guard: Guard = blamed) -> None:
    """Call `end` and `close` of agents whose game is over: of all, even if some raise.

    Args:
        leaving: the agents, each with its result.
        guard: entered around each call.

    Raises:
        Exception: what an agent raised; an `ExceptionGroup` if there were several.
        BaseException: the first of those that are no `Exception`, such as Ctrl-C.
    """
    failures: list[Exception] = []
    ending: list[BaseException] = []
    for agent, result in leaving:
        for hook in (partial(agent.end, result), agent.close):
            try:
                with guard(agent, result.seat):
                    hook()
            except Exception as error:
                failures.append(error)
            except BaseException as error:
                ending.append(error)
    if ending:
        raise ending[0]
    if len(failures) > 1:
        raise ExceptionGroup("agents failed at the end of their games", failures)
    for failure in failures:
        raise failure


class SeatedCopies:
    """Copies of agents in the seats of many games, created when they first decide there.

    Args:
        rules: the rules of all games.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        # The original is kept beside its copy, so that its id stays its own.
        self._copies: dict[tuple[int, int, int], tuple[Agent, Agent]] = {}

    @property
    def names(self) -> list[str]:
        """Names of the agents that sit in a game."""
        return sorted({own.name for _, own in self._copies.values()})

    def seated(self, agent: Agent, game: int, seat: int, seed: int) -> Agent:
        """The copy of an agent in a seat of a game.

        Args:
            agent: the original.
            game: number of the game in its batch.
            seat: the seat.
            seed: of the copy's random stream.
        """
        key = game, seat, id(agent)
        if key not in self._copies:
            self._copies[key] = agent, seat_copy(agent, seat, self._rules, seed)
        return self._copies[key][1]

    def leave(self, games: Collection[int], result: Callable[[int, int], SeatResult]) -> None:
        """Dismiss the copies in some games.

        Args:
            games: numbers of the games that are over.
            result: gives the result of a game for a seat.

        Raises:
            Exception: as `dismiss`.
        """
        if not self._copies:
            return
        over = [key for key in self._copies if key[0] in games]
        leaving = [(self._copies.pop(key)[1], result(*key[:2])) for key in over]
        dismiss(leaving)


@dataclass(frozen=True)
class SeatedRows:
    """Gives `Views` the copy of an agent that plays in each row, and no way to the games.

    Attributes:
        copies: the copies in the seats of all games.
        games: (K,) number of the game of each row.
        seats: (K,) seat to move in each row.
        seeds: (K,) seed of its random stream.
    """

    copies: SeatedCopies
    games: NDArray[np.intp]
    seats: NDArray[np.int8]
    seeds: NDArray[np.uint64]

    def __call__(self, agent: Agent, row: int) -> Agent:
        """The copy of an agent that plays in a row."""
        game, seat, seed = self.games[row], self.seats[row], self.seeds[row]
        return self.copies.seated(agent, int(game), int(seat), int(seed))
