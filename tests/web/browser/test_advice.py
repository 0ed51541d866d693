"""Advice in a real browser: at a table, and in a replay with win probabilities."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catan_pz.agents.search import SearchAgent
from catan_pz.game.record import GameRecord
from catan_pz.play.annotations import Annotations
from catan_pz.play.frames import frames_of_record
from catan_pz.rules import Rules
from catan_pz.web.replay import make_replay
from tests.play.recordings import recorded
from tests.web.browser.test_accessibility import AXE, violations
from tests.web.browser.waiting import wait_for

__all__ = ["recorded"]

SHOWN = "document.querySelectorAll('#advice-rows tbody tr').length"
BADGES = "document.querySelectorAll('#picture .overlay circle').length"


def check(page: Any) -> None:
    """Nothing beyond the page's width, and nothing that axe-core finds, where it is there."""
    width = page.evaluate("innerWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if AXE is not None:
        assert violations(page) == []


@pytest.mark.parametrize("width", [360, 1400])
def test_advice_is_switched_on_and_off(
    open_page: Callable[..., Any], serve: Callable[..., Any], width: int
) -> None:
    served = serve(Rules(num_players=2), [None, "random"], adviser="weighted")
    page = open_page(served.link(0), viewport={"width": width, "height": 900}, color_scheme="dark")
    wait_for(page, "Boolean(window.tablePage?.news)")
    assert page.evaluate(SHOWN) == page.evaluate(BADGES) == 0
    page.click("#advised")
    wait_for(page, f"{SHOWN} > 0")
    assert page.inner_text("#advice-of").startswith("weighted chooses: settlement at vertex")
    assert page.evaluate(BADGES) == page.evaluate("tablePage.news.controls.length")
    check(page)
    page.locator("#advice-rows tbody tr").nth(2).hover()
    place = page.evaluate("tablePage.advice.shown.rows[2][1]")
    assert page.get_attribute(".control.pointed", "data-name") == place
    page.reload()
    wait_for(page, f"window.tablePage && {SHOWN} > 0")
    page.keyboard.press("h")
    wait_for(page, f"{SHOWN} === 0 && {BADGES} === 0")
    assert page.is_visible("#advice")
    onlooker = open_page(served.link(-1))
    wait_for(onlooker, "Boolean(window.tablePage?.news)")
    assert not onlooker.is_visible("#advice")


@pytest.mark.parametrize("width", [360, 1400])
def test_a_replay_shows_advice_and_win_probabilities(
    open_page: Callable[..., Any], recorded: Path, tmp_path: Path, width: int
) -> None:
    quick = SearchAgent(simulations=2, determinizations=1, turns=0, rollout="random")
    notes = Annotations("weighted", quick)
    path = tmp_path / "replay.html"
    make_replay(frames_of_record(GameRecord.load(recorded), annotate=notes)).save(path)
    page = open_page(path.as_uri(), viewport={"width": width, "height": 900})
    page.wait_for_selector("#log li[aria-current]")
    assert page.is_visible("#winning")
    assert page.locator("#legend li").first.inner_text().endswith(" %")
    assert page.evaluate(SHOWN) > 0
    assert page.locator("#advice-rows em").inner_text().strip() == "(played)"
    assert page.evaluate("document.querySelectorAll('#board .overlay circle').length") > 10
    check(page)
    page.keyboard.press("a")
    assert page.evaluate(SHOWN) == 0
    assert page.evaluate("document.querySelectorAll('#board .overlay').length") == 0
    page.focus("#advised")
    page.keyboard.press("Space")
    assert page.is_checked("#advised")
    assert page.evaluate("player.timer") is None
    page.keyboard.press("Space")
    page.keyboard.press("End")
    page.keyboard.press("a")
    assert page.inner_text("#advice-of") == "No advice on this decision."
