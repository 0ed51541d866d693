"""A real server in a thread, and Chromium: `make test-browser`, in a process of its own.

Chromium is looked for on the path; `playwright install chromium` brings another, found too.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from catan_pz import agents
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from tests.play.recordings import recorded
from tests.web.browser.pages import TIMEOUT
from tests.web.tables import hosted, running

__all__ = ["recorded"]


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
    """Opens pages in separate browsers; no script may fail in them."""
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


class Served(NamedTuple):
    """A server with a table.

    Attributes:
        table: its table.
        address: address of its first page.
    """

    table: Any
    address: str

    def link(self, viewer: int) -> str:
        """A viewer's address of the table."""
        return f"{self.address}/table/{self.table.hosted.links[viewer]}"


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    """Starts a server: who plays, by which rules or from where, who advises, the table's file."""
    from catan_pz.web.live_table import LiveTable
    from catan_pz.web.server import make_app
    from catan_pz.web.study_server import Studies

    servers = ExitStack()

    def started(
        playing: list[str | None],
        rules: Rules | None = None,
        *,
        start: Game | None = None,
        adviser: str | None = None,
        path: Path | None = None,
    ) -> Served:
        game = hosted(
            playing,
            rules or Rules(num_players=2),
            record=None if start is None else GameRecord.of(start),
            names=[f"P{seat}" for seat in range(len(playing))],
            adviser=None if adviser is None else agents.load(adviser),
        )
        table = LiveTable(game, path)
        port = servers.enter_context(running(make_app([table], Studies())))
        return Served(table, f"http://127.0.0.1:{port}")

    with servers:
        yield started
