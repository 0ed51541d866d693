import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from catan_pz.arena.file_lock import FileLock
from catan_pz.cli import main

QUICK = ["--players", "2", "--no-trading", "--points", "3", "--set", "max_turns=60"]


@pytest.mark.parametrize("program", ["/nonexistent", "false"])
def test_an_agent_that_never_plays_is_an_error(program: str, capsys: Any) -> None:
    bot = f'exec:"{program}"'
    assert main(["evaluate", bot, "--games", "2", "--seed", "1", *QUICK]) == 1
    out, error = capsys.readouterr()
    assert f"{bot} forfeited 2 of 2 games, the first because: " in out
    assert "every game was forfeited" in error


@pytest.mark.parametrize("option", [[], ["--isolate"], ["--workers", "2"]])
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


def test_forfeits_of_the_others_are_told(capsys: Any) -> None:
    words = ["evaluate", "random", "--against", 'exec:"false"', "--games", "2", *QUICK]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # told once, by the command
        assert main(words) == 1
    assert 'exec:"false" forfeited 2 of 2 games, the first because: ' in capsys.readouterr().out


def test_nothing_is_told_of_forfeits_where_there_are_none(capsys: Any) -> None:
    assert main(["evaluate", "random", "--games", "2", *QUICK]) == 0
    assert "forfeited" not in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--html", "--records"])
@pytest.mark.parametrize("other", [["--seed", "2"], ["--points", "4"], ["--games", "2"]])
def test_recorded_games_of_another_match_are_kept(
    option: str, other: list[str], tmp_path: Path, capsys: Any
) -> None:
    words = ["evaluate", "random", *QUICK, "--games", "4", "--seed", "1"]
    assert main([*words, "--records", str(tmp_path)]) == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert main([*words, *other, option, str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert f"{option} {tmp_path} is not possible: game-00000" in error
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("option", ["--html", "--records"])
def test_a_folder_that_another_match_records_to_is_refused(
    option: str, tmp_path: Path, capsys: Any
) -> None:
    lock = FileLock(tmp_path / ".recording")
    assert main(["evaluate", "random", *QUICK, "--games", "2", option, str(tmp_path)]) == 2
    lock.release()
    told = f"{option} {tmp_path} is not possible: another match records its games there"
    assert told in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("command", [["evaluate", "random"], ["tournament", "random,weighted"]])
def test_replays_of_another_match_are_kept(command: list[str], tmp_path: Path, capsys: Any) -> None:
    words = [*command, *QUICK, "--games", "4", "--html", str(tmp_path / "pages")]
    first = [*words, "--seed", "1", "--records", str(tmp_path / "first")]
    assert main(first) == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "pages").iterdir()}
    assert len(before) == 4
    capsys.readouterr()
    for other in (["--records", str(tmp_path / "second")], []):
        assert main([*words, "--seed", "2", *other]) == 2
        assert "game-000000.html there is a replay of a game that has no" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in (tmp_path / "pages").iterdir()} == before
    assert main(first) == 0


@pytest.mark.parametrize("option", ["--html", "--records"])
def test_a_folder_needs_a_name(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "random", *QUICK, "--games", "2", option, ""]) == 2
    assert f"'{option}': '' is no folder; write . for the" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_recorded_games_of_the_same_match_are_recorded_again(tmp_path: Path) -> None:
    words = ["evaluate", "random", *QUICK, "--seed", "1", "--records", str(tmp_path)]
    assert main([*words, "--games", "2"]) == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert main([*words, "--games", "4"]) == 0
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(after) == 4
    assert before.items() < after.items()


@pytest.mark.parametrize("option", ["--html", "--records"])
def test_games_without_a_record_are_told(option: str, tmp_path: Path, capsys: Any) -> None:
    kept, folder = tmp_path / "games.jsonl", tmp_path / "pages"
    words = ["evaluate", "random", "--games", "4", "--results", str(kept), *QUICK]
    assert main([*words, "--seed", "1"]) == 0
    assert "no record" not in capsys.readouterr().err
    assert main([*words, option, str(folder)]) == 0
    error = capsys.readouterr().err
    assert f"4 of the games have no record in {folder}: they were played before" in error


def test_a_record_that_went_another_way_than_the_result_is_not_drawn(
    tmp_path: Path, capsys: Any
) -> None:
    kept, folder = tmp_path / "games.jsonl", tmp_path / "pages"
    words = ["evaluate", "random", "--games", "4", "--seed", "1", *QUICK]
    assert main([*words, "--results", str(kept), "--records", str(folder)]) == 0
    path = folder / "game-000002.jsonl"
    path.write_text(re.sub(r'"turns": \d+', '"turns": 99', path.read_text()))
    capsys.readouterr()
    assert main([*words, "--results", str(kept), "--html", str(folder)]) == 0
    assert "has the replays of 3 games" in capsys.readouterr().err
    assert not path.with_suffix(".html").exists()


@pytest.mark.parametrize("damage", ["no JSON", "another decision"])
def test_a_damaged_record_is_named(damage: str, tmp_path: Path, capsys: Any) -> None:
    kept, folder = tmp_path / "games.jsonl", tmp_path / "games"
    words = ["evaluate", "random", "--games", "2", "--seed", "1", "--results", str(kept), *QUICK]
    assert main([*words, "--records", str(folder)]) == 0
    path = folder / "game-000001.jsonl"
    lines = path.read_text().split("\n")
    lines[9] = "{" if damage == "no JSON" else lines[8]
    path.write_text("\n".join(lines))
    assert main([*words, "--html", str(folder)]) == 1
    error = capsys.readouterr().err
    assert f"Error: {path} holds no recorded game: line 10" in error


def test_a_report_that_cannot_be_written_is_told_before_the_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("catan_pz.arena.play_tournament", None)
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "report.md"
    assert main(["tournament", "random,weighted", "--report", str(path)]) == 2
    assert f"--report {path}: this file can't be written: " in capsys.readouterr().err


@pytest.mark.parametrize("command", [["evaluate", "random"], ["tournament", "random,weighted"]])
def test_a_number_of_replays_without_replays_is_refused(
    command: list[str], tmp_path: Path, capsys: Any
) -> None:
    words = [*command, *QUICK, "--most-html", "5", "--records", str(tmp_path / "games")]
    assert main(words) == 2
    assert "--most-html: this is for replays: add --html" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--port", "9000"], "--port: this is for a server that runs"),
        (["--cookie", "secret"], "--cookie: this is for a server that runs"),
        (
            ["--host", "there", "--against", "fast"],
            "--against: --host joins a server; this is for one",
        ),
        (
            ["--host", "there", "--classes", "a.jar"],
            "--classes: --host joins a server; this is for one",
        ),
    ],
)
def test_options_of_the_other_server_are_refused(words: list[str], named: str, capsys: Any) -> None:
    assert main(["jsettlers", "--agent", "random", "--games", "1", *words]) == 2
    assert named in capsys.readouterr().err
