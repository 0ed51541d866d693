"""The server: links, messages, their limits, and games that survive it."""

import asyncio
import json
import tempfile
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.arena.file_lock import FileLock
from catan_pz.cli import main
from catan_pz.events import ONLOOKER
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from catan_pz.web.saved import SavedTable, write
from catan_pz.web.table import HostedGame, Seats, layout_for

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")

from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from catan_pz.web import limits, responses, server
from catan_pz.web.live_table import LiveTable
from catan_pz.web.server import make_app

RULES = Rules(num_players=2, max_turns=12)


@contextmanager
def serving(path: Path | None = None, persons: int = 1) -> Iterator[tuple[TestClient, LiveTable]]:
    specs = [None] * persons + ["random"] * (2 - persons)
    playing = [None if spec is None else agents.load(spec) for spec in specs]
    hosted = HostedGame(Seats(playing, ["Ann", "Bob"]), rules=RULES)
    with ThreadPoolExecutor(1) as pool:
        table = LiveTable(hosted, specs, path, 0.0, pool)
        with TestClient(make_app([table])) as client:
            yield client, table


@pytest.fixture
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs press faster than persons may."""
    monkeypatch.setattr(limits, "MESSAGES_A_SECOND", 1e9)


def socket_of(table: LiveTable, viewer: int) -> str:
    return f"/socket/{table.hosted.seats.links[viewer]}"


def decisions(news: dict[str, Any]) -> int:
    """How many have been made, as a viewer was told last."""
    return int(news["first_line"]) + len(news["log"])


def play(socket: Any, news: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Press something at random where there is something, and hear what comes of it."""
    active = [control["name"] for control in news["controls"] if control["active"]]
    if active:
        name = str(rng.choice(active))
        socket.send_json({"press": name, "version": news["version"]})
    while "refused" in (answer := socket.receive_json()):
        assert answer["refused"] == "the table has changed meanwhile"
    return dict(answer)


def test_pages_come_with_safe_headers_and_unknown_links_are_refused() -> None:
    with serving() as (client, table):
        link = table.hosted.seats.links[0]
        page = client.get(f"/table/{link}")
        assert page.status_code == 200
        assert link not in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert page.headers["referrer-policy"] == "no-referrer"
        weight = len(page.content)
        for name in responses.FILES:
            answer = client.get(f"/static/{name}")
            assert answer.status_code == 200
            weight += len(answer.content)
        assert weight < 300_000
        for path in ("/table/guess", "/static/../server.py", "/static/replay.js", "/study"):
            assert client.get(path).status_code == 404
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/socket/guess"):
            pass


def test_another_origin_is_refused() -> None:
    with serving() as (client, table):
        address = socket_of(table, 0)
        own = {"origin": "http://testserver"}
        with client.websocket_connect(address, headers=own) as socket:
            assert socket.receive_json()["viewer"] == 0
        for origin in ("http://evil.test", "http://testserver.evil.test", "null", "http://[x", ""):
            with (
                pytest.raises(WebSocketDisconnect),
                client.websocket_connect(address, headers={"origin": origin}),
            ):
                pass


@pytest.mark.usefixtures("no_limit")
def test_a_game_is_played_saved_and_played_again(tmp_path: Path) -> None:
    path = tmp_path / "table-0.jsonl"
    rng = np.random.default_rng(1)
    with serving(path) as (client, table):
        with client.websocket_connect(socket_of(table, 0)) as socket:
            assert socket.receive_json()["layout"]["desk"] > 0
            news = socket.receive_json()
            log = list(news["log"])
            while not news["over"]:
                news = play(socket, news, rng)
                assert news["first_line"] == len(log)
                log += news["log"]
                assert news["version"] >= len(log)
            assert log == table.hosted.frame(0).log
            saved = SavedTable.load(path)
            assert len(saved.record.decisions) == len(log)
            assert saved.links == table.hosted.seats.links
            assert path.stat().st_mode & 0o077 == 0
            socket.send_json({"again": True})
            news = socket.receive_json()
            assert not news["over"]
            assert news["first_line"] == 0
            # The game that is over is kept, and the next one takes its place.
            assert GameRecord.load(tmp_path / "table-0-game-1.jsonl") == saved.record
            assert SavedTable.load(path).record.decisions == []
        with client.websocket_connect(socket_of(table, 0)) as socket:  # the page is loaded again
            socket.receive_json()
            assert None not in socket.receive_json()["layers"]


