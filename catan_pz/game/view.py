"""The view of one seat: the part of a game that agents and encoders get."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import check_count, check_generator, check_seat
from catan_pz.game import calls as game_calls
from catan_pz.game.game import Game
from catan_pz.observation.segments import SIZE, named_views


class Resampler(Protocol):
    """Answers `View.resample`."""

    def resample(self, rng: np.random.Generator) -> Game:
        """A game that looks the same."""
        ...

    def resample_many(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) `STATE` of such games."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The information of one seat about a game when it decides.

    Attributes:
        observation: (N,) int8, in the natural units of `observation.segments`, relative to
            the seat.
        mask: (A,) int8, 1 for each legal action.
    """

    observation: NDArray[np.int8]
    mask: NDArray[np.int8]
    _resampler: Resampler | None = field(default=None, repr=False)
    _segments: dict[str, NDArray[np.int8]] | None = field(default=None, init=False, repr=False)

    @property
    def segments(self) -> dict[str, NDArray[np.int8]]:
        """The observation's segments as named, shaped views of the same memory."""
        segments = self._segments
        if segments is None:  # agents use them several times per decision
            segments = named_views(self.observation)
            object.__setattr__(self, "_segments", segments)
        return segments

    @property
    def can_resample(self) -> bool:
        """Whether `resample` is available."""
        return self._resampler is not None

    def resample(self, rng: np.random.Generator) -> Game:
        """A full game that looks the same to the seat as the present one.

        Hidden information is drawn from the seat's exact belief, given everything that it saw.
        Hosts follow the game for agents with `needs_belief = True`.
        """
        return self._followed().resample(check_generator(rng))

    def resample_many(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) `STATE` of several such games, drawn together in a fraction of the time."""
        return self._followed().resample_many(check_generator(rng), check_count("count", count))

    def _followed(self) -> Resampler:
        if self._resampler is None:
            raise RuntimeError(
                "this game wasn't followed: resample() requires an agent with the class "
                "attribute `needs_belief = True`, at a `catan_pz.agents.table.Table`"
            )
        return self._resampler


def view_of(game: Game, seat: int, resampler: Resampler | None = None) -> View:
    """The current view of a seat, in new arrays; the mask is zero unless the seat is to move."""
    seat = check_seat(seat, game.rules.num_players)
    observation, mask = np.empty(SIZE, np.int8), np.empty(game.rules.num_actions, np.int8)
    game_calls.look_at_units(game.games, 0, seat, observation, mask)
    return View(observation, mask, resampler)
