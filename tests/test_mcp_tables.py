"""A chat client at a table, by the protocol's own client over standard input and output."""

import re
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


def with_client(server: Any, use: Callable[[Client, Call], Awaitable[None]]) -> None:
    """Use a server through a client."""

    async def run() -> None:
        async with Client(server) as client:

            async def call(tool: str, **arguments: Any) -> str:
                result = await client.call_tool(tool, arguments)
                (content,) = result.content
                if result.is_error:
                    raise LookupError(content.text)
                return str(content.text)

            await use(client, call)

    anyio.run(run)


def test_a_client_plays_a_game_over_its_standard_streams() -> None:
    words = ["-m", "catan_pz.cli", "mcp", "--against", "random", "--advice", "heuristic"]
    words += ["--players", "2", "--points", "3"]

    async def use(client: Client, call: Call) -> None:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools >= {"new_game", "view", "legal_actions", "play", "offer", "advise"}
        (rules,) = (await client.read_resource("catan://rules")).contents
        assert "city 2 grain + 3 ore" in rules.text
        text = await call("new_game", seed=1)
        seat = text.splitlines()[0].removeprefix("seats: ")
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
        first = (await call("new_game", clients=2, seed=5)).splitlines()[0]
        seats = first.removeprefix("seats: ").split(", ")
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
            await call("play", seat=mover, action="1")
        with pytest.raises(LookupError, match="everybody's cards"):
            await call("replay", seat=seats[0])
        with pytest.raises(LookupError, match="without --advice"):
            await call("advise", seat=seats[0])
        with pytest.raises(LookupError, match="no such seat"):
            await call("view", seat="guess")

    with_client(make_server(SHORT, "random"), use)


def test_the_oldest_table_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_tables, "MOST_TABLES", 2)

    async def use(_: Client, call: Call) -> None:
        seats = [(await call("new_game")).splitlines()[0][7:] for _ in range(3)]
        with pytest.raises(LookupError, match="no such seat"):
            await call("view", seat=seats[0])
        for seat in seats[1:]:
            await call("legal_actions", seat=seat)

    with_client(make_server(SHORT, "random"), use)


def test_an_offer_is_one_call() -> None:
    rules = Rules(num_players=2, offer_form="composed")

    async def use(_: Client, call: Call) -> None:
        text = await call("new_game", seed=3)
        seat = text.splitlines()[0].removeprefix("seats: ")
        while (offered := composed(text)) is None:
            text = await call("play", seat=seat, action="roll" if "roll the" in text else "1")
        give, get = offered
        await call("offer", seat=seat, give=give, get=get)
        assert f"you offer 1 {give} for 1 {get}" in await call("history", seat=seat)

    with_client(make_server(rules, "random"), use)
