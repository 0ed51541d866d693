"""Every page on screens of any width, light and dark; a replay by keys and clicks.

The environment variable AXE may name `axe.min.js`: axe-core then judges the pages, too.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catan_pz.agents.search import SearchAgent
from catan_pz.game.position import position
from catan_pz.game.record import GameRecord
from catan_pz.play.annotations import Annotations
from catan_pz.play.frames import frames_of_record
from catan_pz.review import review_record
from catan_pz.rules import Rules
from catan_pz.web.replay import make_replay
from tests.web.browser.pages import arrive, wait_for

pytestmark = pytest.mark.browser

AXE = os.environ.get("AXE")
SCREENS = [
    (1280, 650, "light"), (1366, 650, "dark"), (1536, 730, "light"), (1920, 950, "dark"),
    (768, 1024, "dark"), (390, 844, "light"), (360, 640, "dark"), (844, 390, "light"),
]  # fmt: skip


def check(page: Any, *in_sight: str) -> None:
    """Nothing beyond the page's width, and nothing that axe-core finds, where it is there.

    What is named is in sight as a whole, and nothing lies on it.
    """
    width, height = page.evaluate("[innerWidth, innerHeight]")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for selector in in_sight:
        box = page.locator(selector).bounding_box()
        bottom = box["y"] + box["height"] - 3
        assert 0 <= box["y"] < bottom <= height, selector
        at = f"document.elementFromPoint({box['x'] + box['width'] / 2}, {bottom})"
        assert page.evaluate(f"Boolean({at}.closest('{selector}'))"), selector
    if AXE is not None:
        # The pages' security policy lets no script in; a debugger may evaluate one.
        page.evaluate(Path(AXE).read_text(encoding="utf-8") + "; null")
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []


@pytest.fixture(scope="module")
def replay(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a replay with advice and win probabilities."""
    quick = SearchAgent(simulations=2, determinizations=1, turns=0, rollout="random")
    frames = frames_of_record(GameRecord.load(recorded), annotate=Annotations("weighted", quick))
    path = tmp_path_factory.mktemp("replays") / "replay.html"
    make_replay(frames).save(path)
    return path.as_uri()


@pytest.mark.parametrize("screen", SCREENS)
def test_pages_fit_every_screen(
    open_page: Callable[..., Any], serve: Callable[..., Any], replay: str, screen: Any
) -> None:
    width, height, scheme = screen
    rules = Rules(num_players=4)
    served = serve([None] * 4, start=position([{}] * 4, rules=rules), adviser="weighted")
    options = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
    seat = arrive(open_page(served.link(0), **options))
    check(seat, "#picture svg", "li.bank", "#hand", "#moves")
    check(arrive(open_page(served.link(-1), **options)), "#picture svg", "li.bank")
    check(open_page(served.address, **options))
    study = arrive(open_page(f"{served.address}/study", **options))
    for details in study.locator("summary").all():
        details.click()
    check(study, "#picture svg")
    page = open_page(f"{replay}#20", **options)
    page.wait_for_selector("#log li[aria-current]")
    check(page, "#picture svg", "#controls")
    assert page.evaluate("player.at") == 20


def test_a_review_leads_to_its_decisions(
    open_page: Callable[..., Any], recorded: Path, tmp_path: Path
) -> None:
    record = GameRecord.load(recorded)
    made = review_record(record, "value")
    path = tmp_path / "review.html"
    make_replay(frames_of_record(record), review=made).save(path)
    for width, height, scheme in SCREENS:
        screen = {"width": width, "height": height}
        page = open_page(path.as_uri(), viewport=screen, color_scheme=scheme)
        page.wait_for_selector("#review h3")
        check(page, "#picture svg", "#controls")
    page.click("#review li button >> nth=0")
    assert page.evaluate("player.at") == made.priced[0].number
    assert page.locator("#review [aria-current]").count() >= 1
    assert page.locator("#advice-rows tbody tr").count() == 2
    page.click("#log-tab")
    assert page.is_visible("#log")
    assert not page.is_visible("#review")


def test_a_replay_moves_by_keys_buttons_slider_and_log(
    open_page: Callable[..., Any], replay: str, recorded: Path
) -> None:
    page = open_page(replay)
    page.wait_for_selector("#log li[aria-current]")
    last = len(GameRecord.load(recorded).decisions)
    for key, reached in (("End", last), ("Home", 0), ("ArrowRight", 1), ("ArrowLeft", 0)):
        page.keyboard.press(key)
        assert page.evaluate("player.at") == reached
    page.fill("#slider", "7")
    assert page.evaluate("player.at") == 7
    page.click("#log li >> nth=4")
    assert page.evaluate("player.at") == 4
    assert page.inner_text("#log li[aria-current]") == page.inner_text("#line")
    page.select_option("#speed", "4")
    page.click("#play")
    wait_for(page, "player.at >= 7")
    page.click("#play")
    assert page.get_attribute("#play", "aria-label") == "Play"
    page.keyboard.press("Home")
    assert page.is_visible("#winning")
    assert page.locator("#legend li").first.inner_text().endswith(" %")
    assert page.evaluate("document.querySelectorAll('#picture .overlay circle').length") > 10
    page.keyboard.press("a")
    assert page.evaluate("document.querySelectorAll('#picture .overlay').length") == 0
