import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz.board.topology import VERTEX_EDGES
from catan_pz.cli import main
from catan_pz.cli.play import specs_around
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from tests.cli.terminal import Terminal, program, read_until
from tests.play.sessions import choice, session
from tests.play.test_typed_commands import typed


def test_seats_go_round_from_the_person() -> None:
    assert specs_around(Rules(), 2, "weighted,random") == ["random", "random", None, "weighted"]


def test_a_game_in_the_browser_is_recorded_and_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    testclient = pytest.importorskip("starlette.testclient", reason="takes the extra `web`")
    from catan_pz.web import listening
    from catan_pz.web.server import make_app

    def listen(_opened: Any, _host: str, tables: Any, **_options: Any) -> None:
        (table,) = tables
        with testclient.TestClient(make_app(tables)) as client:
            address = f"/socket/{table.hosted.links[table.hosted.session.seat]}"
            with client.websocket_connect(address) as socket:
                socket.receive_json()
                news = socket.receive_json()
                while not news["controls"]:
                    news = socket.receive_json()
                name = news["controls"][0]["name"]
                socket.send_json({"press": name, "version": news["version"]})
                socket.receive_json()

    monkeypatch.setattr(listening, "listen", listen)
    monkeypatch.setattr("webbrowser.open", lambda _address: True)
    kept = tmp_path / "game.jsonl"
    words = ["play", "--browser", "--players", "2", "--seat", "1", "--pause", "0"]
    assert main([*words, "--against", "random", "--seed", "5", "--record", str(kept)]) == 0
    told = capsys.readouterr()
    assert "Open http://127.0.0.1:" in told.err
    assert f"The game is recorded in {kept}." in told.err
    record = GameRecord.load(kept)
    assert record.agents == ["random", None]
    assert record.start == Game(Rules(num_players=2, offer_form="both"), 5).snapshot()
    assert len(record.decisions) == 3
    assert main(["play", "--browser", "--continue", str(kept)]) == 0
    assert GameRecord.load(kept).decisions[:3] == record.decisions


def typing(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    left = [*lines, "quit"][::-1]
    monkeypatch.setattr("builtins.input", lambda _prompt: left.pop())


def test_a_recorded_game_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    kept = tmp_path / "game.jsonl"
    words = ["play", "--terminal", "--players", "2", "--board", "beginner", "--seed", "3"]
    who = ["--name", "random", "--seat", "1", "--against", "search:simulations=3,turns=1"]
    typing(monkeypatch, "s 11")
    assert main([*words, *who, "--record", str(kept)]) == 0
    first = GameRecord.load(kept)
    assert (first.names, first.agents) == (["search", "random"], [who[-1], None])
    typing(monkeypatch, f"road {VERTEX_EDGES[11][0]}")
    assert main(["play", "--terminal", "--continue", str(kept)]) == 0
    assert f"The game is recorded in {kept}." in capsys.readouterr().err
    second = GameRecord.load(kept)
    assert (second.names, second.agents) == (first.names, first.agents)
    assert second.decisions[: len(first.decisions)] == first.decisions
    assert second.decisions[len(first.decisions)].player == 1
    typing(monkeypatch)
    other = tmp_path / "other.jsonl"
    words = ["play", "--terminal", "--continue", str(kept), "--record", str(other)]
    assert main([*words, "--seat", "0", "--against", "weighted", "--name", "Bob"]) == 0
    assert GameRecord.load(other).names == ["Bob", "weighted"]
    other.unlink()
    capsys.readouterr()
    for more, complaint in (
        (["--seat", "0"], "a person played another seat: say who plays now with --against"),
        (["--seat", "2", "--against", "random"], "--seat 2: this game has the seats 0 to 1"),
    ):
        assert main([*words, *more]) == 2
        assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ('exec:"touch planted"', "no file starts a program: name it on the command line"),
        ("xenou:base=exec:touch planted", "no file starts a program"),
        ("recorded_player:Builder", "no file imports a module: name it on the command line"),
        ("xenou:base=recorded_player:Builder", "no file imports a module"),
        (
            "model.zip",
            "no file runs pickles such as those of model.zip: name it on the",
        ),
    ],
)
def test_a_recording_runs_no_code(
    spec: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    Path("recorded_player.py").write_text("open('planted', 'w')")
    Path("model.zip").touch()
    typing(monkeypatch)
    words = ["play", "--terminal", "--players", "2", "--against", "random", "--record"]
    assert main([*words, "game.jsonl"]) == 0
    kept = Path("game.jsonl")
    header, *rest = kept.read_text().split("\n")
    kept.write_text("\n".join([json.dumps(json.loads(header) | {"agents": [None, spec]}), *rest]))
    capsys.readouterr()
    assert main(["play", "--terminal", "--continue", "game.jsonl", "--trust-pickle"]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert told in error
    assert "say who plays now with --against" in error
    assert not Path("planted").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_a_whole_game_in_a_pseudo_terminal(tmp_path: Path) -> None:
    """The program itself, its prompts answered by what a mirror of the game allows."""
    kept = tmp_path / "game.jsonl"
    rules = "--players 2 --points 4 --no-trading --set max_turns=60"
    words = f"play --terminal --against random --pause 0 --seed 5 {rules} --record {kept}".split()
    mirror = session(Rules(num_players=2, victory_points=4, max_turns=60, trading=False), seed=5)
    mirror.names = ["Human", "random"]
    rng = np.random.default_rng(5)
    with Terminal(*words) as terminal:
        while not mirror.is_finished:
            if not mirror.waits_for_person:
                mirror.table.step()
                continue
            terminal.until("> ")
            action = choice(mirror.game, rng)
            terminal.type(typed(mirror.game, action) + "\n")
            mirror.game.step(action)
        terminal.end()
    assert mirror.result().replace("RandomAgent", "random").split(".")[1] in terminal.plain
    assert "\x1b[0;" in terminal.shown  # colours, on a terminal
    assert len(terminal.screens("The game is recorded")) > 40
    assert GameRecord.load(kept).decisions == mirror.record.decisions


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_a_narrow_terminal_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((60, 40)))
    assert main(["play", "--terminal"]) == 1
    assert capsys.readouterr().err == (
        "Error: a game in the terminal takes 80 columns and 24 rows, this one has 60 and 40: make "
        "it larger\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
@pytest.mark.parametrize("name", ["SIGINT", "SIGHUP"])
def test_a_game_is_recorded_when_it_is_interrupted(name: str, tmp_path: Path) -> None:
    kept = tmp_path / "game.jsonl"
    words = ("--players", "2", "--seat", "1", "--against", "random", "--record", str(kept))
    process = subprocess.Popen(
        program("play", "--terminal", *words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        read_until(process.stdout.fileno(), "", "\n>")
        process.send_signal(getattr(signal, name))
        rest, error = (told.decode() for told in process.communicate(timeout=60))
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert rest.endswith("\n")
    assert f"The game is recorded in {kept}." in error
    assert len(GameRecord.load(kept).decisions) == 2
