import json
import sys
from pathlib import Path
from typing import Any

import pytest

from catan_pz.cli import main
from catan_pz.game.record import GameRecord
from tests.cli.terminal import Terminal


def test_a_pipe_gets_the_story(recorded: Path, capsys: Any) -> None:
    assert main(["watch", str(recorded), "--terminal"]) == 0
    lines = capsys.readouterr().out.split("\n")
    decisions = GameRecord.load(recorded).decisions
    assert lines[0] == "Player 0 builds a settlement"
    assert sum(line.startswith(("Player 0 ", "Player 1 ")) for line in lines) == len(decisions)
    assert max(map(len, lines[len(decisions) :])) <= 80


def test_the_seats_of_a_recording_get_names(recorded: Path, capsys: Any) -> None:
    assert main(["watch", str(recorded), "--terminal", "--names", "Ann,Bob"]) == 0
    assert capsys.readouterr().out.startswith("Ann builds a settlement\n")
    assert main(["watch", str(recorded), "--terminal", "--names", "Ann"]) == 2
    assert "--names 'Ann': this game has 2 seats" in capsys.readouterr().err


def test_what_a_viewer_may_not_know_is_not_told(recorded: Path, capsys: Any) -> None:
    logs = []
    for viewer in ((), ("--viewer", "1")):
        assert main(["watch", str(recorded), "--terminal", *viewer]) == 0
        logs.append(capsys.readouterr().out)
    known = [line for line in logs[0].split("\n") if "0 buys a development card:" in line]
    assert known or "0 buys" not in logs[0]
    assert "0 buys a development card:" not in logs[1]


def test_the_browser_gets_a_replay(
    recorded: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    testclient = pytest.importorskip("starlette.testclient", reason="takes the extra `web`")
    from catan_pz.web import listening

    pages = []

    def run(server: Any, sockets: Any) -> None:
        client = testclient.TestClient(server.config.app, base_url="http://127.0.0.1")
        pages.append(client.get("/").text)
        assert client.get("/", headers={"host": "evil.example"}).status_code == 400

    monkeypatch.setattr(listening.uvicorn.Server, "run", run)
    monkeypatch.setattr("webbrowser.open", lambda _address: True)
    assert main(["watch", "--browser", str(recorded)]) == 0
    assert "<title>Player 0, Player 1</title>" in pages[0]
    assert "Ctrl-C ends" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_watching_in_a_pseudo_terminal(recorded: Path) -> None:
    last = len(GameRecord.load(recorded).decisions)
    with Terminal("watch", str(recorded), "--terminal", "--speed", "0.1") as terminal:
        terminal.until("0/")
        for keys, shown in (
            (" ", "paused"),
            ("\x1b[C", "] 1/"),
            ("\x1b[C", "] 2/"),
            ("\x1b[D", "] 1/"),
            ("\x1b[F", f" {last}/{last} "),
            ("\x1b[5~\x1b[H", f"] 0/{last} "),
        ):
            terminal.type(keys)
            terminal.until(shown)
        terminal.type("+q")
        terminal.end()
        assert terminal.screens()


def test_export_of_pictures(recorded: Path, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "board.svg"
    words = ["watch", str(recorded), "--export", str(path)]
    assert main([*words, "--at", "0"]) == 0
    assert path.read_text(encoding="utf-8").startswith("<svg")
    assert "shows the game after 0 decisions" in capsys.readouterr().out
    first = path.read_bytes()
    assert main([*words, "--viewer", "1", "--width", "500"]) == 0
    assert path.read_bytes() != first
    assert main([*words, "--at", "99999"]) == 2
    assert "--at 99999: the game has the pictures 0 to" in capsys.readouterr().err
    assert path.read_bytes() != first


def test_export_of_a_film_has_a_picture_a_turn(recorded: Path, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "game.gif"
    assert main(["watch", str(recorded), "--export", str(path), "--width", "140"]) == 0
    record = GameRecord.load(recorded)
    with image.open(path) as film:
        # Set-up and the first turn are both of turn 0.
        assert film.n_frames == record.result["turns"] + 1


def test_a_live_match_is_recorded_and_watched_again(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "match.jsonl"
    words = ["--players", "2", "--no-trading", "--seed", "4", "--set", "max_turns=2"]
    words += ["--agents", "search:simulations=2,turns=1,random"]
    assert main(["watch", "--terminal", *words, "--record", str(path)]) == 0
    live = capsys.readouterr().out
    assert main(["watch", str(path), "--terminal"]) == 0
    again = capsys.readouterr().out
    assert live.startswith("search builds a settlement")
    record = GameRecord.load(path)
    assert record.names == ["search", "random"]
    assert record.agents == ["search:simulations=2,turns=1", "random"]
    count = len(record.decisions)
    assert live.split("\n")[:count] == again.split("\n")[:count]


def test_wrong_options_and_files(recorded: Path, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "no.jsonl").write_text("{}\n")
    lines = recorded.read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[4])
    lines[4] = json.dumps(row | {"player": 1 - row["player"]})
    (tmp_path / "wrong.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    wrong = tmp_path / "state.jsonl"
    wrong.write_text(recorded.read_text().replace('"robber": ', '"robber": 9', 1))
    later = tmp_path / "later.jsonl"
    later.write_text(recorded.read_text().replace('"dice": "', '"new": 1, "dice": "', 1))
    for words, status, complaint in (
        ([str(tmp_path / "none.jsonl")], 2, "does not exist"),
        ([str(tmp_path / "no.jsonl")], 1, "no.jsonl holds no recorded game"),
        (
            [str(tmp_path / "wrong.jsonl"), "--terminal"],
            1,
            "wrong.jsonl holds no recorded game: line 5",
        ),
        ([str(wrong), "--terminal"], 1, "state.jsonl holds no recorded game"),
        ([str(later)], 1, "later.jsonl holds no recorded game: unknown option new=1"),
        ([str(recorded), "--export", "a.svg", "--html", "a.html"], 2, "give one of --export and"),
        ([str(recorded), "--viewer", "2"], 2, "--viewer 2: this game has the seats 0 to 1"),
        (
            [str(recorded), "--export", "a.bmp"],
            2,
            "must end in one of .svg, .png, .gif, .webp, .mp4",
        ),
        (["--agents", "random,random,random", "--players", "2"], 2, "names 3 agents"),
    ):
        assert main(["watch", *words]) == status, words
        error = capsys.readouterr().err
        assert complaint in error
        assert "Traceback" not in error
