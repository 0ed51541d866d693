from collections.abc import Iterator
from typing import Any

import pytest

from tests.play.recordings import recorded

__all__ = ["pygame", "recorded"]


@pytest.fixture
def pygame(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    module = pytest.importorskip("pygame")
    pytest.importorskip("resvg_py")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    module.display.quit()
    yield module
    module.display.quit()
