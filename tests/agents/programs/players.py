"""Small programs for tests, written to files: good ones, and ones that fail in some way."""

import os
import sys
import time
from pathlib import Path
from textwrap import dedent, indent

SECONDS = 120.0
"""Longest wait for something that is immediate on an idle machine."""

_FRAME = """\
import json, os, sys, time
open({pids!r}, "a").write(f"{{os.getpid()}}\\n")
views = 0

def say(message):
    print(json.dumps(message), flush=True)

for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
{special}
    if kind == "hello":
        say({{"type": "hello", "events": False}})
    if kind == "start":
        say({{"type": "ready"}})
    if kind == "view":
        views += 1
        say({{"type": "action", "id": message["actions"][0]["id"]}})
"""


def command(folder: Path, special: str = "", name: str = "bot") -> str:
    """The command of a program that takes the first legal action, after some special lines."""
    path = folder / f"{name}.py"
    body = indent(dedent(special), "    ")
    path.write_text(_FRAME.format(pids=str(folder / "pids"), special=body))
    return f'"{sys.executable}" "{path}"'


def pids(folder: Path) -> list[int]:
    path = folder / "pids"
    return [int(pid) for pid in path.read_text().split()] if path.exists() else []


def is_running(pid: int) -> bool:
    """Whether a process is running, or has ended but wasn't reaped."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def all_end(numbers: list[int]) -> bool:
    deadline = time.monotonic() + SECONDS
    while any(map(is_running, numbers)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
