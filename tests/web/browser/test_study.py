"""A position set up, played on and saved in a real browser."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.play.frames import frames_of_record
from catan_pz.rules import Rules
from catan_pz.web.replay import make_replay
from tests.web.browser.pages import arrive, control, wait_for

pytestmark = pytest.mark.browser


def position(page: Any) -> dict[str, Any]:
    """What the page holds."""
    found: dict[str, Any] = json.loads(page.evaluate("studyPage.text"))
    return found


def tool(page: Any, words: str) -> None:
    page.locator("#tool label", has_text=words).click()


def middle(page: Any, name: str) -> tuple[float, float]:
    box = control(page, name).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.fixture
def study(open_page: Callable[..., Any], serve: Callable[..., Any]) -> Any:
    return arrive(open_page(f"{serve([None, 'random']).address}/study"))


def test_a_position_is_set_up_played_on_and_saved(study: Any, tmp_path: Path) -> None:
    page = study
    page.select_option("#players", "2")
    page.click("#new-empty")
    wait_for(page, "studyPage.news.position.players.length === 2")
    tool(page, "Settlement")
    control(page, "vertex 10").click()
    wait_for(page, "studyPage.news.position.players[0].settlements.includes(10)")
    page.locator("#seats label", has_text="Player 1").click()
    control(page, "vertex 30").click()
    wait_for(page, "studyPage.news.position.players[1].settlements.includes(30)")
    # A hand: what it takes comes from the bank.
    page.get_by_label("ore in hand").fill("4")
    page.get_by_label("ore in hand").press("Tab")
    wait_for(page, "studyPage.news.position.players[1].hand.ore === 4")
    assert position(page)["bank"]["ore"] == 15
    page.get_by_label("In turn").select_option("1")
    wait_for(page, "studyPage.news.position.turn_player === 1")
    with page.expect_download() as saved:
        page.click("#save-position")
    saved.value.save_as(tmp_path / "position.json")
    state = json.loads((tmp_path / "position.json").read_text())
    game = Game.from_snapshot(state)
    assert game.player == 1
    assert state["players"][1]["settlements"] == [30]
    page.click("#step")
    wait_for(page, "studyPage.news.at === 1")
    page.select_option("#pause", "0")
    page.click("#run")
    wait_for(page, "studyPage.news.at > 6")
    page.click("#run")
    wait_for(page, "!studyPage.news.is_playing")


def test_pieces_are_dragged_and_faults_are_told_beside_the_board(study: Any) -> None:
    page = study
    tool(page, "City")
    control(page, "vertex 10").click()
    wait_for(page, "studyPage.news.position.players[0].cities.includes(10)")
    tool(page, "Move")
    page.mouse.move(*middle(page, "vertex 10"))
    page.mouse.down()
    page.mouse.move(*middle(page, "vertex 33"), steps=6)
    page.mouse.up()
    wait_for(page, "studyPage.news.position.players[0].cities.includes(33)")
    assert page.locator("#problems").inner_text() == ""
    tool(page, "Road")
    control(page, "edge 2").click()
    page.locator("#problems", has_text="A road touches no other road").wait_for()
    assert page.is_disabled("#step")
    page.click("#undo")
    wait_for(page, "studyPage.news.errors.length === 0")
    # By keyboard: choose what to move, then where to.
    tool(page, "Move")
    robber = position(page)["robber"]
    control(page, f"hex {robber}").press("Enter")
    control(page, f"hex {(robber + 1) % 19}").press("Enter")
    wait_for(page, f"studyPage.news.position.robber === {(robber + 1) % 19}")


def test_positions_are_opened_from_files_and_text(study: Any, tmp_path: Path) -> None:
    page = study
    game = Game(Rules(num_players=2), seed=5)
    for _ in range(12):
        game.step(int(game.legal_actions()[0]))
    path = tmp_path / "position.json"
    path.write_text(json.dumps(game.snapshot()))
    page.set_input_files("#file", path)
    wait_for(page, "studyPage.news.position.players.length === 2")
    assert position(page) == game.snapshot()
    page.locator("summary", has_text="JSON").click()
    broken = game.snapshot()
    broken["bank"]["ore"] -= 1
    page.fill("#json", json.dumps(broken))
    page.click("#paste")
    page.locator("#problems", has_text="don't add up to 19 cards").wait_for()
    assert position(page) == broken


def test_a_game_is_walked_through_and_other_lines_are_kept(
    study: Any, open_page: Callable[..., Any], tmp_path: Path
) -> None:
    page = study
    page.click("#new-game")
    wait_for(page, "studyPage.news.position.phase === 'setup_settlement'")
    for at in (1, 2, 3):
        page.click("#step")
        wait_for(page, f"studyPage.news.at === {at}")
    page.keyboard.press("ArrowLeft")
    wait_for(page, "studyPage.news.at === 2")
    page.select_option("#actions", index=0)
    page.click("#act")
    wait_for(page, "studyPage.news.at === 4")
    assert page.locator("#log li[aria-current] button").inner_text() == "variation 2 of 2"
    page.locator("#log button").click()
    wait_for(page, "studyPage.news.at === 3")
    page.select_option("#adviser", "weighted")
    page.locator("#advice-rows tbody tr").first.wait_for()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#share")
    page.locator("#hint", has_text="The link is copied").wait_for()
    tree = "JSON.stringify([studyPage.nodes, studyPage.news.at, studyPage.text])"
    before = page.evaluate(tree)
    friend = arrive(open_page(page.evaluate("navigator.clipboard.readText()")))
    wait_for(friend, f"{tree} === {json.dumps(before)}")
    page.reload()
    wait_for(page, f"window.studyPage?.news && {tree} === {json.dumps(before)}")
    page.click("#first")
    wait_for(page, "studyPage.news.at === 0")
    tool(page, "Terrain")
    for number, terrain in enumerate(("fields", "desert", "fields")):
        page.select_option("#laid", label=terrain)
        control(page, f"hex {number}").click()
        at = f"studyPage.news.position.board.hexes[{number}].terrain"
        wait_for(page, f"{at} === '{terrain}'")


def test_a_replay_leads_to_a_study_of_its_game(
    open_page: Callable[..., Any], serve: Callable[..., Any], recorded: Path, tmp_path: Path
) -> None:
    record = GameRecord.load(recorded)
    make_replay(frames_of_record(record), record=record).save(tmp_path / "replay.html")
    page = open_page(f"{(tmp_path / 'replay.html').as_uri()}#6")
    link = page.locator("#study").get_attribute("href")
    given = link.removeprefix("http://localhost:8000")
    study = arrive(open_page(serve([None, "random"]).address + given))
    wait_for(study, f"studyPage.nodes.length === {len(record.decisions) + 1}")
    wait_for(study, "studyPage.news.at === 6")
    with page.expect_download() as saved:
        page.click("#save")
    assert GameRecord.load(saved.value.path()) == record
