"""The server: links, messages, their limits, and games that survive it."""

import asyncio
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.agents.base import Agent
from catan_pz.events import ONLOOKER
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from catan_pz.web.saved import SavedTable
from tests.web.tables import active, closed, hosted, next_of, saved_when, serving, socket_of
from tests.web.test_replay import content

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")

from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from catan_pz.web import live_table, responses, server
from catan_pz.web.live_table import LiveTable
from catan_pz.web.replay import Replay
from catan_pz.web.server import make_app
from catan_pz.web.study_server import Studies


@pytest.fixture
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs press faster than persons may."""
    monkeypatch.setattr(responses, "MESSAGES_A_SECOND", 1e9)


def play(socket: Any, news: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Press something at random where there is something, and hear what follows."""
    names = [c["name"] for c in news["controls"] if c["active"] and c["name"] != "undo"]
    if names:
        name = str(rng.choice(names))
        socket.send_json({"press": name, "version": news["version"]})
    while "refused" in (answer := socket.receive_json()):
        assert answer["refused"] == "the table has changed meanwhile"
    return dict(answer)


def arrive(client: TestClient, table: LiveTable, viewer: int, stack: ExitStack) -> Any:
    """A connection that has got its first picture."""
    socket = stack.enter_context(client.websocket_connect(socket_of(table, viewer)))
    socket.receive_json()
    assert "layers" in socket.receive_json()
    return socket


def told(socket: Any) -> list[Any]:
    """The next lines of the log: a viewer hears also of those who come and leave."""
    while not (lines := socket.receive_json()["log"]):
        pass
    return list(lines)


def test_pages_come_with_safe_headers_and_unknown_links_are_refused() -> None:
    with serving() as (client, table):
        link = table.hosted.links[0]
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


def test_an_invitation_leads_to_a_free_seat_and_a_finished_game_to_its_replay() -> None:
    game = hosted((None, None), SHORT)
    with serving(game) as (client, table), ExitStack() as stack:
        arrive(client, table, 0, stack)
        address = f"/join/{game.invitation}"
        assert "Play as Bob" in client.get(address).text
        assert game.links[1] not in client.get(address).text
        for seat in (1, ONLOOKER):
            answer = client.post(address, follow_redirects=False)
            assert answer.headers["location"] == f"/table/{game.links[seat]}"
        assert client.get("/join/guess").status_code == 404
        for path in ("replay", "review", "record"):
            assert client.get(f"/{path}/{game.links[0]}").status_code == 404
        while not game.session.is_finished:
            game.session.play(int(game.session.game.legal_actions()[0]))
        replay = client.get(f"/replay/{game.links[0]}")
        assert "Ann, Bob" in replay.text
        assert "connect-src" not in replay.headers["content-security-policy"]
        pages = [client.get(f"/review/{game.links[seat]}").text for seat in (0, ONLOOKER)]
        assert pages[0] == pages[1]
        assert content(Replay(pages[0], 0))["review"]
        record = GameRecord.from_lines(client.get(f"/record/{game.links[ONLOOKER]}").text)
        assert record == game.session.record


def test_another_origin_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    with serving() as (client, table):
        address = socket_of(table, 0)
        own = {"origin": "http://testserver"}
        with client.websocket_connect(address, headers=own) as socket:
            assert socket.receive_json()["viewer"] == 0
        for own_too in ("http://TestServer:80", "https://testserver"):
            with client.websocket_connect(address, headers={"origin": own_too}) as socket:
                assert socket.receive_json()["viewer"] == 0
        assert not caplog.messages
        for origin in ("http://evil.test", "http://testserver.evil.test", "null", "http://[x", ""):
            with (
                pytest.raises(WebSocketDisconnect),
                client.websocket_connect(address, headers={"origin": origin}),
            ):
                pass
        assert "A page of http://evil.test asked for testserver: refused." in caplog.messages