@pytest.mark.usefixtures("no_limit")
def test_a_server_that_starts_again_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "table-0.jsonl"
    rng = np.random.default_rng(2)
    with (
        serving(path, persons=2) as (client, table),
        client.websocket_connect(socket_of(table, 0)) as first,
        client.websocket_connect(socket_of(table, 1)) as second,
    ):
        sockets = first, second
        for socket in sockets:
            socket.receive_json()
        news = [socket.receive_json() for socket in sockets]
        while len(table.hosted.record.decisions) < 30:
            mover = table.hosted.game.player
            news[mover] = play(sockets[mover], news[mover], rng)
            while decisions(news[1 - mover]) < decisions(news[mover]):
                news[1 - mover] = sockets[1 - mover].receive_json()
        log = table.hosted.frame(0).log
    saved = SavedTable.load(path)
    seats = Seats([None, None], saved.names, saved.links)
    again = HostedGame(seats, record=saved.record)
    assert again.frame(0).log == log
    assert again.seats.viewer_of(table.hosted.seats.links[1]) == 1


@pytest.mark.usefixtures("no_limit")
def test_nobody_else_hears_of_what_is_laid_out() -> None:
    rng = np.random.default_rng(3)
    with serving(persons=2) as (client, table), ExitStack() as stack:
        seats = [arrive(client, table, seat, stack) for seat in (0, 1)]
        onlooker = arrive(client, table, ONLOOKER, stack)
        laid_out = 0
        while laid_out < 10:
            hosted, mover = table.hosted, table.hosted.game.player
            active = [c for c in hosted.frame(mover).controls if c.is_active]
            control = active[rng.integers(len(active))]
            press = {"press": control.name, "version": hosted.version_of(mover)}
            seats[mover].send_json(press)
            seats[mover].receive_json()
            if control.play:
                assert all(s.receive_json()["log"] for s in (seats[1 - mover], onlooker))
            laid_out += not control.play


def test_a_table_on_which_nothing_was_played_keeps_its_links(tmp_path: Path) -> None:
    path = tmp_path / "table-0.jsonl"
    with (
        serving(path) as (client, table),
        client.websocket_connect(socket_of(table, 0)) as socket,
    ):
        socket.receive_json()
        socket.receive_json()
    saved = SavedTable.load(path)
    assert saved.links == table.hosted.seats.links
    again = HostedGame(Seats([None, None], saved.names, saved.links), record=saved.record)
    assert again.game.turn == 0
    assert again.record.decisions == []


def news_after(socket: Any, news: dict[str, Any]) -> dict[str, Any]:
    """Press the first control, and hear what comes of it."""
    socket.send_json({"press": news["controls"][0]["name"], "version": news["version"]})
    return dict(socket.receive_json())


def test_a_table_that_cannot_be_saved_goes_on_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.touch()  # a file where the folder should be
    path = folder / "table-0.jsonl"
    with (
        serving(path, persons=2) as (client, table),
        client.websocket_connect(socket_of(table, ONLOOKER)) as onlooker,
    ):
        with client.websocket_connect(socket_of(table, 0)) as socket:
            socket.receive_json()
            news = socket.receive_json()
            while news["warning"] is None:  # nothing is played yet
                news = socket.receive_json()
            for _ in range(2):
                news = news_after(socket, news)
                assert "isn't saved at present: File exists" in news["warning"]
            assert news["to_move"] == 1
        while not (heard := onlooker.receive_json()).get("log") or decisions(heard) < 2:
            pass
        assert heard["warning"] == news["warning"]
        folder.unlink()
        with client.websocket_connect(socket_of(table, 1)) as socket:
            socket.receive_json()
            news = socket.receive_json()
            assert news["warning"] is not None
            assert news_after(socket, news)["warning"] is None
        assert len(SavedTable.load(path).record.decisions) == 3


def test_what_could_not_be_saved_is_saved_at_the_end(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.touch()
    path = folder / "table-0.jsonl"
    with serving(path, persons=2) as (client, table):
        with client.websocket_connect(socket_of(table, 0)) as socket:
            socket.receive_json()
            assert news_after(socket, socket.receive_json())["warning"] is not None
        folder.unlink()
    assert len(SavedTable.load(path).record.decisions) == 1


def test_who_leaves_while_it_is_saved_stops_nobody(tmp_path: Path) -> None:
    async def leave_in_the_middle() -> None:
        hosted = HostedGame(Seats([None, None], ["Ann", "Bob"]), rules=RULES)
        with ThreadPoolExecutor(1) as pool:
            table = LiveTable(hosted, [None, None], tmp_path / "table-0.jsonl", 0.0, pool)
            moment = table.moment_of(ONLOOKER)
            waiting = asyncio.create_task(table.wait_for_change(ONLOOKER, moment))
            name = hosted.frame(0).controls[0].name
            pressing = asyncio.create_task(
                table.answer(0, {"press": name, "version": hosted.version_of(0)})
            )
            await asyncio.sleep(0)
            assert table.moment_of(ONLOOKER) != moment
            pressing.cancel()
            await asyncio.wait_for(waiting, 60)
        assert len(SavedTable.load(tmp_path / "table-0.jsonl").record.decisions) == 1

    asyncio.run(leave_in_the_middle())


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("no JSON", "a JSON object"),
        ("[1]", "a JSON object"),
        ("{}", "names what to press"),
        ('{"press": 3, "version": 0}', "names what to press"),
        ('{"press": "roll", "version": true}', "names what to press"),
        ('{"press": "roll", "version": 0}', "can't be pressed"),
        ('{"press": "vertex 3", "version": 7}', "changed meanwhile"),
        ('{"again": true}', "isn't over"),
        ("[" * 900, "a JSON object"),
    ],
)
def test_messages_that_make_no_sense_are_answered(message: str, reason: str) -> None:
    with serving() as (client, table), client.websocket_connect(socket_of(table, 0)) as socket:
        socket.receive_json()
        socket.receive_json()
        socket.send_text(message)
        assert reason in socket.receive_json()["refused"]
        assert not table.hosted.record.decisions


