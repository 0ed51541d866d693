import os
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz import actions as table
from catan_pz.agents.random import RandomAgent
from catan_pz.cli import main
from catan_pz.cli.play import seated
from catan_pz.cli.session import Session, get_ready
from catan_pz.cli.terminal import Left, TerminalPlay
from catan_pz.render.layout import DESK_HEIGHT, HEIGHT, WIDTH
from catan_pz.rules import Rules
from catan_pz.runtime.game import Game
from catan_pz.runtime.record import GameRecord
from catan_pz.terms import Phase
from tests.cli.test_orders import typed
from tests.render.presses import presses_for

SHORT = Rules(num_players=2, victory_points=5, offer_form="both", max_turns=120)


def session(rules: Rules = SHORT, seed: int = 1, seat: int = 0) -> Session:
    agents: list[Any] = [RandomAgent() for _ in range(rules.num_players)]
    agents[seat] = None
    return Session(rules, seed, agents, "Ann")


def choice(game: Game, rng: np.random.Generator) -> int:
    """A random action, composing left to whole offers."""
    legal = game.legal_actions()
    if game.phase != Phase.COMPOSE:
        legal = legal[(legal < table.COMPOSE_GIVE) | (legal > table.COMPOSE_SEND)]
    return int(rng.choice(legal))


@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_game_typed_in_the_terminal(seat: int) -> None:
    match = session(seat=seat)
    rng = np.random.default_rng(2)
    said: list[str] = []
    asked = 0

    def ask(prompt: str) -> str:
        nonlocal asked
        asked += 1
        assert match.waits_for_person
        if asked % 7 == 0:
            return "nonsense" if asked % 2 else "?"
        return typed(match.game, choice(match.game, rng))

    TerminalPlay(match, ask, said.append, color=False).run()
    assert match.is_finished
    assert said[-1] == match.result()
    assert asked > 30
    lines = "\n".join(said).split("\n")
    assert max(map(len, lines)) <= 80 or all(len(x) <= 120 for x in lines)
    # Each decision was told once, as this seat may know it.
    told = [line.strip() for line in lines if line.startswith("  ")]
    assert [line for line in told if line in set(match.story)] == match.story


def test_leaving_a_game() -> None:
    with pytest.raises(Left):
        TerminalPlay(session(), lambda _: "quit", lambda _: None).run()

    def end(_: str) -> str:
        raise EOFError

    with pytest.raises(Left):
        TerminalPlay(session(), end, lambda _: None).run()


def test_a_story_tells_a_seat_only_what_it_may_know() -> None:
    match = session(Rules(num_players=2, max_turns=60), seed=3)
    rng = np.random.default_rng(3)
    while not match.is_finished:
        if match.waits_for_person:
            match.game.step(choice(match.game, rng))
        else:
            match.table.step()
    bought = [line for line in match.story if line.startswith("RandomAgent buys a dev")]
    assert not any(":" in line for line in bought)


# ------------------------------------------------------------------------------------- window


