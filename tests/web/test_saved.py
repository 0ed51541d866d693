"""The files of saved tables."""

import asyncio
import json
from pathlib import Path

import pytest

from catan_pz.cli import main
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from catan_pz.web.live_table import LiveTable
from catan_pz.web.saved import SavedTable, TableFile, write
from catan_pz.web.table import HostedGame, Seats


def new_game() -> HostedGame:
    seats = Seats([None, None], ["Ann", "Bob"])
    return HostedGame(seats, rules=Rules(num_players=2))


def press(game: HostedGame) -> None:
    """Do what the first control does."""
    seat = game.game.player
    name = next(control.name for control in game.frame(seat).controls if control.is_active)
    game.press(seat, name, game.version_of(seat))


@pytest.fixture
def unserved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command `serve` opens its tables, and ends."""
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    monkeypatch.setattr("catan_pz.web.listening.listen", lambda *_given: None)


def test_others_can_read_the_links_at_no_moment(tmp_path: Path, modes_of_drafts: list[int]) -> None:
    path = tmp_path / "table-0.jsonl"
    write(path, "a link\n")
    path.chmod(0o644)
    write(path, "a link, and a decision\n")
    assert modes_of_drafts == [0o600, 0o600]
    assert path.stat().st_mode & 0o777 == 0o600


def saved_with(path: Path, **changed: object) -> None:
    """Write the file of a table whose header has other entries."""
    game = new_game()
    saved = SavedTable([None, "random"], ["Ann", "Bob"], {-1: "x", 0: "y"}, game.record)
    first, _, rest = saved.text().partition("\n")
    write(path, json.dumps(json.loads(first) | changed) + "\n" + rest)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"agents": [None, 5]}, "no agents for 2 seats"),
        ({"agents": "ab"}, "no agents for 2 seats"),
        ({"names": ["Ann", None]}, "no names for 2 seats"),
        ({"links": []}, r"must have links for \[-1, 0\]"),
        ({"links": {"-1": "x"}}, r"must have links for \[-1, 0\]"),
        ({"links": {"-1": "x", "0": "y", "1": "z"}}, r"must have links for \[-1, 0\]"),
        ({"links": {"-1": "x", "0": ""}}, "must be texts of letters, digits"),
        ({"links": {"-1": "x", "0": 5}}, "must be texts of letters, digits"),
        ({"links": {"-1": "x", "0": "\x1b[2J"}}, "must be texts of letters, digits"),
        ({"links": {"-1": "a/b", "0": "y"}}, "must be texts of letters, digits"),
        ({"links": {"-1": "x", "0": "y\n"}}, "must be texts of letters, digits"),
        ({"links": {"-1": "x", "0": "x"}}, "must differ"),
    ],
)
def test_a_damaged_header_is_named(tmp_path: Path, changed: dict[str, object], reason: str) -> None:
    path = tmp_path / "table-0.jsonl"
    saved_with(path)
    assert SavedTable.load(path).links == {-1: "x", 0: "y"}
    saved_with(path, **changed)
    with pytest.raises(ValueError, match=rf"table-0\.jsonl holds no table: .*{reason}"):
        SavedTable.load(path)


def test_damaged_lines_have_their_number_in_the_file(tmp_path: Path) -> None:
    game, path = new_game(), tmp_path / "table-0.jsonl"
    for _ in range(3):
        press(game)
    table = SavedTable([None, None], ["Ann", "Bob"], {-1: "x", 0: "y", 1: "z"}, game.record)
    lines = table.text().splitlines(keepends=True)
    for number, line, reason in (
        (1, "{\n", "line 1 is not JSON"),
        (2, "{\n", "line 2 is not JSON"),
        (5, '{"player": 0, "outcome": null}\n', "line 5 is no decision: it has no entry 'action'"),
    ):
        path.write_text("".join([*lines[: number - 1], line, *lines[number:]]))
        with pytest.raises(ValueError, match=rf"table-0\.jsonl holds no table: {reason}"):
            SavedTable.load(path)
    path.write_text(lines[0])
    with pytest.raises(ValueError, match=r"holds no table: .* is cut short"):
        SavedTable.load(path)
    path.write_text("".join([*lines[:3], lines[2], *lines[4:]]))
    for replayed in (SavedTable.load(path).check, lambda: [*GameRecord.load(path).replay()]):
        with pytest.raises(ValueError, match=r"^line 4: "):
            replayed()


def test_the_command_names_the_file_of_an_agent_that_is_not_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table-0.jsonl"
    saved_with(path, agents=[None, "nobody"])
    assert main(["serve", "--port", "0", "--save", str(tmp_path)]) == 2
    assert f"Error: {path}: agent 'nobody' is not possible" in capsys.readouterr().err


@pytest.mark.usefixtures("unserved")
def test_the_command_shows_names_as_printable_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved_with(tmp_path / "table-0.jsonl", names=["\x1b]0;title\x07Ann", "Bob"])
    assert main(["serve", "--port", "0", "--save", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    assert r"\x1b]0;title\x07Ann (seat 0): http://127.0.0.1:" in shown.out
    assert "\x1b" not in shown.out + shown.err


@pytest.mark.usefixtures("unserved")
def test_the_same_command_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = Rules(num_players=3, victory_points=5)
    game = HostedGame(Seats([None] * 3, ["Ann", "a", "b"]), rules=rules)
    agents = [None, "random", "heuristic"]
    table = SavedTable(agents, ["Ann", "a", "b"], {-1: "x", 0: "y"}, game.record)
    write(tmp_path / "table-0.jsonl", table.text())
    command = ["serve", "--port", "0", "--save", str(tmp_path), "--names", "Ann", "--points", "5"]
    command += ["--agents", "random,heuristic", "--players", "3", "--tables", "2"]
    assert main(command) == 0
    shown = capsys.readouterr()
    assert "goes on in turn 0" in shown.err
    assert shown.out.splitlines()[1].endswith("/table/y")


@pytest.mark.usefixtures("unserved")
def test_a_game_that_is_over_is_kept_whatever_the_command_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its agents may be gone by then."""
    path = tmp_path / "table-0.jsonl"
    game = new_game()
    while not game.is_finished:
        game.play(int(game.game.legal_actions()[-1]))
    table = SavedTable([None, "gone.npz"], ["Ann", "Bob"], {-1: "x", 0: "y"}, game.record)
    write(path, table.text())
    command = ["serve", "--port", "0", "--save", str(tmp_path), "--agents", "random"]
    assert main([*command, "--players", "2", "--no-trading"]) == 0
    assert (tmp_path / "table-0-game-1.jsonl").is_file()
    assert "Human (seat 0)" in capsys.readouterr().out