def test_long_and_too_many_messages_end_the_connection() -> None:
    with serving() as (client, table):
        with client.websocket_connect(socket_of(table, 0)) as socket:
            socket.receive_json()
            socket.receive_json()
            socket.send_text("x" * (limits.MOST_BYTES + 1))
            with pytest.raises(WebSocketDisconnect) as closed:
                socket.receive_json()
            assert closed.value.code == limits.TOO_BIG
        with client.websocket_connect(socket_of(table, 0)) as socket:
            socket.receive_json()
            socket.receive_json()
            socket.send_bytes(b"x" * (limits.MOST_BYTES + 1))
            with pytest.raises(WebSocketDisconnect) as closed:
                socket.receive_json()
            assert closed.value.code == limits.TOO_BIG
        with client.websocket_connect(socket_of(table, 0)) as socket:
            socket.receive_json()
            socket.receive_json()
            for _ in range(10 * limits.MOST_MESSAGES):
                socket.send_text("{}")
            with pytest.raises(WebSocketDisconnect) as closed:
                deque(iter(socket.receive_json, None))
            assert closed.value.code == limits.POLICY_VIOLATION


def arrive(client: TestClient, table: LiveTable, viewer: int, stack: ExitStack) -> Any:
    """A connection that has got its first picture."""
    socket = stack.enter_context(client.websocket_connect(socket_of(table, viewer)))
    socket.receive_json()
    assert "layers" in socket.receive_json()
    return socket


def test_onlookers_take_no_place_of_a_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_ONLOOKERS", 3)
    with serving(persons=2) as (client, table), ExitStack() as stack:
        with ExitStack() as onlookers:
            for _ in range(3):
                arrive(client, table, ONLOOKER, onlookers)
            refused = stack.enter_context(client.websocket_connect(socket_of(table, ONLOOKER)))
            with pytest.raises(WebSocketDisconnect) as closed:
                refused.receive_json()
            assert closed.value.code == limits.TRY_AGAIN_LATER
            for seat in (0, 1):
                arrive(client, table, seat, stack)
        arrive(client, table, ONLOOKER, stack)


def test_the_oldest_connection_of_a_seat_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_OF_A_SEAT", 2)
    with serving(persons=2) as (client, table), ExitStack() as stack:
        other = arrive(client, table, 1, stack)
        pages = [arrive(client, table, 0, stack) for _ in range(4)]
        for page in pages[:2]:
            with pytest.raises(WebSocketDisconnect) as closed:
                page.receive_json()
            assert closed.value.code == limits.MADE_ROOM
        name = table.hosted.frame(0).controls[0].name
        pages[3].send_json({"press": name, "version": table.hosted.version_of(0)})
        for socket in (pages[2], pages[3], other):
            assert len(socket.receive_json()["log"]) == 1


def test_onlookers_only_look() -> None:
    with (
        serving() as (client, table),
        client.websocket_connect(socket_of(table, ONLOOKER)) as socket,
    ):
        first = {"layout": layout_for(ONLOOKER), "viewer": ONLOOKER, "adviser": None}
        assert socket.receive_json() == first
        assert socket.receive_json()["controls"] == []
        socket.send_json({"press": "vertex 3", "version": 0})
        assert "nothing to press" in socket.receive_json()["refused"]


def test_files_that_hold_no_table_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table-0.jsonl"
    header = {"format": "catan-pz-table/1", "agents": [], "names": [], "links": {}}
    for text in ("", "{}", "[]\n{}", json.dumps(header), json.dumps(header | {"format": "?"})):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"table-0\.jsonl holds no table"):
            SavedTable.load(path)


