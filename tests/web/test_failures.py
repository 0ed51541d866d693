"""Agents that fail at a table: what viewers hear of it, and what is saved."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from catan_pz import agents
from catan_pz.agents.base import Agent
from catan_pz.events import ONLOOKER
from catan_pz.rules import Rules
from catan_pz.web.saved import SavedTable
from catan_pz.web.table import HostedGame, Seats

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")

from starlette.testclient import TestClient

from catan_pz.web.live_table import LiveTable
from catan_pz.web.server import make_app
from catan_pz.web.study_server import Studies

RULES = Rules(num_players=2, max_turns=2)


def broken(call: str, error: BaseException) -> Agent:
    """An agent that raises something in a call."""

    def fail(*_given: Any) -> int:
        raise error

    agent = agents.load("random")
    agent.needs_events = True
    setattr(agent, call, fail)
    return agent


@contextmanager
def serving(player: Agent) -> Iterator[tuple[TestClient, LiveTable]]:
    hosted = HostedGame(Seats([None, player], ["\x1bAnn", "Bob"]), rules=RULES)
    with ThreadPoolExecutor(1) as pool:
        table = LiveTable(hosted, [None, "random"], None, 0.0, pool)
        with TestClient(make_app([table])) as client:
            yield client, table


def play(table: LiveTable, socket: Any) -> str:
    """Press what plays something until the table fails; what is said of that."""
    while "failure" not in (news := socket.receive_json()):
        if news.get("controls") and news["to_move"] == 0 and not news["over"]:
            control = next(c for c in table.hosted.frame(0).controls if c.play)
            socket.send_json({"press": control.name, "version": news["version"]})
    return str(news["failure"])


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ZeroDivisionError("no idea"), "ZeroDivisionError: no idea"),
        (ZeroDivisionError("\x1b]0;title\x07"), r"ZeroDivisionError: \x1b]0;title\x07"),
        (SystemExit(3), "SystemExit: 3"),
        (ValueError("\ud800"), r"ValueError: \ud800"),
    ],
)
@pytest.mark.parametrize("call", ["act", "observe", "end", "close"])
def test_viewers_hear_whose_agent_failed_and_the_log_tells_why(
    error: BaseException, words: str, call: str, caplog: pytest.LogCaptureFixture
) -> None:
    failure = "the table stopped: the agent in seat 1 failed"
    with serving(broken(call, error)) as (client, table):
        links = table.hosted.seats.links
        with (
            client.websocket_connect(f"/socket/{links[0]}") as socket,
            client.websocket_connect(f"/socket/{links[ONLOOKER]}") as onlooker,
        ):
            assert play(table, socket) == failure
            assert play(table, onlooker) == failure
            socket.send_json({"press": "roll", "version": 0})
            assert socket.receive_json() == {"refused": failure}
    told = caplog.messages[0]
    assert told.startswith(r"The table of \x1bAnn, Bob stopped: the agent in seat 1 failed.")
    assert words in told


@pytest.mark.parametrize("call", ["observe", "end", "close"])
@pytest.mark.parametrize("persons", [0, 1])
def test_what_was_played_last_is_saved_where_an_agent_fails(
    call: str, persons: int, tmp_path: Path
) -> None:
    async def play_until_it_fails() -> None:
        running = asyncio.create_task(table.run())
        while not running.done() and table.failure is None:
            moment = table.moment_of(0)
            if hosted.waits_for_person:
                control = next(c for c in hosted.frame(0).controls if c.play)
                press = {"press": control.name, "version": hosted.version_of(0)}
                assert await table.answer(0, press) in (None, table.failure)
            else:
                await table.wait_for_change(0, moment)
        await asyncio.wait_for(running, 60)

    path = tmp_path / "table-0.jsonl"
    playing = [None] * persons + [broken(call, OSError("gone"))] * (2 - persons)
    hosted = HostedGame(Seats(playing, ["Ann", "Bob"]), rules=RULES)
    with ThreadPoolExecutor(1) as pool:
        table = LiveTable(hosted, [agent and "random" for agent in playing], path, 0.0, pool)
        asyncio.run(play_until_it_fails())
    *_, last = SavedTable.load(path).record.replay()
    assert last.snapshot()["players"] == hosted.game.snapshot()["players"]
    assert last.is_truncated == hosted.is_finished == (call != "observe")


def test_a_table_that_fails_at_the_end_keeps_no_other_from_ending(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "tables"
    folder.touch()  # a file where the folder should be
    tables, studies = [], Studies()
    with ThreadPoolExecutor(1) as pool:
        for number, error in enumerate((OSError("gone"), SystemExit(3), None)):
            player = agents.load("random") if error is None else broken("close", error)
            seats = Seats([None, player], ["Ann", "Bob"], adviser=player)
            path = folder / f"table-{number}.jsonl"
            hosted = HostedGame(seats, rules=RULES)
            tables.append(LiveTable(hosted, [None, "random"], path, 0.0, pool))
        with TestClient(make_app(tables, studies)) as client:
            for table in tables:
                link = table.hosted.seats.links[0]
                with client.websocket_connect(f"/socket/{link}") as socket:
                    socket.receive_json()
                    while socket.receive_json()["warning"] is None:
                        pass
            folder.unlink()
    for number in range(3):
        assert SavedTable.load(folder / f"table-{number}.jsonl").names == ["Ann", "Bob"]
    errors = [told for told in caplog.messages if told.startswith("A table ended with an error.")]
    assert ["OSError: gone" in told for told in errors] == [True, False]
    with pytest.raises(RuntimeError, match="shutdown"):
        studies.pool.submit(int)