def test_the_tables_that_are_missing_are_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    served: list[LiveTable] = []
    monkeypatch.setattr("catan_pz.web.listening.listen", lambda *given: served.extend(given[2]))
    over = new_game()
    while not over.is_finished:
        over.play(int(over.game.legal_actions()[-1]))
    table = SavedTable([None, "random"], ["Ann", "Bob"], {-1: "v", 0: "w"}, over.record)
    write(tmp_path / "table-0.jsonl", table.text())
    saved_with(tmp_path / "table-1.jsonl")
    saved_with(tmp_path / "table-10.jsonl", links={"-1": "t", "0": "u"})
    command = ["serve", "--port", "0", "--save", str(tmp_path), "--players", "2"]
    assert main([*command, "--agents", "random", "--tables", "4"]) == 0
    links = [line.rpartition("/")[2] for line in capsys.readouterr().out.splitlines()]
    assert len(served) == 4
    assert [link for link in links if len(link) == 1] == ["y", "x", "u", "t"]
    assert links.index("y") == 4  # after the new table that is the first now
    asyncio.run(served[2].close())
    assert (tmp_path / "table-2.jsonl").is_file()


@pytest.mark.usefixtures("unserved")
@pytest.mark.parametrize("found", ["203.0.113.7", None])
def test_links_name_an_address_that_others_can_open(
    found: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("catan_pz.web.listening.own_address", lambda _family: found)
    command = ["serve", "--port", "0", "--host", "0.0.0.0", "--seats", "2", "--players", "2"]
    assert main(command) == 0
    told = capsys.readouterr()
    named = "localhost" if found is None else found
    assert told.out.startswith(f"Human (seat 0): http://{named}:")
    assert "0.0.0.0" not in told.out
    assert f"The links name {named}: " in told.err


def test_a_file_that_cannot_be_written_is_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    game, folder = new_game(), tmp_path / "tables"
    path = folder / "table-0.jsonl"
    file = TableFile(path, [None, None])
    folder.write_text("a file where the folder should be")
    for _ in range(3):
        press(game)
        asyncio.run(file.save(game))
        assert file.warning is not None
        assert "isn't saved at present: File exists." in file.warning
        assert str(path) not in file.warning
    assert [record.getMessage() for record in caplog.records] == [
        f"{path} can't be written: File exists. Its table goes on unsaved."
    ]
    folder.unlink()
    asyncio.run(file.save(game))
    assert file.warning is None
    assert len(SavedTable.load(path).record.decisions) == len(game.record.decisions)
    assert caplog.records[1:][0].getMessage() == f"{path} is written again."


def test_a_full_disk_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, path = new_game(), tmp_path / "table-0.jsonl"
    file = TableFile(path, [None, None])
    press(game)
    asyncio.run(file.save(game))
    before = path.read_text()

    def fail(_path: Path, *_given: object, **_options: object) -> int:
        raise OSError(28, "No space left on device")

    press(game)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", fail)
        asyncio.run(file.save(game))
    assert file.warning is not None
    assert "No space left on device" in file.warning
    assert path.read_text() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    asyncio.run(file.save(game))
    assert file.warning is None
    assert path.read_text() != before


def test_a_game_that_cannot_be_kept_keeps_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished, path = new_game(), tmp_path / "table-0.jsonl"
    file = TableFile(path, [None, None])
    press(finished)
    asyncio.run(file.save(finished))
    before, following = path.read_text(), new_game()

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
    assert GameRecord.load(tmp_path / "table-0-game-1.jsonl") == finished.record
