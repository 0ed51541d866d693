"""Watching a game in a window."""

import time
from collections.abc import Sequence
from typing import Any

from catan_pz.play.playback import Playback
from catan_pz.play.playback_bar import BAR_HEIGHT, key_at, playback_svg, share_at, share_of
from catan_pz.render.image import svg_to_rgb
from catan_pz.render.layout import HEIGHT, WIDTH
from catan_pz.render.svg import room_for
from catan_pz.render.window import TICK, Input, Window


class PlaybackWindow:
    """A playback in a window, with buttons and a seek bar.

    Args:
        playback: what is played.
        window: where it is shown.
        viewer: the seat whose knowledge is shown; None for all.
        names: of the seats.
    """

    def __init__(
        self,
        playback: Playback,
        window: Window,
        viewer: int | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self._playback = playback
        self._window = window
        self._viewer = viewer
        self._names = names
        self._dragging = False
        self._drawn: Any = None
        self._height = HEIGHT + BAR_HEIGHT + room_for(playback.frame.notes.overlay)

    def run(self) -> None:
        """Show the playback until the window is closed or the user quits."""
        while not self._window.closed and not self._playback.quit:
            self.tick()
            time.sleep(TICK)

    def tick(self) -> None:
        """Handle what the user did, go on, and draw what has changed."""
        for event in self._window.poll():
            self._handle(event)
        self._playback.tick()
        width = self._window.width_for(self._height / WIDTH, round(WIDTH))
        now = (self._playback.state, width)
        if self._window.closed or now == self._drawn:
            return
        self._drawn = now
        frame = self._playback.frame
        svg = playback_svg(
            frame.state,
            self._playback.state,
            width=width,
            viewer=self._viewer,
            last_action=frame.line,
            names=self._names,
            overlay=frame.notes.overlay,
        )
        self._window.show(svg_to_rgb(svg))

    def _handle(self, event: Input) -> None:
        x, y = event.x * WIDTH, event.y * self._height
        if event.kind == "key":
            self._playback.key(event.key)
        elif event.kind == "click":
            share = share_at(x, y)
            self._dragging = share is not None
            if share is None:
                self._playback.key(key_at(x, y))
            else:
                self._playback.seek_share(share)
        elif event.kind == "drag" and self._dragging:
            self._playback.seek_share(share_of(x))
        elif event.kind == "move":
            self._dragging = False
