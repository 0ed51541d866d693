"""The files of saved tables, and the command that goes on with them."""

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from catan_pz.cli import main
from catan_pz.files import held
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from catan_pz.web.saved import SavedTable, TableFile, table_text, write
from catan_pz.web.table import HostedGame
from tests.web.tables import hosted

LINKS = {-1: "x", 0: "y"}
SERVE = ["serve", "--port", "0", "--save"]


def press(game: HostedGame) -> None:
    """Do what the first control does."""
    seat = game.session.game.player
    name = next(control.name for control in game.picture(seat).controls if control.is_active)
    game.press(seat, name, game.version_of(seat))


def over() -> HostedGame:
    """A game that is over."""
    game = hosted((None, "random"))
    while not game.session.is_finished:
        game.session.play(int(game.session.game.legal_actions()[-1]))
    return game


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The command `serve` opens these tables, and ends."""
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    tables: list[Any] = []
    monkeypatch.setattr(
        "catan_pz.web.listening.listen", lambda *given, **_: tables.extend(given[2])
    )
    return tables


def test_a_proxy_names_the_links_and_lets_others_in(served: list[Any], capsys: Any) -> None:
    words = ["serve", "--seats", "2", "--agents", "random", "--players", "2", "--port", "0"]
    assert main([*words, "--proxy", "https://catan.example/"]) == 0
    said = capsys.readouterr().out
    assert len(re.findall(r": https://catan\.example/table/[\w-]{22}$", said, re.MULTILINE)) == 3
    assert "/study" not in said
    assert len(served) == 1
    assert main(words) == 0
    assert "/study" in capsys.readouterr().out
    assert main([*words, "--proxy", "catan.example"]) == 2
    wrong = "--proxy must be such as https://catan.example, got 'catan.example'"
    assert wrong in capsys.readouterr().err


def test_others_can_read_the_links_at_no_moment(tmp_path: Path, modes_of_drafts: list[int]) -> None:
    path = tmp_path / "table-0.jsonl"
    write(path, "a link\n")
    path.chmod(0o644)
    write(path, "a link, and a decision\n")
    assert modes_of_drafts == [0o600, 0o600]
    assert path.stat().st_mode & 0o777 == 0o600


def saved_with(path: Path, links: object = None, **changed: object) -> None:
    """Write the file of a table, with other entries in the header of its game."""
    lines = table_text(hosted((None, "random")).session.record, LINKS).splitlines()
    first, second = map(json.loads, lines[:2])
    header = [first | ({} if links is None else {"links": links}), second | changed]
    write(path, "".join(f"{line}\n" for line in (*map(json.dumps, header), *lines[2:])))


def test_damaged_lines_have_their_number_in_the_file(tmp_path: Path) -> None:
    game, path = hosted(), tmp_path / "table-0.jsonl"
    for _ in range(3):
        press(game)
    lines = table_text(game.session.record, game.links).splitlines(keepends=True)
    for number, line, reason in (
        (1, "{\n", "line 1 is not JSON"),
        (5, '{"player": 0, "outcome": null}\n', "line 5 is not a decision"),
    ):
        path.write_text("".join([*lines[: number - 1], line, *lines[number:]]))
        with pytest.raises(ValueError, match=rf"table-0\.jsonl holds no table: {reason}"):
            SavedTable.load(path)
    for text in ("", "[]\n{}", lines[0]):
        path.write_text(text)
        with pytest.raises(ValueError, match="holds no table"):
            SavedTable.load(path)
    for links, reason in (
        ({"-1": "x"}, r"must have links for \[-1, 0\]"),
        ({"-1": "x", "0": "\x1b[2J"}, "must be texts of letters, digits"),
        ({"-1": "x", "0": "x"}, "must differ"),
    ):
        saved_with(path, links)
        with pytest.raises(ValueError, match=rf"table-0\.jsonl holds no table: .*{reason}"):
            SavedTable.load(path)


def test_the_same_command_goes_on(
    tmp_path: Path, served: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    rules = Rules(num_players=3, victory_points=5)
    game = hosted((None, "random", "random"), rules, names=["\x1b]0;title\x07Ann", "a", "b"])
    write(tmp_path / "table-0.jsonl", table_text(game.session.record, LINKS))
    assert main([*SERVE, str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert "goes on in turn 0" in told.err
    assert r"\x1b]0;title\x07Ann (seat 0): http://127.0.0.1:" in told.out
    assert told.out.splitlines()[0].endswith("/table/y")
    assert "\x1b" not in told.out + told.err


def test_missing_tables_are_opened_and_finished_games_kept(
    tmp_path: Path, served: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    path, finished = tmp_path / "table-0.jsonl", over()
    (tmp_path / "table-0-game-1.jsonl").touch()  # an earlier game
    # Its agents may be gone by then.
    finished.session.record.agents = [None, "gone.npz"]
    write(path, table_text(finished.session.record, LINKS))
    assert main(["export", str(path), "--html", str(tmp_path / "table.html")]) == 0
    saved_with(tmp_path / "table-1.jsonl")
    saved_with(tmp_path / "table-10.jsonl", links={"-1": "t", "0": "u"})
    capsys.readouterr()
    command = [*SERVE, str(tmp_path), "--players", "2", "--agents", "random", "--tables", "4"]
    assert main(command) == 0
    links = [line.rpartition("/")[2] for line in capsys.readouterr().out.splitlines()]
    assert len(served) == 4
    assert [link for link in links if len(link) == 1] == ["y", "x", "u", "t"]
    assert links.index("y") == 4  # after the new table that is the first now
    assert GameRecord.load(tmp_path / "table-0-game-2.jsonl") == finished.session.record
    asyncio.run(served[2].close())
    assert (tmp_path / "table-2.jsonl").is_file()


def test_a_damaged_table_is_named_and_the_others_go_on(
    tmp_path: Path, served: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table-0.jsonl").write_text("{")
    os.mkfifo(tmp_path / "table-1.jsonl")
    saved_with(tmp_path / "table-2.jsonl")
    command = [*SERVE, str(tmp_path), "--players", "2", "--agents", "random", "--tables", "2"]
    assert main(command) == 0
    told = capsys.readouterr()
    assert f"{tmp_path / 'table-0.jsonl'} holds no table: line 1 is not JSON" in told.err
    assert "/table/y" in told.out
    assert len(served) == 2
    asyncio.run(served[1].close())
    assert (tmp_path / "table-0.jsonl").read_text() == "{"
    assert (tmp_path / "table-3.jsonl").is_file()


@pytest.mark.parametrize("found", ["203.0.113.7", None])
def test_links_name_an_address_that_others_can_open(
    found: str | None,
    served: list[Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("catan_pz.web.listening.own_address", lambda _family: found)
    command = ["serve", "--port", "0", "--host", "0.0.0.0", "--seats", "2", "--players", "2"]
    assert main(command) == 0
    told = capsys.readouterr()
    named = found or "localhost"
    assert told.out.startswith(f"Human (seat 0): http://{named}:")
    assert "0.0.0.0" not in told.out
    assert f"The links name {named}: " in told.err


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "file").touch()
    for words, reason in (
        (["--seats", "3", "--players", "2"], "this game has 2 seats"),
        (["--seats", "2", "--names", "Ann"], "there are 2 seats for persons"),
        (["--agents", "nobody"], "agent must be one of"),
        (["--host", "192.0.2.1"], "can't listen on 192.0.2.1"),
        (["--save", str(tmp_path / "file" / "x")], "no table can be kept there: Not a directory"),
    ):
        assert main(["serve", "--port", "0", *words]) != 0
        assert reason in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("spec", ["exec:touch {}", "xenou:base=exec:touch {}"])
def test_a_saved_table_starts_the_programs_that_the_command_names(
    spec: str, tmp_path: Path, capsys: Any
) -> None:
    path, touched = tmp_path / "table-0.jsonl", tmp_path / "touched"
    spec = spec.format(touched)
    saved_with(path, agents=[None, spec])
    assert main([*SERVE, str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert f"{path}: agent '{spec}'" in error
    assert "no file starts a program: name it on the command line" in error
    assert not touched.exists()
    assert main([*SERVE, str(tmp_path), "--agents", spec]) == 1
    assert "the program ended without an answer" in capsys.readouterr().err
    assert touched.exists()


def test_a_full_disk_and_another_server_are_told_at_the_start(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held(tmp_path / "serving"):
        assert main([*SERVE, str(tmp_path)]) == 2
    assert f"--save {tmp_path}: another server keeps its tables there" in capsys.readouterr().err

    def full(_path: Path) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("catan_pz.files.check_writable", full)
    assert main([*SERVE, str(tmp_path / "new")]) == 2
    assert "Read-only file system" in capsys.readouterr().err


def test_a_full_disk_leaves_the_file_as_it_was_and_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game, path = hosted(), tmp_path / "table-0.jsonl"
    file = TableFile(path)
    press(game)
    asyncio.run(file.save(game))
    before = path.read_text()

    def fail(_path: Path, *_given: object, **_options: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", fail)
        for _ in range(3):
            press(game)
            asyncio.run(file.save(game))
            assert file.warning is not None
            assert "isn't saved at present: No space left on device." in file.warning
            assert str(path) not in file.warning
    assert path.read_text() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    asyncio.run(file.save(game))
    assert file.warning is None
    assert len(SavedTable.load(path).record.decisions) == len(game.session.record.decisions)
    assert caplog.messages == [
        f"{path} can't be written: No space left on device. Its table goes on unsaved.",
        f"{path} is written again.",
    ]


def test_a_game_that_cannot_be_kept_keeps_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished, path = hosted(), tmp_path / "table-0.jsonl"
    file = TableFile(path)
    press(finished)
    asyncio.run(file.save(finished))
    before, following = path.read_text(), finished.again()

    def fail(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("catan_pz.web.saved.keep_game", fail)
        asyncio.run(file.save(following))
    assert file.warning is not None
    assert path.read_text() == before
    for _ in range(2):
        asyncio.run(file.save(following))
        press(following)
    assert file.warning is None
    assert sorted(tmp_path.iterdir()) == [tmp_path / "table-0-game-1.jsonl", path]
    assert GameRecord.load(tmp_path / "table-0-game-1.jsonl") == finished.session.record
