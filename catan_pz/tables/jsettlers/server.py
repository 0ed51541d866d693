"""An unmodified JSettlers server of our own, with only the robots wanted."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from catan_pz.tables.jsettlers.client import ServerAddress, ServerError

CLASSES: Final = "CATAN_PZ_JSETTLERS"
"""Environment variable with the class path of the server."""

SMART, FAST, MIXED = "smart", "fast", "mixed"
KINDS: Final = (SMART, FAST, MIXED)
"""The robots of a server: those with the smart strategy, the fast one, or both."""

_MAIN: Final = "soc.server.SOCServer"
_ROBOT: Final = "soc.robot.SOCRobotClient"
_COMPILER: Final = "-XX:-UseOnStackReplacement"
"""Otherwise a robot method with many loops may occupy Java's compiler for minutes."""
_SECONDS_TO_START: Final = 60.0
_SECONDS_TO_STOP: Final = 10.0
_MIXED_ROBOTS: Final = 10
"""Of this many robots a server makes 3 fast and 7 smart."""
_TURN_SECONDS: Final = 120
_LOG_TAIL: Final = 400


def kind_of(robot: str) -> str:
    """The kind of one of the server's own robots, from its name."""
    return SMART if robot.startswith("robot ") else FAST


def class_path(given: str | None) -> str:
    """The class path of the server for java."""
    path = given or os.environ.get(CLASSES)
    if not path:
        raise ServerError(
            f"classes of the JSettlers server are missing: name them with --classes or in "
            f"{CLASSES}, or join a running server with --host"
        )
    for part in path.split(os.pathsep):
        if not Path(part).exists():
            raise ServerError(f"there are no classes in {part}")
    if shutil.which("java") is None:
        raise ServerError("java is not installed; a JSettlers server needs it")
    return path


def robots_of(kind: str, players: int) -> dict[str, str]:
    """Properties of a server with robots of a kind, enough for games with one guest."""
    others = players - 1
    if kind == FAST:
        return {"startrobots": "0", "bots.start3p": f"{others},{_ROBOT}"}
    return {"startrobots": str(others if kind == SMART else _MIXED_ROBOTS)}


_UNTIL_INPUT_ENDS: Final = 'exec 3<&0; { read -r _ <&3; kill "$$"; } & exec "$@" 3<&- </dev/null'
"""Runs a command and ends it when standard input closes, such as when we are killed."""


@contextmanager
def own_server(classes: str, kind: str, players: int) -> Iterator[ServerAddress]:
    """A server that runs during the block, and ends with this process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = ServerAddress("127.0.0.1", probe.getsockname()[1], secrets.token_hex(8))
    properties = {
        "port": str(address.port),
        "allow.debug": "Y",
        "client.maxcreategames": "-1",
        "connections": "100",
        "bots.cookie": address.cookie,
        "bots.botgames.total": "-1",
        "bots.fast_pause_percent": "0",
        "bots.percent3p": str(round(100 / players)),
        "bots.timeout.turn": str(_TURN_SECONDS),
        **robots_of(kind, players),
    }
    watched = ["sh", "-c", _UNTIL_INPUT_ENDS, "sh"] if os.name == "posix" else []
    options = [_COMPILER, "-cp", classes, _MAIN]
    options += [f"-Djsettlers.{name}={value}" for name, value in properties.items()]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as printed:
            process = subprocess.Popen(
                [*watched, "java", *options],
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for us; the server ends with the block
            )
        try:
            _wait_until_it_is_there(process, log, address, 10 if kind == MIXED else players - 1)
            yield address
        finally:
            _end(process)


def _wait_until_it_is_there(
    process: "subprocess.Popen[bytes]", log: Path, address: ServerAddress, robots: int
) -> None:
    deadline = time.monotonic() + _SECONDS_TO_START
    while not (_listens(address) and log.read_bytes().count(b"Robot arrived: ") >= robots):
        if process.poll() is not None or time.monotonic() > deadline:
            told = log.read_text("utf-8", "replace").strip()[-_LOG_TAIL:]
            raise ServerError(f"the JSettlers server doesn't start: {told}")
        time.sleep(0.1)


def _listens(address: ServerAddress) -> bool:
    try:
        socket.create_connection(address[:2], 1.0).close()
    except OSError:
        return False
    return True


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the server and the watching shell."""
    assert process.stdin is not None
    for hard in (False, True):
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)
        else:
            process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_SECONDS_TO_STOP)
            break
    process.stdin.close()
