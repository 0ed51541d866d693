"""A scripted server, which replays recorded games to seated robots."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from catan_pz.tables.jsettlers.messages import Kind, Message, frame, read_text
from tests.tables.jsettlers.recorded import received

COOKIE = "secret"
VERSION = "9998|2700,2.7.00,test,;ch;"
WELCOME = "1071|120,35,0.13,1.0,1.0,3.0,1.0,1,1"
PATIENCE = 60.0
"""Seconds after which a test is stuck."""

Script = Callable[[list[str]], Iterable[str]]
"""Transforms the texts of a game: `CUT` among them ends the connection."""

CUT = "cut"

DECLINED = ("VP=t13", "NT=f")
"""Options of games that no robot joins."""


def unchanged(texts: list[str]) -> list[str]:
    return texts


async def closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


class ScriptedServer:
    """Plays a game to each script, with the robot that it invites."""

    def __init__(
        self, name: str, scripts: list[Script], *, on_demand: bool = False, ignored: int = 0
    ) -> None:
        self.texts = received(name)
        self.scripts = scripts
        self.on_demand = on_demand
        self.ignored = ignored
        self.port = 0
        self.said: list[str] = []
        self.asked_for: asyncio.Queue[str] = asyncio.Queue()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self.wait_for(reader, Kind.VERSION)
            writer.write(frame(VERSION))
            first = await self.hear(reader)
            if first.kind == Kind.I_AM_A_ROBOT:
                await self.play_with(first.fields[1], reader, writer)
            else:
                await self.take_requests(first, reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            await closed(writer)

    async def hear(self, reader: asyncio.StreamReader) -> Message:
        self.said.append(await read_text(reader))
        return Message.parse(self.said[-1])

    async def wait_for(self, reader: asyncio.StreamReader, kind: Kind) -> None:
        async with asyncio.timeout(PATIENCE):
            while (await self.hear(reader)).kind != kind:
                pass

    async def play_with(
        self, cookie: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if cookie != COOKIE:
            writer.write(frame("1059|Cookie contents do not match the running server."))
            return
        for text in ("1003|", "77777|what is this", WELCOME, "9999|7"):
            writer.write(frame(text))
        await self.wait_for(reader, Kind.SERVER_PING)
        for k, script in enumerate(self.scripts, 1):
            game = await self.asked_for.get() if self.on_demand else f"game {k}"
            await self.play(game, script, reader, writer)
        while True:
            await self.hear(reader)

    async def play(
        self, game: str, script: Script, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
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

    async def take_requests(
        self, message: Message, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while True:
            if message.kind == Kind.NEW_GAME_REQUEST:
                writer.write(frame(f"1017|{message.fields[3]},debug"))
            elif message.kind == Kind.GAME_TEXT and self.ignored:
                self.ignored -= 1
            elif message.kind == Kind.GAME_TEXT:
                self.asked_for.put_nowait(message.game)
            message = await self.hear(reader)


@contextmanager
def running(server: ScriptedServer) -> Iterator[ScriptedServer]:
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