@pytest.fixture
def pygame(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    module = pytest.importorskip("pygame")
    pytest.importorskip("resvg_py")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    module.display.quit()
    yield module
    module.display.quit()


class Mouse:
    """Moves and clicks in a window, by spots of the picture."""

    def __init__(self, pygame: Any, window: Any) -> None:
        self._pygame = pygame
        self._window = window

    def click(self, x: float, y: float) -> None:
        left, top, width, height = self._window._place()
        spot = (left + x / WIDTH * width, top + y / (HEIGHT + DESK_HEIGHT) * height)
        self._post(self._pygame.MOUSEMOTION, pos=spot, rel=(0, 0), buttons=(0, 0, 0))
        self._post(self._pygame.MOUSEBUTTONDOWN, pos=spot, button=self._pygame.BUTTON_LEFT)

    def key(self, name: str) -> None:
        self._post(self._pygame.KEYDOWN, key=self._pygame.key.key_code(name))

    def _post(self, kind: int, **values: Any) -> None:
        event = self._pygame.event.Event(kind, window=self._window._window, **values)
        self._pygame.event.post(event)


def test_a_whole_game_clicked_in_the_window(pygame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from catan_pz.cli.windowed import WindowPlay
    from catan_pz.render.window import Window

    rules = Rules(num_players=2, victory_points=4, offer_form="both", max_offers_per_turn=1)
    match = session(rules)
    rng = np.random.default_rng(4)
    clicks = 0
    with Window("a test") as window:
        play = WindowPlay(match, window, pause=0.0)
        play.tick()
        mouse = Mouse(pygame, window)
        # A small picture is drawn as well as a large one, and faster.
        window._window.size = (280, 225)
        while not match.is_finished:
            if not match.waits_for_person:
                play.tick()
                continue
            action = choice(match.game, rng)
            steps = len(match.record.decisions)
            for control in presses_for(match.game, action):
                mouse.click(*control.area.middle)
                play.tick()
                clicks += 1
            assert match.record.decisions[steps].action == action
        play.tick()
        play.close()
        assert window._picture.get_size()[0] in (279, 280)
    assert clicks > 60
    assert match.game.winner is not None


def test_keys_play_and_clear_in_the_window(pygame: Any) -> None:
    from catan_pz.cli.windowed import WindowPlay
    from catan_pz.render.window import Window

    match = session()
    while match.game.phase != Phase.ROLL:
        match.game.step(choice(match.game, np.random.default_rng(0)))
    with Window("a test") as window:
        play = WindowPlay(match, window, pause=0.0)
        play.tick()
        mouse = Mouse(pygame, window)
        mouse.key("x")  # means nothing now
        mouse.key("r")
        play.tick()
        assert match.record.decisions[-1].action == table.ROLL
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        play.run()  # comes back at once


def test_the_pause_holds_the_others_back(pygame: Any) -> None:
    from catan_pz.cli.windowed import WindowPlay
    from catan_pz.render.window import Window

    now = 100.0
    match = session(seat=1)
    with Window("a test") as window:
        play = WindowPlay(match, window, pause=5.0, clock=lambda: now)
        until = time.monotonic() + 20
        while not match.story and time.monotonic() < until:
            play.tick()
        assert len(match.story) == 1  # the first decision waits for nobody
        for _ in range(20):
            play.tick()
            time.sleep(0.005)
        assert len(match.story) == 1
        now += 5.0
        until = time.monotonic() + 20
        while len(match.story) < 2 and time.monotonic() < until:
            play.tick()
        assert len(match.story) == 2
        play.close()


def test_a_match_without_a_person_is_watched_instead(pygame: Any) -> None:
    from catan_pz.cli.windowed import WindowPlay
    from catan_pz.render.window import Window

    match = Session(SHORT, 1, [RandomAgent(), RandomAgent()])
    with Window("a test") as window, pytest.raises(ValueError, match="watch it"):
        WindowPlay(match, window)


# ------------------------------------------------------------------------------------ command


def test_seats_go_round_from_the_person() -> None:
    agents = seated(Rules(), 2, "random")
    assert [agent is None for agent in agents] == [False, False, True, False]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--seat", "3", "--players", "2"], "--seat 3: this game has the seats 0 to 1"),
        (["--against", "random,random", "--players", "2"], "names 2 agents; there are 1 other"),
        (["--against", "nobody"], "there is no agent 'nobody'; there are random, weighted"),
        (["--against", "random:x"], "write NAME:OPTION=VALUE"),
        (["--against", "random:x=1"], "agent 'random:x=1'"),
        (["--against", "there/is/none.zip"], "there is no model"),
        (["--set", "dice"], "write OPTION=VALUE"),
        (["--set", "dice=loaded"], "option dice='loaded' is not possible"),
        (["--set", "colour=red"], "unknown option colour='red'"),
        (["--points", "2"], "2 is not in the range"),
        (["--seed", "x"], "'x' is no seed"),
    ],
)
def test_wrong_options(words: list[str], complaint: str, capsys: Any) -> None:
    assert main(["play", "--terminal", *words]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert "Traceback" not in error
    assert error.rstrip().endswith("Try 'catan-pz play --help'.")


def test_no_display(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    pygame = pytest.importorskip("pygame")
    pytest.importorskip("resvg_py")
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    pygame.display.quit()
    assert main(["play", "--window"]) == 1
    assert capsys.readouterr().err == (
        "Error: there is no display to open a window on: use --terminal\n"
    )


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["play", "--window"]) == 1
    assert 'a window needs pygame, resvg_py: pip install "catan-pz[render]"' in (
        capsys.readouterr().err
    )


def program(*words: str) -> list[str]:
    return [sys.executable, "-m", "catan_pz.cli", *words]


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_a_whole_game_in_a_pseudo_terminal(tmp_path: Path) -> None:
    """The program itself, its prompts answered by what a mirror of the game allows."""
    import pty
    import termios

    rules = Rules(num_players=2, victory_points=4, max_turns=60, trading=False)
    kept = tmp_path / "game.jsonl"
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, 80))
    words = ("--players", "2", "--points", "4", "--no-trading", "--set", "max_turns=60")
    process = subprocess.Popen(
        program(
            "play",
            "--terminal",
            "--against",
            "random",
            "--seed",
            "5",
            "--record",
            str(kept),
            *words,
        ),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm-256color"},
    )
    os.close(theirs)
    mirror = session(rules, seed=5)
    mirror.names = ["Human", "random"]
    rng = np.random.default_rng(5)
    shown, place = "", 0
    try:
        while not mirror.is_finished:
            if not mirror.waits_for_person:
                mirror.table.step()
                continue
            shown, place = read_until(ours, shown, "> ", place)
            action = choice(mirror.game, rng)
            os.write(ours, (typed(mirror.game, action) + "\n").encode())
            mirror.game.step(action)
        shown += read_all(ours)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    plain = re.sub(r"\x1b\[[\d;]*m", "", shown).replace("\r", "")
    assert mirror.result().replace("RandomAgent", "random").split(".")[1] in plain
    assert "\x1b[" in shown  # colours, on a terminal
    assert GameRecord.load(kept).decisions == mirror.record.decisions


