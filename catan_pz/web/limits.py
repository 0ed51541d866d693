"""How much a browser may send."""

import time
from typing import Final

MOST_BYTES: Final = 1024
"""Of a message to a table."""

MOST_MESSAGES: Final = 30
MESSAGES_A_SECOND: Final = 10.0
"""What a connection may send: so many messages at once, and so many a second in the long run."""

POLICY_VIOLATION: Final = 1008
TOO_BIG: Final = 1009
TRY_AGAIN_LATER: Final = 1013
"""Why a connection is closed, in the numbers of RFC 6455."""


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
