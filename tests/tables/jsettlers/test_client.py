"""The robot's connection: what a server may ask of it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from catan_pz.agents import load
from catan_pz.tables.jsettlers import client
from catan_pz.tables.jsettlers.client import Organizer, RobotClient, ServerAddress, ServerError
from catan_pz.tables.jsettlers.contents import Invitation
from catan_pz.tables.jsettlers.messages import Kind, Message, frame, read_text
from catan_pz.tables.jsettlers.player import TablePlayer
from tests.tables.jsettlers.server import VERSION, WELCOME, closed

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def seat_random(invitation: Invitation) -> TablePlayer:
    game, number, trading, _ = invitation
    return TablePlayer(load("random"), game, number, trading, 1)


def robot(server: ServerAddress) -> RobotClient:
    return RobotClient(server, "bot", seat_random, lambda *_: None, most_games=2)


async def connected(
    serve: Serve, watch: Callable[[Any, "asyncio.Task[None]"], Awaitable[None]], make: Any = robot
) -> None:
    """Run a client on a server until it has been watched."""
    left = asyncio.Event()

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(frame(VERSION) + frame(WELCOME))
        try:
            await serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            await closed(writer)
            left.set()

    server = await asyncio.start_server(served, "127.0.0.1", 0)
    client = make(ServerAddress("127.0.0.1", server.sockets[0].getsockname()[1], ""))
    running = asyncio.create_task(client.run())
    try:
        async with asyncio.timeout(60):
            await client.welcomed.wait()
            await watch(client, running)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await left.wait()
        server.close()


def games_joined(*texts: str) -> list[str]:
    heard: list[str] = []
    done = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for text in (*texts, "9999|1"):
            writer.write(frame(text))
        while not heard or not heard[-1].startswith("9999"):
            heard.append(await read_text(reader))
        done.set()

    async def watch(*_: Any) -> None:
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

    async def watch(robot: RobotClient, _: Any) -> None:
        while not ended.is_set():
            if robot._writer is not None:
                waiting.append(robot._writer.transport.get_write_buffer_size())
            await asyncio.sleep(0.05)

    asyncio.run(connected(serve, watch))
    assert max(waiting) < 5 * length


@pytest.mark.parametrize(
    ("flood", "joined"),
    [
        (["1025|g0,words"] * 200, ["g0", "g1", "g2"]),
        ([f"1025|g0,{'9' * 3000}"] * 200, ["g0", "g1"]),
    ],
    ids=["ends it", "left aside"],
)
def test_a_game_that_has_not_begun_fills_no_memory(
    flood: list[str], joined: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "MOST_WAITING", 100)
    texts = ("1023|g0,1,PL=4", "1023|g1,1,PL=4", *flood, "1023|g2,1,PL=4")
    assert games_joined(*texts) == joined


def organized(answers: list[str], until: Kind) -> list[str]:
    """What a server hears up to a kind of message that gives some answers to a wish for a game."""
    heard: list[str] = []
    done = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not done.is_set():
            heard.append(await read_text(reader))
            kind = Message.parse(heard[-1]).kind
            if kind == Kind.NEW_GAME_REQUEST:
                for text in answers:
                    writer.write(frame(text))
            if kind == until:
                done.set()

    async def watch(organizer: Organizer, running: "asyncio.Task[None]") -> None:
        organizer.create()
        await asyncio.wait(
            {running, asyncio.ensure_future(done.wait())}, return_when=asyncio.FIRST_COMPLETED
        )
        if running.done():
            running.result()

    asyncio.run(connected(serve, watch, lambda server: Organizer(server, 2, False, "match")))
    return heard


def test_a_game_is_created_started_and_left_at_its_end() -> None:
    answers = ["9999|3", "1069|21,welcome", "1017|match-0,debug", "1061|match-0,t2,1,0,0"]
    heard = organized([*answers, "1061|match-0,10,4,0,0,true,true"], Kind.LEAVE_GAME)
    assert heard[1:] == [
        "1078|debug,\t,\t,match-0,PL=4,NT=t",
        "9999|3",
        "1010|match-0\0debug\0*STARTBOTGAME* 2",
        "1011|debug,\t,match-0",
    ]


def test_a_game_name_that_is_taken_is_named() -> None:
    with pytest.raises(ServerError, match="refuses a game: A game with this name already exists"):
        organized(["1069|11,A game with this name already exists"], Kind.LEAVE_GAME)
