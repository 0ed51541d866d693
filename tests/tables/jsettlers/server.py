"""A scripted server: it plays recorded games to whoever sits down."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from catan_pz.tables.jsettlers.messages import Kind, Message, frame, read_text
from tests.tables.jsettlers.recorded import received

COOKIE = "secret"
WELCOME = "1071|120,35,0.13,1.0,1.0,3.0,1.0,1,1"
PATIENCE = 60.0
"""Seconds after which a test is stuck."""

Script = Callable[[list[str]], Iterable[str]]
"""What becomes of the texts of a game: `CUT` among them ends the connection."""

CUT = "cut"

DECLINED = ("VP=t13", "NT=f")
"""Options of games that no robot joins."""


def unchanged(texts: list[str]) -> list[str]:
    return texts


async def closed(writer: asyncio.StreamWriter) -> None:
    """Close a connection, and wait until it is."""
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


class ScriptedServer:
    """Invites each robot to games, one after the other, until there are enough."""

    def __init__(self, name: str, scripts: list[Script], refusal: str | None = None) -> None:
        self.texts = received(name)
        self.scripts = scripts
        self.refusal = refusal
        self.port = 0
        self.said: list[str] = []
        self.served = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self.greet(reader, writer)
            while self.served < len(self.scripts):
                script = self.scripts[self.served]
                self.served += 1
                await self.play(reader, writer, script)
            while True:
                self.said.append(await read_text(reader))
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            await closed(writer)

    async def greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.wait_for(reader, Kind.VERSION)
        greeting = await self.wait_for(reader, Kind.I_AM_A_ROBOT)
        refusal = self.refusal
        if greeting.fields[1] != COOKIE:
            refusal = "Cookie contents do not match the running server."
        if refusal is not None:
            writer.write(frame(f"1059|{refusal}"))
            await writer.drain()
            raise OSError
        for text in ("9998|2700,2.7.00,test,;ch;", "1003|", "77777|what is this", WELCOME):
            writer.write(frame(text))
        writer.write(frame("9999|7"))
        await self.wait_for(reader, Kind.SERVER_PING)

    async def wait_for(self, reader: asyncio.StreamReader, kind: Kind) -> Message:
        while True:
            text = await asyncio.wait_for(read_text(reader), PATIENCE)
            self.said.append(text)
            message = Message.parse(text)
            if message.kind == kind:
                return message

    async def play(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        script: Script,
        game: str = "",
    ) -> None:
        game = game or f"game {self.served}"
        for text in script(self.texts):
            if text == CUT:
                await writer.drain()
                raise OSError
            kind, _, rest = text.partition("|")
            writer.write(frame(f"{kind}|{game}{rest[1:]}" if rest[:1] == "g" else text))
            if kind == str(Kind.BOT_JOIN_REQUEST.value) and not any(o in text for o in DECLINED):
                await self.wait_for(reader, Kind.JOIN_GAME)
            if kind == str(Kind.GAME_MEMBERS.value):
                await self.wait_for(reader, Kind.SIT_DOWN)
        await writer.drain()
        await self.wait_for(reader, Kind.LEAVE_GAME)


class ServerOnDemand(ScriptedServer):
    """Plays the games that somebody asks for, as long as a robot is there to play them.

    Args:
        name: of the recorded game.
        scripts: of the games that are played.
        ignored: requests that come to nothing, from the first on.
    """

    def __init__(self, name: str, scripts: list[Script], ignored: int = 0) -> None:
        super().__init__(name, scripts)
        self.ignored = ignored
        self.is_there = False
        self.asked_for: asyncio.Queue[str] = asyncio.Queue()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self.wait_for(reader, Kind.VERSION)
            first = Message.parse(await read_text(reader))
            if first.kind == Kind.I_AM_A_ROBOT:
                await self.play_with(reader, writer)
            else:
                await self.take_requests(first, reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            await closed(writer)

    async def play_with(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.is_there = True
        try:
            writer.write(frame(WELCOME))
            while self.served < len(self.scripts):
                game = await self.asked_for.get()
                self.served += 1
                await self.play(reader, writer, self.scripts[self.served - 1], game)
            await reader.read()
        finally:
            self.is_there = False

    async def take_requests(
        self, message: Message, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while True:
            if message.kind == Kind.NEW_GAME_REQUEST:
                writer.write(frame(f"1017|{message.fields[3]},debug"))
            elif message.kind == Kind.GAME_TEXT and self.ignored:
                self.ignored -= 1
            elif message.kind == Kind.GAME_TEXT and self.is_there:
                self.asked_for.put_nowait(message.game)
            self.said.append(await read_text(reader))
            message = Message.parse(self.said[-1])


@contextmanager
def running(server: ScriptedServer) -> Iterator[ScriptedServer]:
    """Run a server in a thread of its own."""
    ready = threading.Event()
    stops: list[Callable[[], object]] = []

    async def serve() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        server.port = listening.sockets[0].getsockname()[1]
        stops.append(lambda: loop.call_soon_threadsafe(stop.set))
        ready.set()
        await stop.wait()
        listening.close()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield server
    finally:
        stops[0]()
        thread.join(PATIENCE)