def read_until(place: int, shown: str, words: str, start: int) -> tuple[str, int]:
    """Read until some words come after a place; all that was read and the place behind them."""
    until = time.monotonic() + 120
    while words not in shown[start:]:
        assert time.monotonic() < until, shown[-2000:]
        if select.select([place], [], [], 1)[0]:
            shown += os.read(place, 65536).decode()
    return shown, shown.index(words, start) + len(words)


def read_all(place: int) -> str:
    """Read to the end."""
    found = ""
    try:
        while select.select([place], [], [], 60)[0]:
            data = os.read(place, 65536)
            if not data:
                break
            found += data.decode()
    except OSError:  # the other end is closed
        pass
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_a_narrow_terminal_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda _: os.terminal_size((60, 40)))
    assert main(["play", "--terminal"]) == 1
    assert capsys.readouterr().err == (
        "Error: a game in the terminal takes 80 columns, this one has 60: make it wider, or use "
        "--window\n"
    )


def test_interrupted_games_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def interrupt(_prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    kept = tmp_path / "game.jsonl"
    assert main(["play", "--terminal", "--seat", "1", "--record", str(kept)]) == 130
    error = capsys.readouterr().err
    assert f"The game is recorded in {kept}." in error
    assert "Interrupted." in error
    assert len(GameRecord.load(kept).decisions) == 2


def test_agents_are_made_ready_in_a_game_of_their_own() -> None:
    asked = []

    class Noted(RandomAgent):
        def act(self, view: Any, mask: Any) -> int:
            asked.append((self.name, self.seat))
            return super().act(view, mask)

    first, other = Noted(), Noted()
    other.name = "other"
    get_ready(Rules(num_players=4, trading=False), [None, first, first, other])
    assert asked == [("Noted", 0), ("other", 0)]
    assert not hasattr(first, "seat")
