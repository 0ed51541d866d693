import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from catan_pz.cli import main

QUICK = ["--players", "2", "--no-trading", "--points", "3", "--set", "max_turns=60"]


def test_evaluate_measures_one_agent(capsys: Any) -> None:
    words = ["--games", "10", "--seed", "1", *QUICK]
    assert main(["evaluate", "heuristic", *words]) == 0
    first = capsys.readouterr().out
    assert re.fullmatch(
        r"heuristic won \d+ of 10 games = [\d.]+ % \(95 % interval [\d.]+ to [\d.]+ %\) against "
        r"random, from seed 1\n",
        first,
    )
    assert int(first.split()[2]) >= 7
    assert main(["evaluate", "random", *words]) == 0
    assert 0 <= int(capsys.readouterr().out.split()[2]) <= 10
    cut = [word.replace("max_turns=60", "max_turns=1") for word in words]
    assert main(["evaluate", "heuristic", *cut]) == 0
    assert "heuristic won 0 of 10 games (10 truncated) = 0.0 %" in capsys.readouterr().out


def test_a_tournament_goes_on_where_it_was(tmp_path: Path, capsys: Any) -> None:
    kept, report = tmp_path / "games.jsonl", tmp_path / "table.csv"
    words = ["tournament", "random", "weighted", "--games", "6", "--results", str(kept), *QUICK]
    assert main([*words, "--records", str(tmp_path / "games"), "--report", str(report)]) == 0
    out = capsys.readouterr().out
    assert "| weighted |" in out
    assert "random" in report.read_text()
    assert len(list((tmp_path / "games").iterdir())) == 6
    before = kept.read_bytes()
    words[1:3] = ["random,weighted"]
    assert main(words) == 0  # nothing is left to play
    assert kept.read_bytes() == before
    # Times are kept to fewer digits than they are measured with.
    without_times = [re.sub(r"[\d.e-]+ \| 0 \|$", "", line) for line in out.split("\n")]
    again = capsys.readouterr().out.split("\n")
    assert [re.sub(r"[\d.e-]+ \| 0 \|$", "", line) for line in again] == without_times
    assert main(["tournament", "random"]) == 1
    assert "two or more different ones" in capsys.readouterr().err


def test_a_tournament_that_is_stopped_says_what_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("catan_pz.arena.executors.base.play_games", interrupt)
    kept = tmp_path / "games.jsonl"
    words = ["tournament", "random,weighted", "--games", "2", "--results", str(kept), *QUICK]
    assert main(words) == 130
    error = capsys.readouterr().err
    assert "stopped after 0 of 2 games" in error
    assert str(kept) in error


def test_a_report_that_cannot_be_written_is_told_before_the_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("catan_pz.arena.play_tournament", None)
    (tmp_path / "file").touch()
    for name, told in (
        ("table.json", "must end in one of .md, .csv, .png, .svg"),
        ("file/report.md", "this file can't be written: "),
    ):
        assert main(["tournament", "random,weighted", "--report", str(tmp_path / name)]) == 2
        assert told in capsys.readouterr().err


def test_forfeits_are_told(capsys: Any) -> None:
    bot = 'exec:"false"'
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # told once, by the command
        assert main(["evaluate", "random", "--against", bot, "--games", "2", *QUICK]) == 1
    out, error = capsys.readouterr()
    assert f"{bot} forfeited 2 of 2 games, the first because: " in out
    assert "every game was forfeited" in error
    assert main(["evaluate", "random", "--games", "2", *QUICK]) == 0
    assert "forfeited" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "option",
    [
        [],
        pytest.param(["--isolate"], marks=pytest.mark.slow),
        pytest.param(["--workers", "2"], marks=pytest.mark.slow),
    ],
)
def test_a_class_in_the_current_folder_plays(
    option: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (tmp_path / "own_player.py").write_text("from tests.arena.players import Builder as Own")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    words = ["evaluate", "own_player:Own:eager=false", "--games", "2", "--seed", "1", *QUICK]
    assert main([*words, *option]) == 0
    assert "forfeited" not in capsys.readouterr().out
    monkeypatch.delitem(sys.modules, "own_player")


def test_matches_write_some_of_their_games_as_replays(tmp_path: Path, capsys: Any) -> None:
    pages, games = tmp_path / "pages", tmp_path / "games"
    words = ["--games", "6", "--seed", "1", "--most-html", "2", *QUICK]
    assert main(["evaluate", "weighted", "--html", str(pages), *words]) == 0
    assert "has the replays of 2 games." in capsys.readouterr().err
    written = sorted(path.name for path in pages.iterdir())
    assert [name.split(".")[-1] for name in written] == ["html", "jsonl", "html", "jsonl", "html"]
    index = (pages / "index.html").read_text()
    assert f'<a href="{written[0]}">' in index
    assert "win rate" in index
    assert "<title>weighted, random</title>" in (pages / written[0]).read_text()
    words += ["--html", str(tmp_path / "more"), "--records", str(games)]
    assert main(["tournament", "random,weighted", *words]) == 0
    assert len(list(games.iterdir())) == 6
    assert [path.suffix for path in (tmp_path / "more").iterdir()] == [".html"] * 3


def test_games_without_a_record_are_told_and_damaged_ones_named(
    tmp_path: Path, capsys: Any
) -> None:
    kept, folder = tmp_path / "games.jsonl", tmp_path / "games"
    words = ["evaluate", "random", "--games", "2", "--seed", "1", "--results", str(kept), *QUICK]
    assert main([*words, "--records", str(folder)]) == 0
    first, second = sorted(folder.iterdir())
    first.unlink()
    assert main([*words, "--html", str(folder)]) == 0
    assert "has the replays of 1 games; 1 have no record." in capsys.readouterr().err
    lines = second.read_text().split("\n")
    second.write_text("\n".join([*lines[:9], "{", *lines[10:]]))
    assert main([*words, "--html", str(folder)]) == 1
    assert f"Error: {second} holds no recorded game: line 10" in capsys.readouterr().err
