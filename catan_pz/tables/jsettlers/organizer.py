"""Who creates games for robots alone: a client that is no robot, which robots' games need."""

import asyncio
from contextlib import suppress
from itertools import count
from typing import Final

from catan_pz.names import shown
from catan_pz.tables.jsettlers.client import LONGEST_REASON, SECONDS_TO_CONNECT, ServerError
from catan_pz.tables.jsettlers.messages import (
    EMPTY,
    Kind,
    Message,
    MessageError,
    command,
    digits_of,
    frame,
    read_text,
)
from catan_pz.tables.jsettlers.server import ORGANIZER

_VERSION: Final = "2700,2.7.00,catan-pz,\t,en_US"
_STATUS_FINE: Final = (0, 20, 21)
_SEATS: Final = 4


class Organizer:
    """Creates games on a server whose debug commands are allowed."""

    def __init__(self, host: str, port: int, players: int, trading: bool, prefix: str) -> None:
        self._address = host, port
        self._players = players
        self._trading = trading
        self._names = (f"{prefix}-{k}" for k in count())
        self._writer: asyncio.StreamWriter | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Connect to the server."""
        async with asyncio.timeout(SECONDS_TO_CONNECT):
            reader, self._writer = await asyncio.open_connection(*self._address)
        self._send(f"{Kind.VERSION.value}|{_VERSION}")
        self._task = asyncio.create_task(self._listen(reader))

    async def wait(self) -> None:
        """Wait until the server is gone or refuses a game."""
        assert self._task is not None
        await self._task

    def create(self) -> str:
        """Ask for a game; the robots are invited once it is there.

        Returns:
            Its name.
        """
        no_trade = "f" if self._trading else "t"
        game = next(self._names)
        self._send(
            command(
                Kind.NEW_GAME_REQUEST, ORGANIZER, EMPTY, EMPTY, game, f"PL={_SEATS},NT={no_trade}"
            )
        )
        return game

    def leave(self, game: str) -> None:
        """Let the server close a game that the robot doesn't play."""
        self._send(command(Kind.LEAVE_GAME, ORGANIZER, EMPTY, game))

    async def close(self) -> None:
        """Leave the server."""
        if self._task is not None:
            self._task.cancel()
        if self._writer is not None:
            self._writer.close()
            with suppress(OSError):
                await self._writer.wait_closed()

    def _send(self, text: str) -> None:
        assert self._writer is not None
        self._writer.write(frame(text))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                text = await read_text(reader)
                try:
                    self._take(Message.parse(text), text)
                except MessageError:
                    continue
        except (OSError, asyncio.IncompleteReadError) as error:
            raise ServerError("the server at {}:{} is gone".format(*self._address)) from error

    def _take(self, message: Message, text: str) -> None:
        if message.kind == Kind.SERVER_PING:
            self._send(text)
        elif message.kind == Kind.GAME_MEMBERS:
            words = f"*STARTBOTGAME* {self._players}"
            fields = (message.game, ORGANIZER, words)
            self._send(f"{Kind.GAME_TEXT.value}|" + "\0".join(fields))
        elif message.kind == Kind.GAME_STATS and not message.text(1).startswith("t"):
            # Not before the end: a game of robots alone is closed when who watches it leaves.
            self._send(command(Kind.LEAVE_GAME, ORGANIZER, EMPTY, message.game))
        elif message.kind == Kind.STATUS:
            self._check(message)

    def _check(self, message: Message) -> None:
        status = digits_of(message.fields[0])
        if status is not None and status not in _STATUS_FINE:
            words = shown(",".join(message.fields[1:]), LONGEST_REASON)
            raise ServerError(f"the server refuses a game: {words}")
