"""The robot's connection: what a server may ask of it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from catan_pz.agents import load
from catan_pz.tables.jsettlers import client
from catan_pz.tables.jsettlers.client import RobotClient, ServerAddress
from catan_pz.tables.jsettlers.contents import Invitation
from catan_pz.tables.jsettlers.messages import frame, read_text
from catan_pz.tables.jsettlers.player import TablePlayer
from tests.tables.jsettlers.server import WELCOME, closed

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def seat_random(invitation: Invitation) -> TablePlayer:
    game, number, trading, _ = invitation
    return TablePlayer(load("random"), game, number, trading, 1)


async def connected(serve: Serve, watch: Callable[[RobotClient], Awaitable[None]]) -> None:
    """Run a robot on a server until it has been watched."""

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(frame(WELCOME))
        try:
            await serve(reader, writer)
        except OSError:
            pass
        finally:
            await closed(writer)

    server = await asyncio.start_server(served, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    address = ServerAddress("127.0.0.1", port, "")
    robot = RobotClient(address, "bot", seat_random, lambda _: None, most_games=2)
    running = asyncio.create_task(robot.run())
    try:
        async with asyncio.timeout(60):
            await watch(robot)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        server.close()


def games_joined(*texts: str) -> list[str]:
    """The games that the robot joins while a server sends it these messages."""
    heard: list[str] = []
    done = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for text in (*texts, "9999|1"):
            writer.write(frame(text))
        while not heard or not heard[-1].startswith("9999"):
            heard.append(await read_text(reader))
        done.set()

    async def watch(_: RobotClient) -> None:
        await done.wait()

    asyncio.run(connected(serve, watch))
    return [text[-2:] for text in heard if text.startswith("1013|")]


def test_it_joins_no_more_games_than_it_may() -> None:
    assert games_joined(*(f"1023|g{k},1,PL=4" for k in range(5))) == ["g0", "g1"]


@pytest.mark.parametrize("ending", ["1015|g0", "1056|g0"])
def test_a_game_that_ends_before_the_robot_sits_makes_room_for_another(ending: str) -> None:
    texts = ("1023|g0,1,PL=4", "1023|g1,1,PL=4", ending, "1023|g2,1,PL=4")
    assert games_joined(*texts) == ["g0", "g1", "g2"]


def test_it_reads_no_more_from_a_server_that_does_not_read() -> None:
    pings, length = 800, 60_000
    ended = asyncio.Event()

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ping = frame("9999|" + "7" * length)
        try:
            async with asyncio.timeout(0.5):
                for _k in range(pings):
                    writer.write(ping)
                    await writer.drain()
        except TimeoutError:
            pass
        writer.transport.abort()
        ended.set()

    waiting: list[int] = []

    async def watch(robot: RobotClient) -> None:
        while not ended.is_set():
            if robot._writer is not None:
                waiting.append(robot._writer.transport.get_write_buffer_size())
            await asyncio.sleep(0.05)

    asyncio.run(connected(serve, watch))
    assert max(waiting) < 5 * length


@pytest.mark.parametrize("limit", ["MOST_WAITING", "MOST_BYTES"])
def test_a_game_that_has_not_begun_fills_no_memory(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, limit, 100)
    flood = ["1005|g0,words"] * 200
    assert games_joined("1023|g0,1,PL=4", "1023|g1,1,PL=4", *flood, "1023|g2,1,PL=4") == [
        *("g0", "g1", "g2")
    ]
