"""The server that listens on a socket, and the names under which it may be asked for."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from tests.web.tables import hosted

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

import uvicorn
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

from catan_pz.web import listening as listening_module
from catan_pz.web import responses
from catan_pz.web.listening import LOOPBACK, listen, open_socket, own_names
from catan_pz.web.live_table import LiveTable
from catan_pz.web.server import make_app
from catan_pz.web.study_server import Studies

LINK = "0123456789abcdef012345"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """Of a server on a loopback address."""
    table = LiveTable(hosted(links={0: LINK}))
    with TestClient(make_app([table], Studies(), LOOPBACK)) as opened:
        yield opened


@pytest.mark.parametrize("host", ["localhost", "LocalHost:8000", "127.0.0.1:1", "[::1]:8000"])
def test_the_machine_itself_comes_in(client: TestClient, host: str) -> None:
    named = {"host": host, "origin": f"http://{host}"}
    for path in ("/", "/study", f"/table/{LINK}", "/static/table.js"):
        assert client.get(path, headers=named).status_code == 200
    for path in ("/study/socket", f"/socket/{LINK}"):
        with client.websocket_connect(path, headers=named) as opened:
            assert "areas" in opened.receive_json()


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8000",
        "localhost.evil.example:8000",
        "evil.localhost:8000",
        "user@localhost:8000",
        "10.0.0.1:8000",
        "",
    ],
)
def test_a_name_that_was_led_to_the_machine_stays_outside(client: TestClient, host: str) -> None:
    named = {"host": host, "origin": f"http://{host}"}
    for path in ("/", "/study", f"/table/{LINK}"):
        answer = client.get(path, headers=named)
        assert answer.status_code == 400
        assert answer.headers["x-content-type-options"] == "nosniff"
    for path in ("/study/socket", f"/socket/{LINK}"):
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(path, headers=named):
            pass


def test_names_come_of_the_address_that_is_served() -> None:
    for host, names in (
        ("127.0.0.1", LOOPBACK),
        ("127.0.0.2", [*LOOPBACK, "127.0.0.2"]),
        ("0.0.0.0", ["*"]),
    ):
        with open_socket(host, 0) as opened:
            assert set(own_names(host, opened)) == set(names)
    with socket.create_server(("127.0.0.1", 0)) as opened:
        assert set(own_names("My-Machine", opened)) == {*LOOPBACK, "my-machine"}


HANDSHAKE = """\
GET /socket/{link} HTTP/1.1
Host: 127.0.0.1
Upgrade: websocket
Connection: Upgrade
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
Sec-WebSocket-Version: 13
Sec-WebSocket-Extensions: permessage-deflate

"""


@contextmanager
def listening(tables: list[LiveTable], monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Serve tables in a thread; gives the port."""
    servers: list[Any] = []
    run = uvicorn.Server.run

    def noted(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        servers.append(server)
        run(server, sockets)

    monkeypatch.setattr(uvicorn.Server, "run", noted)
    with open_socket("127.0.0.1", 0) as opened:
        thread = threading.Thread(target=listen, args=(opened, "127.0.0.1", tables), daemon=True)
        thread.start()
        yield opened.getsockname()[1]
        servers[0].should_exit = True
        thread.join(60)


def test_a_short_message_that_unpacks_to_a_long_one_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = hosted()
    with (
        listening([LiveTable(game)], monkeypatch) as port,
        connect(f"ws://127.0.0.1:{port}/socket/{game.links[0]}") as browser,
    ):
        assert "areas" in browser.recv(60)
        assert "version" in browser.recv(60)
        browser.send("x" * 10**6)  # a thousand bytes as they are sent
        with pytest.raises(ConnectionClosedError) as raised:
            browser.recv(60)
    assert raised.value.rcvd.code == responses.TOO_BIG


def closed_by_the_server(browser: socket.socket) -> bool:
    try:
        return browser.recv(4096) == b""
    except ConnectionResetError:
        return True


def test_a_request_must_come_and_an_address_has_so_many_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = hosted()
    with listening([LiveTable(game)], monkeypatch) as port, ExitStack() as stack:

        def opened() -> socket.socket:
            return stack.enter_context(socket.create_connection(("127.0.0.1", port), 60))

        table = opened()
        asked = HANDSHAKE.format(link=game.links[0]).replace("\n", "\r\n")
        table.sendall(asked.encode())
        assert table.recv(4096).startswith(b"HTTP/1.1 101")
        monkeypatch.setattr(listening_module, "LONGEST_HEAD", 0.1)
        slow = opened()
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert closed_by_the_server(slow)
        monkeypatch.setattr(listening_module, "LONGEST_HEAD", 600.0)
        monkeypatch.setattr(listening_module, "is_near", lambda _address: False)
        monkeypatch.setattr(listening_module, "MOST_OF_AN_ADDRESS", 2)
        second, third = opened(), opened()
        assert closed_by_the_server(third)
        second.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert second.recv(4096).startswith(b"HTTP/1.1 200")