def test_the_command_says_what_is_wrong(capsys: Any) -> None:
    for words, reason in (
        (["--seats", "3", "--players", "2"], "this game has 2 seats"),
        (["--seats", "2", "--names", "Ann"], "there are 2 seats for persons"),
        (["--agents", "nobody"], "agent 'nobody' is not possible"),
        (["--host", "192.0.2.1"], "can't listen on 192.0.2.1"),
    ):
        assert main(["serve", "--port", "0", *words]) != 0
        assert reason in capsys.readouterr().err


def test_finished_games_of_a_folder_are_kept_and_exported(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[LiveTable] = []
    monkeypatch.setattr("catan_pz.web.listening.listen", lambda *given: served.extend(given[2]))
    playing = [agents.load("random"), agents.load("random")]
    hosted = HostedGame(Seats(playing, ["Ann", "Bob"]), rules=RULES)
    path, kept = tmp_path / "table-0.jsonl", tmp_path / "table-0-game-2.jsonl"
    (tmp_path / "table-0-game-1.jsonl").touch()  # an earlier game
    while not hosted.is_finished:
        hosted.play(hosted.decide())
    saved = SavedTable(["random", "random"], ["Ann", "Bob"], hosted.seats.links, hosted.record)
    write(path, saved.text())
    assert main(["export", str(path), "--html", str(tmp_path / "table.html")]) == 0
    words = ["serve", "--port", "0", "--seats", "0", "--agents", "random", "--players", "2"]
    assert main([*words, "--save", str(tmp_path)]) == 0, capsys.readouterr().err
    assert [table.hosted.is_finished for table in served] == [False]
    assert not path.exists()
    assert GameRecord.load(kept) == hosted.record
    assert main(["export", str(kept), "--html", str(tmp_path / "game.html")]) == 0
    assert "Ann" in (tmp_path / "game.html").read_text()


def test_a_saved_table_starts_the_programs_that_the_command_names(
    tmp_path: Path, capsys: Any
) -> None:
    touched = tmp_path / "touched"
    hosted = HostedGame(Seats([None, agents.load("random")], ["Ann", "Bob"]), rules=RULES)
    words = ["serve", "--port", "0", "--save", str(tmp_path)]
    for spec in (f"exec:touch {touched}", f"xenou:base=exec:touch {touched}"):
        saved = SavedTable([None, spec], ["Ann", "Bob"], hosted.seats.links, hosted.record)
        write(tmp_path / "table-0.jsonl", saved.text())
        assert main(words) == 2
        error = capsys.readouterr().err
        assert f"{tmp_path / 'table-0.jsonl'}: agent '{spec}'" in error
        assert "no file starts a program: name it on the command line" in error
        assert not touched.exists()
        assert main([*words, "--agents", spec]) == 1
        assert "the program ended without an answer" in capsys.readouterr().err
        assert touched.exists()
        touched.unlink()


def test_a_saved_table_runs_the_pickles_that_the_command_names(tmp_path: Path, capsys: Any) -> None:
    model, path = tmp_path / "model.zip", tmp_path / "table-0.jsonl"
    model.touch()
    hosted = HostedGame(Seats([None, agents.load("random")], ["Ann", "Bob"]), rules=RULES)
    specs = [None, str(model)]
    write(path, SavedTable(specs, ["Ann", "Bob"], hosted.seats.links, hosted.record).text())
    words = ["serve", "--port", "0", "--save", str(tmp_path), "--trust-pickle"]
    refused = f"{path}: {model} holds pickles, which no file runs: name it on the command line"
    for agent in ([], ["--agents", "other.zip"]):
        assert main([*words, *agent]) == 2
        assert refused in " ".join(capsys.readouterr().err.split())
    assert main([*words, "--agents", str(model)]) != 0
    assert f"Warning: loading {model} runs the pickles in it." in capsys.readouterr().err


def test_a_folder_in_which_nothing_can_be_written_is_refused(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listen(*_given: Any) -> None:
        raise AssertionError("the server has started")

    monkeypatch.setattr("catan_pz.web.listening.listen", listen)
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file" / "x", tmp_path / "file" / "x" / "y"):
        assert main(["serve", "--port", "0", "--save", str(folder)]) == 2
        words = f"--save {folder}: no table can be kept there: Not a directory"
        assert words in " ".join(capsys.readouterr().err.split())

    def full(*_given: Any, **_options: Any) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", full)
    assert main(["serve", "--port", "0", "--save", str(tmp_path / "new")]) == 2
    assert "Read-only file system" in capsys.readouterr().err


def test_a_folder_that_another_server_saves_to_is_refused(tmp_path: Path, capsys: Any) -> None:
    lock = FileLock(tmp_path / ".serving")
    assert main(["serve", "--port", "0", "--save", str(tmp_path)]) == 2
    assert f"--save {tmp_path}: another server keeps its tables there" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [".serving"]
    lock.release()
