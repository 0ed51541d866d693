"""How much a browser may send."""

import time
from collections.abc import AsyncIterator
from typing import Final

from starlette.websockets import WebSocket

MOST_BYTES: Final = 1024
"""Of a message to a table."""

MOST_MESSAGES: Final = 30
MESSAGES_A_SECOND: Final = 10.0
"""What a connection may send: so many messages at once, and so many a second in the long run."""

POLICY_VIOLATION: Final = 1008
TOO_BIG: Final = 1009
TRY_AGAIN_LATER: Final = 1013
"""Why a connection is closed, in the numbers of RFC 6455."""

MADE_ROOM: Final = 4001
"""A connection was closed to make room for a newer one; the page waits for its person to act."""


class Allowance:
    """Messages that a connection may send now; more come with time."""

    def __init__(self) -> None:
        self._left = float(MOST_MESSAGES)
        self._asked = time.monotonic()

    def take(self) -> bool:
        """Use one up; False if there is none left."""
        now = time.monotonic()
        gained = (now - self._asked) * MESSAGES_A_SECOND
        self._left = min(MOST_MESSAGES, self._left + gained) - 1
        self._asked = now
        return self._left >= 0


async def heard(socket: WebSocket, most_bytes: int) -> AsyncIterator[str]:
    """Messages of a browser until it leaves; one that sends too much is disconnected.

    Args:
        socket: the connection, accepted.
        most_bytes: of a message.
    """
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
