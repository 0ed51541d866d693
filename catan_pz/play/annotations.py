"""Agents' notes on the positions of a displayed game: advice and win probabilities."""

from typing import Final

import numpy as np

from catan_pz.actions import NUM_ACTIONS
from catan_pz.agents.advice import Advice
from catan_pz.agents.adviser import Adviser
from catan_pz.agents.base import Agent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.registry import as_agent
from catan_pz.game.game import Game
from catan_pz.play.frames import Notes
from catan_pz.render.overlay import Overlay

MOST_DRAWN: Final = 12
"""The most actions marked on the board, the best ones."""


class Annotations:
    """Queries agents about each position of a game; called by `play.frames`.

    With a viewer, advice is given at the viewer's decisions, and win probabilities are estimated
    from its view. Without one, advice is given at all decisions, from the view of the player to
    move, and win probabilities are estimated from all hands.

    Args:
        advice: the advising agent, or its name; None for no advice.
        win_probability: the agent that estimates win probabilities, or its name; or None.
        viewer: the seat whose knowledge is shown; None for full information.
        draw: whether advice is drawn into pictures; replays for the browser draw it themselves.
    """

    def __init__(
        self,
        advice: Agent | str | None = None,
        win_probability: Agent | str | None = None,
        viewer: int | None = None,
        *,
        draw: bool = False,
    ) -> None:
        self._asked = [None if a is None else as_agent(a) for a in (advice, win_probability)]
        self._viewer = viewer
        self._draws = draw and advice is not None
        self._game: Game | None = None
        self._advisers: dict[int, Adviser] = {}
        self._estimators: dict[int, Adviser] = {}

    @property
    def asks(self) -> bool:
        """Whether any agent is queried."""
        return self._asked != [None, None]

    def __call__(self, game: Game) -> Notes:
        """The notes on a position; agents follow the game from the first position on."""
        if game is not self._game:
            self.close()
            self._follow(game)
        adviser, advice = self._advisers.get(game.player), None
        if adviser is not None and game.mask.sum() > 1:
            advice = adviser.question().advice()
        overlay = overlay_of(advice) if self._draws else None
        return Notes(overlay, advice, self._win_probabilities(game))

    def _follow(self, game: Game) -> None:
        self._game = game
        seeds = seat_seeds(0, game.rules.num_players)
        advice, win_probability = self._asked
        for seat in range(len(seeds)) if self._viewer is None else (self._viewer,):
            if advice is not None:
                self._advisers[seat] = Adviser(game, seat, advice, seeds[seat])
            if win_probability is not None:
                shows_state = self._viewer is None
                self._estimators[seat] = Adviser(
                    game, seat, win_probability, seeds[seat], shows_state=shows_state
                )

    def _win_probabilities(self, game: Game) -> tuple[float, ...] | None:
        if not self._estimators:
            return None
        if not game.mask.any():
            return tuple(float(seat == game.winner) for seat in range(game.rules.num_players))
        estimator = self._estimators[game.player if self._viewer is None else self._viewer]
        found = estimator.question().win_probabilities()
        if found is None:
            raise ValueError(
                f"agent {estimator.agent.name!r} doesn't estimate win probabilities; use one that "
                "does, such as 'search'"
            )
        return tuple(found.tolist())

    def close(self) -> None:
        """Release the agents."""
        for adviser in (*self._advisers.values(), *self._estimators.values()):
            adviser.close()
        self._advisers, self._estimators, self._game = {}, {}, None


def overlay_of(advice: Advice | None) -> Overlay:
    """Advice as numbers on the board: probabilities, else win probabilities, scores or ranks.

    Without advice there are no numbers, and the picture has the same size.
    """
    if advice is None:
        return Overlay(percent=True)
    if advice.probabilities is not None:
        policy = np.zeros(NUM_ACTIONS)
        policy[advice.actions] = advice.probabilities
        return Overlay.of_policy(policy)
    drawn = advice.actions[:MOST_DRAWN].tolist()
    values = advice.scores if advice.win_probabilities is None else advice.win_probabilities
    if values is None:
        values = np.arange(1.0, 1.0 + len(drawn))
    shares = advice.win_probabilities is not None
    return Overlay.of_values(dict(zip(drawn, values.tolist(), strict=False)), percent=shares)
