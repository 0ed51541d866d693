"""Tables and onlookers at once on a real server: `python -m tests.web.load`.

Starts `catan-pz serve`, plays one seat of every table at a person's pace, and looks on at all of
them. Prints the time from a press to the new picture, at the one who pressed and at onlookers,
and what a table takes of memory.
"""

import argparse
import asyncio
import contextlib
import json
import random
import re
import time
from pathlib import Path
from typing import Any

import websockets

from tests.web.tables import serve_command

_LARGEST_MESSAGE = 2**22


def memory(process: int) -> float:
    """A process's memory in MiB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def _last_line(news: dict[str, Any]) -> str:
    """The last line of the log with its number, "" where it is as before."""
    lines = news["log"]
    return f"{news['first_line'] + len(lines)} {lines[-1]['words']}" if lines else ""


async def _news(socket: Any) -> dict[str, Any]:
    while "refused" in (news := json.loads(await socket.recv())):
        pass
    return dict(news)


async def _latest(socket: Any, news: dict[str, Any]) -> dict[str, Any]:
    """The newest picture that has come."""
    with contextlib.suppress(TimeoutError):
        while True:
            news = json.loads(await asyncio.wait_for(socket.recv(), 0.005))
    return news


def row(name: str, seconds: list[float]) -> str:
    """A row of the table: how many, p50, p99, longest."""
    ordered = sorted(seconds)
    p50, p99 = (1000 * ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.99))
    return (
        f"| {name} | {len(ordered)} | {p50:.0f} ms | {p99:.0f} ms | {1000 * ordered[-1]:.0f} ms |"
    )


async def measure(
    given: argparse.Namespace, seats: list[str], onlookers: list[str]
) -> tuple[list[float], list[float]]:
    """Seconds from a press to the new picture, for the person who pressed and for onlookers."""
    pressed: dict[tuple[int, str], float] = {}  # by table and the last line of its log
    heard: list[tuple[tuple[int, int], float]] = []
    own: list[float] = []
    end = time.monotonic() + given.seconds

    async def play(address: str, table: int) -> None:
        rng = random.Random(table)
        async with websockets.connect(address, max_size=_LARGEST_MESSAGE) as socket:
            await socket.recv()
            news = await _news(socket)
            while time.monotonic() < end:
                await asyncio.sleep(rng.uniform(0.5, 1.5) * given.pace)
                news = await _latest(socket, news)
                if news["over"]:
                    await socket.send(json.dumps({"again": True}))
                    news = await _news(socket)
                active = [control["name"] for control in news["controls"] if control["active"]]
                if not active:
                    continue
                press = {"press": rng.choice(active), "version": news["version"]}
                begun = time.monotonic()
                await socket.send(json.dumps(press))
                while (answer := await _news(socket))["version"] == news["version"]:
                    pass
                own.append(time.monotonic() - begun)
                if answer["log"]:  # others get no message about cards that are only laid out
                    pressed[table, _last_line(answer)] = begun
                news = answer

    async def look_on(address: str, table: int) -> None:
        async with websockets.connect(address, max_size=_LARGEST_MESSAGE) as socket:
            await socket.recv()
            while time.monotonic() < end:
                with contextlib.suppress(TimeoutError):
                    news = json.loads(await asyncio.wait_for(socket.recv(), 1))
                    heard.append(((table, _last_line(news)), time.monotonic()))

    tables = [k % len(onlookers) for k in range(given.onlookers)]
    everybody = [play(address, k) for k, address in enumerate(seats)]
    everybody += [look_on(onlookers[k], k) for k in tables]
    await asyncio.wait_for(asyncio.gather(*everybody), given.seconds + 60)
    return own, [at - pressed[place] for place, at in heard if place in pressed]


def main() -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--onlookers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pace", type=float, default=1, help="seconds between presses of a seat")
    parser.add_argument("--agents", default="heuristic")
    given = parser.parse_args()
    with serve_command("--tables", str(given.tables), "--agents", given.agents) as (process, said):
        links = re.findall(r"(?m)^(\w+).*: http://(\S+)/table/(\S+)", said)
        sockets = [(who, f"ws://{host}/socket/{link}") for who, host, link in links]
        onlookers = [socket for who, socket in sockets if who == "Onlookers"]
        seats = [socket for who, socket in sockets if who != "Onlookers"]
        begun = memory(process)
        own, others = asyncio.run(measure(given, seats, onlookers))
        played = memory(process)
    with serve_command("--agents", given.agents) as (process, _):
        alone = memory(process)
    print("| | presses | p50 | p99 | longest |")
    print("|---|---|---|---|---|")
    print(row("who pressed", own))
    print(row("onlookers", others))
    print(f"\nmemory: {alone:.0f} MiB with one table, {begun:.0f} with {given.tables},")
    print(f"{played:.0f} after {given.seconds:.0f} seconds of play;")
    print(f"{(begun - alone) / max(1, given.tables - 1):.2f} MiB a new table")


if __name__ == "__main__":
    main()
