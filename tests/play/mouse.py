"""What a user does in a window."""

from typing import Any

from catan_pz.play.desk_layout import DESK_HEIGHT
from catan_pz.render.layout import HEIGHT, WIDTH


class Mouse:
    """Moves and clicks in a window, by points of the picture."""

    def __init__(self, pygame: Any, window: Any, height: float = HEIGHT + DESK_HEIGHT) -> None:
        self._pygame = pygame
        self._window = window
        self._height = height

    def click(self, x: float, y: float) -> None:
        self.move(x, y)
        button = self._pygame.BUTTON_LEFT
        self._post(self._pygame.MOUSEBUTTONDOWN, pos=self._spot(x, y), button=button)

    def move(self, x: float, y: float, held: bool = False) -> None:
        buttons = (int(held), 0, 0)
        self._post(self._pygame.MOUSEMOTION, pos=self._spot(x, y), rel=(0, 0), buttons=buttons)

    def _spot(self, x: float, y: float) -> tuple[float, float]:
        left, top, width, height = self._window._place()
        return left + x / WIDTH * width, top + y / self._height * height

    def key(self, name: str) -> None:
        self._post(self._pygame.KEYDOWN, key=self._pygame.key.key_code(name))

    def _post(self, kind: int, **values: Any) -> None:
        event = self._pygame.event.Event(kind, window=self._window._window, **values)
        self._pygame.event.post(event)
