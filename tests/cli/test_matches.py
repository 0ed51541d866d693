from pathlib import Path
from typing import Any

import pytest

from catan_pz.cli import main

QUICK = ["--players", "2", "--no-trading", "--points", "3", "--set", "max_turns=60"]


@pytest.mark.parametrize("program", ["/nonexistent", "false"])
def test_an_agent_that_never_plays_is_an_error(program: str, capsys: Any) -> None:
    bot = f'exec:"{program}"'
    assert main(["evaluate", bot, "--games", "2", "--seed", "1", *QUICK]) == 1
    out, error = capsys.readouterr()
    assert f"{bot} forfeited 2 of 2 games, the first because: " in out
    assert "every game was forfeited" in error


def test_forfeits_of_the_others_are_told(capsys: Any) -> None:
    words = ["evaluate", "random", "--against", 'exec:"false"', "--games", "2", *QUICK]
    assert main(words) == 1
    assert 'exec:"false" forfeited 2 of 2 games, the first because: ' in capsys.readouterr().out


def test_nothing_is_told_of_forfeits_where_there_are_none(capsys: Any) -> None:
    assert main(["evaluate", "random", "--games", "2", *QUICK]) == 0
    assert "forfeited" not in capsys.readouterr().out


def test_replays_are_of_this_match_alone(tmp_path: Path, capsys: Any) -> None:
    folder = tmp_path / "pages"
    words = ["tournament", "random,weighted", *QUICK]
    assert main([*words, "--games", "6", "--seed", "1", "--records", str(folder)]) == 0
    capsys.readouterr()
    words += ["--games", "6", "--seed", "2", "--html", str(folder), "--most-html", "2"]
    assert main(words) == 0
    assert "has the replays of 2 games" in capsys.readouterr().err
    assert sorted(path.name for path in folder.glob("*.html")) == [
        "game-000000.html",
        "game-000003.html",
    ]


@pytest.mark.parametrize("option", ["--html", "--records"])
def test_games_without_a_record_are_told(option: str, tmp_path: Path, capsys: Any) -> None:
    kept, folder = tmp_path / "games.jsonl", tmp_path / "pages"
    words = ["evaluate", "random", "--games", "4", "--results", str(kept), *QUICK]
    assert main([*words, "--seed", "1"]) == 0
    assert "no record" not in capsys.readouterr().err
    assert main([*words, option, str(folder)]) == 0
    error = capsys.readouterr().err
    assert f"4 of the games have no record in {folder}: they were played before" in error


def test_records_of_another_match_are_not_drawn(tmp_path: Path, capsys: Any) -> None:
    kept, folder = tmp_path / "games.jsonl", tmp_path / "pages"
    words = ["evaluate", "random", "--games", "4", *QUICK]
    assert main([*words, "--seed", "1", "--results", str(kept)]) == 0
    assert main([*words, "--seed", "2", "--records", str(folder)]) == 0
    capsys.readouterr()
    assert main([*words, "--seed", "1", "--results", str(kept), "--html", str(folder)]) == 0
    assert "has the replays of 0 games" in capsys.readouterr().err
    assert not list(folder.glob("*.html"))


def test_a_report_that_cannot_be_written_is_told_before_the_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("catan_pz.arena.play_tournament", None)
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "report.md"
    assert main(["tournament", "random,weighted", "--report", str(path)]) == 2
    assert f"--report {path}: this file can't be written: " in capsys.readouterr().err
