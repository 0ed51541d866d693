"""A real server in a thread, and Chromium; skipped where Playwright or a browser is missing.

    python -m pip install playwright
    python -m pytest -n 0 tests/web/browser

Chromium is looked for on the path; `playwright install chromium` brings another, found too.
"""

import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from catan_pz import agents
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from tests.web.browser.waiting import TIMEOUT
from tests.web.tables import hosted


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        found = shutil.which("chromium") or shutil.which("chromium-browser")
        try:
            opened = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        except sync_api.Error as error:
            if "CI" in os.environ:  # whose job has installed it: nothing would be tested
                raise
            pytest.skip(f"Chromium does not start: {error}")
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages in browsers of their own; no script may fail in them."""
    contexts, failures = [], []

    def opened(address: str, **options: Any) -> Any:
        options.setdefault("viewport", {"width": 1400, "height": 1000})
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * TIMEOUT)
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert failures == []


class Served:
    """A server and its tables.

    Attributes:
        tables: what it serves.
        address: of its first page.
    """

    def __init__(self, tables: list[Any], address: str) -> None:
        self.tables = tables
        self.address = address

    def link(self, viewer: int, table: int = 0) -> str:
        """The address at which a viewer finds a table."""
        return f"{self.address}/table/{self.tables[table].hosted.links[viewer]}"


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    """Starts a server: rules of its table, who plays and advises, from where, the study, a file."""
    pytest.importorskip("starlette", reason="Starlette is not installed")
    uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    from catan_pz.web.live_table import LiveTable
    from catan_pz.web.server import make_app
    from catan_pz.web.study_server import Studies

    running = []

    def started(
        rules: Rules,
        playing: list[str | None],
        *,
        start: Game | None = None,
        study: str | None = None,
        adviser: str | None = None,
        path: Path | None = None,
    ) -> Served:
        game = hosted(
            playing,
            rules,
            record=None if start is None else GameRecord.of(start),
            names=[f"P{seat}" for seat in range(len(playing))],
            adviser=None if adviser is None else agents.load(adviser),
        )
        table = LiveTable(game, path)
        opened = socket.create_server(("127.0.0.1", 0))
        app = make_app([table], Studies(study))
        config = uvicorn.Config(
            app, log_level="warning", ws="websockets-sansio", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
        thread.start()
        running.append((server, thread, opened))
        return Served([table], f"http://127.0.0.1:{opened.getsockname()[1]}")

    yield started
    for server, thread, opened in running:
        server.should_exit = True
        thread.join(timeout=60)
        opened.close()
