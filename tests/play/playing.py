"""Playbacks of a recorded game, by a clock that a test moves."""

import time
from pathlib import Path

from catan_pz.game.record import GameRecord
from catan_pz.play.frames import frames_of_record
from catan_pz.play.playback import Playback


class Clock:
    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


def playback_of(recorded: Path, speed: float = 4.0) -> tuple[Playback, Clock]:
    """A playback with all of its frames loaded, and its clock."""
    clock, record = Clock(), GameRecord.load(recorded)
    total = len(record.decisions) + 1
    playback = Playback(frames_of_record(record), speed, total, clock)
    until = time.monotonic() + 30
    while len(playback._loaded) < total and time.monotonic() < until:
        time.sleep(0.01)
    return playback, clock
