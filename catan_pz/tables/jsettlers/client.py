"""Connections to a JSettlers server: a robot for any number of games, and an organizer."""

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Final, NamedTuple

from catan_pz.names import shown
from catan_pz.tables.jsettlers.contents import SEATS, Invitation, invitation_in
from catan_pz.tables.jsettlers.messages import (
    EMPTY,
    VERSION,
    Kind,
    Message,
    MessageError,
    command,
    digits_of,
    frame,
    read_text,
)
from catan_pz.tables.jsettlers.player import TablePlayer
from catan_pz.tables.jsettlers.reader import READ

SECONDS_TO_ANSWER: Final = 8.0
"""Seconds that an own offer waits for answers."""

SECONDS_TO_CONNECT: Final = 20.0
"""Seconds that the server may take to accept the robot."""

MOST_GAMES: Final = 40
"""The most games that a robot plays at once; it ignores further invitations."""

MOST_WAITING: Final = 2000
"""The most messages of a game that wait while its agent decides."""

LONGEST_MESSAGE: Final = 2000
"""The most characters of such a message; longer ones are ignored."""

LONGEST_REASON: Final = 200
"""The most characters shown of a server's message."""

_KEEPALIVE: Final = {
    "TCP_KEEPIDLE": 60,
    "TCP_KEEPINTVL": 15,
    "TCP_KEEPCNT": 4,
    "TCP_USER_TIMEOUT": 120_000,
}
"""TCP keep-alive: seconds of silence before the first probe, seconds between probes, unanswered
probes that end the connection, and milliseconds that sent data may stay unacknowledged before it
ends."""

_SECONDS_BETWEEN_STOPS: Final = 1.0
_ENDS: Final = (Kind.ROBOT_DISMISS, Kind.DELETE_GAME)
_PASSED_ON: Final = READ.union(_ENDS)
_ENDED: Final = "the server ended it"
_ROBOT_CLASS: Final = "catan_pz"
_WELCOME: Final = 1071
_STATUS_FINE: Final = (0, 20, 21)

ORGANIZER: Final = "debug"
"""The name of the user that a server allows to create games of robots only."""


class ServerError(RuntimeError):
    """The server can't be reached, or refuses the robot."""


class ServerAddress(NamedTuple):
    """A running server, and the cookie that its robots must present."""

    host: str
    port: int
    cookie: str


class Client:
    """A connection to a server, which processes its messages one by one."""

    def __init__(self, server: ServerAddress) -> None:
        self.server = server
        self.welcomed = asyncio.Event()
        """set once the server has accepted us"""
        self._writer: asyncio.StreamWriter | None = None

    async def listen(self, *greeting: str) -> None:
        """Connect, and process messages until the connection is lost."""
        host, port, _ = self.server
        try:
            async with asyncio.timeout(SECONDS_TO_CONNECT) as patience:
                reader, self._writer = await asyncio.open_connection(host, port)
                _keep_alive(self._writer)
                for text in greeting:
                    self.send(text)
                while True:
                    text = await read_text(reader)
                    with suppress(MessageError):  # nothing can be done about it
                        self._take(Message.parse(text), text)
                    if self.welcomed.is_set():
                        patience.reschedule(None)
                    # Stop reading from a server that doesn't read.
                    await self._writer.drain()
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            if self.welcomed.is_set():
                told = f"the connection to {host}:{port} was lost: the same command continues"
                raise ServerError(told) from error
            reason = str(error) or "it doesn't answer like a JSettlers server"
            raise ServerError(f"no JSettlers server at {host}:{port}: {reason}") from error
        finally:
            if self._writer is not None:
                self._writer.close()

    def send(self, text: str) -> None:
        """Send a message, if connected."""
        if self._writer is not None:
            self._writer.write(frame(text))

    def _take(self, message: Message, text: str) -> None:
        """Process a message, given with its text."""
        if message.kind == Kind.SERVER_PING:
            self.send(text)


