"""Matches of programs on a scripted server: how they play, and how they end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from catan_pz.agents.programs import agent as program_module
from catan_pz.agents.programs import process
from catan_pz.tables.jsettlers import match as match_module
from catan_pz.tables.jsettlers.client import ServerAddress
from catan_pz.tables.jsettlers.match import play_match
from tests.agents.programs.players import all_end, command, pids
from tests.tables.jsettlers.server import COOKIE, PATIENCE, ScriptedServer, running, unchanged

NAME = "two_players"
BOT = Path(__file__).parents[3] / "examples" / "programs" / "bot.py"


def test_a_program_plays_all_games_and_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []

    class Counted(process.LineProcess):
        def __init__(self, command: Any) -> None:
            super().__init__(command)
            started.append(self)

    monkeypatch.setattr(program_module, "LineProcess", Counted)
    monkeypatch.setattr(match_module, "get_ready", lambda *_: None)
    with running(ScriptedServer(NAME, [unchanged] * 2)) as server:
        address = ServerAddress("127.0.0.1", server.port, COOKIE)
        agent = f'exec:"{sys.executable} -S {BOT}"'
        match = play_match(("bot", agent), games=2, seed=1, server=address)
    assert len(match.result.games) == 2
    assert len(started) == 1
    assert not process._running.intersection(started)


HOST = """
import sys
from catan_pz.agents.programs.agent import ProgramAgent
from catan_pz.tables.jsettlers import match
match.get_ready = lambda *_: None
address = match.ServerAddress("127.0.0.1", int(sys.argv[1]), sys.argv[2])
match.play_match(("bot", ProgramAgent(sys.argv[3], seconds=None)), games=1, server=address)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
def test_ctrl_c_ends_a_match_in_which_a_program_thinks_for_ever(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    program = f"""
    if kind == "view":
        open({str(asked)!r}, "w").close()
        time.sleep(1000)
    """
    with running(ScriptedServer(NAME, [unchanged])) as server:
        host = subprocess.Popen(
            [sys.executable, "-c", HOST, str(server.port), COOKIE, command(tmp_path, program)],
            stderr=subprocess.PIPE,
        )
        try:
            deadline = time.monotonic() + PATIENCE
            while not asked.exists():
                assert host.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
            host.send_signal(signal.SIGINT)
            _, errors = host.communicate(timeout=PATIENCE)
        finally:
            host.kill()
            host.wait()
    assert b"Interrupted: stopped after 0 of 1 games" in errors
    assert all_end(pids(tmp_path))
