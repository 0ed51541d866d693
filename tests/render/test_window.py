import os
import sys
from collections.abc import Iterator

import numpy as np
import pytest

pygame = pytest.importorskip("pygame")

from catan_pz.render.window import Window  # noqa: E402


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.quit()
    opened = Window()
    yield opened
    opened.close()
    pygame.display.quit()


def test_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"catan-pz\[render\]"):
        Window()


def test_window_shows_pictures_of_any_size(window: Window) -> None:
    window.show(np.full((120, 200, 3), 7, np.uint8))
    window.show(np.zeros((300, 100, 3), np.uint8)[:, ::-1])
    assert not window.closed


def test_window_closed_by_the_user_stays_closed(window: Window) -> None:
    window.show(np.zeros((30, 40, 3), np.uint8))
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    for _ in range(2):
        window.show(np.zeros((30, 40, 3), np.uint8))
        assert window.closed
    window.close()


@pytest.mark.skipif(
    bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    or not sys.platform.startswith("linux"),
    reason="there may be a display",
)
def test_a_window_that_nobody_could_see(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    pygame.display.quit()
    with pytest.raises(RuntimeError, match="no display to open a window on"):
        Window().show(np.zeros((4, 4, 3), np.uint8))
