"""A socket to listen on, and the server on it."""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from catan_pz.web.live_table import LiveTable
from catan_pz.web.responses import MOST_BYTES
from catan_pz.web.server import make_app
from catan_pz.web.study_server import MOST_BYTES as MOST_BYTES_OF_A_STUDY
from catan_pz.web.study_server import Studies

_BACKLOG: Final = 128
_GRACE_SECONDS: Final = 2
_MOST_CONNECTIONS: Final = 2_000
"""Concurrent connections; requests on further ones are answered with 503."""

MOST_OF_AN_ADDRESS: Final = 200
"""Connections per address; further ones are closed. A proxy on this machine has no limit."""

LONGEST_HEAD: Final = 20.0
"""Seconds in which a browser must send the head of a request."""

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
"""Loopback host names, as in addresses."""

_ELSEWHERE: Final = "192.0.2.1"
_ELSEWHERE_6: Final = "2001:db8::1"
"""Addresses for documentation (RFC 5737 and RFC 3849), which no machine has."""


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(f"can't listen on {host} port {port}: {reason}") from error


def own_names(host: str, opened: socket.socket) -> list[str]:
    """Host names that a server answers to: any ("*"), except on a loopback address.

    Any site can point its own name at 127.0.0.1 (DNS rebinding); browsers then treat its pages as
    the server's own. The Host header of their requests reveals the name.
    """
    address = opened.getsockname()[0]
    if not ip_address(address).is_loopback:
        return ["*"]
    return [*LOOPBACK, *(f"[{name}]" if ":" in name else name for name in (host.lower(), address))]


def own_address(family: socket.AddressFamily | int) -> str | None:
    """This machine's address for other machines; None without a network."""
    elsewhere = _ELSEWHERE_6 if family == socket.AF_INET6 else _ELSEWHERE
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((elsewhere, 9))  # nothing is sent
        except OSError:
            return None
        return str(probe.getsockname()[0])


def is_near(address: str) -> bool:
    """Whether an address is a loopback address."""
    return ip_address(address).is_loopback


class LimitedHttp(H11Protocol):
    """HTTP with two limits that uvicorn lacks: connections per address, time for a request."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Open the connection, unless its address has too many."""
        super().connection_made(transport)
        self._wait_for_head()
        if self.client is None or is_near(self.client[0]):
            return
        clients = [getattr(one, "client", None) for one in self.connections]
        if sum(c is not None and c[0] == self.client[0] for c in clients) > MOST_OF_AN_ADDRESS:
            transport.abort()

    def on_response_complete(self) -> None:
        """Wait for another request."""
        super().on_response_complete()
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Close the connection."""
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()

    def _wait_for_head(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(LONGEST_HEAD, self._let_go)

    def _let_go(self) -> None:
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if not is_answering and self.transport.get_protocol() is self:  # not a WebSocket by now
            self.transport.abort()


def listen(
    opened: socket.socket,
    host: str,
    tables: Sequence[LiveTable],
    studies: Studies | None = None,
    page: str = "",
    proxy: str = "",
) -> None:
    """Serve `make_app`'s application on a socket that was opened for a host, until stopped."""
    config = uvicorn.Config(
        make_app(tables, studies, own_names(host, opened), page, proxy),
        log_level="warning",
        http=LimitedHttp,
        ws="websockets-sansio",
        # Messages up to this size are refused with a reason; longer ones end the connection.
        ws_max_size=2 * (MOST_BYTES if studies is None else MOST_BYTES_OF_A_STUDY),
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        server_header=False,
    )
    uvicorn.Server(config).run(sockets=[opened])
