"""What a player program must do, and all that it is told."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.draws import Draws
from catan_pz.engine.rule import bound
from catan_pz.observation.segments import SIZE, named_views
from catan_pz.rules import Rules
from catan_pz.runtime import calls
from catan_pz.runtime.game import Game, check_seed

Resampler = Callable[[np.random.Generator], Game]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What one seat may know of a game when it decides, and nothing else.

    Attributes:
        observation: (N,) int8, in the natural units of `observation.segments`, relative to
            the seat.
        mask: (A,) int8, 1 for each legal action.
    """

    observation: NDArray[np.int8]
    mask: NDArray[np.int8]
    _resampler: Resampler | None = field(default=None, repr=False)

    @property
    def segments(self) -> dict[str, NDArray[np.int8]]:
        """The observation's segments as named, shaped views of the same memory."""
        return named_views(self.observation)

    def resample(self, rng: np.random.Generator) -> Game:
        """A full game that looks to the seat just as the present one does.

        What the seat can't know is drawn from its exact belief, given all that it saw.

        Args:
            rng: where the draws come from.

        Raises:
            RuntimeError: if the host doesn't follow the game for this agent, which it does
                for agents with `needs_belief = True`.
        """
        if self._resampler is None:
            raise RuntimeError(
                "nothing was followed of this game: resample() is there for agents with the "
                "class attribute `needs_belief = True`, at a `catan_pz.agents.Table`"
            )
        return self._resampler(rng)


@cache
def _observe() -> Callable[..., None]:
    observe: Callable[..., None] = bound(calls.observe)
    return observe


def view_of(game: Game, seat: int, resampler: Resampler | None = None) -> View:
    """What a seat may know now, in arrays of its own; the mask is zero unless it is to move.

    Args:
        game: the game.
        seat: the seat.
        resampler: what answers `View.resample`.
    """
    observation = np.empty(SIZE, np.int8)
    _observe()(game.games, 0, seat, observation)
    mask = game.mask.copy() if game.player == seat else np.zeros_like(game.mask)
    return View(observation, mask, resampler)


class Agent(ABC):
    """A player program, which sits in one seat of one game at a time.

    Hosts let copies play, made by `copy.copy` for each seat of each game: what a game changes
    of an agent must be made anew in `reset`.

    Attributes:
        name: for tables of results; the name of the class where it has none of its own.
        needs_belief: whether views must answer `resample`, which costs the host time.
        seat: the seat in the present game.
        rules: the rules of the present game.
    """

    needs_belief: ClassVar[bool] = False
    name: str
    seat: int
    rules: Rules
    _draws: Draws | None = None

    def __init_subclass__(cls) -> None:
        """Name the class."""
        super().__init_subclass__()
        if "name" not in cls.__dict__:
            cls.name = cls.__name__

    @property
    def draws(self) -> Draws:
        """Where all chance in the choices of this game must come from.

        Raises:
            RuntimeError: before `reset`.
        """
        if self._draws is None:
            raise RuntimeError(f"agent {self.name!r} is in no game: call Agent.reset() first")
        return self._draws

    def check_rules(self, rules: Rules) -> None:  # noqa: B027 (a hook, not a duty)
        """Refuse games that the agent can't play; most can play all.

        Raises:
            ValueError: names what doesn't fit.
        """

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """A game begins. Those who override this call it first.

        Args:
            seat: the agent's seat.
            rules: the rules of the game.
            seed: from 0 to 2**64 - 1, of `draws`.

        Raises:
            ValueError: for a seed that is not possible, or rules that it can't play by.
        """
        self.check_rules(rules)
        self.seat = seat
        self.rules = rules
        self._draws = Draws(check_seed(seed))

    @abstractmethod
    def act(self, view: View, mask: NDArray[np.int8]) -> int:
        """Choose an action.

        Args:
            view: what the seat may know.
            mask: (A,) int8, the legal actions, `view.mask`.

        Returns:
            A legal action.
        """
