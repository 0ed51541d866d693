"""Pages and files that the server sends, with the headers that browsers heed."""

from functools import cache
from importlib.resources import files
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

FILES: Final = {
    "colors.css": "text/css",
    "advice.css": "text/css",
    "advice.js": "text/javascript",
    "connection.js": "text/javascript",
    "table.css": "text/css",
    "table.js": "text/javascript",
    "picture.js": "text/javascript",
    "storage.js": "text/javascript",
    "index.css": "text/css",
    "study.css": "text/css",
    "study.js": "text/javascript",
    "form.js": "text/javascript",
}
"""What pages load, with the type of each."""

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    # The address holds the secret of the seat.
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}


def page(name: str, **parts: str) -> Response:
    """A page of HTML, with parts for the places that it names in double braces."""
    content = _content(f"{name}.html")
    for place, part in parts.items():
        content = content.replace(f"{{{{{place}}}}}", part)
    return _response(content, "text/html")


async def asset(request: Request) -> Response:
    """A file that a page loads."""
    name = request.path_params["name"]
    if name not in FILES:
        return PlainTextResponse("There is no such file.", 404)
    return _response(_content(name), FILES[name])


@cache
def _content(name: str) -> str:
    return (files("catan_pz.web") / "pages" / name).read_text(encoding="utf-8")


def _response(content: str, media_type: str) -> Response:
    return Response(content, media_type=f"{media_type}; charset=utf-8")


def is_own_origin(socket: WebSocket) -> bool:
    """Whether a page of this server opens the connection, or no page at all."""
    origin = socket.headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == socket.headers.get("host")
    except ValueError:  # such as an open bracket
        return False


class SafeHeaders:
    """Adds the headers that browsers heed to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and add the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *added]
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)