def test_pages_of_the_proxy_that_was_named_are_own() -> None:
    table = LiveTable(hosted(), None)
    app = make_app([table], None, ["localhost"], proxy="https://catan.example")
    with TestClient(app) as client:
        for host in ("localhost:8000", "catan.example"):  # some proxies keep the name
            for origin in ("https://catan.example", "https://CATAN.example:443"):
                headers = {"origin": origin, "host": host}
                with client.websocket_connect(socket_of(table, 0), headers=headers) as socket:
                    assert socket.receive_json()["viewer"] == 0
            for origin in ("https://catan.example:444", "https://other.example"):
                headers = {"origin": origin, "host": host}
                opened = client.websocket_connect(socket_of(table, 0), headers=headers)
                with pytest.raises(WebSocketDisconnect), opened:
                    pass


@pytest.mark.usefixtures("no_limit")
def test_a_game_is_played_saved_and_played_again(tmp_path: Path) -> None:
    path = tmp_path / "table-0.jsonl"
    rng = np.random.default_rng(1)
    with serving(path=path) as (client, table):
        with client.websocket_connect(socket_of(table, 0)) as socket:
            assert len(socket.receive_json()["areas"]) == 54 + 72 + 19
            news = socket.receive_json()
            log = list(news["log"])
            while not news["over"]:
                news = play(socket, news, rng)
                log[news["first_line"] :] = news["log"]
            assert log == table.hosted.picture(0).log
            saved = saved_when(lambda saved: saved.is_over, path)
            assert len(saved.record.decisions) >= len(log)
            assert saved.links == table.hosted.links
            assert path.stat().st_mode & 0o077 == 0
            socket.send_json({"again": True})
            news = socket.receive_json()
            assert not news["over"]
            assert news["first_line"] == 0
            # The game that is over is kept, and the next one takes its place.
            saved_when(lambda following: not following.is_over, path)
            assert GameRecord.load(tmp_path / "table-0-game-1.jsonl") == saved.record
        with client.websocket_connect(socket_of(table, 0)) as socket:  # the page is loaded again
            socket.receive_json()
            assert None not in socket.receive_json()["layers"]


@pytest.mark.usefixtures("no_limit")
def test_nobody_else_hears_of_what_is_laid_out_and_the_file_goes_on(tmp_path: Path) -> None:
    path, rng = tmp_path / "table-0.jsonl", np.random.default_rng(3)
    with serving(hosted(), path) as (client, table), ExitStack() as stack:
        seats = [arrive(client, table, seat, stack) for seat in (0, 1)]
        onlooker = arrive(client, table, ONLOOKER, stack)
        laid_out = 0
        while laid_out < 10:
            game, mover = table.hosted, table.hosted.session.game.player
            there = active(game, mover)
            control = there[rng.integers(len(there))]
            press = {"press": control.name, "version": game.version_of(mover)}
            seats[mover].send_json(press)
            if control.play:
                assert all(told(s) for s in (seats[1 - mover], onlooker))
            else:
                while seats[mover].receive_json()["version"] <= press["version"]:
                    pass
            laid_out += not control.play
    saved = SavedTable.load(path)
    again = hosted(record=saved.record, links=saved.links)
    assert again.picture(0).log == table.hosted.picture(0).log
    assert again.viewer_of(table.hosted.links[1]) == 1


def news_after(socket: Any, news: dict[str, Any]) -> dict[str, Any]:
    """Press the first control, and hear what follows."""
    socket.send_json({"press": news["controls"][0]["name"], "version": news["version"]})
    return dict(socket.receive_json())


def test_a_table_that_cannot_be_saved_goes_on_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.touch()  # a file where the folder should be
    path = folder / "table-0.jsonl"
    with serving(hosted(), path) as (client, table):
        with client.websocket_connect(socket_of(table, 0)) as socket:
            socket.receive_json()
            news = socket.receive_json()
            while news["warning"] is None:  # nothing is played yet
                news = socket.receive_json()
            for _ in range(2):
                news = news_after(socket, news)
                assert "isn't saved at present: File exists" in news["warning"]
        folder.unlink()
        with client.websocket_connect(socket_of(table, 1)) as socket:
            socket.receive_json()
            assert news_after(socket, socket.receive_json())["warning"] is None
        assert len(SavedTable.load(path).record.decisions) == 3


