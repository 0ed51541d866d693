"""The last messages and commands of a game, to tell what came before something that went wrong."""

from collections import deque
from typing import Final

from catan_pz.tables.jsettlers.messages import Message

LAST: Final = 24
"""Messages and commands that are kept."""

_LONGEST: Final = 70
"""Characters that are kept of each."""


class Transcript:
    """What was heard and sent last, in order; a str of it has all that is kept."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=LAST)

    def __str__(self) -> str:
        return "; ".join(self._lines)

    def heard(self, message: Message) -> None:
        """Keep a message."""
        self._lines.append(f"< {message.kind} {','.join(message.fields)}"[:_LONGEST])

    def sent(self, commands: list[str]) -> list[str]:
        """Keep commands, and return them."""
        self._lines.extend(f"> {text}"[:_LONGEST] for text in commands)
        return commands
