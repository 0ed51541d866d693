from pathlib import Path

import pytest

from catan_pz.agents.random import RandomAgent
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.play.frames import frames_of_match, frames_of_record
from catan_pz.play.playback import Playback, keys_in
from catan_pz.play.session import PlayedGame
from tests.play.recordings import RULES


class Clock:
    now = 50.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def playback(recorded: Path, clock: Clock) -> Playback:
    record = GameRecord.load(recorded)
    return Playback(frames_of_record(record), 4.0, len(record.decisions) + 1, clock=clock)


def test_frames_come_in_time(playback: Playback, clock: Clock) -> None:
    for position in (1, 2, 3):
        clock.now += 0.249
        playback.tick()
        assert playback.position == position - 1
        clock.now += 0.0011
        playback.tick()
        assert playback.position == position
    playback.key(" ")
    clock.now += 10
    playback.tick()
    assert (playback.position, playback.paused) == (3, True)
    playback.key(" ")
    clock.now += 0.26
    playback.tick()
    assert (playback.position, playback.paused) == (4, False)


def test_stepping_and_seeking(playback: Playback, recorded: Path) -> None:
    for _ in range(3):
        playback.key("\x1b[C")
    assert (playback.position, playback.paused) == (3, True)
    playback.key("\x1b[D")
    assert playback.position == 2
    playback.key("\x1b[H")
    playback.key("\x1b[D")
    assert playback.position == 0
    last = len(GameRecord.load(recorded).decisions)
    playback.key("\x1b[F")
    playback.key("n")
    assert playback.position == last == playback.count - 1
    assert playback.is_at_end
    assert f"] {last}/{last} paused" in playback.screen()


def test_pages_go_from_turn_to_turn(playback: Playback, recorded: Path) -> None:
    turns = [frame.state["turn"] for frame in frames_of_record(GameRecord.load(recorded))]
    starts = [k for k in range(1, len(turns)) if turns[k] != turns[k - 1]]
    for start in starts:
        playback.key("\x1b[6~")
        assert playback.position == start
    for start in [*starts[-2::-1], 0, 0]:
        playback.key("\x1b[5~")
        assert playback.position == start
    playback.seek(starts[2] + 1)
    playback.key("\x1b[5~")
    assert playback.position == starts[2]


def test_a_live_match_is_played_as_far_as_it_is_watched() -> None:
    match = PlayedGame(Game(RULES, 4), [RandomAgent(), RandomAgent()], 4)
    playback = Playback(frames_of_match(match))
    playback.key("\x1b[C")
    assert len(match.record.decisions) == 1
    assert "] 1/1+ paused" in playback.screen()
    while not playback.is_at_end:
        playback.key("\x1b[C")
    assert match.is_finished
    assert playback.position == len(match.record.decisions)


def test_speeds_end_somewhere(playback: Playback) -> None:
    playback.key("+")
    assert playback.speed == 8
    for _ in range(9):
        playback.key("\x1b[A")
    assert playback.speed == 30
    for _ in range(19):
        playback.key("-")
    assert playback.speed == 0.25
    playback.key("q")
    assert playback.quit


def test_keys_that_come_together_are_told_apart() -> None:
    sent = "n\x1b[C\x1bOD\x1b[5~q\x1b"
    assert keys_in(sent) == ["n", "\x1b[C", "\x1bOD", "\x1b[5~", "q", "\x1b"]


def test_an_interrupted_replay_ends_its_line(recorded: Path) -> None:
    def interrupted() -> float:
        raise KeyboardInterrupt

    written: list[str] = []
    playback = Playback(frames_of_record(GameRecord.load(recorded)), 4.0)
    playback._clock = interrupted
    with pytest.raises(KeyboardInterrupt):
        playback.run(written.append)
    assert written[-1] == "\n"
