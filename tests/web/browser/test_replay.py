"""A replay in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catan_pz.game.record import GameRecord
from catan_pz.play.frames import frames_of_record
from catan_pz.web.replay import make_replay
from tests.play.recordings import recorded

__all__ = ["recorded"]


@pytest.fixture(scope="module")
def address(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("replays") / "replay.html"
    make_replay(frames_of_record(GameRecord.load(recorded))).save(path)
    return path.as_uri()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    opened = browser.new_page()
    happened: list[str] = []
    opened.on("pageerror", lambda error: happened.append(str(error)))
    opened.on("request", lambda request: happened.append(request.url))
    opened.goto(address)
    opened.wait_for_selector("#log li[aria-current]")
    yield opened
    assert happened == [address]
    opened.close()


def at(page: Any) -> int:
    """The decision that is shown."""
    return int(page.evaluate("player.at"))


def test_keys_buttons_slider_and_log_move_through_the_game(page: Any, recorded: Path) -> None:
    decisions = len(GameRecord.load(recorded).decisions)
    page.keyboard.press("End")
    assert at(page) == decisions
    page.keyboard.press("Home")
    for key, reached in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        assert at(page) == reached
    page.click("#turn-forward")
    turn = page.evaluate("player.game.turns[player.at][0]")
    assert turn == page.evaluate("player.game.turns[player.at - 1][0]") + 1
    page.fill("#slider", "7")
    assert at(page) == 7
    page.click("#log li >> nth=4")
    assert at(page) == 4
    assert page.inner_text("#log li[aria-current]") == page.inner_text("#line")


def test_it_plays_and_pauses(page: Any) -> None:
    page.select_option("#speed", "4")
    page.click("#play")
    for _ in range(1200):
        if at(page) >= 3:
            break
        page.wait_for_timeout(50)
    assert at(page) >= 3
    page.click("#play")
    assert page.get_attribute("#play", "aria-label") == "Play"


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_it_fits_any_screen(browser: Any, address: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 740})
    page.goto(f"{address}#20")
    page.wait_for_selector("#log li[aria-current]")
    assert at(page) == 20
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.is_visible("#panels") == (width <= 640)
    page.close()
