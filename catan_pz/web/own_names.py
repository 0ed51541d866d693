"""The names under which a server on a loopback address may be asked for.

Any site can let its own name lead to 127.0.0.1 (DNS rebinding): for the browser its pages are then
of the server's origin. The name in the request's Host header gives them away.
"""

import re
import socket
from collections.abc import Collection
from ipaddress import ip_address
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from catan_pz.web.limits import POLICY_VIOLATION

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""What this machine is called on itself, as it stands in addresses."""

_HOST: Final = re.compile(r"(\[[^\]]*\]|[^:]*)(:\d*)?")
_MISDIRECTED: Final = 421
_REFUSAL: Final = (
    "This server is open to its own machine alone, as localhost, 127.0.0.1 or [::1]. To let others "
    "in by another name, through a proxy for instance, start it with --host 0.0.0.0.\n"
)


def own_names(host: str, opened: socket.socket) -> frozenset[str] | None:
    """The names that lead to a socket which listens on a loopback address; None for others.

    Args:
        host: the name or address for which it was opened.
        opened: the socket.
    """
    address = opened.getsockname()[0]
    if not ip_address(address).is_loopback:
        return None
    return LOOPBACK | {f"[{name}]" if ":" in name else name for name in (host.lower(), address)}


class OwnNames:
    """Refuses requests whose Host header names something else.

    Args:
        app: what is asked else.
        names: in lower case, without ports; None to let all in.
    """

    def __init__(self, app: ASGIApp, names: Collection[str] | None) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if self._names is None or scope["type"] == "lifespan" or self._is_own(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(POLICY_VIOLATION)
        else:
            await PlainTextResponse(_REFUSAL, _MISDIRECTED)(scope, receive, send)

    def _is_own(self, scope: Scope) -> bool:
        found = _HOST.fullmatch(HTTPConnection(scope).headers.get("host", "").lower())
        return found is not None and self._names is not None and found[1] in self._names
