"""Programs in matches, and the own server, for which a script stands in: how they end."""

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
from catan_pz.tables.jsettlers.server import own_server
from tests.agents.programs.players import SECONDS, all_end, command, pids
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
    monkeypatch.setattr(match_module, "decide_once", lambda *_: None)
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
match.decide_once = lambda *_: None
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


needs_shell = pytest.mark.skipif(os.name != "posix", reason="takes a shell")

SERVER = f"""#!{sys.executable}
import os, socket, sys, time
port = next(int(a.rpartition("=")[2]) for a in sys.argv if a.startswith("-Djsettlers.port="))
listening = socket.create_server(("127.0.0.1", port))
print("Robot arrived: one", flush=True)
open(os.environ["PID_FILE"], "w").write(str(os.getpid()))
time.sleep(600)
"""

SERVER_HOST = """
import time
from catan_pz.tables.jsettlers.server import own_server
with own_server("classes", "smart", 2):
    print("up", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def pid_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    java = tmp_path / "java"
    java.write_text(SERVER)
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PID_FILE", str(tmp_path / "pid"))
    return tmp_path / "pid"


def written(path: Path) -> int:
    deadline = time.monotonic() + SECONDS
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return int(path.read_text())


@needs_shell
def test_an_own_server_ends_with_its_block(pid_file: Path) -> None:
    with own_server("classes", "smart", 2):
        pid = written(pid_file)
        os.kill(pid, 0)
    assert all_end([pid])


@pytest.mark.slow
@needs_shell
def test_an_own_server_ends_where_its_host_is_killed(pid_file: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", SERVER_HOST], stdout=subprocess.PIPE) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"up\n"
        pid = written(pid_file)
        host.send_signal(signal.SIGKILL)
    assert all_end([pid])
