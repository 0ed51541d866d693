"""A table in a real browser: whole games by clicks, trade, faults, reloads, phones, keys."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.rules import Rules
from tests.web.browser.waiting import wait_for

TWO = Rules(num_players=2, victory_points=3, max_turns=80)
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}

PREFERRED = ("vertex", "hex", "seat", "hand", "roll", "edge", "end turn", "reject", "get", "close")
"""What is pressed first by a person in a hurry."""


def control(page: Any, name: str) -> Any:
    return page.locator(f'.control[data-name="{name}"]').first


def names(page: Any) -> list[str]:
    """What can be pressed."""
    found: list[str] = page.evaluate(
        "tablePage.news.controls.filter((one) => one.active).map((one) => one.name)"
    )
    return found


def arrive(page: Any) -> None:
    wait_for(page, "Boolean(window.tablePage?.news)")


def wait_for_turn(page: Any) -> None:
    wait_for(page, "tablePage.news.over || tablePage.news.to_move === tablePage.viewer")


def press(page: Any, name: str, how: str = "click") -> None:
    """Press a control, and wait for what comes of it."""
    version = page.evaluate("tablePage.news.version")
    getattr(control(page, name), how)()
    wait_for(page, f"tablePage.news.version > {version}")


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


def log(page: Any) -> list[str]:
    lines: list[str] = page.locator("#log li").all_inner_texts()
    return lines


def trade_position() -> Game:
    """The first player is in turn and may trade; cards enough for both sides."""
    seats: list[dict[str, Any]] = [
        {"settlements": [10], "hand": {"ore": 2, "wool": 1}},
        {"settlements": [30], "hand": {"brick": 2, "lumber": 1}},
    ]
    return position(seats, rules=Rules(num_players=2), dice=[1, 2])


def test_a_whole_game_by_clicks(open_page: Callable[..., Any], serve: Callable[..., Any]) -> None:
    served = serve(TWO, [None, "heuristic"])
    page = open_page(served.link(0))
    arrive(page)
    for _ in range(400):
        wait_for_turn(page)
        if page.evaluate("tablePage.news.over"):
            break
        press(page, chosen(page))
    assert "in turn" in page.inner_text("#status")
    assert served.tables[0].hosted.session.is_finished
    assert log(page) == served.tables[0].hosted.picture(0).log
    page.click("#again")
    wait_for(page, "!tablePage.news.over")
    assert not page.is_visible("#again")


def test_two_browsers_trade_with_a_counter_offer(
    open_page: Callable[..., Any], serve: Callable[..., Any]
) -> None:
    served = serve(Rules(num_players=2), [None, None], start=trade_position())
    first, second = (open_page(served.link(seat)) for seat in (0, 1))
    for page in (first, second):
        arrive(page)
    press(first, "give ore")
    assert "offer" not in names(first)  # an offer has two sides
    press(first, "get brick")
    press(first, "offer")
    wait_for(second, "tablePage.news.to_move === 1")
    assert {"accept", "reject"} <= {*names(second)}
    second.click("#summary summary")
    assert second.inner_text("#words li >> nth=2").startswith(
        "P1 (you): 1 point; 3 cards (2 brick, "
    )
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
    hands = [
        player["hand"] for player in served.tables[0].hosted.session.game.snapshot()["players"]
    ]
    assert [hand["brick"] for hand in hands] == [1, 1]
    assert [hand["ore"] for hand in hands] == [1, 1]


def test_a_button_says_why_it_cannot_be_pressed(
    open_page: Callable[..., Any], serve: Callable[..., Any]
) -> None:
    served = serve(Rules(num_players=2), [None, None], start=trade_position())
    page = open_page(served.link(0))
    arrive(page)
    press(page, "give ore")
    version = page.evaluate("tablePage.news.version")
    words = "Lay out what to give and what to get"
    assert control(page, "offer").get_attribute("aria-disabled") == "true"
    control(page, "offer").hover()
    page.locator("#hint", has_text=words).wait_for()
    control(page, "offer").click(force=True)
    page.mouse.move(1, 1)
    page.wait_for_timeout(200)
    page.keyboard.press("o")
    page.locator("#hint", has_text=words).wait_for()
    assert page.evaluate("tablePage.news.version") == version
    press(page, "get brick")
    press(page, "get brick")
    control(page, "get brick").hover(force=True)
    page.locator("#hint", has_text="1 card for 1, 2 for 1 or 1 for 2").wait_for()


def test_a_key_that_is_held_is_pressed_once(
    open_page: Callable[..., Any], serve: Callable[..., Any]
) -> None:
    served = serve(Rules(num_players=2), [None, None], start=trade_position(), adviser="heuristic")
    page = open_page(served.link(0))
    arrive(page)
    control(page, "give ore").focus()
    for _ in range(3):
        page.keyboard.down("Enter")
        page.wait_for_timeout(200)
    page.keyboard.up("Enter")
    assert served.tables[0].hosted._drafts[0].give == (0, 0, 0, 0, 1)
    for _ in range(40):
        page.keyboard.down("H")
    page.keyboard.up("H")
    assert page.is_checked("#advised")
    assert page.evaluate("tablePage.lost") is None


def test_an_illegal_click_is_answered_and_a_reload_comes_back(
    open_page: Callable[..., Any], serve: Callable[..., Any]
) -> None:
    served = serve(Rules(num_players=2), [None, None], start=trade_position())
    first, second = (open_page(served.link(seat)) for seat in (0, 1))
    for page in (first, second):
        arrive(page)
    before = served.tables[0].hosted.session.game.snapshot()
    # The other's turn: nothing is there to be pressed, and the server refuses what is sent anyway.
    assert names(second) == []
    second.mouse.click(300, 300)
    second.evaluate("tablePage.press('end turn')")
    second.locator("#hint", has_text="That can't be pressed now").wait_for()
    assert served.tables[0].hosted.session.game.snapshot() == before
    press(first, "give ore")
    first.reload()
    arrive(first)
    assert "less give ore" in names(first)
    press(first, "less give ore")
    press(first, "end turn")
    second.reload()
    arrive(second)
    assert log(first) == log(second) == ["P0 ends the turn"]
    press(second, "roll")


def test_a_lost_connection_comes_back_to_the_same_game(
    open_page: Callable[..., Any], serve: Callable[..., Any]
) -> None:
    served = serve(Rules(num_players=2), [None, None], start=trade_position())
    page = open_page(served.link(0))
    arrive(page)
    press(page, "end turn")
    page.evaluate("tablePage.connection.socket.close()")
    wait_for(page, "tablePage.lost !== null")
    wait_for(page, "tablePage.lost === null")
    wait_for(page, "document.querySelectorAll('#log li').length === 1")


def test_the_page_says_that_its_table_has_stopped(
    open_page: Callable[..., Any], serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> int:
        raise ZeroDivisionError("no idea")

    served = serve(Rules(num_players=2), [None, "random"], start=trade_position())
    monkeypatch.setattr(served.tables[0].hosted.session.table, "decide", fail)
    page = open_page(served.link(0))
    arrive(page)
    press(page, "end turn")
    words = "the table stopped: the agent in seat 1 failed"
    page.locator("#status", has_text=words).wait_for()
    page.wait_for_timeout(1500)  # longer than pages wait until they try again
    assert page.inner_text("#status") == words
    page.evaluate("tablePage.press('roll')")
    page.locator("#hint", has_text="The table stopped").wait_for()


def test_the_page_says_that_its_table_is_not_saved(
    open_page: Callable[..., Any], serve: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "tables"
    folder.touch()  # a file where the folder should be
    start = trade_position()
    served = serve(Rules(num_players=2), [None, None], start=start, path=folder / "table-0.jsonl")
    pages = [open_page(served.link(seat)) for seat in (0, 1)]
    for page in pages:
        arrive(page)
    press(pages[0], "end turn")
    for page in pages:
        words = "This table isn't saved at present: File exists."
        page.locator("#warning", has_text=words).wait_for()
    folder.unlink()
    press(pages[1], "roll")
    for page in pages:
        page.locator("#warning").wait_for(state="hidden")
    assert (folder / "table-0.jsonl").exists()


def test_a_page_that_made_room_comes_back_when_it_is_pressed(
    open_page: Callable[..., Any], serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve(Rules(num_players=2), [None, None], start=trade_position())
    monkeypatch.setattr("catan_pz.web.server.MOST_OF_A_SEAT", 1)
    first = open_page(served.link(0))
    arrive(first)
    second = open_page(served.link(0))
    arrive(second)
    first.locator("#status", has_text="This seat is open on newer pages.").wait_for()
    first.wait_for_timeout(2000)  # longer than pages wait until they try again
    assert second.evaluate("tablePage.lost") is None
    first.mouse.click(5, 5)
    wait_for(first, "tablePage.lost === null")
    second.locator("#status", has_text="This seat is open on newer pages.").wait_for()
    press(first, "end turn")
    assert log(first) == ["P0 ends the turn"]


def test_a_phone_by_touch(open_page: Callable[..., Any], serve: Callable[..., Any]) -> None:
    served = serve(TWO, [None, "heuristic"])
    page = open_page(served.link(0), **PHONE)
    arrive(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    # Both parts of the desk lie within its frame, which would be open where it is cut.
    boxes = page.evaluate("tablePage.picture.views.slice(1, 3).map((view) => view.box)")
    assert len(boxes) == 2
    for x, y, width, height in boxes:
        assert 10 < x < x + width < 1110
        assert 738 < y < y + height < 888
    for _ in range(4):
        wait_for_turn(page)
        press(page, chosen(page), "tap")
    wait_for_turn(page)
    assert page.inner_text("#status").startswith("Turn")
    box = control(page, names(page)[0]).bounding_box()
    assert min(box["width"], box["height"]) >= 16
    press(page, "roll", "tap")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_second_tap_lays_out_a_second_card(
    open_page: Callable[..., Any], serve: Callable[..., Any]
) -> None:
    served = serve(Rules(num_players=2), [None, None], start=trade_position())
    page = open_page(served.link(0), **PHONE)
    arrive(page)
    for name, side in (("get brick", "get"), ("give ore", "give")):
        cell = page.locator(f'rect.control[data-name="{name}"]').last
        for _ in range(2):
            cell.scroll_into_view_if_needed()
            box = cell.bounding_box()
            version = page.evaluate("tablePage.news.version")
            page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            wait_for(page, f"tablePage.news.version > {version}")
        assert sum(getattr(served.tables[0].hosted._drafts[0], side)) == 2
        press(page, "clear", "tap")


def test_an_edge_is_met_beside_its_middle(
    open_page: Callable[..., Any], serve: Callable[..., Any]
) -> None:
    page = open_page(serve(TWO, [None, None]).link(0))
    arrive(page)
    press(page, "vertex 20")
    name = next(name for name in names(page) if name.startswith("edge"))
    box = control(page, name).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 + 4, box["y"] + box["height"] / 2)
    control(page, name).and_(page.locator(":hover")).wait_for()
    # Under the pointer it is as wide as before.
    for step in (5, 3, 4):
        page.mouse.move(box["x"] + box["width"] / 2 + step, box["y"] + box["height"] / 2)
    control(page, name).and_(page.locator(":hover")).wait_for()
    page.mouse.click(box["x"] + box["width"] / 2 + 4, box["y"] + box["height"] / 2)
    wait_for(page, "tablePage.news.to_move === 1")


def test_keys_do_what_clicks_do(open_page: Callable[..., Any], serve: Callable[..., Any]) -> None:
    served = serve(Rules(num_players=2), [None, None], start=trade_position())
    page = open_page(served.link(0))
    arrive(page)
    control(page, "give ore").focus()
    assert page.inner_text("#hint") == "Lay out 1 ore to give"
    page.keyboard.press("Enter")
    wait_for(page, "tablePage.news.controls.some((one) => one.name === 'clear')")
    # The same control keeps the focus in the new picture.
    assert page.evaluate("document.activeElement.dataset.name") == "give ore"
    page.keyboard.press("Escape")
    wait_for(page, "!tablePage.news.controls.some((one) => one.name === 'clear')")
    page.keyboard.press("e")
    wait_for(page, "tablePage.news.to_move === 1")


def test_tab_goes_through_controls_as_they_are_read(
    open_page: Callable[..., Any], serve: Callable[..., Any]
) -> None:
    served = serve(Rules(num_players=2), [None, None], start=trade_position())
    page = open_page(served.link(0))
    arrive(page)
    press(page, "give ore")
    control(page, "end turn").focus()
    found = []
    count = page.evaluate("new Set(tablePage.news.controls.map((one) => one.name)).size")
    while len(found) < count:
        found.append(page.evaluate("document.activeElement.dataset.name"))
        page.keyboard.press("Tab")
    order = [name for name in names(page) if not name.startswith(("edge", "vertex", "less"))]
    order = [*dict.fromkeys(["end turn", *order])]
    assert [name for name in found if name in order] == order
    assert len({*found}) == len(found)  # no name twice
    assert "less give ore" in found
    # A further area of the same name is pressed by pointers alone.
    further = page.locator('.control[data-name="give wool"]').nth(1)
    assert further.get_attribute("aria-hidden") == "true"
    further.click()
    wait_for(page, "tablePage.news.controls.some((one) => one.name === 'less give wool')")


def test_motion_is_short_and_off_where_it_is_not_wanted(
    open_page: Callable[..., Any], serve: Callable[..., Any]
) -> None:
    served = serve(Rules(num_players=2), [None, None], start=trade_position())
    for wish, animation in (("no-preference", "new-line"), ("reduce", "none")):
        page = open_page(served.link(0), reduced_motion=wish)
        arrive(page)
        if "end turn" in names(page):
            press(page, "end turn")
        style = "getComputedStyle(document.querySelector('#log li:last-child'))"
        assert page.evaluate(f"{style}.animationName") == animation
        assert page.evaluate(f"parseFloat({style}.animationDuration)") <= 1
