"""Render modes of the environments, through the modules of `catan_pz.render`."""

from typing import Any, Final

import numpy as np
from gymnasium import logger
from numpy.typing import NDArray

from catan_pz.checks import check_choice
from catan_pz.env.match import OneGame
from catan_pz.events import Events
from catan_pz.game.game import Game

RENDER_MODES: Final = ("human", "ansi", "rgb_array")
RENDER_FPS: Final = 4


class Painter:
    """Shows a game in one render mode; drawing libraries are imported on first use.

    After the first picture it listens to the game, so that it can show the last decision in words.
    """

    def __init__(self, mode: str | None) -> None:
        check_choice("render_mode", mode, (None, *RENDER_MODES))
        self.mode = mode
        self._window: Any = None
        self._last: tuple[Events, bytes] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"mode": self.mode, "_window": None, "_last": self._last}

    def _listen(self, game: Game, events: Events) -> None:
        self._last = events, game.state.tobytes()

    def _last_action(self, game: Game) -> str | None:
        """The last decision in words, if it was heard and no other game has begun since."""
        if self._listen not in game.listeners:
            game.listeners.append(self._listen)
        if self._last is None or self._last[1] != game.state.tobytes():
            return None
        from catan_pz.render.log import log_line

        return log_line(self._last[0])

    def render(self, game: Game) -> str | NDArray[np.uint8] | None:
        """Text for "ansi", (height, width, 3) uint8 for "rgb_array", a window for "human"."""
        if self.mode is None:
            logger.warn("render() was called on an environment made without a render_mode")
            return None
        state = game.snapshot()
        line = self._last_action(game)
        if self.mode == "ansi":
            from catan_pz.render.ansi import board_text

            return board_text(state, last_action=line)
        from catan_pz.render.image import svg_to_rgb
        from catan_pz.render.svg import board_svg

        picture = svg_to_rgb(board_svg(state, last_action=line))
        if self.mode == "rgb_array":
            return picture
        if self._window is None:
            from catan_pz.render.window import Window

            self._window = Window()
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None


class PaintedGame(OneGame):
    """One game that an environment renders."""

    render_mode: str | None
    _painter: Painter

    def _show(self) -> None:
        if self.render_mode == "human":
            self._painter.render(self.game)

    def render(self) -> Any:
        """Text for "ansi", (height, width, 3) uint8 for "rgb_array"; a window for "human".

        Every mode shows the full state, hidden hands included.
        """
        return self._painter.render(self.game)
