"""What answers `View.resample` for agents."""

import numpy as np

from catan_pz.belief import Belief
from catan_pz.game.game import Game


class FromBelief:
    """Answers `View.resample`: it holds what the seat may know, and not the game.

    Args:
        belief: of the seat, about the game as it stands.
        game: the game.
    """

    __slots__ = ("_belief", "_known", "_rules")

    def __init__(self, belief: Belief, game: Game) -> None:
        self._belief = belief.copy()
        self._known = belief.known_part(game.state)
        self._rules = game.rules

    def resample(self, rng: np.random.Generator) -> Game:
        """A game drawn from what the belief leaves open."""
        return Game.from_games(self.resample_many(rng, 1), self._rules)

    def resample_many(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) `STATE` of such games."""
        return self._belief.resample(self._known[0], rng, count)


class TrueState:
    """Answers `View.resample` with the game itself.

    Args:
        game: the game.
    """

    def __init__(self, game: Game) -> None:
        self._game = game

    def resample(self, _rng: np.random.Generator) -> Game:
        """A copy of the game."""
        return self._game.copy()

    def resample_many(self, _rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) `STATE` of it."""
        return np.repeat(self._game.games, count)
