import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from catan_pz.agents.random import RandomAgent
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.play.frames import Frame, frames_of_match
from catan_pz.play.playback import Playback, PlaybackState
from catan_pz.play.session import Session
from catan_pz.play.terminal_keys import name_of
from tests.play.playing import playback_of
from tests.play.recordings import RULES


def test_frames_come_in_time(recorded: Path) -> None:
    playback, clock = playback_of(recorded, speed=4.0)
    assert playback.position == 0
    for position in (1, 2, 3):
        clock.now += 0.249
        playback.tick()
        assert playback.position == position - 1
        clock.now += 0.0011
        playback.tick()
        assert playback.position == position
    playback.key("space")
    clock.now += 10
    playback.tick()
    assert (playback.position, playback.paused) == (3, True)
    playback.key("space")
    clock.now += 0.26
    playback.tick()
    assert (playback.position, playback.paused) == (4, False)
    playback.close()


def test_stepping_and_seeking(recorded: Path) -> None:
    playback, _ = playback_of(recorded)
    for _ in range(3):
        playback.key("right")
    assert (playback.position, playback.paused) == (3, True)
    playback.key("left")
    assert playback.position == 2
    assert playback.frame.state["phase"] == "setup_settlement"
    playback.key("home")
    playback.key("left")
    assert playback.position == 0
    last = len(GameRecord.load(recorded).decisions)
    playback.key("end")
    assert playback.state == PlaybackState(last, last + 1, True, 4.0, complete=True)
    playback.key("n")
    assert playback.position == last
    assert playback.is_at_end
    playback.seek_share(0.5)
    assert playback.position == round(last / 2)
    playback.close()


def test_pages_go_from_turn_to_turn(recorded: Path) -> None:
    playback, _ = playback_of(recorded)
    turns = [frame.state["turn"] for frame in playback._loaded]
    starts = [k for k in range(1, len(turns)) if turns[k] != turns[k - 1]]
    for start in starts:
        playback.key("page down")
        assert playback.position == start
    for start in [*starts[-2::-1], 0, 0]:
        playback.key("page up")
        assert playback.position == start
    playback.seek(starts[2] + 1)
    playback.key("page up")
    assert playback.position == starts[2]
    playback.close()


def test_a_live_match_is_made_a_few_frames_ahead() -> None:
    match = Session(Game(RULES, 4), [RandomAgent(), RandomAgent()], 4)
    playback = Playback(frames_of_match(match))
    made = [0]
    while made[-1] < 2 or len(set(made[-5:])) > 1:  # until no more are made
        time.sleep(0.02)
        made.append(playback.state.count)
    assert made[-1] <= 10
    assert not playback.state.complete
    while not playback.is_at_end:
        playback.step(1)
    assert match.is_finished
    assert playback.position == len(match.record.decisions)
    playback.close()


def test_what_goes_wrong_with_the_frames_is_raised(recorded: Path) -> None:
    playback, _ = playback_of(recorded)
    first = playback.frame

    def broken() -> Iterator[Frame]:
        yield first
        raise ValueError("line 5: no such player")

    failing = Playback(broken())
    with pytest.raises(ValueError, match="line 5"):
        failing.step(1)
    with pytest.raises(ValueError, match="line 5"):
        failing.tick()


def test_speeds_end_somewhere(recorded: Path) -> None:
    playback, _ = playback_of(recorded, speed=4.0)
    playback.key("+")
    assert playback.speed == 8
    for _ in range(9):
        playback.key("up")
    assert playback.speed == 30
    for _ in range(19):
        playback.key("-")
    assert playback.speed == 0.25
    playback.key("z")
    assert not playback.quit
    playback.key("q")
    assert playback.quit
    playback.close()


def test_keys_of_terminals() -> None:
    sent = (" ", "\x1b[C", "\x1bOD", "\x1b", "Q", "+", "\x1b[H", "\x1b[4~", "\x1b[5~", "\x1b[6~")
    assert [name_of(keys) for keys in sent] == [
        *("space", "right", "left", "escape", "q", "+", "home", "end", "page up", "page down")
    ]
