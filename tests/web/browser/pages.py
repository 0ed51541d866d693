"""Tests' waits and actions in a page."""

import time
from typing import Any, Final

from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.rules import Rules

TIMEOUT: Final = 60
"""Seconds that a test waits for an expected event, on any machine."""

PHONE: Final = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def wait_for(page: Any, condition: str) -> None:
    """Wait until a JavaScript expression is true in a page.

    The pages' security policy forbids `wait_for_function`, which evaluates text in them.
    """
    end = time.monotonic() + TIMEOUT
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"this did not come to be: {condition}"
        page.wait_for_timeout(20)


def arrive(page: Any) -> Any:
    """Wait for a table's or a study's first picture; tests press faster than persons do."""
    wait_for(page, "Boolean((window.tablePage ?? window.studyPage)?.news)")
    page.evaluate("window.tablePage && (tablePage.slip = 0)")
    return page


def control(page: Any, name: str) -> Any:
    return page.locator(f'.control[data-name="{name}"]').first


def names(page: Any) -> list[str]:
    """The names of enabled controls."""
    found: list[str] = page.evaluate(
        "tablePage.news.controls.filter((one) => one.active).map((one) => one.name)"
    )
    return found


def wait_for_turn(page: Any) -> None:
    wait_for(page, "tablePage.news.over || tablePage.news.to_move === tablePage.viewer")


def press(page: Any, name: str, how: str = "click") -> None:
    """Press a control, and wait for the picture after it."""
    version = page.evaluate("tablePage.news.version")
    getattr(control(page, name), how)()
    wait_for(page, f"tablePage.news.version > {version}")


def log(page: Any) -> list[str]:
    lines: list[str] = page.locator("#log li").all_text_contents()
    return lines


def trade_position() -> Game:
    """The first player is in turn and may trade; cards enough for both sides."""
    seats: list[dict[str, Any]] = [
        {"settlements": [10], "hand": {"ore": 2, "wool": 1}},
        {"settlements": [30], "hand": {"brick": 2, "lumber": 1}},
    ]
    return position(seats, rules=Rules(num_players=2), dice=[1, 2])
