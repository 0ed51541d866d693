"""Accessibility of every page by axe-core; the environment variable AXE names `axe.min.js`."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.game.record import GameRecord
from catan_pz.play.frames import frames_of_record
from catan_pz.rules import Rules
from catan_pz.web.edits import edited
from catan_pz.web.replay import make_replay
from tests.play.recordings import recorded
from tests.web.browser.waiting import wait_for

__all__ = ["recorded"]

AXE = os.environ.get("AXE")

pytestmark = pytest.mark.skipif(
    AXE is None, reason="the environment variable AXE names no axe.min.js"
)

SCHEMES = ["light", "dark"]
PHASES = ["roll", "discard", "move_robber", "main", "answer", "over"]


def violations(page: Any) -> list[str]:
    """What axe-core finds, a line each."""
    assert AXE is not None
    # The pages' security policy lets no script in; a debugger may evaluate one.
    page.evaluate(Path(AXE).read_text(encoding="utf-8") + "; null")
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    return [
        f"{one['impact']} {one['id']}: {one['help']}: {[node['html'] for node in one['nodes']][:4]}"
        for one in found["violations"]
    ]


def at_phase(phase: str) -> Game:
    seats: list[dict[str, Any]] = [
        {"settlements": [10], "hand": {"ore": 5, "wool": 4}, "cards": {"knight": 1}},
        {"settlements": [30], "hand": {"brick": 2, "lumber": 1}},
    ]
    game = position(seats, rules=Rules(num_players=2, victory_points=3), dice=[1, 2])
    if phase == "answer":
        game.step(next(a for a in game.legal_actions().tolist() if _is_offer(a)))
        return game
    if phase == "over":
        won = edited(game.snapshot(), {"put": "city", "at": "vertex 45", "seat": 0})
        won["players"][0] |= {"points": 3, "visible_points": 3}
        return Game.from_snapshot(edited(won, {"set": "phase", "to": "over"}))
    return Game.from_snapshot(edited(game.snapshot(), {"set": "phase", "to": phase}))


def _is_offer(action: int) -> bool:
    from catan_pz import describe_action

    return bool(describe_action(action)["kind"] == "offer")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("phase", PHASES)
def test_the_table(
    open_page: Callable[..., Any], serve: Callable[..., Any], phase: str, scheme: str
) -> None:
    served = serve(Rules(num_players=2), [None, None], start=at_phase(phase))
    for viewer in (-1, 0, 1):
        page = open_page(served.link(viewer), color_scheme=scheme)
        wait_for(page, "Boolean(window.tablePage?.news)")
        assert violations(page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_first_page_and_study(
    open_page: Callable[..., Any], serve: Callable[..., Any], scheme: str
) -> None:
    served = serve(Rules(num_players=2), [None, None])
    page = open_page(served.address, color_scheme=scheme)
    assert violations(page) == []
    page.goto(f"{served.address}/study")
    wait_for(page, "Boolean(window.studyPage?.news)")
    page.locator("summary").click()
    assert violations(page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_replay(
    open_page: Callable[..., Any], recorded: Path, tmp_path: Path, scheme: str
) -> None:
    path = tmp_path / "replay.html"
    make_replay(frames_of_record(GameRecord.load(recorded))).save(path)
    page = open_page(path.as_uri(), color_scheme=scheme)
    page.wait_for_selector("#log li[aria-current]")
    assert violations(page) == []
