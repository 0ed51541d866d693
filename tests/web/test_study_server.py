"""The study's page and messages: bounds, refusals, and nothing of any table."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from catan_pz.agents.table import Table
from catan_pz.cli import main
from catan_pz.game.game import Game
from catan_pz.rules import Rules
from tests.web.tables import closed, hosted

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")

from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from catan_pz.web import responses, study_server
from catan_pz.web.live_table import LiveTable
from catan_pz.web.server import make_app
from catan_pz.web.study import Study
from catan_pz.web.study_server import Studies

RULES = Rules(num_players=2, max_turns=12)


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(make_app([], Studies(json.dumps(Game(RULES, 1).snapshot())))) as opened:
        yield opened


def begin(socket: Any) -> dict[str, Any]:
    """The first picture, after the greeting."""
    assert "heuristic" in socket.receive_json()["known_agents"]
    return dict(socket.receive_json())


def ask(socket: Any, message: Any) -> dict[str, Any]:
    socket.send_text(message if isinstance(message, str) else json.dumps(message))
    return dict(socket.receive_json())


def test_the_first_page_leads_to_the_study_where_there_is_one(client: TestClient) -> None:
    assert "<section >" in client.get("/").text
    assert client.get("/study").status_code == 200
    with TestClient(make_app([])) as other:
        assert "<section hidden>" in other.get("/").text
        assert other.get("/study").status_code == 404
        with pytest.raises(WebSocketDisconnect), other.websocket_connect("/study/socket"):
            pass


def test_a_position_is_changed_played_on_and_saved(client: TestClient) -> None:
    with client.websocket_connect("/study/socket") as socket:
        news = begin(socket)
        assert len(news["places"]) == 54 + 72 + 19
        assert news["words"][0] == "Turn 0. Player 0 places a settlement."
        assert json.loads(news["position"]) == Game(RULES, 1).snapshot()
        assert not news["can_undo"]
        news = ask(socket, {"new": {"rules": RULES.to_dict(), "seed": 2, "phase": "main"}})
        assert "places" in news  # another board
        news = ask(socket, {"edit": {"put": "settlement", "at": "vertex 7", "seat": 0}})
        assert "places" not in news
        assert None in news["layers"]
        news = ask(socket, {"agents": ["random", "weighted"]})
        assert news["agents"] == ["random", "weighted"]
        news = ask(socket, {"play_on": {"decisions": 3, "pause": 0}})
        assert news["is_playing"]
        while news["is_playing"]:
            news = socket.receive_json()
        assert news["at"] >= 3
        saved = ask(socket, {"save": "position"})
        assert saved["file"] == "position.json"
        assert saved["text"] == news["position"]
        assert ask(socket, {"save": "record"})["file"] == "game.jsonl"
        ask(socket, {"undo": True})
        assert json.loads(ask(socket, {"open": saved["text"]})["position"])["turn"] >= 0


def test_nobody_plays_on_once_an_agent_has_failed(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide, asked = Table.decide, []

    def fail(table: Table) -> int:
        asked.append(table)
        if len(asked) == 3:
            raise ValueError("out of ideas")
        return decide(table)

    monkeypatch.setattr(Table, "decide", fail)
    with client.websocket_connect("/study/socket") as socket:
        begin(socket)
        news = ask(socket, {"play_on": {"decisions": None, "pause": 0}})
        while "refused" not in (told := socket.receive_json()):
            news = told
    assert "out of ideas" in told["refused"]
    assert news["at"] == 2
    assert not news["is_playing"]


def test_messages_that_make_no_sense_are_answered(client: TestClient) -> None:
    messages: list[tuple[Any, str]] = [
        ("no JSON", "a JSON object with one entry"),
        ({"press": "vertex 3"}, "isn't known"),
        ({"new": 3}, "can't be understood"),
        ({"new": {"rules": {}, "seed": 1, "phase": "lunch"}}, "phase must be one of"),
        ({"edit": []}, "no change of a position"),
        ({"agents": ["exec:sh", "random"]}, "no agent 'exec:sh'"),
        ({"action": "roll"}, "action must be an integer"),
        ({"save": "secrets"}, "a position or a record"),
        ({"play_on": 3}, "how many decisions"),
        ({"play_on": {"decisions": 0, "pause": 0}}, "decisions are a number from 1"),
        ({"play_on": {"decisions": 1, "pause": True}}, "the pause is a number"),
    ]
    with client.websocket_connect("/study/socket") as socket:
        before = begin(socket)
        for message, reason in messages:
            assert reason in ask(socket, message)["refused"]
        assert ask(socket, {"stop": True})["position"] == before["position"]


def test_sizes_are_bounded(client: TestClient) -> None:
    with client.websocket_connect("/study/socket") as socket:
        begin(socket)
        socket.send_text("x" * (study_server.MOST_BYTES + 1))
        assert closed(socket) == responses.TOO_BIG


def test_a_study_that_nobody_uses_makes_room(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_server, "MOST_STUDIES", 2)
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(client.websocket_connect("/study/socket")) for _ in range(2)
        )
        for socket in (first, second):
            begin(socket)
        refused = stack.enter_context(client.websocket_connect("/study/socket"))
        assert closed(refused) == responses.TRY_AGAIN_LATER
        ask(first, {"stop": True})  # the second one is idle for longer
        monkeypatch.setattr(study_server, "IDLE_SECONDS", 0.0)
        begin(stack.enter_context(client.websocket_connect("/study/socket")))
        assert closed(second) == responses.MADE_ROOM
        assert "position" in ask(first, {"stop": True})


def test_nobody_waits_for_a_study_that_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    studies = Studies()
    make, answered = studies.begin, Event()
    in_time = []

    def begin_slowly() -> Study:
        in_time.append(answered.wait(30))
        return make()

    monkeypatch.setattr(studies, "begin", begin_slowly)
    with (
        TestClient(make_app([], studies)) as client,
        client.websocket_connect("/study/socket") as socket,
    ):
        assert client.get("/").status_code == 200
        answered.set()
        begin(socket)
    assert in_time == [True]


def heard_beside(tables: list[LiveTable], address: str) -> list[Any]:
    """All that a study sends first, on a server with some tables."""
    with (
        TestClient(make_app(tables, Studies())) as client,
        client.websocket_connect(address) as socket,
    ):
        return [socket.receive_json(), socket.receive_json()]


def test_a_study_shows_nothing_of_a_table() -> None:
    table = LiveTable(hosted())
    address = f"/study/socket?table={table.hosted.links[0]}"
    assert heard_beside([table], address) == heard_beside([], address)


def test_the_command_says_what_is_wrong_with_the_file(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "position.json"
    path.write_text("{}")
    for file, reason in (
        (path, "state.format is missing"),
        (tmp_path / "none.json", "No such file"),
        (tmp_path, "Is a directory"),
    ):
        assert main(["serve", "--port", "0", "--study", str(file)]) != 0
        assert reason in capsys.readouterr().err
