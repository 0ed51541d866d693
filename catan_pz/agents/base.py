"""What a player program must do, and all that it is told."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.draws import Draws
from catan_pz.checks import check_seed
from catan_pz.rules import Rules
from catan_pz.runtime.view import View


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