class Organizer(Client):
    """Creates games of robots only, on a server that allows debug commands.

    Such games require a client that isn't a robot.
    """

    def __init__(self, server: ServerAddress, players: int, trading: bool, prefix: str) -> None:
        super().__init__(server)
        self._players = players
        self._trading = trading
        self._names = (f"{prefix}-{k}" for k in count())

    async def run(self) -> None:
        """Connect, and listen until the connection is lost or the server refuses a game."""
        await self.listen(f"{Kind.VERSION.value}|{VERSION},en_US")

    def create(self) -> str:
        """Request a game, to which the robots are invited once it exists; return its name."""
        game, no_trade = next(self._names), "f" if self._trading else "t"
        options = f"PL={SEATS},NT={no_trade}"
        self.send(command(Kind.NEW_GAME_REQUEST, ORGANIZER, EMPTY, EMPTY, game, options))
        return game

    def leave(self, game: str) -> None:
        """Let the server close a game that the robot doesn't play."""
        self.send(command(Kind.LEAVE_GAME, ORGANIZER, EMPTY, game))

    def _take(self, message: Message, text: str) -> None:
        super()._take(message, text)
        if message.kind == Kind.VERSION:
            self.welcomed.set()
        elif message.kind == Kind.GAME_MEMBERS:
            fields = (message.game, ORGANIZER, f"*STARTBOTGAME* {self._players}")
            self.send(f"{Kind.GAME_TEXT.value}|" + "\0".join(fields))
        elif message.kind == Kind.GAME_STATS and not message.text(1).startswith("t"):
            # Not before the end: a game of robots is closed when its last observer leaves.
            self.leave(message.game)
        elif message.kind == Kind.STATUS:
            status = digits_of(message.fields[0])
            if status is not None and status not in _STATUS_FINE:
                words = shown(",".join(message.fields[1:]), LONGEST_REASON)
                raise ServerError(f"the server refuses a game: {words}")


@dataclass
class _Seat:
    """A game that the robot plays or is about to play."""

    player: TablePlayer
    queue: "asyncio.Queue[Message]"
    task: "asyncio.Task[None] | None" = None


