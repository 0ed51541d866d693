"""The server that listens on a socket."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from catan_pz.rules import Rules
from catan_pz.web.table import HostedGame, Seats

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

import uvicorn

from catan_pz.web.listening import listen, open_socket
from catan_pz.web.live_table import LiveTable

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
    servers = []
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


def test_messages_are_not_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = HostedGame(Seats([None, None], ["Ann", "Bob"]), rules=Rules(num_players=2))
    with ThreadPoolExecutor(1) as pool:
        table = LiveTable(hosted, [None, None], None, 0.0, pool)
        with (
            listening([table], monkeypatch) as port,
            socket.create_connection(("127.0.0.1", port), 60) as browser,
        ):
            asked = HANDSHAKE.format(link=hosted.seats.links[0]).replace("\n", "\r\n")
            browser.sendall(asked.encode())
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += browser.recv(4096)
    assert answer.startswith(b"HTTP/1.1 101")
    assert b"permessage-deflate" not in answer
