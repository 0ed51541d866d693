"""Traffic with browsers: pages, headers, the size and rate of messages."""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from catan_pz.names import printable
from catan_pz.web.page_files import PAGES, content, filled

_LOGGER: Final = logging.getLogger("catan_pz.web")

_TYPES: Final = {".css": "text/css", ".js": "text/javascript"}

FILES: Final = {
    path.name: _TYPES[suffix]
    for path in PAGES.iterdir()
    if (suffix := Path(path.name).suffix) in _TYPES and not path.name.startswith("replay.")
}
"""Files that pages load, with their media types; a replay is self-contained."""

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    # The address contains the seat's secret.
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}

OPEN_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}
"""Policy of a self-contained page, such as a replay."""


def page(name: str, **parts: str) -> Response:
    """An HTML page with its placeholders in double braces filled."""
    return HTMLResponse(filled(content(f"{name}.html"), parts))


async def asset(request: Request) -> Response:
    """A file that a page loads."""
    name = request.path_params["name"]
    if name not in FILES:
        return PlainTextResponse("There is no such file.", 404)
    return Response(content(name), media_type=FILES[name])


def is_own_origin(socket: WebSocket) -> bool:
    """Whether the connection comes from a page of this server or from no page; logs refusals.

    Its pages are those of the requested host, and of the application's `state.proxy`.
    """
    origin, host = socket.headers.get("origin"), socket.headers.get("host", "")
    if origin is None:
        return True
    try:
        page = urlsplit(origin)
        # A proxy may have removed TLS, or use another host name than browsers.
        own = [urlsplit(f"{page.scheme}://{host}"), urlsplit(socket.app.state.proxy)]
        usual = {"http": 80, "https": 443}[page.scheme]
        found, *hosts = ((at.hostname, at.port or usual) for at in (page, *own))
        is_own = bool(page.hostname) and found in hosts
    except (ValueError, KeyError):  # such as an open bracket
        is_own = False
    if not is_own:
        words = "A page of %s asked for %s: refused."
        _LOGGER.warning(words, printable(origin[:99]), printable(host[:99]))
    return is_own


class SafeHeaders:
    """Adds security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and add the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


MOST_BYTES: Final = 1024
"""Largest message to a table."""

MOST_MESSAGES: Final = 30
MESSAGES_A_SECOND: Final = 10.0
"""Messages that a connection may send in a burst, and per second in the long run."""

LONGEST_SENDING: Final = 30.0
"""Seconds in which a browser must read a message."""

POLICY_VIOLATION: Final = 1008
TOO_BIG: Final = 1009
TRY_AGAIN_LATER: Final = 1013
"""Codes for closing a connection (RFC 6455)."""

MADE_ROOM: Final = 4001
"""A connection was closed to make room for a newer one; the page waits for its user."""

LEFT: Final = (WebSocketDisconnect, RuntimeError, OSError)
"""Exceptions raised if the browser has left."""


class Allowance:
    """A token bucket that limits the messages of a connection."""

    def __init__(self) -> None:
        self._left = float(MOST_MESSAGES)
        self._asked = time.monotonic()

    def take(self) -> bool:
        """Take a token; False if none is left."""
        now = time.monotonic()
        gained = (now - self._asked) * MESSAGES_A_SECOND
        self._left = min(MOST_MESSAGES, self._left + gained) - 1
        self._asked = now
        return self._left >= 0


async def heard(socket: WebSocket, most_bytes: int) -> AsyncIterator[str]:
    """Messages of a browser until it leaves; a browser that sends too much is disconnected."""
    allowance = Allowance()
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text") or ""
        if len(message.get("bytes") or text.encode()) > most_bytes:
            await socket.close(TOO_BIG, f"a message has at most {most_bytes} bytes")
            return
        if not allowance.take():
            await socket.close(POLICY_VIOLATION, "too many messages")
            return
        yield text


class Visitor:
    """A browser's connection: it gets changed layers, and may be closed for a newer one.

    Args:
        socket: the connection, accepted.
        reason: message of a page that was closed for a newer one.
    """

    def __init__(self, socket: WebSocket, reason: str) -> None:
        self._socket = socket
        self._reason = reason
        self._asked_to_leave = asyncio.Event()
        self._layers: list[str] = []

    def make_room(self) -> None:
        """Close the connection for a newer one."""
        self._asked_to_leave.set()

    async def _leave(self) -> None:
        await self._asked_to_leave.wait()
        with contextlib.suppress(*LEFT):
            await self._socket.close(MADE_ROOM, self._reason)

    def _changed(self, layers: list[str]) -> list[str | None]:
        """Layers to send; None for those that the browser already has."""
        known, self._layers = self._layers, layers
        return [None if known[k : k + 1] == [layer] else layer for k, layer in enumerate(layers)]


async def send(socket: WebSocket, message: Any) -> None:
    """Send a message as JSON; disconnect a browser that doesn't read it."""
    text = message if isinstance(message, str) else json.dumps(message)
    try:
        await asyncio.wait_for(socket.send_text(text), LONGEST_SENDING)
    except TimeoutError:
        raise WebSocketDisconnect(POLICY_VIOLATION) from None