def test_who_leaves_while_it_is_saved_stops_nobody(tmp_path: Path) -> None:
    async def leave_in_the_middle() -> None:
        game = hosted()
        table = LiveTable(game, tmp_path / "table-0.jsonl")
        moment = table.moment_of(ONLOOKER)
        waiting = asyncio.create_task(table.wait_for_change(ONLOOKER, moment))
        name = game.picture(0).controls[0].name
        pressing = asyncio.create_task(
            table.answer(0, {"press": name, "version": game.version_of(0)})
        )
        while table.moment_of(ONLOOKER) == moment:
            await asyncio.sleep(0)
        pressing.cancel()
        await asyncio.wait_for(waiting, 60)
        assert len(SavedTable.load(tmp_path / "table-0.jsonl").record.decisions) == 1

    asyncio.run(leave_in_the_middle())


def test_messages_that_make_no_sense_are_answered() -> None:
    with serving() as (client, table), client.websocket_connect(socket_of(table, 0)) as socket:
        socket.receive_json()
        version = socket.receive_json()["version"]
        for message, reason in (
            ("no JSON", "a JSON object"),
            ("[1]", "a JSON object"),
            ("[" * 900, "a JSON object"),
            ("{}", "names what to press"),
            ('{"press": "roll", "version": true}', "names what to press"),
            (f'{{"press": "roll", "version": {version}}}', "can't be pressed"),
            ('{"press": "vertex 3", "version": 7}', "changed meanwhile"),
            ('{"again": true}', "isn't over"),
        ):
            socket.send_text(message)
            assert reason in socket.receive_json()["refused"]
        assert not table.hosted.session.record.decisions


def test_long_and_too_many_messages_end_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "MESSAGES_A_SECOND", 0.0)
    with serving() as (client, table), ExitStack() as stack:
        socket = arrive(client, table, 0, stack)
        socket.send_bytes(b"x" * (responses.MOST_BYTES + 1))
        assert closed(socket) == responses.TOO_BIG
        socket = arrive(client, table, 0, stack)
        for _ in range(10 * responses.MOST_MESSAGES):
            socket.send_text("{}")
        assert closed(socket) == responses.POLICY_VIOLATION


def test_onlookers_take_no_place_of_a_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_ONLOOKERS", 3)
    with serving(hosted()) as (client, table), ExitStack() as stack:
        with ExitStack() as onlookers:
            for _ in range(3):
                arrive(client, table, ONLOOKER, onlookers)
            refused = stack.enter_context(client.websocket_connect(socket_of(table, ONLOOKER)))
            assert closed(refused) == responses.TRY_AGAIN_LATER
            for seat in (0, 1):
                arrive(client, table, seat, stack)
        arrive(client, table, ONLOOKER, stack)


def test_the_oldest_connection_of_a_seat_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_OF_A_SEAT", 2)
    with serving(hosted()) as (client, table), ExitStack() as stack:
        other = arrive(client, table, 1, stack)
        pages = [arrive(client, table, 0, stack) for _ in range(4)]
        for page in pages[:2]:
            assert closed(page) == responses.MADE_ROOM
        name = table.hosted.picture(0).controls[0].name
        pages[3].send_json({"press": name, "version": table.hosted.version_of(0)})
        assert all(told(socket) for socket in (pages[2], pages[3], other))


def test_onlookers_only_look() -> None:
    with (
        serving() as (client, table),
        client.websocket_connect(socket_of(table, ONLOOKER)) as socket,
    ):
        greeting = socket.receive_json()
        assert greeting["viewer"] == ONLOOKER
        assert greeting["invitation"] is None  # it would lead to a seat
        assert socket.receive_json()["controls"] == []
        socket.send_json({"press": "vertex 3", "version": 0})
        assert "nothing to press" in socket.receive_json()["refused"]


