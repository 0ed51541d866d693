"""What `--record` and `--continue` leave as it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from catan_pz.cli import main
from catan_pz.game.game import Game
from catan_pz.game.record import TABLE_FORMAT, GameRecord
from catan_pz.rules import Rules

PLAY = ["play", "--terminal"]
WATCH = ["watch", "--terminal", "--agents", "random"]


@pytest.fixture(autouse=True)
def leaving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave each game at the first prompt."""
    monkeypatch.setattr("builtins.input", lambda _prompt: "quit")


@pytest.fixture
def unfinished(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    game = Game(Rules(num_players=2), 1)
    GameRecord.of(game, ["Human", "random"], [None, "random"]).save(path)
    return path


@pytest.fixture
def table(tmp_path: Path, unfinished: Path) -> Path:
    path = tmp_path / "table-0.jsonl"
    header = {"format": TABLE_FORMAT, "agents": [None, "random"], "links": {"-1": "x", "0": "y"}}
    path.write_text(f"{json.dumps(header)}\n{unfinished.read_text()}")
    return path


def refused(words: list[str], path: Path, capsys: Any) -> str:
    """What a command says that leaves a file as it was."""
    before = path.read_bytes()
    assert main(words) == 2
    assert path.read_bytes() == before
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("command", [PLAY, WATCH, [*PLAY, "--continue"]])
@pytest.mark.parametrize("damaged", [False, True])
def test_a_kept_table_is_not_replaced(
    command: list[str], damaged: bool, table: Path, capsys: Any
) -> None:
    if damaged:
        table.write_text(table.read_text()[:-20])
    option = "--continue" if "--continue" in command else "--record"
    words = [*command, str(table)] if option in command else [*command, option, str(table)]
    told = refused(words, table, capsys)
    assert f"{option} {table}: `catan-pz serve --save` keeps a table and its links in" in told


def test_a_kept_table_goes_on_in_another_file(table: Path, tmp_path: Path, capsys: Any) -> None:
    words, other = [*PLAY, "--continue", str(table), "--record"], tmp_path / "other.jsonl"
    before = table.read_bytes()
    assert "name another file" in refused([*words, str(table)], table, capsys)
    assert main([*words, str(other)]) == 0
    assert GameRecord.load(other).agents == [None, "random"]
    assert table.read_bytes() == before


@pytest.mark.parametrize("command", [PLAY, WATCH])
def test_files_that_hold_something_else_are_left(
    command: list[str], unfinished: Path, recorded: Path, tmp_path: Path, capsys: Any
) -> None:
    program, empty = tmp_path / "program.py", tmp_path / "empty"
    program.write_text("print()\n")
    for path, told in (
        (unfinished, f"isn't over, with which `catan-pz play --continue {unfinished}` goes on"),
        (recorded, "this file holds a recorded game already"),
        (program, "this file exists and holds no recorded game"),
    ):
        error = refused([*command, "--record", str(path)], path, capsys)
        assert f"--record {path}: " in error
        assert f"{told}: name another file" in error
    empty.touch()
    quick = ["--players", "2", "--points", "3", "--set", "max_turns=9"]
    assert main([*command, *quick, "--record", str(empty)]) == 0
    assert GameRecord.load(empty).start["rules"]["num_players"] == 2


def test_options_that_a_recording_does_not_have_are_not_recommended(
    unfinished: Path, tmp_path: Path, capsys: Any
) -> None:
    page = ["--html", str(tmp_path / "game.html")]
    for words in (
        ["export", str(unfinished), *page, "--advice", "ppo-2p"],
        ["watch", str(unfinished), *page, "--advice", "ppo-2p"],
        [*PLAY, "--continue", str(unfinished), "--against", "ppo-2p"],
    ):
        error = refused(words, unfinished, capsys)
        assert "'ppo-2p' plays games of 2 players with 252 actions" in error
        assert error.split(" Try ")[0].endswith(": the recorded game has these rules")


def test_a_game_that_goes_on_is_written_again(unfinished: Path, tmp_path: Path) -> None:
    linked = tmp_path / "link.jsonl"
    linked.symlink_to(unfinished)
    words = [*PLAY, "--continue", str(unfinished)]
    assert main(words) == 0
    assert main([*words, "--record", str(linked)]) == 0
    assert GameRecord.load(unfinished).names == ["Human", "random"]
