import time
from typing import Any

import numpy as np
import pytest

from catan_pz import actions as table
from catan_pz.agents.random import RandomAgent
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.play.session import Session
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from tests.play.mouse import Mouse
from tests.play.presses import presses_for
from tests.play.sessions import SHORT, choice, session

pytest.importorskip("resvg_py")
pytest.importorskip("pygame")

from catan_pz.play.window_game import WindowGame
from catan_pz.render.window import Window


def test_a_whole_game_clicked_in_the_window(pygame: Any, monkeypatch: pytest.MonkeyPatch) -> None:

    rules = Rules(num_players=2, victory_points=4, offer_form="both", max_offers_per_turn=1)
    match = session(rules)
    rng = np.random.default_rng(4)
    clicks = 0
    with Window("a test") as window:
        play = WindowGame(match, window, pause=0.0)
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


def test_what_cannot_be_pressed_says_why_in_the_window(pygame: Any) -> None:
    game = position([{"hand": {"brick": 1}}, {"hand": {"ore": 1}}], rules=Rules(num_players=2))
    match = Session(game, [None, RandomAgent()], 1)
    with Window("a test") as window:
        play = WindowGame(match, window, pause=0.0)
        play.tick()
        mouse = Mouse(pygame, window)
        for name in ("give brick", "offer"):
            control = next(c for c in play.controls if c.name == name)
            mouse.click(*control.area.middle)
            play.tick()
        assert play._hover is not None
        assert play._hover.words == "lay out what to give and what to get"
        assert play._draft.give == (1, 0, 0, 0, 0)
        assert not match.record.decisions
        play.close()


def test_keys_play_and_clear_in_the_window(pygame: Any) -> None:

    match = session()
    while match.game.phase != Phase.ROLL:
        match.game.step(choice(match.game, np.random.default_rng(0)))
    with Window("a test") as window:
        play = WindowGame(match, window, pause=0.0)
        play.tick()
        mouse = Mouse(pygame, window)
        mouse.key("x")  # means nothing now
        mouse.key("r")
        play.tick()
        assert match.record.decisions[-1].action == table.ROLL
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        play.run()  # comes back at once


def test_the_pause_holds_the_others_back(pygame: Any) -> None:

    now = 100.0
    match = session(seat=1)
    with Window("a test") as window:
        play = WindowGame(match, window, pause=5.0, clock=lambda: now)
        until = time.monotonic() + 20
        while not match.log and time.monotonic() < until:
            play.tick()
        assert len(match.log) == 1  # the first decision waits for nobody
        for _ in range(20):
            play.tick()
            time.sleep(0.005)
        assert len(match.log) == 1
        now += 5.0
        until = time.monotonic() + 20
        while len(match.log) < 2 and time.monotonic() < until:
            play.tick()
        assert len(match.log) == 2
        play.close()


def test_a_match_without_a_person_is_watched_instead(pygame: Any) -> None:

    match = Session(Game(SHORT, 1), [RandomAgent(), RandomAgent()], 1)
    with Window("a test") as window, pytest.raises(ValueError, match="watch it"):
        WindowGame(match, window)