class RobotClient(Client):
    """A robot that plays all games to which a server invites it.

    Args:
        seat_agent: makes the player of a game to which the robot is invited; None to decline.
        over: called at the end of each game with its player, the reason why it was broken off, ""
            for a finished game, and whether the agent's failure was the reason.
        executor: runs the agents' decisions; those of one game run one after the other.
    """

    def __init__(
        self,
        server: ServerAddress,
        name: str,
        seat_agent: Callable[[Invitation], TablePlayer | None],
        over: Callable[[TablePlayer, str, bool], None],
        executor: Executor | None = None,
        most_games: int = MOST_GAMES,
    ) -> None:
        super().__init__(server)
        self._name = name
        self._seat_agent = seat_agent
        self._over = over
        self._executor = executor
        self._most_games = most_games
        self._seats: dict[str, _Seat] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Task[None] | None = None
        self._error: Exception | None = None  # the first one of `over`

    async def run(self) -> None:
        """Play until cancelled; an error of `over` or a lost connection ends it."""
        greeting = command(Kind.I_AM_A_ROBOT, self._name, self.server.cookie, _ROBOT_CLASS)
        listening = asyncio.create_task(self.listen(f"{Kind.VERSION.value}|{VERSION}", greeting))
        self._listening = listening
        try:
            await asyncio.wait({listening})
        finally:
            listening.cancel()
            for game in list(self._seats):
                self._finish(game, "the robot stops")
            await asyncio.gather(listening, *self._leaving, return_exceptions=True)
        if self._error is not None:
            raise self._error
        listening.result()

    def _take(self, message: Message, text: str) -> None:
        super()._take(message, text)
        if message.kind == Kind.REJECT_CONNECTION:
            reason = shown(",".join(message.fields), LONGEST_REASON)
            raise ServerError(f"the server refuses: {reason}")
        if message.kind == _WELCOME:
            self.welcomed.set()
        elif message.kind == Kind.BOT_JOIN_REQUEST:
            self._join(message)
        elif message.game in self._seats:
            self._pass_on(message, len(text))

    def _pass_on(self, message: Message, length: int) -> None:
        """Process a message of a game that the robot plays or is about to play."""
        seat = self._seats[message.game]
        if seat.task is None and message.kind in _ENDS:
            self._finish(message.game, _ENDED)
            return
        if seat.task is None and message.kind == Kind.GAME_MEMBERS:
            seat.task = asyncio.create_task(self._play(message.game, seat))
            self.send(command(Kind.SIT_DOWN, message.game, EMPTY, seat.player.reader.number, True))
        if message.kind not in _PASSED_ON or length > LONGEST_MESSAGE:
            return
        if seat.queue.full():
            self._finish(message.game, f"more than {MOST_WAITING} messages wait")
        else:
            seat.queue.put_nowait(message)

    def _join(self, message: Message) -> None:
        invitation = invitation_in(message)
        game, number = invitation.game, invitation.number
        if game in self._seats or not 0 <= number < SEATS or len(self._seats) >= self._most_games:
            return
        text = command(Kind.JOIN_GAME, self._name, EMPTY, EMPTY, game)
        frame(text)  # refuse a game whose name is too long
        player = self._seat_agent(invitation)
        if player is not None:
            self._seats[game] = _Seat(player, asyncio.Queue(MOST_WAITING))
            self.send(text)

    async def _play(self, game: str, seat: _Seat) -> None:
        """Play one game to its end."""
        agent_failed = False
        try:
            broken = await self._play_on(seat)
        except Exception as error:  # ends this game only
            broken, agent_failed = _described(error), seat.player.agent_failed
        self._finish(game, broken, agent_failed)

    async def _play_on(self, seat: _Seat) -> str:
        """Process a game's messages, and send decisions; return why it was broken off."""
        loop = asyncio.get_running_loop()
        while True:
            waits = SECONDS_TO_ANSWER if seat.player.is_waiting else None
            try:
                async with asyncio.timeout(waits):
                    message = await seat.queue.get()
            except TimeoutError:
                commands = await loop.run_in_executor(self._executor, seat.player.give_up_waiting)
            else:
                if message.kind in _ENDS:
                    return _ENDED
                commands = await loop.run_in_executor(self._executor, seat.player.take, message)
            for text in commands:
                self.send(text)
            if seat.player.reader.is_finished:
                return ""
            if commands and self._writer is not None:
                with suppress(OSError):  # the listener sees the error too
                    await self._writer.drain()

    def _finish(self, game: str, broken: str = "", agent_failed: bool = False) -> None:
        """Leave a game, and report its end once its agent has finished deciding."""
        seat = self._seats.pop(game, None)
        if seat is None:
            return
        if seat.task is not None and seat.task is not asyncio.current_task():
            seat.task.cancel()
        self.send(command(Kind.LEAVE_GAME, self._name, EMPTY, game))
        seat.player.stop()
        leaving = asyncio.create_task(self._leave(seat.player, broken, agent_failed))
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)

    async def _leave(self, player: TablePlayer, broken: str, agent_failed: bool) -> None:
        left = asyncio.get_running_loop().run_in_executor(self._executor, player.leave)
        while not (await asyncio.wait({left}, timeout=_SECONDS_BETWEEN_STOPS))[0]:
            player.stop()  # a program may be deciding right now
        try:
            left.result()
        except Exception as error:
            if not broken:
                broken, agent_failed = _described(error), True
        try:
            self._over(player, broken, agent_failed)
        except Exception as error:
            self._error = self._error or error
            if self._listening is not None:
                self._listening.cancel()


def _keep_alive(writer: asyncio.StreamWriter) -> None:
    """Enable keep-alive, to notice when the server's machine or network is gone."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE.items():
        if hasattr(socket, name):  # each platform has only some of them
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _described(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
