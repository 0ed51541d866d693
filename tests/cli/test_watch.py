import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz.agents.random import RandomAgent
from catan_pz.cli import main
from catan_pz.cli.keys import name_of
from catan_pz.cli.projector import Projector, frames_of_match, frames_of_record
from catan_pz.cli.session import Session
from catan_pz.render.film import FILM_HEIGHT, Reel, film_key_at, film_svg
from catan_pz.render.layout import HEIGHT, WIDTH
from catan_pz.rules import Rules
from catan_pz.runtime.game import Game
from catan_pz.runtime.record import GameRecord
from tests.cli.test_play import Mouse, program, pygame  # noqa: F401 (a fixture)
from tests.render.test_svg import labels

RULES = Rules(num_players=2, victory_points=3, max_turns=60)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    game, rng = Game(RULES, seed=9), np.random.default_rng(9)
    record = GameRecord.of(game)
    while game.mask.any():
        game.step(int(rng.choice(game.legal_actions())))
    path = tmp_path_factory.mktemp("games") / "game.jsonl"
    record.save(path)
    return path


def test_a_recording_is_replayed_to_its_end(recorded: Path) -> None:
    record = GameRecord.load(recorded)
    frames = list(frames_of_record(record))
    assert len(frames) == len(record.decisions) + 1
    assert frames[0].line is None
    assert frames[-1].state["winner"] == record.result["winner"]
    assert frames[-1].line is not None
    assert frames[-1].line.endswith(" and wins")
    assert [p["points"] for p in frames[-1].state["players"]] == record.result["points"]


def test_a_match_is_the_same_watched_and_recorded(tmp_path: Path) -> None:
    match = Session(RULES, 4, [RandomAgent(), RandomAgent()])
    live = list(frames_of_match(match))
    match.save(tmp_path / "game.jsonl")
    again = list(frames_of_record(GameRecord.load(tmp_path / "game.jsonl"), None, match.names))
    assert [frame.line for frame in again] == [frame.line for frame in live]
    # A replay names what chance brought instead of drawing it.
    drawn = ("rng", "deck")
    for one, other in zip(again, live, strict=True):
        assert [v for k, v in one.state.items() if k not in drawn] == [
            v for k, v in other.state.items() if k not in drawn
        ]


# ---------------------------------------------------------------------------------- projector


class Clock:
    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


def film(recorded: Path, speed: float = 4.0) -> tuple[Projector, Clock]:
    clock = Clock()
    return Projector(frames_of_record(GameRecord.load(recorded)), speed, clock), clock


def wait_for_frames(projector: Projector, count: int) -> None:
    until = time.monotonic() + 30
    while projector.reel.count < count and time.monotonic() < until:
        projector.tick()
    assert projector.reel.count >= count


def test_frames_come_in_time(recorded: Path) -> None:
    projector, clock = film(recorded, speed=4.0)
    wait_for_frames(projector, 7)
    assert projector.place == 0
    for place in (1, 2, 3):
        clock.now += 0.249
        projector.tick()
        assert projector.place == place - 1
        clock.now += 0.0011
        projector.tick()
        assert projector.place == place
    projector.key("space")
    clock.now += 10
    projector.tick()
    assert (projector.place, projector.paused) == (3, True)
    projector.key("space")
    clock.now += 0.26
    projector.tick()
    assert (projector.place, projector.paused) == (4, False)
    projector.close()


def test_stepping_and_seeking(recorded: Path) -> None:
    projector, _ = film(recorded)
    for _ in range(3):
        projector.key("right")
    assert (projector.place, projector.paused) == (3, True)
    projector.key("left")
    assert projector.place == 2
    assert projector.frame.state["phase"] == "setup_settlement"
    projector.key("home")
    projector.key("left")
    assert projector.place == 0
    last = len(GameRecord.load(recorded).decisions)
    for _ in range(last + 5):
        projector.key("n")
    assert projector.is_at_end
    assert projector.reel == Reel(last, last + 1, True, 4.0, complete=True)
    projector.key("seek 0.5")
    assert projector.place == round(last / 2)
    projector.key("end")
    assert projector.place == last
    projector.close()


def test_speeds_end_somewhere(recorded: Path) -> None:
    projector, _ = film(recorded, speed=4.0)
    projector.key("+")
    assert projector.speed == 8
    for _ in range(9):
        projector.key("up")
    assert projector.speed == 30
    for _ in range(19):
        projector.key("-")
    assert projector.speed == 0.25
    projector.key("z")
    assert not projector.quit
    projector.key("q")
    assert projector.quit
    projector.close()


def test_keys_of_terminals() -> None:
    assert [name_of(sent) for sent in (" ", "\x1b[C", "\x1bOD", "\x1b", "Q", "+")] == [
        *("space", "right", "left", "escape", "q", "+")
    ]


# ----------------------------------------------------------------------------------- pictures


