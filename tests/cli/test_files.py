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
    monkeypatch.setattr("builtins.input", lambda _prompt: "quit")


@pytest.fixture
def unfinished(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    game = Game(Rules(num_players=2), 1)
    GameRecord.of(game, ["Human", "random"], [None, "random"]).save(path)
    return path


def refused(words: list[str], path: Path, capsys: Any) -> str:
    """What a command says that leaves a file as it was."""
    before = path.read_bytes()
    assert main(words) == 2
    assert path.read_bytes() == before
    return " ".join(capsys.readouterr().err.split())


def test_a_kept_table_goes_on_in_another_file_only(
    unfinished: Path, tmp_path: Path, capsys: Any
) -> None:
    table, other = tmp_path / "table-0.jsonl", tmp_path / "other.jsonl"
    header = {"format": TABLE_FORMAT, "agents": [None, "random"], "links": {"-1": "x", "0": "y"}}
    table.write_text(f"{json.dumps(header)}\n{unfinished.read_text()}")
    words = [*PLAY, "--continue", str(table)]
    told = refused(words, table, capsys)
    assert f"--continue {table}: `catan-pz serve --save` keeps a table and its links in" in told
    before = table.read_bytes()
    assert main([*words, "--record", str(other)]) == 0
    assert GameRecord.load(other).agents == [None, "random"]
    assert table.read_bytes() == before


@pytest.mark.parametrize("command", [PLAY, WATCH])
def test_files_that_hold_something_are_left(
    command: list[str], unfinished: Path, tmp_path: Path, capsys: Any
) -> None:
    told = refused([*command, "--record", str(unfinished)], unfinished, capsys)
    assert f"--record {unfinished}: this file holds something: name another file" in told
    empty = tmp_path / "empty"
    empty.touch()
    quick = ["--players", "2", "--points", "3", "--set", "max_turns=9"]
    assert main([*command, *quick, "--record", str(empty)]) == 0
    assert GameRecord.load(empty).start["rules"]["num_players"] == 2


def test_a_game_that_goes_on_is_written_again(unfinished: Path, tmp_path: Path) -> None:
    linked = tmp_path / "link.jsonl"
    linked.symlink_to(unfinished)
    words = [*PLAY, "--continue", str(unfinished)]
    assert main(words) == 0
    assert main([*words, "--record", str(linked)]) == 0
    assert GameRecord.load(unfinished).names == ["Human", "random"]
