"""A table in a real browser: whole games by clicks, trade, faults, phones, keys, advice."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catan_pz.rules import Rules
from tests.web.browser.pages import (
    PHONE,
    arrive,
    control,
    log,
    names,
    press,
    trade_position,
    wait_for,
    wait_for_turn,
)

pytestmark = pytest.mark.browser

TWO = Rules(num_players=2, victory_points=3, max_turns=80)

PREFERRED = ("vertex", "hex", "seat", "hand", "roll", "edge", "end turn", "reject", "get", "close")
"""What is pressed first by a person in a hurry."""

Open = Callable[..., Any]


@pytest.fixture
def trading(open_page: Open, serve: Open) -> tuple[Any, Any, Any]:
    """A table at which two persons may trade, and the page of each."""
    served = serve([None, None], start=trade_position())
    return served.table, *(arrive(open_page(served.link(seat))) for seat in (0, 1))


def chosen(page: Any) -> str:
    """A control that leads on to the end of the game."""
    active = names(page)
    is_setup = page.inner_text("#status").startswith("Turn 0.")
    for kind in PREFERRED:
        if kind == "edge" and "end turn" in active and not is_setup:
            continue
        for name in active:
            if name.startswith(kind):
                return name
    raise AssertionError(f"nothing to press among {active}")


def test_a_whole_game_by_clicks(open_page: Open, serve: Open) -> None:
    served = serve([None, "heuristic"], TWO)
    page = arrive(open_page(served.link(0)))
    for _ in range(400):
        wait_for_turn(page)
        if page.evaluate("tablePage.news.over"):
            break
        press(page, chosen(page))
    assert "in turn" in page.inner_text("#status")
    assert served.table.hosted.session.is_finished
    assert log(page) == served.table.hosted.picture(0).log
    page.click("#again")
    wait_for(page, "!tablePage.news.over")
    assert not page.is_visible("#again")


def test_two_browsers_trade_with_a_counter_offer(trading: tuple[Any, Any, Any]) -> None:
    table, first, second = trading
    press(first, "give ore")
    first.reload()
    arrive(first)
    assert "offer" not in names(first)  # an offer has two sides
    words = "Lay out what to give and what to get"
    control(first, "offer").hover()
    first.locator("#hint", has_text=words).wait_for()
    assert control(first, "offer").get_attribute("aria-disabled") == "true"
    press(first, "get brick")
    press(first, "offer")
    wait_for(second, "tablePage.news.to_move === 1")
    second.click("#summary summary")
    assert second.inner_text("#words li >> nth=5") == "P0 offers 1 ore for 1 brick."
    for name in ("give brick", "get ore", "get wool"):
        press(second, name)
    press(second, "counter")
    wait_for_turn(first)
    press(first, "close 1")
    wait_for(second, "tablePage.news.to_move === 0 && tablePage.news.log.length > 0")
    lines = ["P0 offers 1 ore for 1 brick", "P1 counters with 1 brick for 1 wool + 1 ore"]
    lines.append("P0 trades with P1: 1 wool + 1 ore for 1 brick")
    assert log(first) == log(second) == lines
    hands = [player["hand"] for player in table.hosted.session.game.snapshot()["players"]]
    assert [hand["brick"] for hand in hands] == [hand["ore"] for hand in hands] == [1, 1]


def test_keys_do_what_clicks_do_once(trading: tuple[Any, Any, Any]) -> None:
    table, page, _ = trading
    control(page, "give ore").focus()
    assert page.inner_text("#hint") == "Lay out 1 ore to give"
    for _ in range(3):  # a key that is held
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    wait_for(page, "tablePage.news.controls.some((one) => one.name === 'clear')")
    assert table.hosted._drafts[0].give == (0, 0, 0, 0, 1)
    # The same control keeps the focus in the new picture.
    assert page.evaluate("document.activeElement.dataset.name") == "give ore"
    control(page, "end turn").focus()
    found = []
    count = page.evaluate("new Set(tablePage.news.controls.map((one) => one.name)).size")
    while len(found) < count:
        found.append(page.evaluate("document.activeElement.dataset.name"))
        page.keyboard.press("Tab")
    assert len({*found}) == len(found)  # no name twice
    assert {"end turn", "less give ore", "get brick"} <= {*found}
    page.keyboard.press("Escape")
    wait_for(page, "!tablePage.news.controls.some((one) => one.name === 'clear')")
    page.keyboard.press("e")
    wait_for(page, "tablePage.news.to_move === 1")


def test_a_lost_connection_comes_back_to_the_same_game(trading: tuple[Any, Any, Any]) -> None:
    table, page, other = trading
    before = table.hosted.session.game.snapshot()
    other.evaluate("tablePage.press('end turn')")  # there is nothing for it to press
    other.locator("#hint", has_text="That can't be pressed now").wait_for()
    assert table.hosted.session.game.snapshot() == before
    press(page, "end turn")
    page.evaluate("tablePage.connection.socket.close()")
    wait_for(page, "tablePage.lost !== null")
    wait_for(page, "tablePage.lost === null")
    wait_for(page, "document.querySelectorAll('#log li').length === 1")


def test_the_page_says_that_its_table_has_stopped(
    open_page: Open, serve: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> int:
        raise ZeroDivisionError("no idea")

    served = serve([None, "random"], start=trade_position())
    monkeypatch.setattr(served.table.hosted.session.table, "decide", fail)
    page = arrive(open_page(served.link(0)))
    press(page, "end turn")
    words = "the table stopped: the agent in seat 1 failed"
    page.locator("#status", has_text=words).wait_for()
    page.evaluate("tablePage.press('roll')")
    page.locator("#hint", has_text="The table stopped").wait_for()


def test_the_page_says_that_its_table_is_not_saved(
    open_page: Open, serve: Open, tmp_path: Path
) -> None:
    folder = tmp_path / "tables"
    folder.touch()  # a file where the folder should be
    served = serve([None, None], start=trade_position(), path=folder / "table-0.jsonl")
    page, other = (arrive(open_page(served.link(seat))) for seat in (0, 1))
    words = "This table isn't saved at present: File exists."
    page.locator("#warning", has_text=words).wait_for()
    press(page, "end turn")
    folder.unlink()
    press(other, "roll")
    page.locator("#warning").wait_for(state="hidden")
    assert (folder / "table-0.jsonl").exists()


def test_a_page_that_made_room_comes_back_when_it_is_pressed(
    open_page: Open, serve: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve([None, None], start=trade_position())
    monkeypatch.setattr("catan_pz.web.server.MOST_OF_A_SEAT", 1)
    first = arrive(open_page(served.link(0)))
    second = arrive(open_page(served.link(0)))
    left = "This seat is open on newer pages."
    first.locator("#status", has_text=left).wait_for()
    first.mouse.click(5, 5)
    second.locator("#status", has_text=left).wait_for()
    press(first, "end turn")


def test_a_phone_by_touch(open_page: Open, serve: Open) -> None:
    served = serve([None, None], start=trade_position())
    page = arrive(open_page(served.link(0), **PHONE))
    # Both parts of the desk lie within its frame, which would be open where it is cut.
    boxes = page.evaluate("tablePage.picture.views.slice(1, 3).map((view) => view.box)")
    for x, y, width, height in boxes:
        assert 10 < x < x + width < 1110
        assert 738 < y < y + height < 888
    for _ in range(2):  # the second tap lays out a second card
        press(page, "give ore", "tap")
    assert served.table.hosted._drafts[0].give[4] == 2
    box = control(page, "end turn").bounding_box()
    assert min(box["width"], box["height"]) >= 16
    press(page, "end turn", "tap")


SHOWN = "document.querySelectorAll('#advice-rows tbody tr').length"
BADGES = "document.querySelectorAll('#picture .overlay circle').length"


def test_advice_is_switched_on_and_off(open_page: Open, serve: Open) -> None:
    served = serve([None, "random"], adviser="weighted")
    page = arrive(open_page(served.link(0)))
    assert page.evaluate(SHOWN) == page.evaluate(BADGES) == 0
    page.click("#advised")
    wait_for(page, f"{SHOWN} > 0")
    assert page.inner_text("#advice-of").startswith("weighted chooses: settlement at vertex")
    assert page.evaluate(BADGES) == page.evaluate("tablePage.news.controls.length")
    page.locator("#advice-rows tbody tr").nth(2).hover()
    place = page.evaluate("tablePage.advice.shown.rows[2][1]")
    assert page.get_attribute(".control.pointed", "data-name") == place
    page.reload()
    wait_for(page, f"window.tablePage && {SHOWN} > 0")
    page.keyboard.press("h")
    wait_for(page, f"{SHOWN} === 0 && {BADGES} === 0")
    onlooker = arrive(open_page(served.link(-1)))
    assert not onlooker.is_visible("#advice")
