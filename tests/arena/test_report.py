"""Results as text, tables and pictures."""

import csv
import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from catan_pz import Rules, arena
from catan_pz.arena import save_report, to_csv, to_markdown
from catan_pz.arena.ratings import OpenInterval
from catan_pz.arena.report import points
from catan_pz.arena.results import (
    GameResult,
    Result,
    percent,
    percents,
    result_of_drawn_seats,
)
from tests.arena.players import QUICK, Builder, Failing

pytestmark = pytest.mark.purepython


@pytest.fixture(scope="module")
def result() -> Result:
    players = [("a|b", Builder()), "random", ("raising", Failing(14))]
    return arena.play_tournament(players, 12, num_players=2, seed=9, progress=False, **QUICK)


def test_csv_holds_every_game(result: Result) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(result))))
    assert len(rows) == len(result.games) == 36
    for row, game in zip(rows, result.games, strict=True):
        for name in ("number", "lineup", "block", "winner", "offender", "end", "reason", "turns"):
            assert row[name] == ("" if getattr(game, name) is None else str(getattr(game, name)))
        for p in range(2):
            assert row[f"seat_{p}"] == game.seats[p]
            assert int(row[f"points_{p}"]) == game.points[p]
            assert int(row[f"decisions_{p}"]) == game.decisions[p]
            assert float(row[f"seconds_{p}"]) == pytest.approx(game.seconds[p], abs=1e-6)
        assert row["winner_name"] == ("" if game.winner is None else game.seats[game.winner])


def cells(page: str, first: str) -> list[list[str]]:
    _, _, table = page.partition(f"| {first} |")
    lines = table.partition("\n\n")[0].replace("\\|", "/").splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_markdown_tells_what_games_have_in_common(result: Result) -> None:
    assert "in every seating on the same board with the same dice." in to_markdown(result)
    forced = replace(result, rules=replace(result.rules, skip_forced=True))
    assert "in every seating on the same board. Rules" in to_markdown(forced)
    games = [replace(game, number=k, block=k) for k, game in enumerate(result.games[::5])]
    page = to_markdown(result_of_drawn_seats(result.names, result.rules, 3, games))
    assert "Another table drew seats, boards and dice anew for each game." in page
    assert "seed 3" not in page


def test_markdown_holds_the_figures(result: Result) -> None:
    page = to_markdown(result)
    assert page.startswith("# Tournament: 36 games\n")
    assert "`num_players=2`, `trading=False`, `victory_points=3`, `max_turns=60`" in page
    ends = result.ends()
    assert f"forfeited: {ends['forfeit']}." in page
    assert ends["forfeit"] > 0
    rows = {row[0]: row for row in cells(page, "agent")}
    for name in result.names:
        row, tally = rows[name.replace("|", "/")], result.tally(name)
        assert [row[k] for k in (1, 2, 9)] == [*map(str, (tally.seats, tally.won, tally.forfeits))]
        assert row[3:5] == [percent(result.win_rate(name)), percents(result.interval(name))]
    rates = [float(row[3].split()[0]) for row in cells(page, "agent")]
    assert rates == sorted(rates, reverse=True)
    assert len(cells(page, "line-up")) == 6
    assert len(cells(page, "win rate by seat")) == 3
    (reason,) = cells(page, "forfeited by")
    assert reason == ["raising", str(ends["forfeit"]), "error: ZeroDivisionError: two lines"]


def test_a_result_is_printed_without_scipy(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    assert [row[5] for row in cells(str(result), "agent")] == ["needs scipy"] * 3


def test_open_ends_of_ratings(tmp_path: Path) -> None:
    ends: list[OpenInterval | None] = [(-10.4, 20), (None, 20), (-10, None), (None, None), None]
    assert list(map(points, ends)) == ["-10 to +20", "below +20", "above -10", "open", ""]
    games = tuple(
        GameResult(k, 0, k, ("a", "b"), 0, "victory", None, "", 9, (3, 2), (5, 5), (0.1, 0.1))
        for k in range(4)
    )
    result = Result(("a", "b"), ((0, 1),), Rules(num_players=2), 1, games)
    page = to_markdown(result)
    assert "above +" in page
    assert "below -" in page
    assert save_report(result, tmp_path / "open.svg").stat().st_size > 1000


def test_reports_without_ratings(tmp_path: Path) -> None:
    players = [(name, "random") for name in "abcd"]
    apart = arena.play_tournament(
        players, 4, seed=1, num_players=2, lineups=[["a", "b"], ["c", "d"]], **QUICK
    )
    assert "There are no ratings: some entrants never met the others." in to_markdown(apart)
    assert save_report(apart, tmp_path / "apart.svg").stat().st_size > 1000


def test_files(result: Result, tmp_path: Path) -> None:
    assert save_report(result, tmp_path / "a.md").read_text(encoding="utf-8") == to_markdown(result)
    assert save_report(result, tmp_path / "a.csv").read_text(encoding="utf-8") == to_csv(result)
    assert save_report(result, tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    drawing = save_report(result, str(tmp_path / "a.svg")).read_bytes()
    assert b"<svg" in drawing
    assert save_report(result, tmp_path / "b.svg").read_bytes() == drawing
    column = save_report(result, tmp_path / "c.svg", width=3.4).read_bytes()
    assert f'width="{72 * 3.4:g}pt"'.encode() in column
    assert save_report(result, tmp_path / "c.pdf", width=3.4).read_bytes()[:5] == b"%PDF-"
    with pytest.raises(ValueError, match=r"path must be a name that ends with one of \.md, \.csv"):
        save_report(result, tmp_path / "a.txt")


def test_plots_need_matplotlib(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ["matplotlib", *sys.modules]:
        if name.split(".")[0] == "matplotlib":
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"need matplotlib: pip install 'catan-pz\[arena\]'"):
        save_report(result, tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []
