"""The web server: one page, one WebSocket for each viewer of a table.

The secret in the link identifies a viewer, who only gets pictures and controls of that seat. A
browser's message names a control and the version of the picture that showed it. Messages are
limited in size and rate, and refused from pages of another origin.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from html import escape
from secrets import compare_digest
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from catan_pz.agents.hosting import AGENT_ERRORS
from catan_pz.events import ONLOOKER
from catan_pz.game.record import GameRecord
from catan_pz.names import shown
from catan_pz.review import review_record
from catan_pz.web.drawn import BOX, areas, control_json, symbols
from catan_pz.web.live_table import LiveTable, log_failure
from catan_pz.web.replay import replay_of_record
from catan_pz.web.responses import (
    LEFT,
    MOST_BYTES,
    OPEN_HEADERS,
    POLICY_VIOLATION,
    TRY_AGAIN_LATER,
    SafeHeaders,
    Visitor,
    asset,
    heard,
    is_own_origin,
    page,
    send,
)
from catan_pz.web.study_server import Studies

MOST_ONLOOKERS: Final = 200
"""Connections per onlookers' link of a table; further ones are refused."""

MOST_OF_A_SEAT: Final = 5
"""Connections per link of a seat, such as from several devices; the oldest is closed for more."""

MOST_REVIEWS: Final = 8
"""Number of latest reviews that are cached."""


class Connection(Visitor):
    """One viewer's WebSocket: sends changes, receives pressed controls."""

    def __init__(self, socket: WebSocket, table: LiveTable, viewer: int) -> None:
        super().__init__(socket, "This seat is open on newer pages.")
        self._table = table
        self._viewer = viewer
        self._told = table.moment_of(viewer)
        self._log: list[dict[str, Any]] = []
        self._view: dict[str, Any] = {}
        self._advising: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve until the browser leaves, or is closed for a newer one."""
        hosted = self._table.hosted
        await send(
            self._socket,
            {
                "board": BOX,
                "areas": areas(),
                "viewer": self._viewer,
                "adviser": self._table.adviser_of(self._viewer),
                "invitation": None if self._viewer == ONLOOKER else hosted.invitation,
            },
        )
        running = [asyncio.create_task(work()) for work in (self._send, self._hear, self._leave)]
        try:
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if self._advising is not None:
                running.append(self._advising)
            for task in running:
                task.cancel()
            for task in running:
                with contextlib.suppress(asyncio.CancelledError, *LEFT):
                    await task

    async def _send(self) -> None:
        table = self._table
        while True:
            await send(self._socket, await self._news())
            if table.failure is not None:
                await send(self._socket, {"failure": table.failure})
                await asyncio.Future()  # until the browser leaves: otherwise it would reconnect
            await table.wait_for_change(self._viewer, self._told)

    async def _news(self) -> dict[str, Any]:
        """Changes since the last message; a slow viewer skips states in between."""
        hosted, _, warning = self._table.moment_of(self._viewer)
        picture = await self._table.in_lane(hosted.picture, self._viewer)
        before, self._told = self._told, (hosted, picture.version, warning)
        if hosted is not before[0]:
            self._layers, self._log, self._view = [], [], {}
        log = picture.log
        known = zip(self._log, log, strict=False)
        changed = (k for k, (old, new) in enumerate(known) if old != new)
        first = next(changed, min(len(self._log), len(log)))
        view, self._view, self._log = self._view, picture.view, log
        return {
            "version": picture.version,
            "layers": self._changed(picture.layers),
            "view": {what: v for what, v in picture.view.items() if view.get(what, ...) != v},
            "first_line": first,
            "controls": [control_json(c) for c in picture.controls],
            "log": log[first:],
            "warning": warning,
            **picture.status,
        }

    async def _hear(self) -> None:
        async for text in heard(self._socket, MOST_BYTES):
            refusal = await self._answer(text)
            if refusal is not None:
                await send(self._socket, {"refused": refusal})

    async def _answer(self, text: str) -> str | None:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            return "a message is a JSON object"
        if "advise" in message:
            return self._switch_advice(message["advise"])
        return await self._table.answer(self._viewer, message)

    def _switch_advice(self, on: Any) -> str | None:
        if self._table.adviser_of(self._viewer) is None:
            return "there is no advice here"
        if not isinstance(on, bool):
            return "advice is true or false"
        if self._advising is not None:
            self._advising.cancel()
        self._advising = asyncio.create_task(self._advise()) if on else None
        return None

    async def _advise(self) -> None:
        """Send advice on each decision of the viewer."""
        table, sent = self._table, None
        while table.failure is None:
            hosted, moment = table.hosted, table.moment_of(self._viewer)
            decision = await table.in_lane(hosted.advised_decision, self._viewer)
            if decision is not None and (hosted, decision) != sent:
                sent = hosted, decision
                advice = await table.advise(self._viewer, decision)
                if advice is not None:
                    await send(self._socket, {"advice": advice})
            await table.wait_for_change(self._viewer, moment)


def make_app(
    tables: Sequence[LiveTable],
    studies: Studies | None = None,
    names: Sequence[str] = ("*",),
    page: str = "",
    proxy: str = "",
) -> Starlette:
    """The application that serves tables, and optionally studies.

    Args:
        tables: live tables.
        studies: open studies; None for none.
        names: allowed host names, from `own_names`.
        page: HTML for "/", such as a replay; "" for a page that explains how to join a table.
        proxy: the public address, such as "https://catan.example"; "" for none.
    """
    hosts = [*names, *([urlsplit(proxy).hostname or ""] if proxy else [])]
    own_host = Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)
    if page:
        only = Route("/", lambda _request: HTMLResponse(page))
        return Starlette(routes=[only], middleware=[own_host])
    served = _Served(tables, studies)
    app = Starlette(
        routes=[
            Route("/", served.first_page),
            Route("/table/{link}", served.page),
            Route("/join/{token}", served.join, methods=["GET", "POST"]),
            Route("/replay/{link}", served.replay),
            Route("/review/{link}", served.review),
            Route("/record/{link}", served.record),
            Route("/static/{name}", asset),
            WebSocketRoute("/socket/{link}", served.socket),
            *(studies.routes() if studies is not None else []),
        ],
        middleware=[Middleware(SafeHeaders), own_host],
        lifespan=served.lifespan,
    )
    app.state.proxy = proxy
    return app


def _reviewed(record: GameRecord) -> str:
    """The page of a replay with its review."""
    return replay_of_record(record, review_record(record, progress=False)).html


class _Served:
    """Pages and sockets of tables."""

    def __init__(self, tables: Sequence[LiveTable], studies: Studies | None) -> None:
        self._tables = tables
        self._studies = studies
        self._connections: dict[tuple[LiveTable, int], list[Connection]] = {}
        self._reviews: list[tuple[GameRecord, asyncio.Task[str]]] = []

    @property
    def _study(self) -> str:
        """The attribute that hides links to the study if there is none."""
        return "" if self._studies is not None else "hidden"

    def find(self, link: str) -> tuple[LiveTable, int] | None:
        """The table and the viewer of a link's secret."""
        for table in self._tables:
            viewer = table.hosted.viewer_of(link)
            if viewer is not None:
                return table, viewer
        return None

    async def first_page(self, _request: Request) -> Response:
        """The page without a link: it explains how to join a table, and links to the study."""
        return page("index", study=self._study)

    async def page(self, request: Request) -> Response:
        """The page of a table."""
        if self.find(request.path_params["link"]) is None:
            return PlainTextResponse("There is no table with this link.", 404)
        return page("table", symbols=symbols(), study=self._study)

    async def join(self, request: Request) -> Response:
        """The page of an invitation, whose button takes a free seat or lets the person watch."""
        token = request.path_params["token"].encode()
        tables = (t for t in self._tables if t.hosted.session.persons)
        table = next(
            (t for t in tables if compare_digest(t.hosted.invitation.encode(), token)), None
        )
        if table is None:
            return PlainTextResponse("There is no table with this link.", 404)
        hosted = table.hosted
        seat = next(iter(hosted.free_seats), ONLOOKER)
        if request.method == "POST":  # link previews use GET
            hosted.claimed |= {seat}
            return RedirectResponse(f"/table/{hosted.links[seat]}", 303)
        names = [shown(name) for name in hosted.session.names]
        offered = "Look on" if seat == ONLOOKER else f"Play as {names[seat]}"
        return page("join", names=escape(", ".join(names)), offered=escape(offered))

    async def replay(self, request: Request) -> Response:
        """The replay of a table's finished game, with all cards open."""
        record = self._finished(request)
        made = await asyncio.to_thread(replay_of_record, record)
        return HTMLResponse(made.html, headers=OPEN_HEADERS)

    async def review(self, request: Request) -> Response:
        """The replay with a review, which is computed once."""
        record = self._finished(request)
        known = next((task for one, task in self._reviews if one is record), None)
        if known is None:
            known = asyncio.create_task(asyncio.to_thread(_reviewed, record))
            self._reviews = [*self._reviews[1 - MOST_REVIEWS :], (record, known)]
        return HTMLResponse(await asyncio.shield(known), headers=OPEN_HEADERS)

    async def record(self, request: Request) -> Response:
        """The record of a table's finished game."""
        record = self._finished(request)
        return PlainTextResponse(record.text())

    def _finished(self, request: Request) -> GameRecord:
        found = self.find(request.path_params["link"])
        session = found and found[0].hosted.session
        if not session or not session.is_finished:
            raise HTTPException(404, "There is no finished game with this link.")
        return session.record

    async def socket(self, socket: WebSocket) -> None:
        """The connection of a viewer."""
        found = self.find(socket.path_params["link"])
        if found is None or not is_own_origin(socket):
            await socket.close(POLICY_VIOLATION)
            return
        await socket.accept()
        # An onlooker replaces no other viewer.
        of_viewer = self._connections.setdefault(found, [])
        table, viewer = found
        if viewer == ONLOOKER and len(of_viewer) >= MOST_ONLOOKERS:
            await socket.close(TRY_AGAIN_LATER, "This table has enough onlookers.")
            return
        connection = Connection(socket, table, viewer)
        of_viewer.append(connection)
        if viewer != ONLOOKER and len(of_viewer) > MOST_OF_A_SEAT:
            of_viewer.pop(0).make_room()
        try:
            if viewer != ONLOOKER and len(of_viewer) == 1:
                await table.arrive(viewer)
            await connection.run()
        finally:
            if connection in of_viewer:
                of_viewer.remove(connection)
            if viewer != ONLOOKER and not of_viewer:
                await table.leave(viewer)

    @contextlib.asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Run the tables while the server runs."""
        running = [asyncio.create_task(table.run()) for table in self._tables]
        try:
            yield
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            for table in self._tables:
                try:
                    await table.close()
                except AGENT_ERRORS as error:
                    log_failure("A table ended with an error.", error)
            if self._studies is not None:
                self._studies.close()
