"""The view of one seat: all of a game that agents and encoders are given."""

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
    """What one seat may know of a game when it decides, and nothing else.

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
        if segments is None:  # agents ask for them several times a decision
            segments = named_views(self.observation)
            object.__setattr__(self, "_segments", segments)
        return segments

    @property
    def can_resample(self) -> bool:
        """Whether `resample` is answered."""
        return self._resampler is not None

    def resample(self, rng: np.random.Generator) -> Game:
        """A full game that looks to the seat just as the present one does.

        What the seat can't know is drawn from its exact belief, given all that it saw. Hosts
        follow the game for agents with `needs_belief = True`.
        """
        return self._followed().resample(check_generator(rng))

    def resample_many(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) `STATE` of several such games, drawn at once in a fraction of the time."""
        return self._followed().resample_many(check_generator(rng), check_count("count", count))

    def _followed(self) -> Resampler:
        if self._resampler is None:
            raise RuntimeError(
                "nothing was followed of this game: resample() is there for agents with the "
                "class attribute `needs_belief = True`, at a `catan_pz.agents.table.Table`"
            )
        return self._resampler


def view_of(game: Game, seat: int, resampler: Resampler | None = None) -> View:
    """The view of a seat now, in arrays of its own; the mask is zero unless it is to move."""
    seat = check_seat(seat, game.rules.num_players)
    observation, mask = np.empty(SIZE, np.int8), np.empty(game.rules.num_actions, np.int8)
    game_calls.look_at_units(game.games, 0, seat, observation, mask)
    return View(observation, mask, resampler)