def broken(call: str, error: BaseException) -> Agent:
    """An agent that raises something in a call."""

    def fail(*_given: Any) -> int:
        raise error

    agent = agents.load("random")
    agent.needs_events = True
    setattr(agent, call, fail)
    return agent


SHORT = Rules(num_players=2, max_turns=2)


def play_until_failure(table: LiveTable, socket: Any) -> str:
    """Press what plays something until the table fails; what is said of that."""
    while "failure" not in (news := socket.receive_json()):
        if news.get("controls") and news["to_move"] == 0 and not news["over"]:
            control = next(c for c in table.hosted.picture(0).controls if c.play)
            socket.send_json({"press": control.name, "version": news["version"]})
    return str(news["failure"])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ("act", ZeroDivisionError("\x1b]0;title\x07"), r"ZeroDivisionError: \x1b]0;title\x07"),
        ("observe", SystemExit(3), "SystemExit: 3"),
        ("end", ZeroDivisionError("no idea"), "ZeroDivisionError: no idea"),
        ("close", ValueError("\ud800"), r"ValueError: \ud800"),
    ],
)
def test_viewers_hear_whose_agent_failed_the_log_why_and_all_is_saved(
    call: str, error: BaseException, words: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    failure, path = "the table stopped: the agent in seat 1 failed", tmp_path / "table-0.jsonl"
    game = hosted((None, broken(call, error)), SHORT, names=["\x1bAnn", "Bob"])
    with serving(game, path) as (client, table), ExitStack() as stack:
        socket = arrive(client, table, 0, stack)
        onlooker = arrive(client, table, ONLOOKER, stack)
        socket.send_json({"press": game.picture(0).controls[0].name, "version": game.version_of(0)})
        assert play_until_failure(table, socket) == failure
        assert play_until_failure(table, onlooker) == failure
        socket.send_json({"press": "roll", "version": 0})
        assert socket.receive_json() == {"refused": failure}
    told = caplog.messages[0]
    assert told.startswith(r"The table of \x1bAnn, Bob stopped: the agent in seat 1 failed.")
    assert words in told
    *_, last = SavedTable.load(path).record.replay()
    assert last.snapshot()["players"] == game.session.snapshot()["players"]


@pytest.mark.parametrize("call", ["act", "observe"])
def test_an_agent_that_never_answers_stops_its_table(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_table, "LONGEST_DECISION", 0.2)
    monkeypatch.setattr(live_table, "LONGEST_LEAVING", 0.2)
    may_end, slow = threading.Event(), agents.load("random")
    slow.needs_events = True
    setattr(slow, call, lambda _given: may_end.wait(600))
    with serving(hosted((slow, None), SHORT)) as (client, table), ExitStack() as stack:
        socket = stack.enter_context(client.websocket_connect(socket_of(table, 1)))
        assert next_of(socket, "failure") == "the table stopped: the agent in seat 0 failed"
        may_end.set()


def test_a_table_that_fails_at_the_end_keeps_no_other_from_ending(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tables, studies = [], Studies()
    for number, error in enumerate((OSError("gone"), None)):
        player = agents.load("random") if error is None else broken("close", error)
        game = hosted((None, player), SHORT, adviser=player)
        tables.append(LiveTable(game, tmp_path / f"table-{number}.jsonl"))
    with TestClient(make_app(tables, studies)) as client, ExitStack() as stack:
        for table in tables:
            arrive(client, table, 0, stack)
    for number in range(2):
        assert SavedTable.load(tmp_path / f"table-{number}.jsonl").record.names == ["Ann", "Bob"]
    (told,) = [told for told in caplog.messages if "A table ended with an error." in told]
    assert "OSError: gone" in told
    with pytest.raises(RuntimeError, match="shutdown"):
        studies.pool.submit(int)


def test_who_reads_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    class Deaf:
        async def send_text(self, _text: str) -> None:
            await asyncio.Future()

    monkeypatch.setattr(responses, "LONGEST_SENDING", 0.01)
    with pytest.raises(WebSocketDisconnect):
        asyncio.run(responses.send(Deaf(), {}))  # type: ignore[arg-type]
