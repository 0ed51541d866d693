"""A window that shows pictures; pygame-ce is imported when one is opened."""

import os
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_MISSING: Final = (
    'a window needs pygame-ce, which comes with the extra `render`: pip install "catan-pz[render]"'
)
_NO_DISPLAY: Final = (
    "no display to open a window on ({reason}); draw to an array instead "
    '(render_mode="rgb_array"), or set the environment variable SDL_VIDEODRIVER=dummy'
)


class Window:
    """A resizable window, which opens with the first picture; the user may close it.

    Attributes:
        closed: whether it was closed, by the user or by `close`.
    """

    def __init__(self) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        try:
            import pygame
        except ImportError as missing:
            raise ImportError(_MISSING) from missing
        self._pygame: Any = pygame
        self._window: Any = None
        self.closed = False

    def show(self, rgb: NDArray[np.uint8]) -> None:
        """Show a picture, an array (height, width, 3) of uint8, fitted into the window.

        Does nothing once the window is closed.
        """
        if self.closed:
            return
        pygame = self._pygame
        height, width, _ = rgb.shape
        if self._window is None:
            self._open(width, height)
        for event in pygame.event.get():
            is_own = getattr(event, "window", None) in (self._window, None)
            if is_own and event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
                self.close()
                return
        data = np.ascontiguousarray(rgb).tobytes()
        self._paint(pygame.image.frombytes(data, (width, height), "RGB"))

    def close(self) -> None:
        """Close the window permanently; closing it twice is harmless."""
        self.closed = True
        if self._window is not None:
            self._window.destroy()
            self._window = None

    def _open(self, width: int, height: int) -> None:
        pygame = self._pygame
        try:
            # Not pygame.init(): a picture needs neither sound nor joysticks.
            pygame.display.init()
            if pygame.display.get_driver() == "offscreen" and "SDL_VIDEODRIVER" not in os.environ:
                # SDL's last fallback: an invisible window.
                pygame.display.quit()
                raise pygame.error("SDL found no screen")
            desktop_width, desktop_height = pygame.display.get_desktop_sizes()[0]
            shrink = min(1.0, 0.92 * desktop_width / width, 0.88 * desktop_height / height)
            size = (max(1, round(width * shrink)), max(1, round(height * shrink)))
            self._window = pygame.Window("catan-pz", size, resizable=True)
        except pygame.error as reason:
            raise RuntimeError(_NO_DISPLAY.format(reason=reason)) from reason

    def _paint(self, picture: Any) -> None:
        """Draw a picture in the middle of a dark background, as large as possible."""
        width, height = picture.get_size()
        across, down = self._window.size
        scale = min(across / width, down / height)
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        if size != (width, height):
            picture = self._pygame.transform.smoothscale(picture, size)
        surface = self._window.get_surface()
        surface.fill((32, 36, 40))
        surface.blit(picture, ((across - size[0]) // 2, (down - size[1]) // 2))
        self._window.flip()
