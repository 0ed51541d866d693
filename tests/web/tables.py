"""A server's tables for tests, and running servers."""

import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from catan_pz import agents
from catan_pz.agents.base import Agent
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.play.controls import Control
from catan_pz.play.session import PlayedGame
from catan_pz.rules import Rules
from catan_pz.web.saved import SavedTable
from catan_pz.web.table import HostedGame

RULES = Rules(num_players=2, max_turns=12)
NAMES = ("Ann", "Bob", "Cyd", "Dee")


def hosted(
    players: Sequence[Agent | str | None] = (None, None),
    rules: Rules = RULES,
    *,
    seed: int = 1,
    record: GameRecord | None = None,
    adviser: Agent | None = None,
    names: Sequence[str] | None = None,
    links: dict[int, str] | None = None,
) -> HostedGame:
    """A game between agents, or their names, and people (None)."""
    playing = [agents.load(player) if isinstance(player, str) else player for player in players]
    specs = [None if player is None else "random" for player in players]
    names = names or NAMES[: len(playing)]
    if record is None:
        session = PlayedGame(Game(rules, seed), playing, seed, names, specs=specs, adviser=adviser)
    else:
        session = PlayedGame.resumed(record, playing, seed, names, specs, adviser)
    return HostedGame(session, links)


def active(game: HostedGame, seat: int) -> list[Control]:
    """A seat's controls for laying out or playing."""
    pressable = [c for c in game.picture(seat).controls if c.is_active]
    return [c for c in pressable if not c.name.startswith(("undo", "agent"))]


@contextmanager
def serving(
    game: HostedGame | None = None, path: Path | None = None, pause: float = 0.0
) -> Iterator[tuple[Any, Any]]:
    """A client of a server with one table, and the table."""
    from starlette.testclient import TestClient

    from catan_pz.web.live_table import LiveTable
    from catan_pz.web.server import make_app

    table = LiveTable(game or hosted((None, "random")), path, pause)
    with TestClient(make_app([table])) as client:
        yield client, table


@contextmanager
def running(app: Any) -> Iterator[int]:
    """A real server of an application, in a thread; gives its port."""
    import uvicorn

    from catan_pz.web.listening import open_socket

    config = uvicorn.Config(
        app, log_level="warning", ws="websockets-sansio", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    with open_socket("127.0.0.1", 0) as opened:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
        thread.start()
        try:
            yield opened.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(timeout=60)


@contextmanager
def serve_command(*options: str) -> Iterator[tuple[int, str]]:
    """`catan-pz serve` in a separate process: the process's id, and the links that it prints."""
    words = [sys.executable, "-m", "catan_pz.cli", "serve", "--port", "0", *options]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = ""
    try:
        while "Study" not in said:
            said += process.stdout.readline()
        yield process.pid, said
    finally:
        process.terminate()
        process.wait()


def socket_of(table: Any, viewer: int) -> str:
    """The address of a viewer's connection."""
    return f"/socket/{table.hosted.links[viewer]}"


def next_of(socket: Any, kind: str) -> Any:
    """The next message of a kind; others are skipped."""
    while kind not in (message := socket.receive_json()):
        pass
    return message if kind == "version" else message[kind]


def closed(socket: Any) -> int:
    """Receive until the connection is closed; the close code."""
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect) as raised:
        deque(iter(socket.receive_json, None))
    return int(raised.value.code)


def saved_when(condition: Callable[[SavedTable], bool], path: Path) -> SavedTable:
    """The table in a file, once it is as expected: viewers may see a decision earlier."""
    end = time.monotonic() + 120
    while not condition(saved := SavedTable.load(path)):
        assert time.monotonic() < end, "the file never came to be as wanted"
        time.sleep(0.01)
    return saved
