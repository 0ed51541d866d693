"""A person's game in a window, by mouse and keys; also where one only looks on."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from catan_pz.play.controls import Control, Draft, control_at, control_of_key, controls
from catan_pz.play.desk import desk_svg
from catan_pz.play.desk_layout import DESK_HEIGHT
from catan_pz.play.session import Session
from catan_pz.render.image import svg_to_rgb
from catan_pz.render.layout import HEIGHT, WIDTH
from catan_pz.render.view import table_view
from catan_pz.render.window import TICK, Input, Window

_HIGH: Final = HEIGHT + DESK_HEIGHT


class WindowGame:
    """Plays a session in a window.

    Args:
        session: the match, with a person in it.
        window: where it is shown.
        pause: seconds that a decision of the others stays before the next.
        clock: seconds, for pauses.
    """

    def __init__(
        self,
        session: Session,
        window: Window,
        pause: float = 0.6,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if session.seat is None:
            raise ValueError("a match without a person can't be played in a window; watch it")
        self._session = session
        self._seat = session.seat
        self._window = window
        self._pause = pause
        self._clock = clock
        self._ready_at = clock()
        self._draft = Draft()
        self._hover: Control | None = None
        self._pointer = (-1.0, -1.0)
        self._drawn: object = None
        self._thinker = ThreadPoolExecutor(1, "agent")
        self._thought: Future[int] | None = None
        self._controls: tuple[Control, ...] = ()
        self._refresh()

    def run(self) -> None:
        """Play until the window is closed; a finished game stays to be looked at."""
        try:
            while not self._window.closed:
                self.tick()
                time.sleep(TICK)
        finally:
            self.close()

    def close(self) -> None:
        """Let the agents' thread go."""
        self._thinker.shutdown(wait=False, cancel_futures=True)

    @property
    def controls(self) -> tuple[Control, ...]:
        """What the person can press now."""
        return self._controls

    def tick(self) -> None:
        """Handle what the user did, let an agent decide, and draw what has changed."""
        for event in self._window.poll():
            self._handle(event)
        self._advance()
        if not self._window.closed:
            self._draw()

    def _handle(self, event: Input) -> None:
        if event.kind == "key":
            pressed = control_of_key(self._controls, event.key)
        else:
            self._pointer = (event.x * WIDTH, event.y * _HIGH)
            self._hover = control_at(self._controls, *self._pointer)
            pressed = self._hover if event.kind == "click" else None
        if pressed is not None and pressed.is_active:
            self._press(pressed)

    def _press(self, control: Control) -> None:
        self._draft = control.draft or Draft()
        for action in control.play:
            self._session.game.step(action)
        if control.play:
            self._ready_at = self._clock() + self._pause
        self._refresh()

    def _refresh(self) -> None:
        game = self._session.game
        view = table_view(game.snapshot(), self._seat, self._session.seat_names())
        self._controls = controls(game, self._seat, view, self._draft)
        self._hover = control_at(self._controls, *self._pointer)

    def _advance(self) -> None:
        """Start an agent's thinking, or play what it has thought of once the pause is over."""
        session = self._session
        if session.is_finished or session.waits_for_person:
            return
        if self._thought is None:
            # Deciding leaves the game as it is, so that it can be drawn meanwhile.
            self._thought = self._thinker.submit(session.table.decide)
        if self._thought.done() and self._clock() >= self._ready_at:
            action = self._thought.result()
            self._thought = None
            session.game.step(action)
            self._ready_at = self._clock() + self._pause
            self._refresh()

    def _draw(self) -> None:
        width = self._window.width_for(_HIGH / WIDTH, round(WIDTH))
        now = (len(self._session.log), self._draft, self._hover, width)
        if now == self._drawn:
            return
        self._drawn = now
        svg = desk_svg(
            self._session.snapshot(),
            self._seat,
            self._controls,
            self._draft,
            hover=self._hover,
            width=width,
            last_action=self._session.last_line,
            names=self._session.seat_names(),
            note=self._session.result() if self._session.is_finished else None,
        )
        self._window.show(svg_to_rgb(svg))