def test_the_bar_of_buttons() -> None:
    reel = Reel(3, 9, paused=True, speed=4.0, complete=False)
    svg = film_svg(Game(seed=1).snapshot(), reel, width=560)
    assert 'height="395"' in svg
    words = {part.split('"')[0] for part in svg.split('aria-label="')}
    assert {"Back", "Go", "Step", "Slower", "Faster"} <= words
    y = HEIGHT + FILM_HEIGHT / 2 - 6
    found = [film_key_at(x, y) for x in range(0, int(WIDTH), 3)]
    assert list(dict.fromkeys(k for k in found if k and not k.startswith("seek"))) == [
        *("left", "space", "right", "-", "+")
    ]
    places = [float(k.split()[1]) for k in found if k.startswith("seek")]
    assert places == sorted(places)
    assert places[0] < 0.01 < 0.99 < places[-1]
    assert film_key_at(300, 300) == ""


def test_a_film_in_the_window(pygame: Any, recorded: Path) -> None:  # noqa: F811
    from catan_pz.cli.watch import WindowTheater
    from catan_pz.render.window import Window

    projector, clock = film(recorded)
    with Window("a test") as window:
        theater = WindowTheater(projector, window, None, None)
        theater.tick()
        wait_for_frames(projector, 4)
        left, top, width, height = window._place()
        step = (10 + 8 + 84 * 2 + 20, HEIGHT + 20)
        spot = (left + step[0] / WIDTH * width, top + step[1] / (HEIGHT + FILM_HEIGHT) * height)
        for _ in range(2):
            pygame.event.post(
                pygame.event.Event(
                    pygame.MOUSEBUTTONDOWN, pos=spot, button=1, window=window._window
                )
            )
        theater.tick()
        assert (projector.place, projector.paused) == (2, True)
        Mouse(pygame, window).key("space")
        theater.tick()
        clock.now += 1
        theater.tick()
        assert projector.place == 3
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        theater.tick()
        assert window.closed
    projector.close()


# ------------------------------------------------------------------------------------ command


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
    stories = []
    for viewer in ((), ("--viewer", "1")):
        assert main(["watch", str(recorded), "--terminal", *viewer]) == 0
        stories.append(capsys.readouterr().out)
    known = [line for line in stories[0].split("\n") if "0 buys a development card:" in line]
    assert known or "0 buys" not in stories[0]
    assert "0 buys a development card:" not in stories[1]


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_watching_in_a_pseudo_terminal(recorded: Path) -> None:
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, 80))
    process = subprocess.Popen(
        program("watch", str(recorded), "--terminal", "--speed", "0.1"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm-256color"},
    )
    os.close(theirs)
    shown = ""

    def until(words: str) -> None:
        nonlocal shown
        last = time.monotonic() + 60
        while words not in shown:
            assert time.monotonic() < last, shown[-500:]
            if select.select([ours], [], [], 1)[0]:
                shown += os.read(ours, 65536).decode()
        shown = ""

    try:
        until("0.1 a second")
        os.write(ours, b" ")
        until("paused")
        os.write(ours, b"\x1b[C")
        until("[1 of ")
        os.write(ours, b"\x1b[C")
        until("[2 of ")
        os.write(ours, b"\x1b[D")
        until("[1 of ")
        os.write(ours, b"+")
        os.write(ours, b"q")
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)


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
    words = ["--players", "2", "--points", "3", "--seed", "4", "--set", "max_turns=60"]
    words += ["--agents", "random"]
    assert main(["watch", "--terminal", *words, "--record", str(path)]) == 0
    live = capsys.readouterr().out
    assert main(["watch", str(path), "--terminal"]) == 0
    again = capsys.readouterr().out
    names = [("random 0", "Player 0"), ("random 1", "Player 1")]
    for name, plain in names:
        live = live.replace(name, plain)
    count = len(GameRecord.load(path).decisions)
    assert live.split("\n")[:count] == again.split("\n")[:count]


def wrong_record(tmp_path: Path, recorded: Path) -> Path:
    lines = recorded.read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[4])
    lines[4] = json.dumps(row | {"player": 1 - row["player"]})
    path = tmp_path / "wrong.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_wrong_options_and_files(recorded: Path, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "no.jsonl").write_text("{}\n")
    for words, status, complaint in (
        ([str(tmp_path / "none.jsonl")], 2, "does not exist"),
        ([str(tmp_path / "no.jsonl")], 1, "no.jsonl holds no recorded game"),
        ([str(wrong_record(tmp_path, recorded)), "--terminal"], 1, "line 5: player"),
        ([str(recorded), "--viewer", "2"], 2, "--viewer 2: this game has the seats 0 to 1"),
        ([str(recorded), "--export", "a.bmp"], 2, "must end in one of .svg, .png, .gif, .mp4"),
        ([str(recorded), "--export", "a.gif", "--at", "1"], 2, "--at chooses one picture"),
        (["--agents", "random,random,random", "--players", "2"], 2, "names 3 agents"),
    ):
        assert main(["watch", *words]) == status, words
        error = capsys.readouterr().err
        assert complaint in error
        assert "Traceback" not in error


def test_names_are_drawn() -> None:
    assert "Ann" in labels(Game(seed=1).snapshot(), names=["Ann", "Bob", "Cyd", "Dee"])
