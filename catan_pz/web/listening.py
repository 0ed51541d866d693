"""A socket to listen on, and the server on it."""

import socket
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final

import uvicorn

from catan_pz.web.live_table import LiveTable
from catan_pz.web.responses import MOST_BYTES
from catan_pz.web.server import make_app
from catan_pz.web.study_server import MOST_BYTES as MOST_BYTES_OF_A_STUDY
from catan_pz.web.study_server import Studies

_BACKLOG: Final = 128
_GRACE_SECONDS: Final = 2
_MOST_CONNECTIONS: Final = 2_000

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
"""What this machine is called on itself, as it stands in addresses."""

_ELSEWHERE: Final = "192.0.2.1"
_ELSEWHERE_6: Final = "2001:db8::1"
"""Addresses for documentation (RFC 5737 and RFC 3849), which are on no machine."""


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(f"can't listen on {host} port {port}: {reason}") from error


def own_names(host: str, opened: socket.socket) -> list[str]:
    """The names under which a server may be asked for: "*", all, but on a loopback address.

    Any site can let its own name lead to 127.0.0.1 (DNS rebinding): for the browser its pages are
    then of the server's origin. The Host header of its requests gives it away.

    Args:
        host: the name or address for which the socket was opened.
        opened: the socket.
    """
    address = opened.getsockname()[0]
    if not ip_address(address).is_loopback:
        return ["*"]
    return [*LOOPBACK, *(f"[{name}]" if ":" in name else name for name in (host.lower(), address))]


def own_address(family: socket.AddressFamily | int) -> str | None:
    """The address of this machine by which it reaches other networks; None where it reaches none.

    Args:
        family: of addresses.
    """
    elsewhere = _ELSEWHERE_6 if family == socket.AF_INET6 else _ELSEWHERE
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((elsewhere, 9))  # nothing is sent
        except OSError:
            return None
        return str(probe.getsockname()[0])


def listen(
    opened: socket.socket,
    host: str,
    tables: Sequence[LiveTable],
    studies: Studies | None = None,
    page: str = "",
) -> None:
    """Serve tables, and studies where there are any, until the process is told to end.

    Args:
        opened: the socket to listen on.
        host: the name or address for which it was opened.
        tables: what is played.
        studies: what is studied; None for no study.
        page: HTML for "/", in place of the page that says how to come to a table.
    """
    config = uvicorn.Config(
        make_app(tables, studies, own_names(host, opened), page),
        log_level="warning",
        ws="websockets-sansio",
        # Longer messages are refused with a reason up to here, and cut off beyond.
        ws_max_size=2 * (MOST_BYTES if studies is None else MOST_BYTES_OF_A_STUDY),
        limit_concurrency=_MOST_CONNECTIONS,
        # A frame of some hundred bytes could unpack to as much.
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        server_header=False,
    )
    uvicorn.Server(config).run(sockets=[opened])
