"""A table in a real browser: whole games by clicks, trade, faults, phones, keys, advice."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from catan_pz.game.game import Game
from catan_pz.game.position import position
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
    assert log(page) == [line["words"] for line in served.table.hosted.picture(0).log]
    for row in page.locator("#ending-points tr").all()[1:]:
        *parts, total = map(int, row.locator("td").all_inner_texts())
        assert sum(parts) == total
    page.click("#ending form button")
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
    line = (
        "P0 offers 1 ore for 1 brick: P1 counters with 1 brick for 1 wool + 1 ore; "
        "P0 trades with P1: 1 wool + 1 ore for 1 brick"
    )
    assert log(first) == log(second) == [line]
    hands = [player["hand"] for player in table.hosted.session.game.snapshot()["players"]]
    assert [hand["brick"] for hand in hands] == [hand["ore"] for hand in hands] == [1, 1]


def building() -> Game:
    """The first player may roll, and then build beside the own settlement."""
    seats: list[dict[str, Any]] = [
        {"settlements": [10], "hand": {"brick": 2, "lumber": 2}},
        {"settlements": [30], "hand": {"brick": 2}},
    ]
    return position(seats, rules=Rules(num_players=2, dice=[[1, 1]]), phase="roll")


def test_slips_do_nothing_and_moves_are_taken_back(open_page: Open, serve: Open) -> None:
    served = serve([None, None], start=building())
    game = lambda: served.table.hosted.session.game  # noqa: E731
    page = arrive(open_page(served.link(0)))
    page.evaluate("tablePage.slip = 400")
    page.wait_for_timeout(450)
    box = control(page, "roll").bounding_box()
    page.mouse.dblclick(box["x"] + 20, box["y"] + 20)
    wait_for(page, "tablePage.news.view.phase === 'main'")
    page.keyboard.press("e")  # within the moment of the roll
    page.wait_for_timeout(450)
    assert game().player == 0
    assert not any(c.name == "undo" for c in served.table.hosted.picture(0).controls)
    place = next(name for name in names(page) if name.startswith("edge"))
    box = control(page, place).bounding_box()
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    wait_for(page, "tablePage.controls.has('undo')")
    page.wait_for_timeout(450)
    roads = lambda: len(game().snapshot()["players"][0]["roads"])  # noqa: E731
    assert roads() == 1
    assert page.locator("#picture .ring").count() == 1
    page.keyboard.press("u")
    wait_for(page, f"tablePage.controls.has('{place}') && !tablePage.controls.has('undo')")
    assert roads() == 0
    assert len(log(page)) == 1


def test_a_finger_confirms_what_it_places(open_page: Open, serve: Open) -> None:
    served = serve([None, None], start=building())
    page = arrive(open_page(served.link(0), **PHONE))
    press(page, "roll", "tap")
    first, second = [name for name in names(page) if name.startswith("edge")][:2]
    control(page, first).tap(force=True)
    control(page, second).tap(force=True)
    assert page.locator("#answers .main").inner_text().startswith("Confirm: build a road")
    assert page.evaluate("tablePage.chosen") == second
    page.locator("#answers .main").tap()
    edge = int(second.split()[1])
    wait_for(page, "tablePage.controls.has('undo')")
    assert served.table.hosted.session.game.snapshot()["players"][0]["roads"] == [edge]


def test_two_phones_answer_an_offer_at_the_same_time(open_page: Open, serve: Open) -> None:
    seats: list[dict[str, Any]] = [
        {"settlements": [10], "hand": {"ore": 2}},
        {"settlements": [30], "hand": {"brick": 2}},
        {"settlements": [50], "hand": {"brick": 1}},
    ]
    served = serve([None] * 3, start=position(seats, rules=Rules(num_players=3)))
    maker, first, second = (arrive(open_page(served.link(k), **PHONE)) for k in range(3))
    box = control(maker, "end turn").bounding_box()
    assert min(box["width"], box["height"]) >= 40
    for name in ("give ore", "get brick", "offer"):
        press(maker, name, "tap")
    for page in (second, first):  # who is asked later answers first
        button = control(page, "accept")
        button.wait_for()
        assert button.inner_text() == "Accept: you give 1 brick, get 1 ore"
        button.tap()
    closing = control(maker, "close 2")
    closing.wait_for()
    assert closing.inner_text() == "Trade with P2: you give 1 ore, get 1 brick"
    closing.tap()
    wait_for(maker, "!tablePage.news.view.offer")
    assert len(log(maker)) == 1
    for name in ("give ore", "get brick", "offer"):
        press(maker, name, "tap")
    control(first, "reject all").tap()
    wait_for(
        maker, "tablePage.news.view.offer === null || tablePage.log.at(-1).words.includes('P1')"
    )
    assert served.table.hosted._refusing == {1}


def test_a_friend_leaves_and_comes_back(open_page: Open, serve: Open) -> None:
    served = serve([None, None], start=trade_position())
    page, friend = (arrive(open_page(served.link(seat))) for seat in (0, 1))
    press(page, "end turn")
    friend.context.close()
    control(page, "agent 1").click()
    wait_for_turn(page)
    assert page.locator(".seat-1 .who i").inner_text() == "an agent plays"
    friend = arrive(open_page(served.link(1)))
    wait_for(page, "tablePage.news.away.length === 0")
    assert served.table.hosted.session.agents == [None, None]
    assert len(log(page)) >= 3


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
    found = set()
    for _ in range(40):
        found.add(page.evaluate("document.activeElement.dataset.name"))
        page.keyboard.press("Tab")
    assert found - {None} == {*page.evaluate("[...tablePage.controls.keys()]")}
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


SHOWN = "document.querySelectorAll('#advice-rows tbody tr').length"
BADGES = "document.querySelectorAll('#picture .overlay circle').length"


def test_advice_is_switched_on_and_off(open_page: Open, serve: Open) -> None:
    served = serve([None, "random"], adviser="weighted")
    page = arrive(open_page(served.link(0)))
    assert page.evaluate(SHOWN) == page.evaluate(BADGES) == 0
    page.click("#advised")
    wait_for(page, f"{SHOWN} > 0")
    assert page.inner_text("#advice-of").startswith("weighted chooses: settlement at ")
    assert page.evaluate(BADGES) == page.evaluate("tablePage.news.controls.length")
    page.locator("#advice-rows tbody tr").nth(2).hover()
    place = page.evaluate("tablePage.advice.shown.rows[2][1]")
    assert page.get_attribute(".control.pointed", "data-name") == place
    boxes = [one.bounding_box() for one in page.locator("#picture .overlay circle").all()]
    boxes.append(control(page, place).bounding_box())
    *middles, own = [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes]
    assert min(math.dist(own, middle) for middle in middles) < 1
    page.reload()
    wait_for(page, f"window.tablePage && {SHOWN} > 0")
    page.keyboard.press("h")
    wait_for(page, f"{SHOWN} === 0 && {BADGES} === 0")
    onlooker = arrive(open_page(served.link(-1)))
    assert not onlooker.is_visible("#advice")
