import time

import pytest

from catan_pz.training.timers import PARTS, Clock, Timers


class Worker:
    def work(self, seconds):
        time.sleep(seconds)
        return seconds


def test_time_is_added_to_its_part():
    timers, worker = Timers(), Worker()
    timers.time_calls(worker, "work", part="games")
    assert worker.work(0.02) == 0.02
    assert worker.work(seconds=0.02) == 0.02
    with pytest.raises(ValueError), timers.measure("updates"):  # noqa: PT011, PT012
        time.sleep(0.01)
        raise ValueError
    assert timers.seconds["games"] >= 0.04
    assert timers.seconds["updates"] >= 0.01
    assert {part for part in PARTS if timers.seconds[part] == 0} == set(PARTS) - {
        *("games", "updates"),
    }


def test_a_clock_counts_what_was_before():
    clock = Clock(100.0)
    assert 100 <= clock.seconds < 110
    assert 0 <= clock.since_start < 10
