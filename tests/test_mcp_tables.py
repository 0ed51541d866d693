"""A chat client at a table, by the protocol's own client over standard input and output."""

import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from catan_pz import Game, Rules
from catan_pz.game.record import GameRecord
from catan_pz.game.view import view_of
from catan_pz.text import describe
from tests.text.offers import composed

pytest.importorskip("mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from catan_pz import mcp_tables
from catan_pz.mcp_tables import make_server

Call = Callable[..., Awaitable[str]]
SHORT = Rules(num_players=2, victory_points=3)


def seat_in(text: str) -> str:
    """The secret of the seat that a client was given."""
    (seat,) = re.findall("^seat: (.*)$", text, re.MULTILINE)
    return str(seat)


def with_client(server: Any, use: Callable[[Client, Call], Awaitable[None]]) -> None:
    """Use a server through a client."""
    anyio.run(use_client, server, use)


async def use_client(server: Any, use: Callable[[Client, Call], Awaitable[None]]) -> None:
    """The same where others run beside it."""
    async with Client(server) as client:

        async def call(tool: str, **arguments: Any) -> str:
            result = await client.call_tool(tool, arguments)
            (content,) = result.content
            if result.is_error:
                raise LookupError(content.text)
            return str(content.text)

        await use(client, call)


def test_a_client_plays_a_game_over_its_standard_streams() -> None:
    words = ["-m", "catan_pz.cli", "mcp", "--against", "random", "--advice", "heuristic"]
    words += ["--players", "2", "--points", "3"]

    async def use(client: Client, call: Call) -> None:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools >= {"new_game", "view", "legal_actions", "play", "offer", "advise"}
        assert "city 2 grain + 3 ore" in str(client.instructions)
        (rules,) = (await client.read_resource("catan://rules")).contents
        assert "city 2 grain + 3 ore" in rules.text
        (glossary,) = (await client.read_resource("catan://glossary")).contents
        assert "P1 plays after you" in glossary.text
        text = await call("new_game", seed=1)
        seat = seat_in(text)
        while "Your legal actions:" in text:
            advised = await call("advise", seat=seat)
            number = re.search(r"\[(\d+)\]", advised)
            assert number is not None
            text = await call("play", seat=seat, action=number[1])
        assert "you roll" in await call("history", seat=seat, last=10_000)
        record = GameRecord.from_lines((await call("replay", seat=seat)).splitlines())
        *_, last = record.replay()
        assert last.is_over

    with_client(StdioServerParameters(command=sys.executable, args=words), use)


def test_each_seat_sees_its_own_and_none_the_record() -> None:
    async def use(_: Client, call: Call) -> None:
        begun = await call("new_game", clients=2, seed=5)
        name = begun.splitlines()[0].removeprefix("game: ")
        seats = [seat_in(begun), seat_in(await call("join", game=name))]
        with pytest.raises(LookupError, match="all seats for clients are taken"):
            await call("join", game=name)
        game = Game(SHORT, seed=5)
        for _ in range(12):
            for number, seat in enumerate(seats):
                text = await call("view", seat=seat)
                news = re.sub(r"Since your last decision:\n(- .*\n)*", "", text)
                assert news.startswith(describe(view_of(game, number)))
                assert ("Others decide." in text) == (game.player != number)
            mover, other = seats[game.player], seats[1 - game.player]
            with pytest.raises(LookupError, match="it isn't your turn"):
                await call("play", seat=other, action="1")
            with pytest.raises(LookupError, match=r"takes one of|can't be played now"):
                await call("play", seat=mover, action="city 99")
            game.step(int(game.legal_actions()[0]))
            text = await call("play", seat=mover, action=1)
            news = re.findall("^- (.*)$", text, re.MULTILINE)
            assert news[0].startswith("you ")
            assert news == (await call("history", seat=mover, last=len(news))).splitlines()
        with pytest.raises(LookupError, match="all players' cards"):
            await call("replay", seat=seats[0])
        with pytest.raises(LookupError, match="without --advice"):
            await call("advise", seat=seats[0])
        with pytest.raises(LookupError, match="no such seat"):
            await call("view", seat="guess")
        with pytest.raises(LookupError, match="clients must be an int from 1 to 2, got 3"):
            await call("new_game", clients=3)
        with pytest.raises(LookupError, match="last must be an int from 1, got 0"):
            await call("history", seat=seats[0], last=0)

    with_client(make_server(SHORT, "random"), use)


def test_clients_play_each_other_by_http() -> None:
    words = [sys.executable, "-m", "catan_pz.cli", "mcp", "--http", "0"]
    words += ["--players", "2", "--points", "3"]

    async def first(_: Client, call: Call) -> None:
        text = await call("new_game", clients=2, seed=5)
        seats = [seat_in(text)]

        async def second(_: Client, call_second: Call) -> None:
            name = text.splitlines()[0].removeprefix("game: ")
            seats.append(seat_in(await call_second("join", game=name)))
            game = Game(SHORT, seed=5)
            for _ in range(30):
                mover = game.player
                game.step(int(game.legal_actions()[0]))
                said = await (call, call_second)[mover]("play", seat=seats[mover], action="1")
                assert describe(view_of(game, mover)).splitlines()[0] in said

        await use_client(address, second)

    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            with_client(address, first)
        finally:
            server.terminate()


def test_the_oldest_table_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_tables, "MOST_TABLES", 2)

    async def use(_: Client, call: Call) -> None:
        seats = [seat_in(await call("new_game")) for _ in range(3)]
        with pytest.raises(LookupError, match="no such seat"):
            await call("view", seat=seats[0])
        for seat in seats[1:]:
            await call("legal_actions", seat=seat)

    with_client(make_server(SHORT, "random"), use)


def test_an_offer_is_one_call() -> None:
    rules = Rules(num_players=2, offer_form="composed")

    async def use(_: Client, call: Call) -> None:
        text = await call("new_game", seed=3)
        seat = seat_in(text)
        while (offered := composed(text)) is None:
            text = await call("play", seat=seat, action="roll" if "roll the" in text else "1")
        give, get = offered
        await call("offer", seat=seat, give=give, get=get)
        assert f"you offer 1 {give} for 1 {get}" in await call("history", seat=seat)

    with_client(make_server(rules, "random"), use)
