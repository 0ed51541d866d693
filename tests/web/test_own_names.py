"""Names under which a server on a loopback address may be asked for."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from catan_pz.rules import Rules
from catan_pz.web.table import HostedGame, Seats

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import uvicorn
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from catan_pz.web.listening import listen, open_socket
from catan_pz.web.live_table import LiveTable
from catan_pz.web.own_names import LOOPBACK, own_names
from catan_pz.web.server import make_app
from catan_pz.web.study_server import Studies

OWN = ["localhost", "localhost:8000", "LocalHost:8000", "127.0.0.1:1", "[::1]", "[::1]:8000"]
FOREIGN = [
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example:8000",
    "evil.localhost:8000",
    "127.0.0.1.evil.example",
    "localhost:8000:8000",
    "user@localhost:8000",
    "[::1]evil.example",
    "::1",
    "10.0.0.1:8000",
    "",
]
LINK = "0123456789abcdef012345"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """Of a server on a loopback address."""
    seats = Seats([None, None], ["Ann", "Bob"], {0: LINK})
    with ThreadPoolExecutor(1) as pool:
        hosted = HostedGame(seats, rules=Rules(num_players=2))
        table = LiveTable(hosted, [None, None], None, 0.0, pool)
        with TestClient(make_app([table], Studies(), LOOPBACK)) as opened:
            yield opened


@pytest.mark.parametrize("host", OWN)
def test_the_machine_itself_comes_in(client: TestClient, host: str) -> None:
    named = {"host": host, "origin": f"http://{host}"}
    for path in ("/", "/study", f"/table/{LINK}", "/static/table.js"):
        assert client.get(path, headers=named).status_code == 200
    for path in ("/study/socket", f"/socket/{LINK}"):
        with client.websocket_connect(path, headers=named) as opened:
            assert "layout" in opened.receive_json()


@pytest.mark.parametrize("host", FOREIGN)
def test_a_name_that_was_led_to_the_machine_stays_outside(client: TestClient, host: str) -> None:
    named = {"host": host, "origin": f"http://{host}"}
    for path in ("/", "/study", f"/table/{LINK}", "/static/table.js"):
        answer = client.get(path, headers=named)
        assert answer.status_code == 421
        assert "as localhost, 127.0.0.1 or [::1]" in answer.text
        assert "--host" in answer.text
        assert answer.headers["x-content-type-options"] == "nosniff"
    for path in ("/study/socket", f"/socket/{LINK}"):
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect(path, headers=named),
        ):
            pass


def names_for(host: str) -> frozenset[str] | None:
    with open_socket(host, 0) as opened:
        return own_names(host, opened)


def test_names_come_of_the_address_that_is_served() -> None:
    assert names_for("127.0.0.1") == LOOPBACK
    assert names_for("localhost") == LOOPBACK
    assert names_for("127.0.0.2") == LOOPBACK | {"127.0.0.2"}
    assert names_for("0.0.0.0") is None


def test_names_in_ipv6() -> None:
    try:
        with open_socket("::1", 0):
            pass
    except OSError:
        pytest.skip("there is no IPv6 here")
    assert names_for("::1") == LOOPBACK
    assert names_for("0:0:0:0:0:0:0:1") == LOOPBACK | {"[0:0:0:0:0:0:0:1]"}
    assert names_for("::") is None


def test_the_name_that_was_asked_for_comes_in() -> None:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        assert own_names("My-Machine", opened) == LOOPBACK | {"my-machine"}


def test_what_listens_on_a_loopback_address_refuses_other_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served: list[Any] = []
    monkeypatch.setattr(
        uvicorn.Server, "run", lambda server, sockets: served.append(server.config.app)
    )
    for host, status in (("127.0.0.1", 421), ("0.0.0.0", 200)):
        with open_socket(host, 0) as opened:
            listen(opened, host, [])
        client = TestClient(served.pop())
        assert client.get("/", headers={"host": "evil.example"}).status_code == status
        assert client.get("/", headers={"host": "localhost:8000"}).status_code == 200
