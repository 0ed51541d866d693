"""A server of our own ends with the match, however that ends; a script stands in for Java."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from catan_pz.tables.jsettlers.server import own_server
from tests.agents.programs.players import SECONDS, all_end

pytestmark = pytest.mark.skipif(os.name != "posix", reason="takes a shell")

SERVER = f"""#!{sys.executable}
import os, socket, sys, time
port = next(int(a.rpartition("=")[2]) for a in sys.argv if a.startswith("-Djsettlers.port="))
listening = socket.create_server(("127.0.0.1", port))
print("Robot arrived: one", flush=True)
open(os.environ["PID_FILE"], "w").write(str(os.getpid()))
time.sleep(600)
"""

HOST = """
import time
from catan_pz.tables.jsettlers.server import own_server
with own_server("classes", "smart", 2):
    print("up", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def pid_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the server writes its number."""
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


def test_it_ends_with_its_block(pid_file: Path) -> None:
    with own_server("classes", "smart", 2):
        pid = written(pid_file)
        os.kill(pid, 0)
    assert all_end([pid])


@pytest.mark.slow
def test_it_ends_where_its_host_is_killed(pid_file: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOST], stdout=subprocess.PIPE) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"up\n"
        pid = written(pid_file)
        host.send_signal(signal.SIGKILL)
    assert all_end([pid])
