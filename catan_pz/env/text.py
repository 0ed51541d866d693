"""One seat of a game as text, for language models."""

import string
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces

from catan_pz.checks import check_count
from catan_pz.env.single_seat import SingleSeatEnv
from catan_pz.events import Events, as_seen_by
from catan_pz.game.game import Game
from catan_pz.game.view import View, view_of
from catan_pz.text import CommandError, choices_text, describe, news_of, parse

LONGEST_TEXT: Final = 40_000
"""The most characters of an observation."""


class TextEnv(gymnasium.Env[str, str]):
    """`SingleSeatEnv` with text observations and actions.

    An observation is `text.describe` of the seat's view, with the news since its last decision,
    and `text.legal_actions`. An action is an answer for `text.parse`. An answer that can't be
    parsed changes nothing: the step has reward 0, and the observation begins with the error.
    After `repairs` such answers in a row a random legal action is played instead.

    Infos have those of `SingleSeatEnv`, `error` ("" for a parsed answer), and `fallbacks`, the
    number of random actions in this episode.

    Args:
        repairs: wrong answers allowed in a row.
        **options: as for `SingleSeatEnv`, without `observation`.

    Attributes:
        env: the environment below, with its `game` and `seat`.
    """

    metadata: dict[str, Any] = SingleSeatEnv.metadata

    def __init__(self, *, repairs: int = 3, **options: Any) -> None:
        self._repairs = check_count("repairs", repairs, least=0)
        self.env = SingleSeatEnv(**options)
        self.render_mode = self.env.render_mode
        charset = string.printable
        self.observation_space = spaces.Text(LONGEST_TEXT, charset=charset)
        self.action_space = spaces.Text(LONGEST_TEXT, min_length=0, charset=charset)
        self._news: list[Events] = []
        self._wrong = self._fallbacks = 0
        self.env.game.listeners.append(self._hear)

    def _hear(self, _game: Game, events: Events) -> None:
        self._news.append(events)

    @property
    def view(self) -> View:
        """The seat's current view."""
        return view_of(self.env.game, self.env.seat)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start a game; arguments as for `SingleSeatEnv.reset`."""
        super().reset(seed=seed)
        self._news = []
        _, info = self.env.reset(seed=seed, options=options)
        self._wrong = self._fallbacks = 0
        return self._observation(), info | {"error": "", "fallbacks": 0}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play an answer, and the opponents' actions up to the seat's next decision."""
        error = ""
        try:
            actions = parse(action, self.view)
        except CommandError as wrong:
            error = str(wrong)
            self._wrong += 1
            if self._wrong <= self._repairs:
                info = {"action_mask": self.env.game.mask.copy()}
                return f"{error}\n{self._choices()}", 0.0, False, False, self._told(info, error)
            legal = np.flatnonzero(self.env.game.mask)
            actions = (int(self.np_random.choice(legal)),)
            self._fallbacks += 1
        self._wrong = 0
        self._news = []
        total = 0.0
        for one in actions:
            _, reward, terminated, truncated, info = self.env.step(one)
            total += reward
        return self._observation(), total, terminated, truncated, self._told(info, error)

    def _told(self, info: dict[str, Any], error: str) -> dict[str, Any]:
        return info | {"error": error, "fallbacks": self._fallbacks}

    def _observation(self) -> str:
        seat, game = self.env.seat, self.env.game
        heard = (as_seen_by(events, seat) for events in self._news)
        news = news_of(heard, seat, game.rules.num_players)
        return f"{describe(self.view, news)}\n{self._choices()}"

    def _choices(self) -> str:
        return choices_text(self.view, "The game is over.")

    def render(self) -> Any:
        """As `SingleSeatEnv.render`."""
        return self.env.render()

    def close(self) -> None:
        """Release the opponents."""
        self.env.close()
