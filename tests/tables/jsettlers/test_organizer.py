"""The client that has games created."""

import asyncio

import pytest

from catan_pz.tables.jsettlers.client import ServerError
from catan_pz.tables.jsettlers.messages import Kind, Message, frame, read_text
from catan_pz.tables.jsettlers.organizer import Organizer
from tests.tables.jsettlers.server import closed


async def organize(answers: list[str], until: Kind) -> list[str]:
    """Create a game on a server that gives some answers; what it hears up to a kind of message."""
    heard: list[str] = []
    done, left = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not done.is_set():
                heard.append(await read_text(reader))
                kind = Message.parse(heard[-1]).kind
                if kind == Kind.NEW_GAME_REQUEST:
                    for text in answers:
                        writer.write(frame(text))
                if kind == until:
                    done.set()
        except asyncio.IncompleteReadError:
            pass
        finally:
            await closed(writer)
            left.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    organizer = Organizer("127.0.0.1", port, 2, False, "match")
    await organizer.start()
    organizer.create()
    try:
        async with asyncio.timeout(60):
            await (organizer.wait() if until == Kind.NULL else done.wait())
    finally:
        await organizer.close()
        await left.wait()
        server.close()
    return heard


def test_a_game_is_created_started_and_left_at_its_end() -> None:
    answers = ["9999|3", "1069|21,welcome", "1017|match-0,debug", "1061|match-0,t2,1,0,0"]
    heard = asyncio.run(organize([*answers, "1061|match-0,10,4,0,0,true,true"], Kind.LEAVE_GAME))
    assert heard[1:] == [
        "1078|debug,\t,\t,match-0,PL=4,NT=t",
        "9999|3",
        "1010|match-0\0debug\0*STARTBOTGAME* 2",
        "1011|debug,\t,match-0",
    ]


def test_a_game_name_that_is_taken_is_named() -> None:
    with pytest.raises(ServerError, match="refuses a game: A game with this name already exists"):
        asyncio.run(organize(["1069|11,A game with this name already exists"], Kind.NULL))
